#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/factory_event.h>
#include <lanewise/ops/factory_options.h>
#include <lanewise/ops/fill_values.h>
#include <lanewise/tensor/detail/fresh_like.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise {

TensorOptions ops::options_like(const char* op, const Tensor& self, const TensorOptions& options) {
  check_defined(op, "self", self);
  return options.has_dtype() ? options : options.dtype(self.scalar_type());
}

std::optional<MemoryFormat> ops::format_of(const char* op, const TensorOptions& options,
                                           std::optional<MemoryFormat> memory_format) {
  LANEWISE_CHECK(ValueError, !memory_format || !options.has_memory_format(), op,
                 ": Cannot set memory_format both in TensorOptions and explicit argument; leave one out");
  return memory_format ? memory_format : options.memory_format_opt();
}

std::unique_ptr<profiler::detail::Frame> ops::FactoryEvent::start(const char* name) {
  auto frame = std::make_unique<profiler::detail::Frame>(
      profiler::detail::OpInfo{name, profiler::detail::Work::Other}, 0);
  frame->start(false);
  return frame;
}

namespace {

using ops::FactoryEvent;
using ops::options_like;
using ops::with_options;

Tensor filled(const char* op, IntArrayRef size, ScalarType dtype, const Scalar& value,
              const TensorOptions& options) {
  const FactoryEvent event(op);
  Tensor t = detail::empty_cpu(size, dtype);
  ops::fill_dense(t, value);
  return event.made(with_options(std::move(t), options));
}

Tensor empty_for(const char* op, const Tensor& self, const TensorOptions& options,
                 std::optional<MemoryFormat> memory_format) {
  const ScalarType dtype = options_like(op, self, options).dtype();
  return detail::empty_like_in(op, self, dtype, ops::format_of(op, options, memory_format));
}

Tensor filled_like(const char* op, const Tensor& self, const Scalar& value, const TensorOptions& options,
                   std::optional<MemoryFormat> memory_format) {
  const FactoryEvent event(op);
  Tensor t = empty_for(op, self, options, memory_format);
  ops::fill_dense(t, value);
  return event.made(detail::fresh_like(self, with_options(std::move(t), options)));
}

ScalarType dtype_of_number(const Scalar& value) {
  if (value.isFloatingPoint()) return get_default_dtype();
  return value.isComplex() ? get_default_complex_dtype() : value.type();
}

}  // namespace

Tensor empty(IntArrayRef size, const TensorOptions& options) {
  if (options.has_memory_format()) return empty(size, options, std::nullopt);
  return with_options(detail::empty_cpu(size, options.dtype()), options);
}

Tensor empty(IntArrayRef size, const TensorOptions& options, std::optional<MemoryFormat> memory_format) {
  const MemoryFormat format =
      ops::format_of("empty", options, memory_format).value_or(MemoryFormat::Contiguous);
  return with_options(detail::empty_in("empty", size, options.dtype(), format), options);
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions& options) {
  return with_options(detail::empty_strided_cpu(size, stride, options.dtype()), options);
}

Tensor zeros(IntArrayRef size, const TensorOptions& options) {
  return filled("zeros", size, options.dtype(), 0, options);
}

Tensor ones(IntArrayRef size, const TensorOptions& options) {
  return filled("ones", size, options.dtype(), 1, options);
}

Tensor full(IntArrayRef size, const Scalar& fill_value, const TensorOptions& options) {
  const ScalarType dtype = options.has_dtype() ? options.dtype() : dtype_of_number(fill_value);
  fill_value.check_fits(dtype, "full");
  return filled("full", size, dtype, fill_value, options);
}

Tensor scalar_tensor(const Scalar& value, const TensorOptions& options) {
  value.check_fits(options.dtype(), "scalar_tensor");
  return filled("scalar_tensor", {}, options.dtype(), value, options);
}

Tensor empty_like(const Tensor& self, const TensorOptions& options,
                  std::optional<MemoryFormat> memory_format) {
  return detail::fresh_like(self,
                            with_options(empty_for("empty_like", self, options, memory_format), options));
}
Tensor zeros_like(const Tensor& self, const TensorOptions& options,
                  std::optional<MemoryFormat> memory_format) {
  return filled_like("zeros_like", self, 0, options, memory_format);
}
Tensor ones_like(const Tensor& self, const TensorOptions& options,
                 std::optional<MemoryFormat> memory_format) {
  return filled_like("ones_like", self, 1, options, memory_format);
}
Tensor full_like(const Tensor& self, const Scalar& fill_value, const TensorOptions& options,
                 std::optional<MemoryFormat> memory_format) {
  fill_value.check_fits(options_like("full_like", self, options).dtype(), "full_like");
  return filled_like("full_like", self, fill_value, options, memory_format);
}

