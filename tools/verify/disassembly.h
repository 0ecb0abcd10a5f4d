#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::tools {

/// What an x86-64 instruction needs.
enum class Needs : std::uint8_t { Baseline, Avx, Evex };

/// Of an instruction as objdump prints it: its bytes ("c5 f4 58 c1"), mnemonic and operands. By encoding,
/// register class and mnemonic, as tests/isolation/disassembly_test.sh.
Needs needs_of(std::string_view bytes, std::string_view instruction);

struct Misplaced {
  std::string section, function, instruction;
};

struct TierCount {
  std::int64_t instructions = 0, avx = 0, evex = 0;
};

/// What a finished binary holds. Tier code is what lies in sections .lanewise.text.<tier>.
struct IsaReport {
  std::map<std::string, TierCount> tiers;  ///< by tier; "none" is everything outside
  std::int64_t misplaced = 0;
  std::vector<Misplaced> examples;                ///< the first misplaced instructions
  std::map<std::string, std::int64_t> functions;  ///< misplaced instructions by function
  std::int64_t allowed = 0;                       ///< that `allow` excused
};

/// Reads what `objdump -d` prints, line by line. `allow` says of a function's name whether it may use what it
/// likes.
class DisassemblyReader {
 public:
  explicit DisassemblyReader(std::function<bool(const std::string&)> allow) : allow_(std::move(allow)) {}
  void line(std::string_view text);
  const IsaReport& report() const noexcept { return report_; }

 private:
  std::function<bool(const std::string&)> allow_;
  IsaReport report_;
  std::string section_, tier_ = "none", function_;
  bool allowed_ = false;
};

}  // namespace lanewise::tools
