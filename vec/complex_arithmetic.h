#pragma once

#include <lanewise/vec/convert.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// The power of two 2^-e for |x| in [2^e, 2^(e+1)), kept within the normal numbers; 1 for 0, infinity and
/// NaN.
template <class T>
LANEWISE_INLINE Vec<T> inverse_scale(Vec<T> x) {
  using I = SignedOf<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr I kBias = std::numeric_limits<T>::max_exponent - 1;
  const Vec<I> biased = (as_int(x) >> kMantissa) & Vec<I>(I(2 * kBias + 1));
  const Vec<I> inverse = Vec<I>(I(2 * kBias)) - biased;
  const Vec<I> kept = maximum(minimum(inverse, Vec<I>(I(2 * kBias - 1))), Vec<I>(I(1)));
  const Vec<T> scale = bitcast<T>(kept << kMantissa);
  return select(isfinite(x) & (x != Vec<T>(T(0))), scale, Vec<T>(T(1)));
}

/// By the definition.
template <class R>
LANEWISE_INLINE Vec<std::complex<R>> divide_plainly(Vec<std::complex<R>> a, Vec<std::complex<R>> b) {
  const Vec<R> denominator = b.re * b.re + b.im * b.im;
  return Vec<std::complex<R>>((a.re * b.re + a.im * b.im) / denominator,
                              (a.im * b.re - a.re * b.im) / denominator);
}

/// C99 annex G: a quotient of infinities or by zero keeps its direction where the plain formula gives NaN +
/// NaN i.
template <class R>
[[gnu::noinline, gnu::cold]] Vec<std::complex<R>> divide_specials(Vec<std::complex<R>> a,
                                                                  Vec<std::complex<R>> b,
                                                                  Vec<std::complex<R>> plain) {
  using V = Vec<R>;
  const V inf(std::numeric_limits<R>::infinity());
  const V zero(R(0));
  const V one(R(1));
  const Mask<R> lost = isnan(plain.re) & isnan(plain.im);

  const Mask<R> by_zero = (b.re == zero) & (b.im == zero) & (~isnan(a.re) | ~isnan(a.im));
  const V signed_inf = copysign(inf, b.re);

  const Mask<R> huge = (isinf(a.re) | isinf(a.im)) & isfinite(b.re) & isfinite(b.im);
  const V ar = copysign(select(isinf(a.re), one, zero), a.re);
  const V ai = copysign(select(isinf(a.im), one, zero), a.im);

  const Mask<R> tiny = (isinf(b.re) | isinf(b.im)) & isfinite(a.re) & isfinite(a.im);
  const V br = copysign(select(isinf(b.re), one, zero), b.re);
  const V bi = copysign(select(isinf(b.im), one, zero), b.im);

  V re = select(by_zero, signed_inf * a.re, plain.re);
  V im = select(by_zero, signed_inf * a.im, plain.im);
  re = select(huge & ~by_zero, inf * (ar * b.re + ai * b.im), re);
  im = select(huge & ~by_zero, inf * (ai * b.re - ar * b.im), im);
  re = select(tiny, zero * (a.re * br + a.im * bi), re);
  im = select(tiny, zero * (a.im * br - a.re * bi), im);
  return Vec<std::complex<R>>(select(lost, re, plain.re), select(lost, im, plain.im));
}

/// a / b for magnitudes of any size: both are scaled by powers of two first, so no intermediate over- or underflows where
/// the quotient does not.
template <class R>
[[gnu::noinline]] Vec<std::complex<R>> divide_scaled(Vec<std::complex<R>> a, Vec<std::complex<R>> b) {
  using V = Vec<R>;
  const V scale_b = inverse_scale(maximum(abs(b.re), abs(b.im)));
  const V scale_a = inverse_scale(maximum(abs(a.re), abs(a.im)));
  const Vec<std::complex<R>> q = divide_plainly(Vec<std::complex<R>>(a.re * scale_a, a.im * scale_a),
                                                Vec<std::complex<R>>(b.re * scale_b, b.im * scale_b));
  // scale_b / scale_a can leave the range where the two steps do not.
  const V unscale_a = reciprocal(scale_a);
  const Mask<R> grow_first = unscale_a < V(R(1));
  const V first = select(grow_first, scale_b, unscale_a);
  const V second = select(grow_first, unscale_a, scale_b);
  const Vec<std::complex<R>> plain((q.re * first) * second, (q.im * first) * second);
  const Mask<R> lost = isnan(plain.re) & isnan(plain.im);
  if (__builtin_expect(lost.any(), 0)) return divide_specials(a, b, plain);
  return plain;
}

}  // namespace detail

/// a / b. Error: a few ULP of |a / b|, which over- or underflows only where it must; special values as in C99 annex G.
template <class R>
LANEWISE_INLINE Vec<std::complex<R>> divide(Vec<std::complex<R>> a, Vec<std::complex<R>> b) {
  using V = Vec<R>;
  // Squares of such numbers and their quotients are normal.
  const V low(sizeof(R) == 4 ? R(0x1p-60f) : R(0x1p-500));
  const V high(sizeof(R) == 4 ? R(0x1p60f) : R(0x1p500));
  const V size_a = maximum(abs(a.re), abs(a.im));
  const V size_b = maximum(abs(b.re), abs(b.im));
  const Mask<R> large = (size_a >= low) | (size_a == V(R(0)));
  const Mask<R> usual = large & (size_a <= high) & (size_b >= low) & (size_b <= high);
  const Vec<std::complex<R>> plain = detail::divide_plainly(a, b);
  if (usual.all()) return plain;
  return select(Mask<std::complex<R>>(usual), plain, detail::divide_scaled(a, b));
}

template <class R>
LANEWISE_INLINE Vec<std::complex<R>> conj(Vec<std::complex<R>> z) {
  return Vec<std::complex<R>>(z.re, -z.im);
}
template <class R>
LANEWISE_INLINE Mask<std::complex<R>> isnan(Vec<std::complex<R>> z) {
  return Mask<std::complex<R>>(isnan(z.re) | isnan(z.im));
}
template <class R>
LANEWISE_INLINE Mask<std::complex<R>> isinf(Vec<std::complex<R>> z) {
  return Mask<std::complex<R>>(isinf(z.re) | isinf(z.im));
}
template <class R>
LANEWISE_INLINE Mask<std::complex<R>> isfinite(Vec<std::complex<R>> z) {
  return Mask<std::complex<R>>(isfinite(z.re) & isfinite(z.im));
}
/// 1 / z (see divide).
template <class R>
LANEWISE_INLINE Vec<std::complex<R>> reciprocal(Vec<std::complex<R>> z) {
  return divide(Vec<std::complex<R>>(R(1)), z);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
