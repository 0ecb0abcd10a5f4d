#pragma once

#include <optional>
#include <string_view>

#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Pointwise ops that choose their kernel by an argument. Raw: nothing is recorded for backward.
namespace lanewise::ops {

/// True division, or rounded: mode "trunc" or "floor". Throws ValueError for another mode and for integers divided by zero.
Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode);
Tensor div(const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode);

/// Throws ValueError for integers to a negative integer power.
Tensor pow(const Tensor& self, const Scalar& exponent);

/// self * self; of bool, in int64.
Tensor square(const Tensor& self);

/// Throws ValueError if both limits are missing.
Tensor clamp(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max);
Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max);

/// `approximate` is "none" or "tanh", else ValueError.
Tensor gelu(const Tensor& self, std::string_view approximate);
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, std::string_view approximate);

}  // namespace lanewise::ops
