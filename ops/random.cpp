#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/factory_event.h>
#include <lanewise/ops/factory_options.h>
#include <lanewise/ops/fill_values.h>
#include <lanewise/tensor/detail/fresh_like.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {

namespace {

using ops::options_like;
using ops::with_options;
using RandomKernel = const kernels::IndexedKernel* kernels::KernelTable::*;

/// A fresh tensor filled with the next draw.
Tensor draw(const char* op, IntArrayRef size, ScalarType dtype, RandomKernel kernel, const Scalar& a,
            const Scalar& b, bool downward = false) {
  Tensor t = detail::empty_cpu(size, dtype);
  const Generator::State draw = detail::drawing_generator().reserve(1);
  ops::fill_indexed(op, t, kernel,
                    {static_cast<std::int64_t>(draw.seed), static_cast<std::int64_t>(draw.offset), a, b},
                    downward);
  return t;
}

/// The same as an op that profiles see.
Tensor drawn(const char* op, IntArrayRef size, ScalarType dtype, RandomKernel kernel, const Scalar& a,
             const Scalar& b, const TensorOptions& options, bool downward = false) {
  const ops::FactoryEvent event(op);
  return event.made(with_options(draw(op, size, dtype, kernel, a, b, downward), options));
}

ScalarType floating_dtype(const char* op, ScalarType dtype) {
  LANEWISE_CHECK(DtypeError, is_differentiable(dtype), op, ": not implemented for ", short_name(dtype),
                 "; use randint for integers");
  return dtype;
}

/// The numbers, which were drawn in logical order, in the layout of `out`.
Tensor laid_out_like(const Tensor& self, Tensor out, Tensor numbers) {
  if (out.strides().equals(numbers.strides())) return detail::fresh_like(self, std::move(numbers));
  ops::copy_(out, numbers.detach());
  if (numbers.requires_grad()) out.set_requires_grad(true);
  return detail::fresh_like(self, std::move(out));
}

/// Numbers below n in random order (Fisher and Yates): each takes the place of an earlier one, chosen by the high half of a
/// product with 64 random bits (D. Lemire, 2019), which favours none by more than n / 2^64.
template <class T>
void shuffle(T* order, const std::uint64_t* draws, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto places = static_cast<unsigned __int128>(i) + 1;
    const auto chosen = static_cast<std::int64_t>(draws[i] * places >> 64);
    order[i] = static_cast<T>(i);
    std::swap(order[i], order[chosen]);
  }
}

}  // namespace

Tensor rand(IntArrayRef size, const TensorOptions& options) {
  const ScalarType dtype = floating_dtype("rand", options.dtype());
  return drawn("rand", size, dtype, &kernels::KernelTable::uniform, 0.0, 1.0, options, true);
}

Tensor randn(IntArrayRef size, const TensorOptions& options) {
  const ScalarType dtype = floating_dtype("randn", options.dtype());
  return drawn("randn", size, dtype, &kernels::KernelTable::normal, 0.0, 1.0, options);
}

Tensor normal(double mean, double std, IntArrayRef size, const TensorOptions& options) {
  LANEWISE_CHECK(ValueError, std >= 0, "normal expects std >= 0.0, but found std ", std);
  const ScalarType dtype = floating_dtype("normal", options.dtype());
  return drawn("normal", size, dtype, &kernels::KernelTable::normal, mean, std, options);
}

Tensor rand_like(const Tensor& self, const TensorOptions& options,
                 std::optional<MemoryFormat> memory_format) {
  const TensorOptions own = options_like("rand_like", self, options);
  Tensor out = detail::empty_like_in("rand_like", self, own.dtype(),
                                     ops::format_of("rand_like", options, memory_format));
  return laid_out_like(self, std::move(out), rand(self.sizes(), own));
}
Tensor randn_like(const Tensor& self, const TensorOptions& options,
                  std::optional<MemoryFormat> memory_format) {
  const TensorOptions own = options_like("randn_like", self, options);
  Tensor out = detail::empty_like_in("randn_like", self, own.dtype(),
                                     ops::format_of("randn_like", options, memory_format));
  return laid_out_like(self, std::move(out), randn(self.sizes(), own));
}
Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high, const TensorOptions& options,
                    std::optional<MemoryFormat> memory_format) {
  const TensorOptions own = options_like("randint_like", self, options);
  Tensor out = detail::empty_like_in("randint_like", self, own.dtype(),
                                     ops::format_of("randint_like", options, memory_format));
  return laid_out_like(self, std::move(out), randint(low, high, self.sizes(), own));
}

