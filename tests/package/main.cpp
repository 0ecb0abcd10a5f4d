// A user's program: includes installed headers only, and checks what it computes.
#include <atomic>
#include <cstdint>
#include <cstdio>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/version.h>

int main() {
  std::atomic<std::int64_t> sum{0};
  lanewise::parallel_for(0, 100000, 100, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t part = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      part += i;
    }
    sum += part;
  });
  std::printf("lanewise %s on %s: %lld\n", lanewise::version(), lanewise::name(lanewise::active_isa()),
              static_cast<long long>(sum.load()));
  return sum.load() == 4999950000 ? 0 : 1;
}
