#pragma once

#include <lanewise/vec/math/airy.h>
#include <lanewise/vec/math/bessel_j.h>
#include <lanewise/vec/math/bessel_k.h>
#include <lanewise/vec/math/incomplete_gamma.h>

#include "math_rows.h"
#include "mpfr_functions.h"

// The functions whose only reference is MPFR, or that need more than one line of it.

namespace lanewise::test {

#define LANEWISE_ROW(name, call, mpfr_call, low, high, second, ...)                          \
  Row {                                                                                      \
    name,                                                                                    \
        [](const float* a, const float* b, float* out, std::size_t n) {                      \
          apply<float>([](auto x, [[maybe_unused]] auto y) { return call; }, a, b, out, n);  \
        },                                                                                   \
        [](const double* a, const double* b, double* out, std::size_t n) {                   \
          apply<double>([](auto x, [[maybe_unused]] auto y) { return call; }, a, b, out, n); \
        },                                                                                   \
        nullptr, nullptr,                                                                    \
        [](mpfr_ptr r, [[maybe_unused]] mpfr_ptr x, [[maybe_unused]] mpfr_ptr y) -> int {    \
          return mpfr_call;                                                                  \
        },                                                                                   \
        low, high, second, __VA_ARGS__                                                       \
  }

/// Where zeros are not treated apart: a part of the modulus sqrt(2 / (pi x)).
inline Wide bessel_scale(Wide x) { return std::fabs(x) > 12.5L ? 0.0125L / std::sqrt(std::fabs(x)) : 0; }
/// Left of the first zero, the same; and what the angle 2/3 |x|^(3/2) loses.
inline Wide airy_scale(Wide x) {
  if (x > -2) return 0;
  const Wide root = std::sqrt(-x);
  return 0.5642L / std::sqrt(root) * std::fmax(0x1p-6L, -x * root * 0x1p-51L);
}

inline const Row kSpecialRows[] = {
    LANEWISE_ROW("sin_pi", vec::sin_pi(x), mpfr_sinpi(r, x, MPFR_RNDN), -20, 20, false, {0.51, 1.2},
                 {0.51, 1.2}),
    LANEWISE_ROW("cos_pi", vec::cos_pi(x), mpfr_cospi(r, x, MPFR_RNDN), -20, 20, false, {0.51, 1.2},
                 {0.51, 1.2}),
    LANEWISE_ROW("sinc", vec::sinc(x), mpfr_sinc(r, x), -20, 20, false, {0.51, 2}, {0.51, 2}),
    LANEWISE_ROW("lgamma", vec::lgamma(x), mpfr_log_abs_gamma(r, x), -20, 30, false, {0.51, 4}, {0.51, 4},
                 [](Wide x) { return x < 0 ? std::lgamma(-x) : 0; }),
    LANEWISE_ROW("digamma", vec::digamma(x), mpfr_psi(r, x), -20, 20, false, {0.51, 4}, {0.51, 4},
                 [](Wide x) { return x < 0 ? std::log(2 - x) : 0; }),
    LANEWISE_ROW("trigamma", vec::trigamma(x), mpfr_trigamma(r, x), -20, 20, false, {0.51, 4}, {0.51, 4}),
    LANEWISE_ROW("polygamma_3", vec::polygamma(3, x), mpfr_polygamma(r, 3, x), 0, 20, false, {0.51, 2},
                 {0.51, 3}),
    LANEWISE_ROW("zeta", vec::zeta(x, y), mpfr_hurwitz_zeta(r, x, y), 1, 40, true, {0.51, 3}, {0.51, 3}),
    LANEWISE_ROW("igamma", vec::igamma(x, y), mpfr_incomplete_gamma(r, x, y, false), 0, 40, true, {0.51, 4},
                 {0.51, 4}),
    LANEWISE_ROW("igammac", vec::igammac(x, y), mpfr_incomplete_gamma(r, x, y, true), 0, 40, true, {0.51, 4},
                 {0.51, 4}),
    LANEWISE_ROW("i0", vec::i0(x), mpfr_bessel_i(r, 0, false, x), -720, 720, false, {0.51, 4}, {0.51, 4}),
    LANEWISE_ROW("i0e", vec::i0e(x), mpfr_bessel_i(r, 0, true, x), -20, 20, false, {0.51, 4}, {0.51, 4}),
    LANEWISE_ROW("i1", vec::i1(x), mpfr_bessel_i(r, 1, false, x), -720, 720, false, {0.51, 4}, {0.51, 4}),
    LANEWISE_ROW("i1e", vec::i1e(x), mpfr_bessel_i(r, 1, true, x), -20, 20, false, {0.51, 4}, {0.51, 4}),
    LANEWISE_ROW("bessel_j0", vec::bessel_j0(x), mpfr_j0(r, x, MPFR_RNDN), -40, 40, false, {0.51, 4},
                 {0.51, 4}, bessel_scale),
    LANEWISE_ROW("bessel_j1", vec::bessel_j1(x),
                 mpfr_inf_p(x) ? mpfr_ui_div(r, 1, x, MPFR_RNDN) : mpfr_j1(r, x, MPFR_RNDN), -40, 40, false,
                 {0.51, 4}, {0.51, 4}, bessel_scale),
    LANEWISE_ROW("bessel_y0", vec::bessel_y0(x),
                 mpfr_zero_p(x) ? (mpfr_set_inf(r, -1), 0) : mpfr_y0(r, x, MPFR_RNDN), 0, 40, false,
                 {0.51, 4}, {0.51, 6}, bessel_scale),
    LANEWISE_ROW("bessel_y1", vec::bessel_y1(x),
                 mpfr_zero_p(x) ? (mpfr_set_inf(r, -1), 0) : mpfr_y1(r, x, MPFR_RNDN), 0, 40, false,
                 {0.51, 4}, {0.51, 4}, bessel_scale),
    LANEWISE_ROW("bessel_k0", vec::bessel_k0(x), mpfr_bessel_k(r, 0, false, x), 0, 40, false, {0.51, 3.1},
                 {0.51, 4}),
    LANEWISE_ROW("bessel_k1", vec::bessel_k1(x), mpfr_bessel_k(r, 1, false, x), 0, 750, false, {0.51, 3.1},
                 {0.51, 4}),
    LANEWISE_ROW("bessel_k0e", vec::bessel_k0e(x), mpfr_bessel_k(r, 0, true, x), 0, 20, false, {0.51, 2.5},
                 {0.51, 3}),
    LANEWISE_ROW("bessel_k1e", vec::bessel_k1e(x), mpfr_bessel_k(r, 1, true, x), 0, 20, false, {0.51, 2.5},
                 {0.51, 3}),
    LANEWISE_ROW("spherical_bessel_j0", vec::spherical_bessel_j0(x), mpfr_spherical_j0(r, x), -20, 20, false,
                 {0.51, 1.5}, {0.51, 1.5}),
    LANEWISE_ROW("airy_ai", vec::airy_ai(x), mpfr_airy(r, x), -40, 20, false, {0.51, 5}, {0.51, 8},
                 airy_scale),
    LANEWISE_ROW("erfinv", vec::erfinv(x), mpfr_erfinv(r, x), -1, 1, false, {0.51, 4}, {0.51, 4}),
    LANEWISE_ROW("ndtri", vec::ndtri(x), mpfr_ndtri(r, x), 0, 1, false, {0.51, 4}, {0.51, 4}),
    LANEWISE_ROW("erfcx", vec::erfcx(x), mpfr_erfcx(r, x), -27, 40, false, {0.6, 4}, {0.6, 4}),
    LANEWISE_ROW("ndtr", vec::ndtr(x), mpfr_ndtr(r, x), -40, 9, false, {0.6, 4}, {0.6, 4}),
    LANEWISE_ROW("log_ndtr", vec::log_ndtr(x), mpfr_log_ndtr(r, x), -50, 40, false, {0.6, 4}, {0.6, 4}),
    LANEWISE_ROW("logit", vec::logit(x), mpfr_logit(r, x), 0, 1, false, {1.0, 1.0}, {1.0, 1.0}),
    LANEWISE_ROW("entr", vec::entr(x), mpfr_entropy(r, x), 0, 4, false, {1.6, 1.6}, {1.6, 1.6}),
    LANEWISE_ROW("xlogy", vec::xlogy(x, y), mpfr_xlogy(r, x, y, false), -20, 20, true, {1.6, 1.6},
                 {1.6, 1.6}),
    LANEWISE_ROW("xlog1py", vec::xlog1py(x, y), mpfr_xlogy(r, x, y, true), -20, 20, true, {2, 2}, {2, 2}),
    LANEWISE_ROW("fmod", vec::fmod(x, y), mpfr_fmod(r, x, y, MPFR_RNDN), -20, 20, true, {0, 0}, {0, 0}),
    LANEWISE_ROW("remainder", vec::remainder(x, y), mpfr_python_remainder(r, x, y), -20, 20, true,
                 {0.51, 0.51}, {0.51, 0.51}),
};

#undef LANEWISE_ROW

}  // namespace lanewise::test
