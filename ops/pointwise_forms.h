#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include <lanewise/ops/result.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Pointwise ops that choose their kernel by an argument. Raw: nothing is recorded for backward.
namespace lanewise::ops {

/// True division, or rounded: mode "trunc" or "floor". Throws ValueError for another mode and for integers
/// divided by zero.
Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode);
Tensor div(const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode);

/// Throw ValueError for integers to a negative integer power.
Tensor pow(const Tensor& self, const Scalar& exponent);
void pow_into(const Destination& to, const Tensor& self, const Scalar& exponent);

/// self * self; of bool, in int64.
Tensor square(const Tensor& self);
void square_into(const Destination& to, const Tensor& self);

/// Throws ValueError if both limits are missing.
Tensor clamp(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max);
Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max);
void clamp_into(const Destination& to, const Tensor& self, const std::optional<Scalar>& min,
                const std::optional<Scalar>& max);
void clamp_into(const Destination& to, const Tensor& self, const Tensor& min, const Tensor& max);

/// Bool; the same for all elements of integers.
Tensor isnan(const Tensor& self);
Tensor isinf(const Tensor& self);
Tensor isfinite(const Tensor& self);
Tensor isposinf(const Tensor& self);
Tensor isneginf(const Tensor& self);
/// |self - other| <= atol + rtol |other|, of f32 and f64.
Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan);
void isposinf_into(const Destination& to, const Tensor& self);
void isneginf_into(const Destination& to, const Tensor& self);

/// `approximate` is "none" or "tanh", else ValueError.
Tensor gelu(const Tensor& self, std::string_view approximate);
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, std::string_view approximate);
/// grad * self / result, 0 where result is.
Tensor hypot_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
/// grad * numerator / (self^2 + other^2), 0 at the origin.
Tensor atan2_backward(const Tensor& grad, const Tensor& numerator, const Tensor& self, const Tensor& other);
/// grad where self is not below other, half of it where they are equal; else 0.
Tensor maximum_backward(const Tensor& grad, const Tensor& self, const Tensor& other);

/// log(x / (1 - x)), x limited to [eps, 1 - eps] first if eps is given; and its derivative times grad_output.
Tensor logit(const Tensor& self, std::optional<double> eps);
Tensor logit_backward(const Tensor& grad_output, const Tensor& self, std::optional<double> eps);

/// What is not given: 0 for NaN, the largest and least numbers of the dtype for the infinities. Integers are
/// copied.
Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf);

/// In steps of the common dtype, halves included. Throws DtypeError for integers.
Tensor nextafter(const Tensor& self, const Tensor& other);

/// A real tensor stays as it is.
Tensor& conj_physical_(Tensor& self);

/// Throws ValueError if n is negative.
Tensor& polygamma_(Tensor& self, std::int64_t n);
/// The sum of lgamma(self - j / 2) over 0 <= j < p, and p (p - 1) / 4 log(pi). Throws ValueError for p < 1,
/// DtypeError for bool.
Tensor mvlgamma(const Tensor& self, std::int64_t p);

/// Throw DtypeError for complex numbers.
Tensor deg2rad(const Tensor& self);
Tensor rad2deg(const Tensor& self);

/// Mantissas, and int32 exponents. Throws DtypeError unless floating.
std::tuple<Tensor, Tensor> frexp(const Tensor& self);

}  // namespace lanewise::ops
