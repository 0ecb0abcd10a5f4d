#pragma once

#include <lanewise/vec/math/look_up.h>

// Functions by tables of coefficients that loops run over: long polynomials in little code, one body for many functions.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// A function of f64; of f32, by way of f64.
template <class F>
LANEWISE_INLINE Vec<double> in_f64(Vec<double> x, F f) {
  return f(x);
}
template <class F>
LANEWISE_INLINE Vec<float> in_f64(Vec<float> x, F f) {
  return in_double(x, f);
}

/// Coefficients of two polynomials of the same degree, side by side: two chains that do not wait for each other.
template <int kTerms>
struct TwoPolynomials {
  double rows[kTerms][2];
};
struct TwoValues {
  Vec<double> first;
  Vec<double> second;
};
/// Both at x.
LANEWISE_INLINE TwoValues evaluate(const double (*rows)[2], int terms, Vec<double> x) {
  using V = Vec<double>;
  V first(rows[terms - 1][0]);
  V second(rows[terms - 1][1]);
  for (int i = terms - 2; i >= 0; --i) {
    first = fma(first, x, V(rows[i][0]));
    second = fma(second, x, V(rows[i][1]));
  }
  return {first, second};
}
template <int kTerms>
LANEWISE_INLINE TwoValues evaluate(const TwoPolynomials<kTerms>& both, Vec<double> x) {
  return evaluate(both.rows, kTerms, x);
}

/// A function on eight intervals, as value + t p(t) for t = x - centre. Where an interval holds a zero of the function, that
/// is the centre, in two parts, and value is 0: no precision is lost there. Elsewhere the centre is such that the value is
/// a double to within 2^-60. Rows: centre, what it lacks, value, then the coefficients of p, an even number of them.
template <int kTerms>
struct Pieces {
  double rows[3 + kTerms][8];
};
/// How the first interval, around 0, is meant: like the others, or p as a polynomial of t^2, of an odd function, or of an even
/// one, which is value + t^2 p.
enum class FirstPiece { kLikeOthers, kOdd, kEven };

/// The interval is the integer next to `place`.
[[gnu::noinline]] inline Vec<double> by_pieces(const double (*rows)[8], int terms, FirstPiece first,
                                               Vec<double> x, Vec<double> place) {
  using V = Vec<double>;
  const V magic(0x1.8p52);
  const V shifted = place + magic;
  const Vec<std::int64_t> index = as_int(shifted);
  const V t = (x - look_up(rows[0], index)) - look_up(rows[1], index);
  V factor = t;
  V u = t;
  if (first != FirstPiece::kLikeOthers) {
    const V square = t * t;
    u = select(shifted <= magic, square, t);
    if (first == FirstPiece::kEven) factor = u;
  }
  const V square = u * u;
  const double(*p)[8] = rows + 3;
  V even = look_up(p[terms - 2], index);
  V odd = look_up(p[terms - 1], index);
  for (int i = terms - 4; i >= 0; i -= 2) {
    even = fma(even, square, look_up(p[i], index));
    odd = fma(odd, square, look_up(p[i + 1], index));
  }
  return fma(factor, fma(odd, u, even), look_up(rows[2], index));
}
template <int kTerms>
LANEWISE_INLINE Vec<double> by_pieces(const Pieces<kTerms>& pieces, FirstPiece first, Vec<double> x,
                                      Vec<double> place) {
  return by_pieces(pieces.rows, kTerms, first, x, place);
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
