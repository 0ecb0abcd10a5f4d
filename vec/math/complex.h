#pragma once

#include <lanewise/vec/math/atan.h>
#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/log.h>
#include <lanewise/vec/math/sin_cos.h>

// Functions of complex numbers, from the real ones lane by lane. Errors are relative to the magnitude of the result, measured as
// |found - exact| / |exact| in ULP of the element type; special values follow C99 annex G except where said.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// sinh and cosh of a real number, infinite where they overflow.
template <class T>
struct SinhCosh {
  Vec<T> sinh;
  Vec<T> cosh;
};
template <class T>
LANEWISE_INLINE SinhCosh<T> sinh_cosh(Vec<T> x) {
  using V = Vec<T>;
  const V one(T(1));
  const V half(T(0.5));
  const V ax = abs(x);
  // Up to 1, from e^x - 1; beyond, from e^(x/2) twice, which does not overflow before the result does.
  const V e = expm1(min_or_second(one, ax));
  const V inverse = one / (e + one);
  const V small_sinh = half * (e + e * inverse);
  const V small_cosh = one + half * (e * e) * inverse;
  const V root = exp(half * ax);
  const V grown = (half * root) * root;
  const V shrunk = V(T(0.25)) / grown;
  const Mask<T> small = ax < one;
  return {copysign(select(small, small_sinh, grown - shrunk), x), select(small, small_cosh, grown + shrunk)};
}

/// A power of four by which z may be multiplied so that squares of its parts neither overflow nor vanish, and the root of its inverse.
template <class T>
struct SquareScale {
  Vec<T> scale;
  Vec<T> inverse_root;
};
template <class T>
LANEWISE_INLINE SquareScale<T> square_scale(Vec<T> largest) {
  constexpr T kHuge = sizeof(T) == 4 ? T(0x1p60f) : T(0x1p500);
  constexpr T kTiny = sizeof(T) == 4 ? T(0x1p-40f) : T(0x1p-440);
  constexpr T kDown = sizeof(T) == 4 ? T(0x1p-70f) : T(0x1p-540);
  constexpr T kUp = sizeof(T) == 4 ? T(0x1p110f) : T(0x1p640);
  constexpr T kDownRoot = sizeof(T) == 4 ? T(0x1p35f) : T(0x1p270);
  constexpr T kUpRoot = sizeof(T) == 4 ? T(0x1p-55f) : T(0x1p-320);
  const Vec<T> one(T(1));
  const Mask<T> huge = largest > Vec<T>(kHuge);
  const Mask<T> tiny = largest < Vec<T>(kTiny);
  return {select(huge, Vec<T>(kDown), select(tiny, Vec<T>(kUp), one)),
          select(huge, Vec<T>(kDownRoot), select(tiny, Vec<T>(kUpRoot), one))};
}

}  // namespace detail

/// |z| without overflow or underflow of squares; infinite if a part is, also beside NaN. Error: 1 ULP.
template <class T>
LANEWISE_INLINE Vec<T> abs(Vec<std::complex<T>> z) {
  using V = Vec<T>;
  const V re = abs(z.re);
  const V im = abs(z.im);
  const auto s = detail::square_scale(maximum(re, im));
  const V x = re * s.scale;
  const V y = im * s.scale;
  const V r = (sqrt(fma(x, x, y * y)) * s.inverse_root) * s.inverse_root;
  return select(isinf(re) | isinf(im), V(std::numeric_limits<T>::infinity()), r);
}

/// e^z. Error: 2 ULP. e^(x + 0i) is real.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> exp(Vec<std::complex<T>> z) {
  using V = Vec<T>;
  const V zero(T(0));
  // Where e^x overflows, e^x cos y need not.
  const Mask<T> large = z.re > V(sizeof(T) == 4 ? T(88) : T(709));
  const V e = exp(select(large, z.re * V(T(0.5)), z.re));
  const V again = select(large, e, V(T(1)));
  const Mask<T> real = z.im == zero;
  const Mask<T> vanishes = z.re == V(-std::numeric_limits<T>::infinity());
  const V re = (e * select(real | vanishes, V(T(1)), cos(z.im))) * again;
  const V im = (e * select(vanishes, zero, sin(z.im))) * again;
  return {re, select(real, z.im, im)};
}

/// The principal logarithm: imaginary part in [-pi, pi], cut along the negative reals. Error: 3 ULP, also near |z| = 1.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> log(Vec<std::complex<T>> z) {
  using V = Vec<T>;
  const V one(T(1));
  const V half(T(0.5));
  const V re = abs(z.re);
  const V im = abs(z.im);
  const V hi = maximum(re, im);
  const V lo = minimum(re, im);
  // |z|^2 - 1 in pairs: hi^2 - 1 is exact in the range where it is used.
  const detail::Pair<T> a = detail::two_product(hi, hi);
  const detail::Pair<T> b = detail::two_product(lo, lo);
  const detail::Pair<T> sum = detail::two_sum(a.hi - one, b.hi);
  const V near = half * log1p(sum.hi + (sum.lo + (a.lo + b.lo)));
  const V ratio = select((hi == V(T(0))) | isinf(hi), V(T(0)), lo / hi);
  const V far = log(hi) + half * log1p(ratio * ratio);
  const V squares = hi * hi + lo * lo;
  const V magnitude = select((squares > half) & (squares < V(T(3))), near, far);
  const Mask<T> infinite = isinf(re) | isinf(im);
  return {select(infinite, V(std::numeric_limits<T>::infinity()), magnitude), atan2(z.im, z.re)};
}

