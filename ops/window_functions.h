#pragma once

#include <lanewise/tensor/tensor.h>

/// Window functions of signal processing, 1-D tensors of window_length values. A periodic window is the symmetric one of one value more
/// without its last: what a Fourier transform wants. One value is 1, none make an empty tensor. Without a dtype, in the default one;
/// computed in float64, rounded once.
///
/// Throws ValueError if window_length is negative or the largest int64, DtypeError for dtypes that are not floating, ShapeError or
/// AllocationError for what does not fit in memory.
namespace lanewise {

/// A triangle: 1 - |2 i / (n - 1) - 1|.
LANEWISE_API Tensor bartlett_window(std::int64_t window_length, const TensorOptions& options = {});
LANEWISE_API Tensor bartlett_window(std::int64_t window_length, bool periodic,
                                    const TensorOptions& options = {});
/// 0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1)).
LANEWISE_API Tensor blackman_window(std::int64_t window_length, const TensorOptions& options = {});
LANEWISE_API Tensor blackman_window(std::int64_t window_length, bool periodic,
                                    const TensorOptions& options = {});
/// 0.5 - 0.5 cos(2 pi i / (n - 1)).
LANEWISE_API Tensor hann_window(std::int64_t window_length, const TensorOptions& options = {});
LANEWISE_API Tensor hann_window(std::int64_t window_length, bool periodic, const TensorOptions& options = {});
/// alpha - beta cos(2 pi i / (n - 1)), 0.54 and 0.46 if they are not given.
LANEWISE_API Tensor hamming_window(std::int64_t window_length, const TensorOptions& options = {});
LANEWISE_API Tensor hamming_window(std::int64_t window_length, bool periodic,
                                   const TensorOptions& options = {});
LANEWISE_API Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha,
                                   const TensorOptions& options = {});
LANEWISE_API Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, double beta,
                                   const TensorOptions& options = {});
/// i0(beta sqrt(1 - (2 i / (n - 1) - 1)^2)) / i0(beta), beta 12 if it is not given (Kaiser and Schafer 1980).
LANEWISE_API Tensor kaiser_window(std::int64_t window_length, const TensorOptions& options = {});
LANEWISE_API Tensor kaiser_window(std::int64_t window_length, bool periodic,
                                  const TensorOptions& options = {});
LANEWISE_API Tensor kaiser_window(std::int64_t window_length, bool periodic, double beta,
                                  const TensorOptions& options = {});

}  // namespace lanewise
