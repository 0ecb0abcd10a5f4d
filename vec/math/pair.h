#pragma once

#include <lanewise/vec/vec.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// An unevaluated sum hi + lo, |lo| at most about an ULP of hi: twice the precision of T.
/// Sums and products after Dekker, Numer. Math. 18 (1971), and Knuth, TAOCP 2, section 4.2.2.
template <class T>
struct Pair {
  Vec<T> hi;
  Vec<T> lo;
};

/// a + b exactly, where |a| >= |b| or a is 0.
template <class T>
LANEWISE_INLINE Pair<T> fast_two_sum(Vec<T> a, Vec<T> b) {
  const Vec<T> s = a + b;
  return {s, b - (s - a)};
}
/// a + b exactly.
template <class T>
LANEWISE_INLINE Pair<T> two_sum(Vec<T> a, Vec<T> b) {
  const Vec<T> s = a + b;
  const Vec<T> t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// The rounding error of p = a * b, exactly: a * b - p. Barring overflow on tiers without fma, which split by
/// Veltkamp's method.
template <class T>
LANEWISE_INLINE Vec<T> product_error(Vec<T> a, Vec<T> b, Vec<T> p) {
  if constexpr (kFusedFma) {
    return fms(a, b, p);
  } else {
    const Vec<T> splitter(sizeof(T) == 4 ? T(4097) : T(134217729));
    const Vec<T> ca = a * splitter;
    const Vec<T> cb = b * splitter;
    const Vec<T> ah = ca - (ca - a);
    const Vec<T> bh = cb - (cb - b);
    const Vec<T> al = a - ah;
    const Vec<T> bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
  }
}
template <class T>
LANEWISE_INLINE Pair<T> two_product(Vec<T> a, Vec<T> b) {
  const Vec<T> p = a * b;
  return {p, product_error(a, b, p)};
}

/// c - a * b with the rounding error of a single operation also where fma is not fused, provided that the
/// difference is nearly exact (a residual).
template <class T>
LANEWISE_INLINE Vec<T> residual(Vec<T> a, Vec<T> b, Vec<T> c) {
  if constexpr (kFusedFma) {
    return fnma(a, b, c);
  } else {
    const Pair<T> p = two_product(a, b);
    return (c - p.hi) - p.lo;
  }
}

/// (a.hi + a.lo) * (b.hi + b.lo) to nearly twice the precision.
template <class T>
LANEWISE_INLINE Pair<T> multiply(Pair<T> a, Pair<T> b) {
  Pair<T> p = two_product(a.hi, b.hi);
  p.lo = p.lo + fma(a.hi, b.lo, a.lo * b.hi);
  return p;
}
template <class T>
LANEWISE_INLINE Pair<T> multiply(Pair<T> a, Vec<T> b) {
  Pair<T> p = two_product(a.hi, b);
  p.lo = fma(a.lo, b, p.lo);
  return p;
}

/// (n.hi + n.lo) / (d.hi + d.lo), rounded to T: one division and a step of refinement.
template <class T>
LANEWISE_INLINE Vec<T> divide(Pair<T> n, Pair<T> d) {
  const Vec<T> inverse = Vec<T>(T(1)) / d.hi;
  const Vec<T> q = n.hi * inverse;
  const Vec<T> rest = fnma(q, d.lo, residual(q, d.hi, n.hi) + n.lo);
  return fma(rest, inverse, q);
}

/// x^2 as the argument of a correction to 1, held away from 0: a denormal square takes processors some
/// hundred cycles, and what is added to the square does not show in the sum.
template <class T>
LANEWISE_INLINE Vec<T> normal_square(Vec<T> x) {
  if constexpr (kFusedFma) {
    return fma(x, x, Vec<T>(sizeof(T) == 4 ? T(0x1p-60f) : T(0x1p-400)));
  } else {
    const Vec<T> kept = max_or_second(Vec<T>(sizeof(T) == 4 ? T(0x1p-30f) : T(0x1p-200)), abs(x));
    return kept * kept;
  }
}

/// c0 + c1 x + c2 x^2 + ... by Horner's rule.
template <class T, class... C>
LANEWISE_INLINE Vec<T> horner(Vec<T> x, T c0, C... c) {
  if constexpr (sizeof...(c) == 0) {
    (void)x;
    return Vec<T>(c0);
  } else {
    return fma(horner(x, c...), x, Vec<T>(c0));
  }
}
/// ... + x^n tail.
template <class T, class... C>
LANEWISE_INLINE Vec<T> horner_from(Vec<T> tail, Vec<T> x, T c0, C... c) {
  if constexpr (sizeof...(c) == 0) {
    return fma(tail, x, Vec<T>(c0));
  } else {
    return fma(horner_from(tail, x, c...), x, Vec<T>(c0));
  }
}
/// The same of every other coefficient, beginning with the first.
template <class T>
LANEWISE_INLINE Vec<T> horner_even(Vec<T> /*square*/, T c0) {
  return Vec<T>(c0);
}
template <class T>
LANEWISE_INLINE Vec<T> horner_even(Vec<T> /*square*/, T c0, T /*c1*/) {
  return Vec<T>(c0);
}
template <class T, class... C>
LANEWISE_INLINE Vec<T> horner_even(Vec<T> square, T c0, T /*c1*/, C... c) {
  return fma(horner_even(square, c...), square, Vec<T>(c0));
}
/// A polynomial. Long ones as two independent chains, even and odd powers: a single one would wait for
/// itself.
template <class T, class... C>
LANEWISE_INLINE Vec<T> polynomial(Vec<T> x, T c0, C... c) {
  if constexpr (sizeof...(c) < 8) {
    return horner(x, c0, c...);
  } else {
    const Vec<T> square = x * x;
    return fma(horner_even(square, c...), x, horner_even(square, c0, c...));
  }
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
