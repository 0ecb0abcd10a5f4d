#pragma once

#include <complex>
#include <span>
#include <string_view>

namespace lanewise::tools {

using Wide = long double;
using WideComplex = std::complex<long double>;

/// A function that the passport measures: an op of the library and what it should be, in long double.
struct RealFunction {
  std::string_view op;
  Wide (*reference)(Wide x, Wide y);
  bool second;  ///< a function of two tensors
  double low;   ///< the range of half of the arguments, and of all of those that are timed
  double high;
  bool positive_only = false;  ///< left of 0 the zeros are not treated apart
};
struct ComplexFunction {
  std::string_view op;
  WideComplex (*reference)(WideComplex z);
  double range;  ///< of both parts
};

std::span<const RealFunction> real_functions();
std::span<const ComplexFunction> complex_functions();

}  // namespace lanewise::tools
