#pragma once

#include <array>
#include <cstring>

#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/scalar.h>

namespace lanewise::detail {

/// Writes the number as one element of type `t`; integers wrap, as when a tensor of them is converted.
inline void write_number(const Scalar& number, ScalarType t, char* to) noexcept {
  visit_dtype(t, [&]<class T>() {
    const T value = number.to_unchecked<T>();
    std::memcpy(to, &value, sizeof value);
  });
}

/// The number as an operand of an op whose common dtype is `common`, computed in as `t`: halves are widened, but a number beside
/// them is one of them first, as in PyTorch.
inline void write_number(const Scalar& number, ScalarType common, ScalarType t, char* to) noexcept {
  if (kernels::compute_type(common) == common) return write_number(number, t, to);
  const float value = common == ScalarType::Half ? static_cast<float>(number.to_unchecked<Half>())
                                                 : static_cast<float>(number.to_unchecked<BFloat16>());
  std::memcpy(to, &value, sizeof value);
}

/// The number as kernels take their parameters.
inline kernels::KernelScalar kernel_scalar(const Scalar& number) noexcept {
  const auto value = number.to_unchecked<std::complex<double>>();
  return {number.to_unchecked<std::int64_t>(), value.real(), value.imag()};
}

/// What each of the first two parameters of a kernel is where a call leaves it out: add and sub are then x + y and x - y.
inline constexpr kernels::KernelScalar kDefaultParam = {1, 1, 0};
inline constexpr std::array<kernels::KernelScalar, 2> kDefaultParams = {kDefaultParam, kDefaultParam};

}  // namespace lanewise::detail
