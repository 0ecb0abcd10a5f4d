#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include <lanewise/dispatch_isa/isa.h>

namespace lanewise::tools {

/// What this machine can do at the best, measured with plain loops of each tier that use no kernel of the
/// library. Source: J. McCalpin, "Memory bandwidth and machine balance in current high performance computers"
/// (1995), for the triad.
class Limits {
 public:
  /// GB/s of a[i] = b[i] + s * c[i] with operands of `working_set` bytes together (rounded to a power of
  /// two), on that many threads; with plain stores or those that go past the caches, whichever is faster.
  double bandwidth(Isa isa, int threads, std::int64_t working_set);
  /// GFLOP/s of independent multiplications and additions (fused where the tier can) of floats or doubles.
  double arithmetic(Isa isa, int threads, bool doubles);

  using BandwidthKey = std::tuple<Isa, int, std::int64_t>;
  using ArithmeticKey = std::tuple<Isa, int, bool>;
  const std::map<BandwidthKey, double>& bandwidths() const noexcept { return bandwidths_; }
  const std::map<ArithmeticKey, double>& arithmetics() const noexcept { return arithmetics_; }

 private:
  std::map<BandwidthKey, double> bandwidths_;
  std::map<ArithmeticKey, double> arithmetics_;
};

/// The loops of one tier; in limits_<tier>.
struct LimitLoops {
  using Triad = void (*)(float* a, const float* b, const float* c, std::int64_t n);
  Triad triad;             ///< n a multiple of 64, 64-byte aligned
  Triad triad_past_cache;  ///< with stores that do not read what they overwrite, where the tier has them
  double (*floats)(std::int64_t rounds);  ///< floating-point operations done
  double (*doubles)(std::int64_t rounds);
};
LimitLoops limit_loops(Isa isa);

}  // namespace lanewise::tools
