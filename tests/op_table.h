#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lanewise::testing {

using Real = long double;
using Complex = std::complex<long double>;

/// Which element types a row is run for, besides those that its references allow.
enum class Types : std::uint8_t {
  Floating,  ///< f16, bf16, f32, f64
  Numeric,   ///< also the integers, whose result has the common type
  Promoted,  ///< also the integers, whose result is the default float
};

/// A pointwise op with what it should give. One row is enough to have an op tested for values on each ISA,
/// dtype and layout, in its in-place and out= forms, and for its gradients of first and second order.
struct OpRow {
  using One = Real (*)(Real);
  using Two = Real (*)(Real, Real);
  using Three = Real (*)(Real, Real, Real);
  using ComplexOne = Complex (*)(Complex);
  using ComplexTwo = Complex (*)(Complex, Complex);

  std::string name;  ///< as in the registry
  std::variant<One, Two, Three> reference;
  std::array<double, 2> range = {-3, 3};  ///< of every input
  double max_ulp = 1;                     ///< of f32 and f64 results against the reference
  Types types = Types::Floating;
  std::variant<std::monostate, ComplexOne, ComplexTwo> complex_reference = {};
  double complex_error = 8;  ///< in units of epsilon * |result|
  bool differentiable = true;

  int inputs() const { return static_cast<int>(reference.index()) + 1; }
};

const std::vector<OpRow>& op_table();

/// The rows of op_table_pointwise.cpp.
std::vector<OpRow> pointwise_rows();

}  // namespace lanewise::testing
