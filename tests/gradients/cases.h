#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <lanewise/lanewise.h>

/// Calls whose derivatives op_gradients_test checks by finite differences; a function a topic, each in a file of its own.
namespace lanewise::testing {


struct Case {
  std::string op;  ///< full name in the registry
  std::function<std::vector<Value>(ScalarType)> args;
  bool complex = false;
  std::vector<NamedValue> kwargs = {};
  bool second = true;  ///< the second derivative too
};

/// Values of either sign, none near 0, with strides of its own.
inline Tensor any(IntArrayRef sizes, ScalarType dtype) {
  const Tensor wide = rand(sizes, kDouble) + 0.3;
  const Tensor sign = (rand(sizes, kDouble) > 0.5).to(kDouble) * 2 - 1;
  if (!isComplexType(dtype)) return (wide * sign).to(dtype);
  const Tensor other = rand(sizes, kDouble) + 0.3;
  return view_as_complex(stack({wide * sign, other}, -1)).to(dtype);
}

/// A list of tensors; an undefined one where a value is none.
inline Value list_of(std::vector<Value> values) {
  std::vector<Tensor> tensors;
  for (const Value& value : values) tensors.push_back(value.is_none() ? Tensor() : *value.get_if<Tensor>());
  return tensors;
}

/// A leaf to differentiate by.
inline Value in(IntArrayRef sizes, ScalarType dtype) { return any(sizes, dtype).clone().requires_grad_(); }
/// The same, away from 0 on the right.
inline Value positive(IntArrayRef sizes, ScalarType dtype) {
  if (isComplexType(dtype)) return in(sizes, dtype);
  return (rand(sizes, kDouble) + 0.3).to(dtype).requires_grad_();
}
inline Value transposed(IntArrayRef sizes, ScalarType dtype) { return any(sizes, dtype).t().detach().requires_grad_(); }
inline Value constant(IntArrayRef sizes, ScalarType dtype) { return any(sizes, dtype); }
inline Value flags(IntArrayRef sizes) { return rand(sizes) > 0.5; }
inline Value ints(std::vector<std::int64_t> values) {
  Tensor result = empty({static_cast<std::int64_t>(values.size())}, kLong);
  for (std::size_t i = 0; i < values.size(); ++i) result.data_ptr<std::int64_t>()[i] = values[i];
  return result;
}

using D = ScalarType;
using Args = std::vector<Value>;

std::vector<Case> unary_cases();
std::vector<Case> binary_cases();
std::vector<Case> ternary_cases();
std::vector<Case> view_cases();
std::vector<Case> reduction_cases();
std::vector<Case> more_reduction_cases();
std::vector<Case> normalization_cases();
std::vector<Case> pointwise_cases();
std::vector<Case> activation_cases();
std::vector<Case> loss_cases();
std::vector<Case> linalg_cases();
std::vector<Case> indexing_cases();
std::vector<Case> rearranging_cases();

}  // namespace lanewise::testing
