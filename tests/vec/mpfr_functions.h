#pragma once

#include <mpfr.h>

// Functions that MPFR does not have, for comparison. Results are good to the precision of r, or some 100
// bits.

namespace lanewise::test {

int mpfr_log_abs_gamma(mpfr_ptr r, mpfr_srcptr x);
int mpfr_trigamma(mpfr_ptr r, mpfr_srcptr x);
/// Digamma with its values at the poles.
int mpfr_psi(mpfr_ptr r, mpfr_srcptr x);
/// The sum of (q + k)^-s over k >= 0, for s > 1.
int mpfr_hurwitz_zeta(mpfr_ptr r, mpfr_srcptr s, mpfr_srcptr q);
/// The regularised incomplete gamma functions: the lower one, or the upper.
int mpfr_incomplete_gamma(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr x, bool upper);
/// The n-th derivative of digamma for x > 0.
int mpfr_polygamma(mpfr_ptr r, unsigned n, mpfr_srcptr x);
/// I0 or I1, times e^-|x| if `scaled`.
int mpfr_bessel_i(mpfr_ptr r, unsigned order, bool scaled, mpfr_srcptr x);
/// K0 or K1, times e^x if `scaled`.
int mpfr_bessel_k(mpfr_ptr r, unsigned order, bool scaled, mpfr_srcptr x);
/// Airy's Ai of any number; MPFR's takes for ever far from 0.
int mpfr_airy(mpfr_ptr r, mpfr_srcptr x);
/// sin(x) / x.
int mpfr_spherical_j0(mpfr_ptr r, mpfr_srcptr x);
int mpfr_erfinv(mpfr_ptr r, mpfr_srcptr x);
int mpfr_ndtri(mpfr_ptr r, mpfr_srcptr p);
int mpfr_erfcx(mpfr_ptr r, mpfr_srcptr x);
int mpfr_ndtr(mpfr_ptr r, mpfr_srcptr x);
int mpfr_log_ndtr(mpfr_ptr r, mpfr_srcptr x);
int mpfr_logit(mpfr_ptr r, mpfr_srcptr x);
/// sin(pi x) / (pi x).
int mpfr_sinc(mpfr_ptr r, mpfr_srcptr x);
/// x log y, or x log(1 + y) with `plus_one`; 0 where x is 0 and y no NaN.
int mpfr_xlogy(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, bool plus_one);
/// -x log x; 0 at 0, -infinity below.
int mpfr_entropy(mpfr_ptr r, mpfr_srcptr x);
/// Python's remainder.
int mpfr_python_remainder(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y);

}  // namespace lanewise::test
