#pragma once

#include <lanewise/vec/math/asin.h>
#include <lanewise/vec/math/complex_log.h>
#include <lanewise/vec/math/hyperbolic.h>

// The inverse complex functions after Kahan, "Branch cuts for complex elementary functions" (1987), with his
// cuts, also on signed zeros. complex64 is computed in complex128.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

using ComplexDouble = Vec<std::complex<double>>;
using ComplexFloat = Vec<std::complex<float>>;

template <class F>
LANEWISE_INLINE ComplexFloat in_complex_double(ComplexFloat z, F f) {
  const WidePair re = widen(z.re);
  const WidePair im = widen(z.im);
  const ComplexDouble low = f(ComplexDouble(re.low, im.low));
  const ComplexDouble high = f(ComplexDouble(re.high, im.high));
  return {narrow(low.re, high.re), narrow(low.im, high.im)};
}

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;
inline constexpr double kHalfPi = AtanConstants<double>::kHalfPiHi;
/// From here on the terms after the first of an expansion at infinity do not count.
inline constexpr double kComplexFar = 0x1p60;

LANEWISE_INLINE Mask<double> far_out(ComplexDouble z) {
  // Infinite beside NaN counts.
  const Vec<double> limit(kComplexFar);
  return (abs(z.re) > limit) | (abs(z.im) > limit);
}

/// asin z is (re, im), acos z (re_acos, -im).
struct AsinAcos {
  Vec<double> re;
  Vec<double> im;
  Vec<double> re_acos;
};
/// Far out log(2 |z|) and the angle of z.
[[gnu::noinline, gnu::cold]] inline AsinAcos asin_acos_far(ComplexDouble z, AsinAcos inside) {
  using V = Vec<double>;
  const Mask<double> far = far_out(z);
  const V im = copysign(log_abs(z.re, z.im) + V(kLn2), z.im);
  const V angle = copysign(atan2(abs(z.re), abs(z.im)), z.re);
  const V angle_acos = atan2(abs(z.im), z.re);
  return {select(far, angle, inside.re), select(far, im, inside.im), select(far, angle_acos, inside.re_acos)};
}
/// Beside NaN the imaginary axis still has a real part.
[[gnu::noinline]] inline AsinAcos asin_acos(ComplexDouble z) {
  using V = Vec<double>;
  const V one(1.0);
  const V zero(0.0);
  const ComplexDouble a = sqrt(ComplexDouble(one - z.re, -z.im));
  const ComplexDouble b = sqrt(ComplexDouble(one + z.re, z.im));
  AsinAcos r;
  // Products of opposite sign are subtracted: nothing cancels.
  r.re = atan2(z.re, a.re * b.re - a.im * b.im);
  r.im = asinh(a.re * b.im - a.im * b.re);
  r.re_acos = V(2.0) * atan2(a.re, b.re);
  const Mask<double> vertical = z.re == zero;
  r.re = select(vertical, z.re, r.re);
  r.re_acos = select(vertical, V(kHalfPi), r.re_acos);
  if (__builtin_expect(far_out(z).any(), 0)) return asin_acos_far(z, r);
  return r;
}

/// log(2 / |1 - z|) / 2 where z is next to 1, and the angle +-pi/2 far out.
[[gnu::noinline, gnu::cold]] inline ComplexDouble atanh_slow(ComplexDouble z, Vec<double> gap,
                                                             ComplexDouble inside) {
  using V = Vec<double>;
  const V zero(0.0);
  const V inf(std::numeric_limits<double>::infinity());
  const V ax = abs(z.re);
  const V ay = abs(z.im);
  const Mask<double> beside_one = (maximum(abs(gap), ay) < V(0x1p-500)) & ~far_out(z);
  ComplexDouble r = inside;
  r.re = select(beside_one, copysign(V(0.5) * (V(kLn2) - log_abs(gap, ay)), z.re), r.re);
  const Mask<double> far = far_out(z);
  const V size = hypot(ax, ay);
  const V re = select((ax == inf) | (ay == inf), zero, (ax / size) / size);
  const V im = select(isnan(z.im), z.im, V(kHalfPi));
  r.re = select(far, copysign(re, z.re), r.re);
  r.im = select(far, copysign(im, z.im), r.im);
  return r;
}
/// re = log1p(4 x / ((1 - x)^2 + y^2)) / 4, im = atan2(2 y, (1 - x)(1 + x) - y^2) / 2.
[[gnu::noinline]] inline ComplexDouble atanh(ComplexDouble z) {
  using V = Vec<double>;
  const V one(1.0);
  const V zero(0.0);
  const V ax = abs(z.re);
  const V gap = one - ax;
  const V y2 = z.im * z.im;
  const V distance = fma(gap, gap, y2);
  ComplexDouble r;
  r.re = copysign(V(0.25) * log1p(V(4.0) * ax / distance), z.re);
  r.im = V(0.5) * atan2(z.im + z.im, fnma(z.im, z.im, gap * (one + ax)));
  r.re = select(z.re == zero, z.re, r.re);
  const Mask<double> slow = far_out(z) | (distance < V(0x1p-900));
  if (__builtin_expect(slow.any(), 0)) return atanh_slow(z, gap, r);
  return r;
}

