#pragma once

// All mathematical functions over the vector types.

#include <lanewise/vec/math/asin.h>
#include <lanewise/vec/math/atan.h>
#include <lanewise/vec/math/cbrt.h>
#include <lanewise/vec/math/complex_exp.h>
#include <lanewise/vec/math/complex_log.h>
#include <lanewise/vec/math/erf.h>
#include <lanewise/vec/math/erfc.h>
#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/hyperbolic.h>
#include <lanewise/vec/math/log.h>
#include <lanewise/vec/math/pow.h>
#include <lanewise/vec/math/root.h>
#include <lanewise/vec/math/sin_cos.h>
#include <lanewise/vec/math/tan.h>
#include <lanewise/vec/vec.h>
