#pragma once

// All mathematical functions over the vector types. Each states its largest error in ULP; docs/mathematics.md
// has what was measured.
//
// clang-format off
//   exponentials       exp exp2 expm1 sigmoid | complex: exp expm1 sigmoid
//   logarithms         log log2 log10 log1p logit xlogy xlog1py entr | complex: log log2 log10 log1p
//   powers and roots   pow half_power sqrt rsqrt cbrt reciprocal hypot | complex: pow sqrt rsqrt reciprocal abs
//   trigonometric      sin cos tan asin acos atan atan2 angle sin_pi cos_pi sinc | complex: sin cos tan asin acos atan sinc
//   hyperbolic         sinh cosh tanh asinh acosh atanh | complex: the same
//   error functions    erf erfc erfcx erfinv ndtr log_ndtr ndtri
//   gamma and zeta     lgamma digamma trigamma polygamma(n, x) zeta(s, q)
//   Bessel functions   i0 i0e i1 i1e
//   exact              fmod remainder frexp ldexp nextafter copysign heaviside
//   to be included where they are used: incomplete_gamma.h  igamma igammac | orthogonal.h  chebyshev orthogonal_polynomial
//                      bessel_j.h  bessel_j0 bessel_j1 bessel_y0 bessel_y1 spherical_bessel_j0 | airy.h  airy_ai
//                      bessel_k.h  bessel_k0 bessel_k0e bessel_k1 bessel_k1e
// clang-format on

#include <lanewise/vec/math/asin.h>
#include <lanewise/vec/math/atan.h>
#include <lanewise/vec/math/bessel_i.h>
#include <lanewise/vec/math/cbrt.h>
#include <lanewise/vec/math/complex_exp.h>
#include <lanewise/vec/math/complex_inverse.h>
#include <lanewise/vec/math/complex_log.h>
#include <lanewise/vec/math/digamma.h>
#include <lanewise/vec/math/erf.h>
#include <lanewise/vec/math/erfc.h>
#include <lanewise/vec/math/erfinv.h>
#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/float_parts.h>
#include <lanewise/vec/math/gelu_slope.h>
#include <lanewise/vec/math/half_power.h>
#include <lanewise/vec/math/hyperbolic.h>
#include <lanewise/vec/math/lgamma.h>
#include <lanewise/vec/math/log.h>
#include <lanewise/vec/math/log_ratio.h>
#include <lanewise/vec/math/mills_ratio.h>
#include <lanewise/vec/math/normal.h>
#include <lanewise/vec/math/pow.h>
#include <lanewise/vec/math/remainder.h>
#include <lanewise/vec/math/root.h>
#include <lanewise/vec/math/sin_cos.h>
#include <lanewise/vec/math/sin_pi.h>
#include <lanewise/vec/math/tan.h>
#include <lanewise/vec/math/tanh.h>
#include <lanewise/vec/math/zeta.h>
#include <lanewise/vec/vec.h>
