#pragma once

#include <cstdint>
#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// What follows a layer, for the size of its first weights.
enum class Nonlinearity : std::uint8_t { Linear, Sigmoid, Tanh, ReLU, LeakyReLU };
inline constexpr Nonlinearity kLinear = Nonlinearity::Linear, kSigmoid = Nonlinearity::Sigmoid,
                              kTanh = Nonlinearity::Tanh, kReLU = Nonlinearity::ReLU,
                              kLeakyReLU = Nonlinearity::LeakyReLU;

/// Whether values keep their size going forward through a layer, or gradients going back.
enum class FanMode : std::uint8_t { FanIn, FanOut };
inline constexpr FanMode kFanIn = FanMode::FanIn, kFanOut = FanMode::FanOut;

}  // namespace lanewise

/// First values of weights, in place, by the names of libtorch's torch::nn::init. Autograd records nothing, so that leaves may be
/// filled; each returns its tensor. The random ones draw from the process-wide generator: manual_seed() repeats them.
///
/// Shapes   any, unless a fan is needed: [outputs, inputs, kernel...] of two dimensions or more. fan_in is inputs times
///          the elements of a kernel, fan_out outputs times those
/// Dtypes   floating; constant_, zeros_, ones_ and eye_ any
/// Throws   before anything is written: ValueError, also for an undefined tensor, ShapeError, DtypeError
namespace lanewise::nn::init {

/// By how much the standard deviation of a layer's weights is to grow for what follows it: 1, of tanh 5/3, of relu sqrt(2), of
/// leaky_relu with slope `param` sqrt(2 / (1 + param^2)).
LANEWISE_API double calculate_gain(Nonlinearity nonlinearity, double param = 0.01);
/// fan_in and fan_out.
LANEWISE_API std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor);

LANEWISE_API Tensor constant_(Tensor tensor, Scalar value);
LANEWISE_API Tensor zeros_(Tensor tensor);
LANEWISE_API Tensor ones_(Tensor tensor);
/// Ones on the diagonal of a matrix, else zeros.
LANEWISE_API Tensor eye_(Tensor matrix);
LANEWISE_API Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
/// From [low, high).
LANEWISE_API Tensor uniform_(Tensor tensor, double low = 0, double high = 1);

/// Variance gain^2 * 2 / (fan_in + fan_out): X. Glorot, Y. Bengio, Understanding the difficulty of training deep feedforward neural
/// networks, AISTATS 2010.
LANEWISE_API Tensor xavier_normal_(Tensor tensor, double gain = 1);
LANEWISE_API Tensor xavier_uniform_(Tensor tensor, double gain = 1);
/// Variance gain^2 / fan, where `a` is the slope of a leaky_relu: K. He, X. Zhang, S. Ren, J. Sun, Delving Deep into Rectifiers,
/// ICCV 2015.
LANEWISE_API Tensor kaiming_normal_(Tensor tensor, double a = 0, FanMode mode = kFanIn,
                                    Nonlinearity nonlinearity = kLeakyReLU);
LANEWISE_API Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanMode mode = kFanIn,
                                     Nonlinearity nonlinearity = kLeakyReLU);

}  // namespace lanewise::nn::init
