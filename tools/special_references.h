#pragma once

// Special functions in long double for the passport. Good to some 2^-60.

namespace lanewise::tools {

long double reference_sigmoid(long double x);
long double reference_sinc(long double x);
long double reference_logit(long double x);
/// For x > 0.
long double reference_digamma(long double x);
/// The sum of (q + k)^-s over k >= 0, for s > 1 and q > 0.
long double reference_zeta(long double s, long double q);
/// The regularised incomplete gamma functions: the lower one, or the upper.
long double reference_incomplete_gamma(long double a, long double x, bool upper);
/// Bessel's I0 or I1, times e^-|x| if `scaled`.
long double reference_bessel_i(int order, bool scaled, long double x);
/// Bessel's K0 or K1, times e^x if `scaled`; NaN left of 0.
long double reference_bessel_k(int order, bool scaled, long double x);
/// sin(x) / x.
long double reference_spherical_j0(long double x);
long double reference_erfinv(long double x);
long double reference_ndtri(long double p);
long double reference_erfcx(long double x);
long double reference_ndtr(long double x);
long double reference_log_ndtr(long double x);
/// Python's remainder.
long double reference_remainder(long double x, long double y);

}  // namespace lanewise::tools
