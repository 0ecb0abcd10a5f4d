#pragma once

// The vector types and their basic operations; mathematics is in <lanewise/vec/math.h>.

#include <lanewise/vec/arithmetic.h>
#include <lanewise/vec/complex_arithmetic.h>
#include <lanewise/vec/convert.h>
#include <lanewise/vec/isa.h>
#include <lanewise/vec/mask.h>
#include <lanewise/vec/select.h>
#include <lanewise/vec/vec_bool.h>
#include <lanewise/vec/vec_complex.h>
#include <lanewise/vec/vec_float.h>
#include <lanewise/vec/vec_int.h>
