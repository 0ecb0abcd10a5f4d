#pragma once

#include <cmath>
#include <cstdint>
#include <ostream>

#include <mpfr.h>

#include <lanewise/vec/math.h>

// One row for each function of vec/math over the real numbers: what it is measured against and the error it
// may have.

namespace lanewise::test {

using Wide = long double;
template <class T>
using Apply = void (*)(const T* x, const T* y, T* out, std::size_t n);

/// Bounds in ULP.
struct Bound {
  double f32;
  double f64;
};
struct Row {
  const char* name;
  Apply<float> f32;
  Apply<double> f64;
  Wide (*reference)(Wide x, Wide y);
  double (*in_double)(double x);                   ///< the same in f64; null where the reference is
  int (*mpfr)(mpfr_t result, mpfr_t x, mpfr_t y);  ///< null where MPFR has none
  double low;
  double high;
  bool second;  ///< a function of two arguments
  Bound bound;  ///< tiers with a fused fma
  Bound unfused;
  /// Where the zeros left of 0 are not treated apart: the terms that cancel, whose ULP count there. May be
  /// null.
  Wide (*scale)(Wide x) = nullptr;
};

inline void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

template <class T, class F>
void apply(F f, const T* x, const T* y, T* out, std::size_t n) {
  using V = vec::Vec<T>;
  for (std::size_t i = 0; i < n; i += static_cast<std::size_t>(V::size))
    f(V::load(x + i), V::load(y + i)).store(out + i);
}

template <class T>
T sigmoid(T x) {
  return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

#define LANEWISE_ROW(name, call, reference, mpfr_call, low, high, second, ...)               \
  Row {                                                                                      \
    name,                                                                                    \
        [](const float* a, const float* b, float* out, std::size_t n) {                      \
          apply<float>([](auto x, [[maybe_unused]] auto y) { return call; }, a, b, out, n);  \
        },                                                                                   \
        [](const double* a, const double* b, double* out, std::size_t n) {                   \
          apply<double>([](auto x, [[maybe_unused]] auto y) { return call; }, a, b, out, n); \
        },                                                                                   \
        [](Wide x, [[maybe_unused]] Wide y) -> Wide { return reference; },                   \
        [](double x) -> double {                                                             \
          [[maybe_unused]] const double y = 0;                                               \
          return reference;                                                                  \
        },                                                                                   \
        [](mpfr_ptr r, [[maybe_unused]] mpfr_ptr x, [[maybe_unused]] mpfr_ptr y) -> int {    \
          return mpfr_call;                                                                  \
        },                                                                                   \
        low, high, second, __VA_ARGS__                                                       \
  }
#define LANEWISE_UNARY(name, low, high, ...) \
  LANEWISE_ROW(#name, vec::name(x), std::name(x), mpfr_##name(r, x, MPFR_RNDN), low, high, false, __VA_ARGS__)
#define LANEWISE_BINARY(name, low, high, ...)                                                             \
  LANEWISE_ROW(#name, vec::name(x, y), std::name(x, y), mpfr_##name(r, x, y, MPFR_RNDN), low, high, true, \
               __VA_ARGS__)

inline const Row kRows[] = {
    LANEWISE_UNARY(exp, -750, 720, {0.9, 0.95}, {1.0, 1.05}),
    LANEWISE_UNARY(exp2, -1080, 1030, {0.9, 0.96}, {1.1, 1.2}),
    LANEWISE_UNARY(expm1, -50, 720, {1.0, 1.05}, {1.0, 1.05}),
    LANEWISE_UNARY(log, 0, 100, {0.85, 0.8}, {0.85, 0.8}),
    LANEWISE_UNARY(log2, 0, 100, {0.9, 0.8}, {0.9, 0.8}),
    LANEWISE_UNARY(log10, 0, 100, {0.8, 0.8}, {0.8, 0.8}),
    LANEWISE_UNARY(log1p, -1, 100, {0.95, 1.0}, {0.95, 1.0}),
    LANEWISE_UNARY(sin, -1e5, 1e5, {0.91, 0.9}, {0.7, 0.9}),
    LANEWISE_UNARY(cos, -1e5, 1e5, {0.91, 0.9}, {0.7, 0.9}),
    LANEWISE_UNARY(tan, -1e5, 1e5, {0.6, 1.1}, {0.6, 1.1}),
    LANEWISE_UNARY(asin, -1, 1, {0.75, 0.75}, {0.75, 0.75}),
    LANEWISE_UNARY(acos, -1, 1, {0.75, 0.75}, {0.75, 0.75}),
    LANEWISE_UNARY(atan, -20, 20, {1.0, 0.75}, {1.2, 0.8}),
    // Where the first terms of a series in x would cancel.
    LANEWISE_ROW("atan_near_one", vec::atan(x), std::atan(x), mpfr_atan(r, x, MPFR_RNDN), -1.1, 1.1, false,
                 {1.0, 0.75}, {1.2, 0.8}),
    LANEWISE_UNARY(sinh, -720, 720, {0.9, 1.0}, {1.0, 1.0}),
    LANEWISE_UNARY(cosh, -720, 720, {1.0, 1.0}, {1.0, 1.0}),
    LANEWISE_UNARY(tanh, -25, 25, {0.76, 1.0}, {1.1, 1.1}),
    LANEWISE_UNARY(asinh, -100, 100, {0.95, 0.95}, {1.0, 1.0}),
    LANEWISE_UNARY(acosh, 1, 100, {1.0, 1.0}, {1.0, 1.0}),
    LANEWISE_UNARY(atanh, -1, 1, {0.85, 0.85}, {0.9, 0.9}),
    LANEWISE_UNARY(erf, -6, 6, {0.98, 1.0}, {1.1, 1.25}),
    LANEWISE_UNARY(erfc, -6, 28, {0.75, 1.0}, {0.75, 1.25}),
    LANEWISE_ROW("erf_near_one", vec::erf(x), std::erf(x), mpfr_erf(r, x, MPFR_RNDN), -1.1, 1.1, false,
                 {0.98, 1.0}, {1.1, 1.25}),
    LANEWISE_ROW("erfc_near_half", vec::erfc(x), std::erfc(x), mpfr_erfc(r, x, MPFR_RNDN), 0.4, 0.9, false,
                 {0.75, 1.0}, {0.75, 1.25}),
    LANEWISE_UNARY(cbrt, -1000, 1000, {0.51, 0.51}, {0.51, 0.51}),
    LANEWISE_UNARY(sqrt, 0, 1000, {0.5, 0.5}, {0.5, 0.5}),
    LANEWISE_ROW("rsqrt", vec::rsqrt(x), 1 / std::sqrt(x),
                 (mpfr_sqrt(r, x, MPFR_RNDN), mpfr_ui_div(r, 1, r, MPFR_RNDN)), 0, 1000, false, {1.0, 1.0},
                 {1.0, 1.0}),
    LANEWISE_ROW("reciprocal", vec::reciprocal(x), 1 / x, mpfr_ui_div(r, 1, x, MPFR_RNDN), -1000, 1000, false,
                 {0.5, 0.5}, {0.5, 0.5}),
    LANEWISE_ROW("sigmoid", vec::sigmoid(x), sigmoid(x),
                 (mpfr_neg(r, x, MPFR_RNDN), mpfr_exp(r, r, MPFR_RNDN), mpfr_add_ui(r, r, 1, MPFR_RNDN),
                  mpfr_ui_div(r, 1, r, MPFR_RNDN)),
                 -750, 750, false, {1.44, 1.0}, {0.98, 1.0}),
    LANEWISE_BINARY(pow, 0, 100, {0.9, 0.8}, {0.6, 0.8}),
    LANEWISE_ROW("half_power_1", vec::half_power<1>(x), std::pow(x, 1.5),
                 (mpfr_set_d(y, 1.5, MPFR_RNDN), mpfr_pow(r, x, y, MPFR_RNDN)), 0, 1000, false, {0.9, 0.8},
                 {0.6, 0.8}),
    LANEWISE_ROW("half_power_2", vec::half_power<2>(x), std::pow(x, 2.5),
                 (mpfr_set_d(y, 2.5, MPFR_RNDN), mpfr_pow(r, x, y, MPFR_RNDN)), 0, 1000, false, {0.9, 0.8},
                 {0.6, 0.8}),
    LANEWISE_BINARY(atan2, -20, 20, {1.0, 1.0}, {1.4, 1.4}),
    LANEWISE_BINARY(hypot, -20, 20, {1.0, 1.0}, {1.2, 1.2}),
};

#undef LANEWISE_BINARY
#undef LANEWISE_UNARY
#undef LANEWISE_ROW

}  // namespace lanewise::test
