#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/tensor_literal.h>
#include <lanewise/tensor/generator.h>
#include <lanewise/tensor/tensor.h>

/// Fresh tensors. Where options name no dtype it is the default dtype; the _like forms take it from their argument, and its order of
/// dimensions too, unless memory_format is Contiguous. All throw ShapeError for sizes that are negative or too large and
/// AllocationError; DtypeError if a gradient is asked of an integral or bool tensor.
namespace lanewise {

/// Not initialised.
LANEWISE_API Tensor empty(IntArrayRef size, const TensorOptions& options = {});
/// Throws ValueError for Preserve: there is nothing to preserve.
LANEWISE_API Tensor empty(IntArrayRef size, const TensorOptions& options,
                          std::optional<MemoryFormat> memory_format);
LANEWISE_API Tensor empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions& options = {});
LANEWISE_API Tensor zeros(IntArrayRef size, const TensorOptions& options = {});
LANEWISE_API Tensor ones(IntArrayRef size, const TensorOptions& options = {});
/// Without a dtype it is that of the number: bool, i64, or the default floating or complex dtype.
LANEWISE_API Tensor full(IntArrayRef size, const Scalar& fill_value, const TensorOptions& options = {});
/// A 0-dim tensor.
LANEWISE_API Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
/// A 0-dim tensor of the number's own dtype: bool, int64, float64 or complex128.
LANEWISE_API Tensor scalar_to_tensor(const Scalar& value);

LANEWISE_API Tensor empty_like(const Tensor& self, const TensorOptions& options = {},
                               std::optional<MemoryFormat> memory_format = std::nullopt);
LANEWISE_API Tensor zeros_like(const Tensor& self, const TensorOptions& options = {},
                               std::optional<MemoryFormat> memory_format = std::nullopt);
LANEWISE_API Tensor ones_like(const Tensor& self, const TensorOptions& options = {},
                              std::optional<MemoryFormat> memory_format = std::nullopt);
LANEWISE_API Tensor full_like(const Tensor& self, const Scalar& fill_value, const TensorOptions& options = {},
                              std::optional<MemoryFormat> memory_format = std::nullopt);

/// start, start + step, ... up to but without `end`. Without a dtype: i64 if all numbers are integral.
LANEWISE_API Tensor arange(const Scalar& end, const TensorOptions& options = {});
LANEWISE_API Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
LANEWISE_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                           const TensorOptions& options = {});
/// `steps` evenly spaced values from `start` to `end`, both exact.
LANEWISE_API Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps,
                             const TensorOptions& options = {});
/// `base` to the power of `steps` evenly spaced exponents from `start` to `end`.
LANEWISE_API Tensor logspace(const Scalar& start, const Scalar& end, std::int64_t steps, double base = 10.0,
                             const TensorOptions& options = {});
/// start, start + step, ... up to and with `end`.
LANEWISE_API Tensor range(const Scalar& start, const Scalar& end, const Scalar& step = 1,
                          const TensorOptions& options = {});
/// Positions of the lower or upper triangle of [row, col], row by row: [2, n], i64 if options name no dtype.
LANEWISE_API Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset = 0,
                                 const TensorOptions& options = {});
LANEWISE_API Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset = 0,
                                 const TensorOptions& options = {});
/// Ones on the diagonal.
LANEWISE_API Tensor eye(std::int64_t n, const TensorOptions& options = {});
LANEWISE_API Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options = {});

// Random numbers: element i depends on the seed, the number of the draw and i, not on threads; nor on the instruction
// set, but for normal ones on SSE4.2, which has no fused multiplication.
/// Uniform in [0, 1); floating and complex dtypes.
LANEWISE_API Tensor rand(IntArrayRef size, const TensorOptions& options = {});
/// Normal with mean 0 and variance 1.
LANEWISE_API Tensor randn(IntArrayRef size, const TensorOptions& options = {});
/// Normal with that mean and standard deviation.
LANEWISE_API Tensor normal(double mean, double std, IntArrayRef size, const TensorOptions& options = {});
/// Integers in [low, high), i64 if options name no dtype.
LANEWISE_API Tensor randint(std::int64_t high, IntArrayRef size, const TensorOptions& options = {});
LANEWISE_API Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size,
                            const TensorOptions& options = {});
/// The numbers 0 to n - 1 in random order, i64 if options name no dtype.
LANEWISE_API Tensor randperm(std::int64_t n, const TensorOptions& options = {});
LANEWISE_API Tensor rand_like(const Tensor& self, const TensorOptions& options = {},
                              std::optional<MemoryFormat> memory_format = std::nullopt);
LANEWISE_API Tensor randn_like(const Tensor& self, const TensorOptions& options = {},
                               std::optional<MemoryFormat> memory_format = std::nullopt);

/// Integers in [low, high) in the shape and dtype of self.
LANEWISE_API Tensor randint_like(const Tensor& self, std::int64_t high, const TensorOptions& options = {},
                                 std::optional<MemoryFormat> memory_format = std::nullopt);
LANEWISE_API Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high,
                                 const TensorOptions& options = {},
                                 std::optional<MemoryFormat> memory_format = std::nullopt);

/// A tensor over memory that somebody else owns; `deleter` runs when the last tensor that uses it is gone.
LANEWISE_API Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
LANEWISE_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                              const TensorOptions& options = {});
LANEWISE_API Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                              const TensorOptions& options = {});
LANEWISE_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                              const std::function<void(void*)>& deleter, const TensorOptions& options = {});

}  // namespace lanewise