[[gnu::noinline]] inline ComplexDouble log1p(ComplexDouble z) {
  using V = Vec<double>;
  const V one(1.0);
  const Pair<double> sum = two_sum(one, z.re);
  const V small(0.5);
  const Mask<double> near = (abs(z.re) < small) & (abs(z.im) < small);
  // |1 + z|^2 = 1 + (2 x + x^2 + y^2)
  Pair<double> u = two_sum(one, z.re + z.re);
  const Pair<double> x2 = two_product(z.re, z.re);
  const Pair<double> y2 = two_product(z.im, z.im);
  const Pair<double> squares = two_sum(x2.hi, y2.hi);
  const Pair<double> total = two_sum(u.hi, squares.hi);
  u = {total.hi, total.lo + (u.lo + (squares.lo + (x2.lo + y2.lo)))};
  const V re =
      select(near, V(0.5) * log_of_pair(Pair<double>{select(near, u.hi, one), u.lo}), log_abs(sum.hi, z.im));
  return {re, atan2(z.im, sum.hi)};
}
/// (expm1 x cos y - 2 sin^2(y / 2), e^x sin y)
[[gnu::noinline]] inline ComplexDouble expm1(ComplexDouble z) {
  using V = Vec<double>;
  const V zero(0.0);
  const ComplexDouble e = exp(z);
  const V half_sine = sin(V(0.5) * z.im);
  const V re = fma(vec::expm1(z.re), cos(z.im), V(-2.0) * half_sine * half_sine);
  const Mask<double> moderate = (abs(z.re) < V(40.0)) & isfinite(z.im);
  return {select(moderate, select(z.im == zero, vec::expm1(z.re), re), e.re - V(1.0)), e.im};
}

template <class T, class F>
LANEWISE_INLINE Complex<T> through_double(Complex<T> z, F f) {
  if constexpr (sizeof(T) == 4) {
    return in_complex_double(z, f);
  } else {
    return f(z);
  }
}

}  // namespace detail

/// Arc sine; cuts on the real axis beyond +-1. Error: 5 ULP of the magnitude (complex128), 0.6 ULP
/// (complex64), as for the other functions here. Special values as in C99 annex G.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> asin(Vec<std::complex<T>> z) {
  return detail::through_double<T>(z, [](detail::ComplexDouble w) {
    const detail::AsinAcos a = detail::asin_acos(w);
    return detail::ComplexDouble(a.re, a.im);
  });
}
/// Arc cosine; cuts as asin.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> acos(Vec<std::complex<T>> z) {
  return detail::through_double<T>(z, [](detail::ComplexDouble w) {
    const detail::AsinAcos a = detail::asin_acos(w);
    return detail::ComplexDouble(a.re_acos, -a.im);
  });
}
/// asinh z = -i asin(i z).
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> asinh(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> a = asin(Vec<std::complex<T>>(-z.im, z.re));
  return {a.im, -a.re};
}
/// acosh z = +-i acos z with a real part that is not negative; cut on the real axis below 1.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> acosh(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> a = acos(z);
  return {abs(a.im), copysign(a.re, z.im)};
}
/// Inverse hyperbolic tangent; cuts on the real axis beyond +-1.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> atanh(Vec<std::complex<T>> z) {
  return detail::through_double<T>(z, [](detail::ComplexDouble w) { return detail::atanh(w); });
}
/// atan z = -i atanh(i z).
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> atan(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> a = atanh(Vec<std::complex<T>>(-z.im, z.re));
  return {a.im, -a.re};
}
/// log(1 + z).
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> log1p(Vec<std::complex<T>> z) {
  return detail::through_double<T>(z, [](detail::ComplexDouble w) { return detail::log1p(w); });
}
/// e^z - 1.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> expm1(Vec<std::complex<T>> z) {
  return detail::through_double<T>(z, [](detail::ComplexDouble w) { return detail::expm1(w); });
}
/// sin(pi z) / (pi z), 1 at 0.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> sinc(Vec<std::complex<T>> z) {
  const Vec<T> zero(T(0));
  const Vec<T> pi(static_cast<T>(detail::kPi1));
  const Vec<std::complex<T>> product(pi * z.re, pi * z.im);
  const Vec<std::complex<T>> r = divide(sin(product), product);
  const Mask<T> at_zero = (z.re == zero) & (z.im == zero);
  return {select(at_zero, Vec<T>(T(1)), r.re), select(at_zero, zero, r.im)};
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
