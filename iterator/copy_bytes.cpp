#include <array>
#include <cstdint>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/iterator/detail/copy_bytes.h>
#include <lanewise/kernels/kernel_table.h>

namespace lanewise::detail {

void copy_backwards(char* to, const char* from, std::size_t bytes) {
  std::array<char, 64> line;
  for (; bytes >= sizeof line; bytes -= sizeof line) {
    std::memcpy(&line, from + bytes - sizeof line, sizeof line);
    std::memcpy(to + bytes - sizeof line, &line, sizeof line);
  }
  std::memcpy(to, from, bytes);
}

void copy_long_run(char* to, const char* from, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(to);
  const std::size_t before_line = -at % 64;
  if (before_line != 0 && is_available(Isa::avx512)) {
    // memcpy's string instructions want aligned targets: into rows of 8 KiB, in L3, they take 1.2 to 1.3 times as long (Zen 5).
    std::memcpy(to, from, before_line);
    char* const operands[] = {to + before_line, const_cast<char*>(from) + before_line};
    kernels::active_kernels().copy->fn[static_cast<std::size_t>(ScalarType::Byte)](
        operands, 0, static_cast<std::int64_t>(bytes - before_line), nullptr);
    return;
  }
  // Where `to` lies up to 31 bytes behind `from` but for whole pages, each load waits for a store that seems to be to the same
  // memory, and on Zen 3 those instructions go byte by byte (2.9 bytes/ns); backwards no load comes after such a store (25).
  constexpr std::uintptr_t kPage = 4096, kNear = 32;
  const std::uintptr_t behind = (at - reinterpret_cast<std::uintptr_t>(from)) % kPage;
  if (behind - 1 < kNear - 1) return copy_backwards(to, from, bytes);
  std::memcpy(to, from, bytes);
}

}  // namespace lanewise::detail
