#include <limits>
#include <numbers>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/factory_options.h>
#include <lanewise/ops/window_functions.h>
#include <lanewise/tensor/errors.h>

namespace lanewise {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// f of the positions 0, 1 / (n - 1), ... 1 of the symmetric window.
template <class F>
Tensor window(const char* op, std::int64_t length, bool periodic, const TensorOptions& options, F f) {
  LANEWISE_CHECK(DtypeError, is_floating_point(options.dtype()), op,
                 ": expects floating point dtypes, got: ", options.dtype());
  LANEWISE_CHECK(ValueError, length >= 0, op,
                 ": requires non-negative window_length, got window_length=", length);
  LANEWISE_CHECK(ValueError, length < std::numeric_limits<std::int64_t>::max(), op, ": window_length ",
                 length, " is too large");
  if (length <= 1) return ones({length}, options);
  const std::int64_t intervals = periodic ? length : length - 1;
  const Tensor positions = arange(length, kDouble) / static_cast<double>(intervals);
  return ops::with_options(f(positions).to(options.dtype()), options);
}

Tensor cosine_window(const char* op, std::int64_t length, bool periodic, double alpha, double beta,
                     const TensorOptions& options) {
  return window(op, length, periodic, options,
                [=](const Tensor& x) { return alpha - beta * cos(x * kTurn); });
}

}  // namespace

Tensor bartlett_window(std::int64_t window_length, const TensorOptions& options) {
  return bartlett_window(window_length, true, options);
}
Tensor bartlett_window(std::int64_t window_length, bool periodic, const TensorOptions& options) {
  return window("bartlett_window", window_length, periodic, options,
                [](const Tensor& x) { return 1 - abs(x * 2 - 1); });
}

Tensor blackman_window(std::int64_t window_length, const TensorOptions& options) {
  return blackman_window(window_length, true, options);
}
Tensor blackman_window(std::int64_t window_length, bool periodic, const TensorOptions& options) {
  return window("blackman_window", window_length, periodic, options, [](const Tensor& x) {
    return 0.08 * cos(x * (2 * kTurn)) - 0.5 * cos(x * kTurn) + 0.42;  // 0 at the ends
  });
}

Tensor hann_window(std::int64_t window_length, const TensorOptions& options) {
  return hann_window(window_length, true, options);
}
Tensor hann_window(std::int64_t window_length, bool periodic, const TensorOptions& options) {
  return cosine_window("hann_window", window_length, periodic, 0.5, 0.5, options);
}

Tensor hamming_window(std::int64_t window_length, const TensorOptions& options) {
  return hamming_window(window_length, true, options);
}
Tensor hamming_window(std::int64_t window_length, bool periodic, const TensorOptions& options) {
  return hamming_window(window_length, periodic, 0.54, options);
}
Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, const TensorOptions& options) {
  return hamming_window(window_length, periodic, alpha, 0.46, options);
}
Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, double beta,
                      const TensorOptions& options) {
  return cosine_window("hamming_window", window_length, periodic, alpha, beta, options);
}

Tensor kaiser_window(std::int64_t window_length, const TensorOptions& options) {
  return kaiser_window(window_length, true, options);
}
Tensor kaiser_window(std::int64_t window_length, bool periodic, const TensorOptions& options) {
  return kaiser_window(window_length, periodic, 12.0, options);
}
Tensor kaiser_window(std::int64_t window_length, bool periodic, double beta, const TensorOptions& options) {
  return window("kaiser_window", window_length, periodic, options, [beta](const Tensor& x) {
    // Both by their logarithm, as i0 leaves the range of float64 at 713.
    const Tensor at = beta * sqrt(1 - square(x * 2 - 1));
    const Tensor top = scalar_tensor(beta, kDouble);
    return special_i0e(at) / special_i0e(top) * exp(abs(at) - abs(top));
  });
}

}  // namespace lanewise
