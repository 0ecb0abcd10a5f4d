#include <cstdint>

#include <lanewise/dispatch_isa/flush_denormal.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace lanewise {

#if defined(__SSE2__)

namespace {
constexpr unsigned kFlush = 0x8040;  // MXCSR: results (FTZ) and operands (DAZ)
}

bool flush_denormal() noexcept { return (_mm_getcsr() & kFlush) == kFlush; }

bool set_flush_denormal(bool on) noexcept {
  const unsigned before = _mm_getcsr();
  const unsigned after = on ? before | kFlush : before & ~kFlush;
  if (after != before) {
    _mm_setcsr(after);
  }
  return true;
}

#elif defined(__aarch64__)

namespace {
constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;  // FPCR.FZ

std::uint64_t read_control() noexcept {
  std::uint64_t value = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
}  // namespace

bool flush_denormal() noexcept { return (read_control() & kFlush) != 0; }

bool set_flush_denormal(bool on) noexcept {
  const std::uint64_t before = read_control();
  const std::uint64_t after = on ? before | kFlush : before & ~kFlush;
  if (after != before) {
    __asm__ volatile("msr fpcr, %0" ::"r"(after));
  }
  return true;
}

#else

bool flush_denormal() noexcept { return false; }

bool set_flush_denormal(bool on) noexcept { return !on; }

#endif

}  // namespace lanewise
