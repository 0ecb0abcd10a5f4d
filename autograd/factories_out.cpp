#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/factories_out.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {
namespace {

void check(const char* op, const Tensor& out) {
  if (autograd::transforms_on()) autograd::forward_ad::check_out(op, {&out});
  autograd::check_out(op, out, autograd::compute_requires_grad(out));
}

/// What a factory makes for the dtype of `out`, copied into it.
template <class Factory>
Tensor& write(const char* op, Tensor& out, Factory make) {
  check(op, out);
  ops::resize_result(op, out, make(out.defined() ? TensorOptions(out.scalar_type()) : TensorOptions()));
  autograd::increment_version(out);
  return out;
}

/// The same for a sequence, which keeps the shape of `out` if that has as many elements.
template <class Factory>
Tensor& write_sequence(const char* op, Tensor& out, Factory make) {
  return write(op, out, [&](const TensorOptions& options) {
    const Tensor numbers = make(options);
    return out.defined() && out.numel() == numbers.numel() ? numbers.reshape(out.sizes()) : numbers;
  });
}

/// The shape first, then the numbers, by an op in place that checks before it writes.
template <class Factory, class Fill>
Tensor& fill(const char* op, Tensor& out, IntArrayRef size, Factory make, Fill fill_in_place) {
  if (!out.defined()) return out = make();
  check(op, out);
  if (!out.sizes().equals(size)) detail::resize_cpu(out, size);
  fill_in_place();
  return out;
}

}  // namespace

Tensor& empty_out(Tensor& out, IntArrayRef size) {
  return fill(
      "empty", out, size, [&] { return empty(size); }, [] {});
}

Tensor& zeros_out(Tensor& out, IntArrayRef size) {
  return fill(
      "zeros", out, size, [&] { return zeros(size); }, [&] { out.zero_(); });
}

Tensor& ones_out(Tensor& out, IntArrayRef size) {
  return fill(
      "ones", out, size, [&] { return ones(size); }, [&] { out.fill_(1); });
}

Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& fill_value) {
  if (out.defined()) fill_value.check_fits(out.scalar_type(), "full");
  return fill(
      "full", out, size, [&] { return full(size, fill_value); }, [&] { out.fill_(fill_value); });
}

Tensor& eye_out(Tensor& out, std::int64_t n) { return eye_out(out, n, n); }

Tensor& eye_out(Tensor& out, std::int64_t n, std::int64_t m) {
  return write("eye", out, [&](const TensorOptions& options) { return eye(n, m, options); });
}

Tensor& arange_out(Tensor& out, const Scalar& end) {
  return write_sequence("arange", out, [&](const TensorOptions& options) { return arange(end, options); });
}

Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step) {
  return write_sequence("arange", out,
                        [&](const TensorOptions& options) { return arange(start, end, step, options); });
}

Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step) {
  return write_sequence("range", out,
                        [&](const TensorOptions& options) { return range(start, end, step, options); });
}

Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, std::int64_t steps) {
  return write_sequence("linspace", out,
                        [&](const TensorOptions& options) { return linspace(start, end, steps, options); });
}

Tensor& logspace_out(Tensor& out, const Scalar& start, const Scalar& end, std::int64_t steps, double base) {
  return write_sequence("logspace", out, [&](const TensorOptions& options) {
    return logspace(start, end, steps, base, options);
  });
}

Tensor& rand_out(Tensor& out, IntArrayRef size) {
  return write("rand", out, [&](const TensorOptions& options) { return rand(size, options); });
}

Tensor& randn_out(Tensor& out, IntArrayRef size) {
  return write("randn", out, [&](const TensorOptions& options) { return randn(size, options); });
}

Tensor& normal_out(Tensor& out, double mean, double std, IntArrayRef size) {
  return write("normal", out, [&](const TensorOptions& options) { return normal(mean, std, size, options); });
}

Tensor& randint_out(Tensor& out, std::int64_t high, IntArrayRef size) {
  return randint_out(out, 0, high, size);
}

Tensor& randint_out(Tensor& out, std::int64_t low, std::int64_t high, IntArrayRef size) {
  return write("randint", out,
               [&](const TensorOptions& options) { return randint(low, high, size, options); });
}

Tensor& randperm_out(Tensor& out, std::int64_t n) {
  return write("randperm", out, [&](const TensorOptions& options) { return randperm(n, options); });
}

}  // namespace lanewise
