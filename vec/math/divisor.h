#pragma once

#include <lanewise/vec/vec.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// Divides many numbers by one: x / d, correctly rounded, from products alone. A first quotient of x and 1 / d in two words
/// is off by less than an ULP; what it leaves of x then says how to round. For AVX-512, whose division takes ten to sixteen
/// cycles a register.
///
/// Source   Brisebarre, Muller, Raina, "Accelerating Correctly Rounded Floating-Point Division When the Divisor Is Known in
///          Advance", 2004 (the first quotient); Markstein, "Computation of Elementary Functions on the IBM RISC System/6000
///          Processor", 1990 (its correction)
template <Real T>
class Divisor {
  using V = Vec<T>;
  /// Between these, d in the first two, nothing on the way is too small or too large for all its bits.
  static constexpr T kLeastDivisor = sizeof(T) == 4 ? T(0x1p-40f) : T(0x1p-300);
  static constexpr T kMostDivisor = sizeof(T) == 4 ? T(0x1p40f) : T(0x1p300);
  static constexpr T kLeast = sizeof(T) == 4 ? T(0x1p-40f) : T(0x1p-400);
  static constexpr T kMost = sizeof(T) == 4 ? T(0x1p80f) : T(0x1p600);

 public:
  static bool divides_by(T d) noexcept {
    const T size = d < 0 ? -d : d;
    return size >= kLeastDivisor && size <= kMostDivisor;
  }

  /// For d that divides_by() holds for.
  explicit Divisor(T d) noexcept : d_(d), inverse_(V(T(1)) / d_), rest_(fnma(inverse_, d_, V(T(1))) / d_) {}

  LANEWISE_INLINE V operator()(V x) const noexcept {
    const V size = abs(x);
    const Mask<T> inside = ((size >= V(kLeast)) & (size <= V(kMost))) | (x == V(T(0)));
    if (__builtin_expect(!inside.all(), 0)) return x / d_;
    const V quotient = fma(x, inverse_, x * rest_);
    const V exact = fma(fnma(quotient, d_, x), inverse_, quotient);
    return copysign(exact, x * inverse_);  // of zeros
  }

 private:
  V d_;
  V inverse_, rest_;  ///< 1 / d
};

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
