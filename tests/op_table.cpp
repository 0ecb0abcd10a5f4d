#include "op_table.h"

#include <algorithm>
#include <cmath>

namespace lanewise::testing {
namespace {

Real sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }
Real gelu(Real x) { return x * std::erfc(-x / std::sqrt(Real{2})) / 2; }

// clang-format off: a row of the table is one or two lines
std::vector<OpRow> arithmetic_rows() {
  return {
      // arithmetic
      {.name = "add",
       .reference = [](Real x, Real y) { return x + y; },
       .max_ulp = 0.5,
       .types = Types::Numeric,
       .complex_reference = [](Complex x, Complex y) { return x + y; }},
      {.name = "sub",
       .reference = [](Real x, Real y) { return x - y; },
       .max_ulp = 0.5,
       .types = Types::Numeric,
       .complex_reference = [](Complex x, Complex y) { return x - y; }},
      {.name = "rsub",
       .reference = [](Real x, Real y) { return y - x; },
       .max_ulp = 0.5,
       .types = Types::Numeric,
       .complex_reference = [](Complex x, Complex y) { return y - x; }},
      {.name = "mul",
       .reference = [](Real x, Real y) { return x * y; },
       .max_ulp = 0.5,
       .types = Types::Numeric,
       .complex_reference = [](Complex x, Complex y) { return x * y; }},
      {.name = "div",
       .reference = [](Real x, Real y) { return x / y; },
       .range = {0.5, 3},
       .max_ulp = 0.5,
       .types = Types::Promoted,
       .complex_reference = [](Complex x, Complex y) { return x / y; }},
      {.name = "pow",
       .reference = [](Real x, Real y) { return std::pow(x, y); },
       .range = {0.3, 4},
       .max_ulp = 1,
       .complex_reference = [](Complex x, Complex y) { return std::pow(x, y); },
       .complex_error = 64},
      {.name = "maximum",
       .reference = [](Real x, Real y) { return std::max(x, y); },
       .max_ulp = 0,
       .types = Types::Numeric},
      {.name = "minimum",
       .reference = [](Real x, Real y) { return std::min(x, y); },
       .max_ulp = 0,
       .types = Types::Numeric},
      {.name = "atan2",
       .reference = [](Real y, Real x) { return std::atan2(y, x); },
       .max_ulp = 1.5,
       .types = Types::Promoted},
      {.name = "addcmul",
       .reference = [](Real x, Real a, Real b) { return x + a * b; },
       .range = {0.5, 3},
       .max_ulp = 1.5,
       .types = Types::Numeric},
      {.name = "addcdiv",
       .reference = [](Real x, Real a, Real b) { return x + a / b; },
       .range = {0.5, 3},
       .max_ulp = 1.5},
      {.name = "lerp",
       .reference = [](Real x, Real y, Real w) { return x + w * (y - x); },
       .range = {0.1, 0.9},
       .max_ulp = 3},
      {.name = "clamp",
       .reference = [](Real x, Real lo, Real hi) { return std::min(std::max(x, lo), hi); },
       .max_ulp = 0,
       .types = Types::Numeric},
      // unary
      {.name = "neg",
       .reference = [](Real x) { return -x; },
       .max_ulp = 0,
       .types = Types::Numeric,
       .complex_reference = [](Complex x) { return -x; }},
      {.name = "abs",
       .reference = [](Real x) { return std::abs(x); },
       .max_ulp = 0,
       .types = Types::Numeric,
       .complex_reference = [](Complex x) { return Complex(std::abs(x)); }},
      {.name = "square",
       .reference = [](Real x) { return x * x; },
       .max_ulp = 0.5,
       .types = Types::Numeric,
       .complex_reference = [](Complex x) { return x * x; }},
      {.name = "reciprocal",
       .reference = [](Real x) { return 1 / x; },
       .range = {0.3, 4},
       .max_ulp = 0.5,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return Real{1} / x; }},
      {.name = "sqrt",
       .reference = [](Real x) { return std::sqrt(x); },
       .range = {0.1, 9},
       .max_ulp = 0.5,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return std::sqrt(x); }},
      {.name = "rsqrt",
       .reference = [](Real x) { return 1 / std::sqrt(x); },
       .range = {0.1, 9},
       .max_ulp = 1,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return Real{1} / std::sqrt(x); }},
      {.name = "exp",
       .reference = [](Real x) { return std::exp(x); },
       .range = {-8, 8},
       .max_ulp = 1,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return std::exp(x); }},
      {.name = "log",
       .reference = [](Real x) { return std::log(x); },
       .range = {0.05, 20},
       .max_ulp = 1,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return std::log(x); },
       .complex_error = 16},
      {.name = "sin",
       .reference = [](Real x) { return std::sin(x); },
       .range = {-20, 20},
       .max_ulp = 1,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return std::sin(x); },
       .complex_error = 32},
      {.name = "cos",
       .reference = [](Real x) { return std::cos(x); },
       .range = {-20, 20},
       .max_ulp = 1,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return std::cos(x); },
       .complex_error = 32},
      {.name = "tanh",
       .reference = [](Real x) { return std::tanh(x); },
       .range = {-6, 6},
       .max_ulp = 1,
       .types = Types::Promoted,
       .complex_reference = [](Complex x) { return std::tanh(x); },
       .complex_error = 64},
      {.name = "sigmoid", .reference = sigmoid, .range = {-10, 10}, .max_ulp = 1.5, .types = Types::Promoted},
      {.name = "relu",
       .reference = [](Real x) { return x > 0 ? x : 0; },
       .max_ulp = 0,
       .types = Types::Numeric},
      // Far on the left its small values are exact only absolutely, as 1 + erf is.
      {.name = "gelu", .reference = gelu, .range = {-0.5, 4}, .max_ulp = 4},
      {.name = "conj_physical",
       .reference = [](Real x) { return x; },
       .max_ulp = 0,
       .types = Types::Numeric,
       .complex_reference = [](Complex x) { return std::conj(x); }},
  };
}

}  // namespace

const std::vector<OpRow>& op_table() {
  static const std::vector<OpRow> table = [] {
    std::vector<OpRow> rows = arithmetic_rows();
    const std::vector<OpRow> more = pointwise_rows();
    rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }();
  return table;
}
// clang-format on

}  // namespace lanewise::testing