Tensor arange(const Scalar& end, const TensorOptions& options) { return arange(0, end, 1, options); }
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options) {
  return arange(start, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& options) {
  LANEWISE_CHECK(DtypeError, !start.isComplex() && !end.isComplex() && !step.isComplex(),
                 "arange: complex numbers have no order, got ", start, ", ", end, ", ", step);
  const bool integral = start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true);
  const ScalarType dtype = options.has_dtype() ? options.dtype() : integral ? kLong : get_default_dtype();
  LANEWISE_CHECK(DtypeError, !is_complex(dtype) && dtype != kBool, "arange: not implemented for ",
                 short_name(dtype));
  const auto first = start.to_unchecked<double>();
  const auto last = end.to_unchecked<double>();
  const auto by = step.to_unchecked<double>();
  LANEWISE_CHECK(ValueError, std::isfinite(first) && std::isfinite(last) && std::isfinite(by),
                 "arange: unsupported range ", start, " -> ", end, " by ", step);
  if (dtype == kLong && !integral)  // counts with whole numbers, as in PyTorch
    return arange(start.to<std::int64_t>(), end.to<std::int64_t>(), step.to<std::int64_t>(), options);
  LANEWISE_CHECK(ValueError, by != 0 && (!is_integral(dtype, false) || std::abs(by) >= 1),
                 "arange: step must be nonzero, it is ", step, " for ", dtype);
  const auto is_before = [integral](const Scalar& a, const Scalar& b) {
    return integral ? a.to_unchecked<std::int64_t>() <= b.to_unchecked<std::int64_t>()
                    : a.to_unchecked<double>() <= b.to_unchecked<double>();
  };
  LANEWISE_CHECK(ValueError, by > 0 ? is_before(start, end) : is_before(end, start),
                 "arange: upper bound and larger bound inconsistent with step sign: ", start, " -> ", end,
                 " by ", step);
  std::int64_t count = 0;
  if (integral) {  // exact also where doubles are not
    const auto from = static_cast<std::uint64_t>(start.to_unchecked<std::int64_t>());
    const auto to = static_cast<std::uint64_t>(end.to_unchecked<std::int64_t>());
    const auto stride = static_cast<std::uint64_t>(step.to_unchecked<std::int64_t>());
    const std::uint64_t span = by > 0 ? to - from : from - to;
    const std::uint64_t pace = by > 0 ? stride : 0 - stride;
    const std::uint64_t n = span / pace + (span % pace != 0);
    LANEWISE_CHECK(ShapeError, n <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
                   "arange: ", start, " -> ", end, " has more elements than fit in int64");
    count = static_cast<std::int64_t>(n);
  } else {
    const double n = std::ceil((last - first) / by);
    LANEWISE_CHECK(ShapeError, n < 9.2e18, "arange: ", start, " -> ", end, " by ", step,
                   " has more elements than fit in int64");
    count = static_cast<std::int64_t>(n);
  }
  const FactoryEvent event("arange");
  Tensor t = detail::empty_cpu(count, dtype);
  ops::fill_indexed("arange", t, &kernels::KernelTable::arange, {start, step});
  return event.made(with_options(std::move(t), options));
}

Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, const TensorOptions& options) {
  LANEWISE_CHECK(ValueError, steps >= 0, "linspace: number of steps must be non-negative, but got ", steps);
  const bool complex = start.isComplex() || end.isComplex();
  const ScalarType dtype = options.has_dtype() ? options.dtype()
                           : complex           ? get_default_complex_dtype()
                                               : get_default_dtype();
  LANEWISE_CHECK(DtypeError, !complex || is_complex(dtype), "linspace: ", short_name(dtype),
                 " cannot hold the complex numbers ", start, " and ", end);
  // The ends of a row of integers are integers themselves.
  const auto end_of = [&](const Scalar& x) {
    x.check_fits(dtype, "linspace");
    if (!is_integral(dtype, false)) return x;
    return visit_dtype(dtype, [&]<class T>() {
      if constexpr (std::is_integral_v<T>) return Scalar(static_cast<T>(x.to_unchecked<std::int64_t>()));
      return x;
    });
  };
  const std::initializer_list<Scalar> row = {end_of(start), end_of(end), steps};
  const FactoryEvent event("linspace");
  Tensor t = detail::empty_cpu(steps, dtype);
  ops::fill_indexed("linspace", t, &kernels::KernelTable::linspace, row);
  return event.made(with_options(std::move(t), options));
}

Tensor eye(std::int64_t n, const TensorOptions& options) { return eye(n, n, options); }

Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options) {
  LANEWISE_CHECK(ShapeError, n >= 0 && m >= 0, "eye: n must be greater or equal to 0, got ", n,
                 ", and m, got ", m);
  const FactoryEvent event("eye");
  Tensor t = zeros({n, m}, options.requires_grad(false));
  visit_dtype(t.scalar_type(), [&]<class T>() {
    auto* data = static_cast<T*>(t.data_ptr());
    for (std::int64_t i = 0; i < std::min(n, m); ++i) data[i * m + i] = T(1);
  });
  return event.made(with_options(std::move(t), options));
}

namespace {

/// A blob's bytes as a storage, once the window is known to be sound.
Tensor over_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options) {
  const std::int64_t extent = detail::checked_extent("from_blob", sizes, strides);
  LANEWISE_CHECK(ValueError, data != nullptr || extent == 0, "from_blob: the pointer is null for sizes ",
                 sizes);
  const ScalarType dtype = options.dtype();
  const std::size_t nbytes = detail::checked_nbytes("from_blob", extent, sizes, element_size(dtype));
  Storage storage(StorageImpl::adopt(data, nbytes, deleter));
  return with_options(Tensor(TensorImpl::create(std::move(storage), dtype, sizes, strides, 0)), options);
}

}  // namespace

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options) {
  return over_blob(data, sizes, strides, deleter, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options) {
  return over_blob(data, sizes, contiguous_strides(sizes), deleter, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return over_blob(data, sizes, strides, nullptr, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
  return over_blob(data, sizes, contiguous_strides(sizes), nullptr, options);
}

}  // namespace lanewise
