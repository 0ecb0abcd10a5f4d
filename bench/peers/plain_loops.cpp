// Pointwise cases as plain loops that the compiler vectorises for this machine, the mathematics by glibc's
// libmvec (2 to 4 ULP): what somebody gets who writes the loop by hand. Compiled with -O3 -march=native
// -ffast-math.

#include <cmath>

#include "arrays.h"

namespace {

#define LANEWISE_LOOP(expression)                                                 \
  [](float* __restrict out, const float* __restrict a, const float* __restrict b, \
     std::int64_t n) -> const float* {                                            \
    for (std::int64_t i = 0; i < n; ++i) {                                        \
      const float x = a[i];                                                       \
      [[maybe_unused]] const float y = b[i];                                      \
      out[i] = expression;                                                        \
    }                                                                             \
    return out;                                                                   \
  }

#define LANEWISE_UNARY_LOOP(name, expression, value)                       \
  peers::Pointwise {                                                       \
    "contiguous_" #name, 8, peers::kUnarySizes, LANEWISE_LOOP(expression), \
        [](double x, double) -> double { return value; }                   \
  }

const std::vector<peers::Pointwise> kOps = {
    {"contiguous_add_out", 12, peers::kAllSizes, LANEWISE_LOOP(x + y),
     [](double x, double y) { return x + y; }},
    LANEWISE_UNARY_LOOP(exp, std::exp(x), std::exp(x)),
    LANEWISE_UNARY_LOOP(log, std::log(x), std::log(x)),
    LANEWISE_UNARY_LOOP(sin, std::sin(x), std::sin(x)),
    LANEWISE_UNARY_LOOP(cos, std::cos(x), std::cos(x)),
    LANEWISE_UNARY_LOOP(tanh, std::tanh(x), std::tanh(x)),
    LANEWISE_UNARY_LOOP(sigmoid, 1 / (1 + std::exp(-x)), 1 / (1 + std::exp(-x))),
    LANEWISE_UNARY_LOOP(erf, std::erf(x), std::erf(x)),
    LANEWISE_UNARY_LOOP(sqrt, std::sqrt(x), std::sqrt(x)),
    LANEWISE_UNARY_LOOP(neg, -x, -x),
    LANEWISE_UNARY_LOOP(abs, std::abs(x), std::abs(x)),
    {"contiguous_pow_scalar", 8, peers::kPowSizes, LANEWISE_LOOP(std::pow(x, 2.5F)),
     [](double x, double) { return std::pow(x, 2.5); }},
    {"contiguous_pow_tensor", 12, peers::kPowSizes, LANEWISE_LOOP(std::pow(x, y)),
     [](double x, double y) { return std::pow(x, y); }},
    {"contiguous_lerp", 12, peers::kSelectSizes, LANEWISE_LOOP(x + 0.3F * (y - x)),
     [](double x, double y) { return x + 0.3 * (y - x); }},
};

}  // namespace

int main(int argc, char** argv) { return peers::main(argc, argv, kOps); }