/// The root with non-negative real part. Error: 3 ULP.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> sqrt(Vec<std::complex<T>> z) {
  using V = Vec<T>;
  const V zero(T(0));
  const V half(T(0.5));
  const V inf(std::numeric_limits<T>::infinity());
  const auto s = detail::square_scale(maximum(abs(z.re), abs(z.im)));
  const V x = abs(z.re) * s.scale;
  const V y = abs(z.im) * s.scale;
  const V t = sqrt(half * (x + sqrt(fma(x, x, y * y))));
  const V other = (half * y) / t;
  const Mask<T> right = ~signbit(z.re);
  V re = select(right, t, other) * s.inverse_root;
  V im = select(right, other, t) * s.inverse_root;
  const Mask<T> none = (z.re == zero) & (z.im == zero);
  re = select(none, zero, re);
  im = select(none, zero, im);
  re = select(z.re == inf, inf, select(z.re == -inf, select(isnan(z.im), z.im, zero), re));
  im = select(z.re == inf, select(isnan(z.im), z.im, zero), select(z.re == -inf, inf, im));
  const Mask<T> tall = isinf(z.im);
  return {select(tall, inf, re), copysign(select(tall, inf, im), z.im)};
}

/// 1 / sqrt(z). Error: 6 ULP.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> rsqrt(Vec<std::complex<T>> z) {
  return reciprocal(sqrt(z));
}

/// sin(x + iy) = sin x cosh y + i cos x sinh y. Error: 4 ULP.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> sin(Vec<std::complex<T>> z) {
  const Vec<T> zero(T(0));
  const auto h = detail::sinh_cosh(z.im);
  // A zero stays a zero beside infinity.
  return {select(z.re == zero, z.re, sin(z.re) * h.cosh), select(z.im == zero, z.im, cos(z.re) * h.sinh)};
}

/// cos(x + iy) = cos x cosh y - i sin x sinh y. Error: 4 ULP.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> cos(Vec<std::complex<T>> z) {
  const Vec<T> zero(T(0));
  const auto h = detail::sinh_cosh(z.im);
  const Vec<T> im = -(sin(z.re) * h.sinh);
  const Mask<T> real = (z.re == zero) | (z.im == zero);
  return {cos(z.re) * h.cosh, select(real & isnan(im), zero, im)};
}

/// tanh(x + iy) = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). Error: 8 ULP away from the poles.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> tanh(Vec<std::complex<T>> z) {
  using V = Vec<T>;
  const V limit(sizeof(T) == 4 ? T(10) : T(20));  // the real part is +-1 from here on
  const V ax = abs(z.re);
  const auto h = detail::sinh_cosh(detail::min_or_second(limit, ax));
  const V s = sin(z.im);
  const V c = cos(z.im);
  const V denominator = fma(h.sinh, h.sinh, c * c);
  const Mask<T> far = ax >= limit;
  const V re = select(far, V(T(1)), h.sinh * h.cosh / denominator);
  const V decay = exp(V(T(-2)) * ax);
  const V im = select(far, V(T(4)) * (s * c) * decay, s * c / denominator);
  return {copysign(re, z.re), select(z.im == V(T(0)), z.im, im)};
}

/// tan z = -i tanh(iz). Error: 8 ULP away from the poles.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> tan(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> t = tanh(Vec<std::complex<T>>(-z.im, z.re));
  return {t.im, -t.re};
}

/// 1 / (1 + e^-z). Error: 6 ULP away from the poles.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> sigmoid(Vec<std::complex<T>> z) {
  return reciprocal(Vec<std::complex<T>>(T(1)) + exp(-z));
}

/// z^w = e^(w log z), cut where log is. 0^0 is 1; 0^w is 0 where w has a positive real part, else NaN. Error: grows with |w log z|.
template <class T>
LANEWISE_INLINE Vec<std::complex<T>> pow(Vec<std::complex<T>> z, Vec<std::complex<T>> w) {
  using V = Vec<T>;
  using C = Vec<std::complex<T>>;
  const V zero(T(0));
  const C power = exp(w * log(z));
  const Mask<T> of_zero = (z.re == zero) & (z.im == zero);
  const Mask<T> to_zero = (w.re == zero) & (w.im == zero);
  const V nan(std::numeric_limits<T>::quiet_NaN());
  const V at_zero = select(w.re > zero, zero, nan);
  return {select(to_zero, V(T(1)), select(of_zero, at_zero, power.re)),
          select(to_zero, zero, select(of_zero, at_zero, power.im))};
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
