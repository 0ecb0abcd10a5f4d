#pragma once

#include <lanewise/vec/math/hyperbolic.h>
#include <lanewise/vec/math/sin_cos.h>

// Complex functions made of exponentials. Errors are per component, in ULP of that component unless it is
// said otherwise.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

template <class T>
using Complex = Vec<std::complex<T>>;

/// Beyond this e^x overflows.
template <class T>
inline constexpr T kExpSafe = sizeof(T) == 4 ? T(88) : T(709);

template <class T>
[[gnu::noinline, gnu::cold]] Complex<T> exp_slow(Complex<T> z) {
  const Vec<T> zero(T(0));
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const SinCos<T> sc = sin_cos(z.im);
  // In two factors, so that e^re may overflow where the result does not.
  const Mask<T> large = z.re > Vec<T>(kExpSafe<T>);
  const Vec<T> shift = select(large, Vec<T>(T(16)), zero);
  const Vec<T> e = exp(z.re - shift - shift - shift);
  const Vec<T> factor = select(large, exp(shift), Vec<T>(T(1)));
  Vec<T> re = (((e * sc.cos) * factor) * factor) * factor;
  Vec<T> im = (((e * sc.sin) * factor) * factor) * factor;
  im = select(z.im == zero, z.im, im);
  const Mask<T> wild = ~isfinite(z.im);
  const Mask<T> gone = wild & (z.re == -inf);
  re = select(gone, zero, select(wild & (z.re == inf), inf, re));
  im = select(gone, zero, im);
  return {re, im};
}

}  // namespace detail

/// e^z. Error: 2 ULP. Special values as in C99 annex G.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> exp(Vec<std::complex<T>> z) {
  const Mask<T> inside = (abs(z.re) <= Vec<T>(detail::kExpSafe<T>)) & isfinite(z.im);
  if (__builtin_expect(!inside.all(), 0)) return detail::exp_slow(z);
  const Vec<T> e = exp(z.re);
  const detail::SinCos<T> sc = detail::sin_cos(z.im);
  return {e * sc.cos, e * sc.sin};
}

/// 1 / (1 + e^-z); from the left half plane e^z / (1 + e^z), so that nothing overflows. Error: a few ULP of
/// its magnitude.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> sigmoid(Vec<std::complex<T>> z) {
  using V = Vec<std::complex<T>>;
  const Mask<T> left = z.re < Vec<T>(T(0));
  const V e = exp(V(-abs(z.re), select(left, z.im, -z.im)));
  const Vec<T> one(T(1));
  const V numerator(select(left, e.re, one), select(left, e.im, Vec<T>(T(0))));
  return divide(numerator, V(one + e.re, e.im));
}

namespace detail {
/// cos or sin of the angle times a hyperbolic function of y; infinite with y where the angle has no direction.
template <class T>
LANEWISE_INLINE Vec<T> times_hyperbolic(Vec<T> product, Vec<T> angle, Vec<T> y) {
  return select(isinf(y) & ~isfinite(angle), Vec<T>(std::numeric_limits<T>::infinity()), product);
}
}  // namespace detail

/// sin x cosh y + i cos x sinh y. Error: 2 ULP. Special values as in C99 annex G.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> sin(Vec<std::complex<T>> z) {
  const detail::SinCos<T> sc = detail::sin_cos(z.re);
  const Vec<T> zero(T(0));
  const Vec<T> im = detail::times_hyperbolic(sc.cos * sinh(z.im), z.re, z.im);
  // 0 * infinity does not occur: an axis is mapped onto itself.
  return {select(z.re == zero, z.re, sc.sin * cosh(z.im)), select(z.im == zero, z.im, im)};
}
/// cos x cosh y - i sin x sinh y. Error: 2 ULP. Special values as in C99 annex G.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> cos(Vec<std::complex<T>> z) {
  const detail::SinCos<T> sc = detail::sin_cos(z.re);
  const Vec<T> zero(T(0));
  const Vec<T> im = select((z.re == zero) | (z.im == zero),
                           copysign(zero, sc.sin) * copysign(Vec<T>(T(1)), z.im), sc.sin * sinh(z.im));
  return {detail::times_hyperbolic(sc.cos * cosh(z.im), z.re, z.im), -im};
}
/// sinh z = -i sin(i z).
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> sinh(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> s = sin(Vec<std::complex<T>>(-z.im, z.re));
  return {s.im, -s.re};
}
/// cosh z = cos(i z).
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> cosh(Vec<std::complex<T>> z) {
  return cos(Vec<std::complex<T>>(-z.im, z.re));
}

namespace detail {
/// Beyond this tanh of a real number is 1 and its distance from there is 2 e^-2x.
template <class T>
inline constexpr T kTanhFar = sizeof(T) == 4 ? T(11) : T(22);

template <class T>
[[gnu::noinline, gnu::cold]] Complex<T> tanh_far(Complex<T> z, Complex<T> inside) {
  const Vec<T> ax = abs(z.re);
  const Mask<T> far = ax > Vec<T>(kTanhFar<T>);
  const SinCos<T> sc = sin_cos(z.im);
  const Vec<T> four(T(4));
  const Vec<T> im = four * sc.sin * sc.cos * exp(-(ax + ax));
  // At infinity the direction in which im is 0 may be unknown.
  const Vec<T> im_known = select(isfinite(z.im), im, Vec<T>(T(0)));
  const Vec<T> im_chosen = select(ax == Vec<T>(std::numeric_limits<T>::infinity()), im_known, im);
  return {select(far, copysign(Vec<T>(T(1)), z.re), inside.re), select(far, im_chosen, inside.im)};
}
}  // namespace detail

/// tanh z = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). Error: 5 ULP.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> tanh(Vec<std::complex<T>> z) {
  const Vec<T> ax = abs(z.re);
  const Vec<T> kept = copysign(detail::min_or_second(Vec<T>(detail::kTanhFar<T>), ax), z.re);
  const detail::SinCos<T> sc = detail::sin_cos(z.im);
  const Vec<T> s = sinh(kept);
  const Vec<T> d = fma(s, s, sc.cos * sc.cos);
  const Vec<T> im = (sc.sin * sc.cos) / d;
  const Vec<T> zero(T(0));
  const Vec<std::complex<T>> inside(select(z.re == zero, z.re, (s * cosh(kept)) / d),
                                    select(z.im == zero, z.im, im));
  if (__builtin_expect((ax > Vec<T>(detail::kTanhFar<T>)).any(), 0)) return detail::tanh_far(z, inside);
  return inside;
}
/// tan z = -i tanh(i z).
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> tan(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> t = tanh(Vec<std::complex<T>>(-z.im, z.re));
  return {t.im, -t.re};
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