Tensor randint(std::int64_t high, IntArrayRef size, const TensorOptions& options) {
  return randint(0, high, size, options);
}

Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, const TensorOptions& options) {
  LANEWISE_CHECK(ValueError, low < high,
                 "randint: random_ expects 'from' to be less than 'to', but got from=", low, " >= to=", high);
  const ScalarType dtype = options.has_dtype() ? options.dtype() : kLong;
  if (is_integral(dtype, true)) {
    visit_dtype(dtype, [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        LANEWISE_CHECK(ValueError,
                       low >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
                           high - 1 <= static_cast<std::int64_t>(std::numeric_limits<T>::max()),
                       "randint: the range [", low, ", ", high, ") does not fit into ", short_name(dtype));
      }
    });
    return drawn("randint", size, dtype, &kernels::KernelTable::random_int, low, high, options);
  }
  LANEWISE_CHECK(DtypeError, is_floating_point(dtype), "randint: not implemented for ", short_name(dtype));
  for (const std::int64_t end : {low, high - 1}) Scalar(end).check_fits(dtype, "randint");
  const ops::FactoryEvent event("randint");
  const Tensor drawn_ints = draw("randint", size, kLong, &kernels::KernelTable::random_int, low, high);
  Tensor t = detail::empty_cpu(size, dtype);
  const auto convert = kernels::active_kernels()
                           .movers->convert[static_cast<std::size_t>(kLong)][static_cast<std::size_t>(dtype)];
  convert(static_cast<const char*>(drawn_ints.const_data_ptr()), static_cast<char*>(t.data_ptr()), t.numel());
  return event.made(with_options(std::move(t), options));
}

namespace {

/// So many whole numbers from 0 on are all in the type.
std::int64_t most_in_a_row(ScalarType dtype) {
  return visit_dtype(dtype, []<class T>() -> std::int64_t {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(std::numeric_limits<T>::max()) + (sizeof(T) < 8 ? 1 : 0);
    } else {
      return (std::int64_t{1} << std::min(std::numeric_limits<T>::digits, 53)) + 1;
    }
  });
}

}  // namespace

Tensor randperm(std::int64_t n, const TensorOptions& options) {
  LANEWISE_CHECK(ValueError, n >= 0,
                 "randperm: n must be non-negative: Trying to create tensor with negative dimension ", n);
  const ScalarType dtype = options.has_dtype() ? options.dtype() : kLong;
  LANEWISE_CHECK(DtypeError, !is_complex(dtype) && dtype != kBool, "randperm: not implemented for ",
                 short_name(dtype));
  LANEWISE_CHECK(ValueError, n <= most_in_a_row(dtype),
                 "randperm: n is too large for result tensor type: ", n,
                 " numbers from 0 on, but the whole numbers of ", short_name(dtype), " end at ",
                 most_in_a_row(dtype) - 1);
  const ops::FactoryEvent event("randperm");
  const Tensor words = draw("randperm", n, kLong, &kernels::KernelTable::random_int, 0, 0);
  const auto* draws = static_cast<const std::uint64_t*>(words.const_data_ptr());
  const bool narrow = n <= std::numeric_limits<std::int32_t>::max();
  Tensor order = detail::empty_cpu(n, narrow ? kInt : kLong);
  if (narrow) {
    shuffle(order.data_ptr<std::int32_t>(), draws, n);
  } else {
    shuffle(order.data_ptr<std::int64_t>(), draws, n);
  }
  Tensor t = ops::dense(order, dtype);
  return event.made(with_options(std::move(t), options));
}

}  // namespace lanewise
