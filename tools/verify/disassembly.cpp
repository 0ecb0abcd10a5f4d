#include "verify/disassembly.h"

#include <algorithm>
#include <cctype>

namespace lanewise::tools {
namespace {

constexpr std::string_view kTierSection = ".lanewise.text.";
constexpr std::size_t kMostExamples = 20;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// %zmm, %k0 to %k7, or %xmm and %ymm from 16 to 31.
bool has_evex_register(std::string_view operands) {
  for (std::size_t at = operands.find('%'); at != std::string_view::npos; at = operands.find('%', at + 1)) {
    const std::string_view name = operands.substr(at + 1);
    if (name.starts_with("zmm")) return true;
    if (name.size() >= 2 && name[0] == 'k' && name[1] >= '0' && name[1] <= '7') return true;
    if ((name.starts_with("xmm") || name.starts_with("ymm")) && name.size() >= 5 &&
        std::isdigit(static_cast<unsigned char>(name[4]))) {
      const int number = (name[3] - '0') * 10 + (name[4] - '0');
      if (number >= 16 && number <= 31) return true;
    }
  }
  return false;
}

bool is_prefix(std::string_view byte) {
  constexpr std::string_view kPrefixes[] = {"26", "2e", "36", "3e", "64", "65", "67"};
  return std::find(std::begin(kPrefixes), std::end(kPrefixes), byte) != std::end(kPrefixes);
}

}  // namespace

// In 64-bit mode 62 begins nothing but EVEX, c4 and c5 nothing but VEX; segment and address-size prefixes may
// precede.
Needs needs_of(std::string_view bytes, std::string_view instruction) {
  while (bytes.size() > 3 && is_prefix(bytes.substr(0, 2))) bytes.remove_prefix(3);
  const std::string_view lead = bytes.substr(0, 2);
  if (lead == "62" || has_evex_register(instruction)) return Needs::Evex;
  const std::string_view mnemonic = instruction.substr(0, instruction.find(' '));
  const bool vector = mnemonic.starts_with('v') && mnemonic != "verr" && mnemonic != "verw";
  return lead == "c4" || lead == "c5" || contains(instruction, "%ymm") || mnemonic == "lzcnt" || vector
             ? Needs::Avx
             : Needs::Baseline;
}

void DisassemblyReader::line(std::string_view text) {
  constexpr std::string_view kSection = "Disassembly of section ";
  if (text.starts_with(kSection)) {
    text.remove_prefix(kSection.size());
    section_ = text.substr(0, text.find_last_of(':'));
    tier_ = section_.starts_with(kTierSection) ? section_.substr(kTierSection.size()) : "none";
    return;
  }
  if (text.starts_with('<') && text.ends_with(">:")) {
    function_ = text.substr(1, text.size() - 3);
    allowed_ = allow_(function_);
    return;
  }
  if (!text.starts_with('\t')) return;
  text.remove_prefix(1);
  const std::size_t tab = text.find('\t');
  if (tab == std::string_view::npos) return;  // the rest of a long instruction's bytes
  const Needs needs = needs_of(text.substr(0, tab), text.substr(tab + 1));
  TierCount& count = report_.tiers[tier_];
  ++count.instructions;
  if (needs != Needs::Baseline) ++count.avx;
  if (needs == Needs::Evex) ++count.evex;
  const bool fits = needs == Needs::Baseline || tier_ == "avx512" || (tier_ == "avx2" && needs == Needs::Avx);
  if (fits) return;
  if (allowed_) {
    ++report_.allowed;
    return;
  }
  ++report_.misplaced;
  ++report_.functions[function_];
  if (report_.examples.size() < kMostExamples)
    report_.examples.push_back({section_, function_, std::string(text.substr(tab + 1))});
}

}  // namespace lanewise::tools
