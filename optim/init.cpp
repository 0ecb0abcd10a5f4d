#include <cmath>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/generated/functions.h>
#include <lanewise/optim/init.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::nn::init {
namespace {

void check_weights(const char* op, const Tensor& tensor) {
  LANEWISE_CHECK(ValueError, tensor.defined(), op, ": the tensor is undefined");
}

/// Fills with numbers of mean 0 and this deviation.
Tensor spread_normally(const char* op, const Tensor& tensor, double std) {
  check_weights(op, tensor);
  if (tensor.numel() == 0) return tensor;  // its fan may be 0
  const NoGradGuard no_grad;
  return tensor.normal_(0, std);
}
Tensor spread_evenly(const char* op, const Tensor& tensor, double std) {
  check_weights(op, tensor);
  if (tensor.numel() == 0) return tensor;
  const NoGradGuard no_grad;
  const double bound = std::sqrt(3.0) * std;
  return tensor.uniform_(-bound, bound);
}

double xavier(const Tensor& tensor, double gain) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
}
double kaiming(const Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(mode == kFanIn ? fan_in : fan_out));
}

}  // namespace

double calculate_gain(Nonlinearity nonlinearity, double param) {
  switch (nonlinearity) {
    case Nonlinearity::Tanh: return 5.0 / 3;
    case Nonlinearity::ReLU: return std::sqrt(2.0);
    case Nonlinearity::LeakyReLU: return std::sqrt(2 / (1 + param * param));
    default: return 1;
  }
}

std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor) {
  check_weights("nn::init", tensor);
  LANEWISE_CHECK(ShapeError, tensor.dim() >= 2,
                 "nn::init: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, "
                 "found shape ",
                 tensor.sizes(), "; vectors such as biases take constant_, normal_ or uniform_");
  const std::int64_t outputs = tensor.size(0), inputs = tensor.size(1);
  std::int64_t kernel = 1;
  for (const std::int64_t size : tensor.sizes().slice(2)) kernel *= size;
  return {inputs * kernel, outputs * kernel};
}

Tensor constant_(Tensor tensor, Scalar value) {
  check_weights("nn::init::constant_", tensor);
  const NoGradGuard no_grad;
  return tensor.fill_(value);
}
Tensor zeros_(Tensor tensor) { return constant_(tensor, 0); }
Tensor ones_(Tensor tensor) { return constant_(tensor, 1); }

Tensor eye_(Tensor matrix) {
  check_weights("nn::init::eye_", matrix);
  LANEWISE_CHECK(ShapeError, matrix.dim() == 2,
                 "nn::init::eye_: Only tensors with 2 dimensions are supported, found shape ",
                 matrix.sizes());
  const NoGradGuard no_grad;
  matrix.zero_().diagonal().fill_(1);
  return matrix;
}

Tensor normal_(Tensor tensor, double mean, double std) {
  check_weights("nn::init::normal_", tensor);
  const NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}
Tensor uniform_(Tensor tensor, double low, double high) {
  check_weights("nn::init::uniform_", tensor);
  const NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}

Tensor xavier_normal_(Tensor tensor, double gain) {
  return spread_normally("nn::init::xavier_normal_", tensor, xavier(tensor, gain));
}
Tensor xavier_uniform_(Tensor tensor, double gain) {
  return spread_evenly("nn::init::xavier_uniform_", tensor, xavier(tensor, gain));
}
Tensor kaiming_normal_(Tensor tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  return spread_normally("nn::init::kaiming_normal_", tensor, kaiming(tensor, a, mode, nonlinearity));
}
Tensor kaiming_uniform_(Tensor tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  return spread_evenly("nn::init::kaiming_uniform_", tensor, kaiming(tensor, a, mode, nonlinearity));
}

}  // namespace lanewise::nn::init
