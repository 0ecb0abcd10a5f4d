#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Factories that write to `out` and return it. It keeps its dtype and takes the shape of the result, as resize_ would do it;
/// undefined it becomes what the factory without out= makes. The numbers are those of ops/factories.h for its dtype, drawn from
/// the same state of the generator. Throw what those throw, and AutogradError if `out` requires a gradient that is recorded.
namespace lanewise {

LANEWISE_API Tensor& empty_out(Tensor& out, IntArrayRef size);
LANEWISE_API Tensor& zeros_out(Tensor& out, IntArrayRef size);
LANEWISE_API Tensor& ones_out(Tensor& out, IntArrayRef size);
LANEWISE_API Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& fill_value);
LANEWISE_API Tensor& eye_out(Tensor& out, std::int64_t n);
LANEWISE_API Tensor& eye_out(Tensor& out, std::int64_t n, std::int64_t m);

LANEWISE_API Tensor& arange_out(Tensor& out, const Scalar& end);
LANEWISE_API Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
LANEWISE_API Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
LANEWISE_API Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, std::int64_t steps);
LANEWISE_API Tensor& logspace_out(Tensor& out, const Scalar& start, const Scalar& end, std::int64_t steps,
                                  double base = 10.0);

LANEWISE_API Tensor& rand_out(Tensor& out, IntArrayRef size);
LANEWISE_API Tensor& randn_out(Tensor& out, IntArrayRef size);
LANEWISE_API Tensor& normal_out(Tensor& out, double mean, double std, IntArrayRef size);
LANEWISE_API Tensor& randint_out(Tensor& out, std::int64_t high, IntArrayRef size);
LANEWISE_API Tensor& randint_out(Tensor& out, std::int64_t low, std::int64_t high, IntArrayRef size);
LANEWISE_API Tensor& randperm_out(Tensor& out, std::int64_t n);

}  // namespace lanewise
