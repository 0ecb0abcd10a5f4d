#pragma once

#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// x = n pi/2 + r: r as a pair, |r| at most a little over pi/4, and the quadrant n mod 4 in the low bits of
/// an integer.
struct TrigReduction {
  Pair<double> r;
  Vec<std::int64_t> quadrant;
};

inline constexpr double kTrigMagic = 0x1.8p52;
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kHalfPi1 = 0x1.921fb54442d18p+0;  // pi/2 in three parts
inline constexpr double kHalfPi2 = 0x1.1a62633145c07p-54;
inline constexpr double kHalfPi3 = -0x1.f1976b7ed8fbcp-110;
/// Up to here three parts of pi/2 are enough.
inline constexpr double kCodyWaiteLimit = 0x1p30;

/// After Cody and Waite, in three steps; the first is exact, the second keeps its rounding errors.
LANEWISE_INLINE TrigReduction reduce_cody_waite(Vec<double> x) {
  using V = Vec<double>;
  const V t = fma(x, V(kTwoOverPi), V(kTrigMagic));
  const V n = t - V(kTrigMagic);
  TrigReduction result;
  result.quadrant = as_int(t);
  const V first = residual(n, V(kHalfPi1), x);
  const Pair<double> p = two_product(n, V(kHalfPi2));
  // Exact: `first` is 0, larger than p or a multiple of 2^-53.
  const Pair<double> second = fast_two_sum(first, -p.hi);
  result.r = {second.hi, fnma(n, V(kHalfPi3), second.lo - p.lo)};
  return result;
}

/// A word of zeros, then the binary digits of 2/pi after the point: enough for the largest double.
inline constexpr std::uint64_t kTwoOverPiDigits[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

/// The reduction of one large finite number, by a product with the digits of 2/pi that matter (Payne and
/// Hanek, SIGNUM Newsletter 18, 1983).
struct LargeReduction {
  double hi;
  double lo;
  std::int64_t quadrant;
};
[[gnu::noinline, gnu::cold]] inline LargeReduction reduce_large(double x) {
  const auto pattern = __builtin_bit_cast(std::uint64_t, x);
  const int exponent =
      static_cast<int>(pattern >> 52 & 0x7ff) - 1075;  // |x| = mantissa * 2^exponent, exponent > -62 here
  const std::uint64_t mantissa = (pattern & 0xfffffffffffffu) | (std::uint64_t{1} << 52);
  // The product with higher digits is a multiple of 4 quadrants; with the first digit kept it is one of 2.
  const int start = exponent - 2 + 64;
  const int word = start / 64;
  const int bit = start % 64;
  std::uint64_t digits[3];
  for (int i = 0; i < 3; ++i) {
    digits[i] = kTwoOverPiDigits[word + i] << bit;
    if (bit != 0) digits[i] |= kTwoOverPiDigits[word + i + 1] >> (64 - bit);
  }
  __extension__ using Wide = unsigned __int128;
  // mantissa * digits modulo 2^192: two bits of quadrant, the rest a fraction.
  const Wide p2 = static_cast<Wide>(mantissa) * digits[2];
  const Wide p1 = static_cast<Wide>(mantissa) * digits[1] + static_cast<std::uint64_t>(p2 >> 64);
  const std::uint64_t w0 = mantissa * digits[0] + static_cast<std::uint64_t>(p1 >> 64);
  const auto w1 = static_cast<std::uint64_t>(p1);
  const auto w2 = static_cast<std::uint64_t>(p2);
  Wide fraction = (static_cast<Wide>(w0) << 64 | w1) << 2 | w2 >> 62;
  auto quadrant = static_cast<std::int64_t>(w0 >> 62);
  const bool up = (fraction >> 127) != 0;
  if (up) {
    ++quadrant;
    fraction = -fraction;
  }
  // The fraction of a quadrant as a double-double, times pi/2.
  const auto top = static_cast<std::uint64_t>(fraction >> 64);
  if (top == 0) return {0, 0, quadrant};
  const int zeros = __builtin_clzll(top);
  // Shifted in words: AArch64 calls libgcc for 128 bits.
  const auto low = static_cast<std::uint64_t>(fraction);
  const Wide normal = static_cast<Wide>(top << zeros | low >> 1 >> (63 - zeros)) << 64 | low << zeros;
  const double scale = __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 - 53 - zeros) << 52);
  const double f_hi = static_cast<double>(static_cast<std::int64_t>(normal >> 75)) * scale;
  const double f_lo = static_cast<double>(static_cast<std::int64_t>(static_cast<std::uint64_t>(normal >> 22) &
                                                                    0x1fffffffffffffu)) *
                      (scale * 0x1p-53);
  // Products split by hand: the halves of 26 bits multiply exactly on every tier.
  const double a =
      __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, f_hi) & ~std::uint64_t{0x7ffffff});
  const double b = f_hi - a;
  constexpr double kA = 0x1.921fb54p+0;
  constexpr double kB = kHalfPi1 - kA;
  const double p = f_hi * kHalfPi1;
  const double e = ((a * kA - p) + a * kB + b * kA) + b * kB;
  const double lo = e + (f_hi * kHalfPi2 + f_lo * kHalfPi1);
  const double sign = ((pattern >> 63) != 0) != up ? -1.0 : 1.0;
  if ((pattern >> 63) != 0) quadrant = -quadrant;
  return {sign * p, sign * lo, quadrant};
}

/// Replaces the lanes beyond the range of Cody and Waite's method; infinities and NaN become NaN.
[[gnu::noinline, gnu::cold]] inline TrigReduction reduce_large_lanes(Vec<double> x, TrigReduction reduced) {
  constexpr int kLanes = Vec<double>::size;
  alignas(64) double in[kLanes];
  alignas(64) double hi[kLanes];
  alignas(64) double lo[kLanes];
  alignas(64) std::int64_t quadrant[kLanes];
  x.store(in);
  reduced.r.hi.store(hi);
  reduced.r.lo.store(lo);
  reduced.quadrant.store(quadrant);
  for (int i = 0; i < kLanes; ++i) {
    const double magnitude = in[i] < 0 ? -in[i] : in[i];
    if (magnitude <= kCodyWaiteLimit) continue;
    if (magnitude <= std::numeric_limits<double>::max()) {
      const LargeReduction r = reduce_large(in[i]);
      hi[i] = r.hi;
      lo[i] = r.lo;
      quadrant[i] = r.quadrant;
    } else {
      hi[i] = std::numeric_limits<double>::quiet_NaN();
      lo[i] = 0;
    }
  }
  return {{Vec<double>::load(hi), Vec<double>::load(lo)}, Vec<std::int64_t>::load(quadrant)};
}

LANEWISE_INLINE TrigReduction reduce_trig(Vec<double> x) {
  TrigReduction r = reduce_cody_waite(x);
  const Mask<double> near = abs(x) <= Vec<double>(kCodyWaiteLimit);
  if (__builtin_expect(!near.all(), 0)) r = reduce_large_lanes(x, r);
  return r;
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
