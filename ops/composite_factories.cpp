#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/factory_options.h>
#include <lanewise/tensor/detail/fresh_like.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

/// Factories put together from other public ops.
namespace lanewise {
namespace {

using ops::options_like;
using ops::with_options;

/// row + offset, the largest number where that does not fit.
std::int64_t diagonal(std::int64_t row, std::int64_t offset) {
  std::int64_t column = 0;
  return __builtin_add_overflow(row, offset, &column) ? std::numeric_limits<std::int64_t>::max() : column;
}

__extension__ using Wide = __int128;

/// Elements of a matrix up to its diagonal number `offset`.
Wide count_below(Wide rows, Wide columns, Wide offset) {
  const Wide first = std::clamp<Wide>(-offset, 0, rows);  // the first row with any
  const Wide whole = std::clamp<Wide>(columns - offset, first, rows);
  return (whole - first) * (first + whole + 1 + 2 * offset) / 2 + (rows - whole) * columns;
}

/// Positions in row-major order of a matrix up to a diagonal (`lower`) or from it on, as two rows.
Tensor triangle(const char* op, std::int64_t rows, std::int64_t columns, std::int64_t offset, bool lower,
                const TensorOptions& options) {
  LANEWISE_CHECK(ShapeError, rows >= 0 && columns >= 0, op, ": row and col must be non-negative, got ", rows,
                 " and ", columns);
  const Wide count = lower ? count_below(rows, columns, offset)
                           : Wide{rows} * columns - count_below(rows, columns, Wide{offset} - 1);
  LANEWISE_CHECK(ShapeError, count <= std::numeric_limits<std::int64_t>::max(), op, ": a matrix of ", rows,
                 " x ", columns, " has more elements there than fit in int64");
  const auto n = static_cast<std::int64_t>(count);
  Tensor positions = empty({2, n}, kLong);
  auto *row_of = positions.data_ptr<std::int64_t>(), *column_of = row_of + n;
  // Rows before the first element and after the last are not visited.
  std::int64_t i = lower && offset < 0 && n > 0 ? -offset : 0;
  for (std::int64_t left = n; left > 0; ++i) {
    const std::int64_t first = lower ? 0 : std::clamp<std::int64_t>(diagonal(i, offset), 0, columns);
    const std::int64_t last = lower ? std::min(diagonal(i + 1, offset), columns) : columns;
    row_of = std::fill_n(row_of, last - first, i);
    std::iota(column_of, column_of + (last - first), first);
    column_of += last - first;
    left -= last - first;
  }
  return with_options(positions.to(options.has_dtype() ? options.dtype() : kLong), options);
}

}  // namespace

Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset, const TensorOptions& options) {
  return triangle("tril_indices", row, col, offset, true, options);
}

Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset, const TensorOptions& options) {
  return triangle("triu_indices", row, col, offset, false, options);
}

Tensor logspace(const Scalar& start, const Scalar& end, std::int64_t steps, double base,
                const TensorOptions& options) {
  LANEWISE_CHECK(ValueError, steps >= 0, "logspace: number of steps must be non-negative, but got ", steps);
  const ScalarType dtype = options.dtype();
  LANEWISE_CHECK(DtypeError, dtype != kBool, "logspace: not implemented for ", dtype);
  const bool complex = is_complex(dtype);
  // The ends of a row of integers are integers themselves; PyTorch takes one number as it is.
  const auto end_of = [&](const Scalar& x) {
    return is_integral(dtype, true) && steps != 1 ? Scalar(x.to<std::int64_t>()) : x;
  };
  const Tensor exponents = linspace(end_of(start), end_of(end), steps, complex ? kComplexDouble : kDouble);
  return with_options(pow(Scalar(base), exponents).to(dtype), options);
}

Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& options) {
  const ScalarType dtype = options.dtype();
  LANEWISE_CHECK(DtypeError, dtype != kBool && !is_complex(dtype), "range: not implemented for ", dtype);
  // A row of integers starts, steps and ends at integers.
  const auto number = [&](const Scalar& x) {
    return is_integral(dtype, false) ? static_cast<double>(x.to<std::int64_t>()) : x.to<double>();
  };
  const double from = number(start), to = number(end), by = number(step);
  LANEWISE_CHECK(ValueError, by != 0, "range: step must be nonzero");
  LANEWISE_CHECK(ValueError, std::isfinite(from) && std::isfinite(to), "range: unsupported range: ", start,
                 " -> ", end);
  LANEWISE_CHECK(ValueError, by > 0 ? from <= to : from >= to,
                 "range: upper bound and lower bound inconsistent with step sign: ", start, " -> ", end,
                 " by ", step);
  const double steps = std::floor((to - from) / by);
  LANEWISE_CHECK(ShapeError, steps < 0x1p63, "range: ", start, " -> ", end, " by ", step,
                 " has more elements than fit in int64");
  const auto count = static_cast<std::int64_t>(steps) + 1;
  return with_options((arange(count, kDouble) * by + from).to(dtype), options);
}

Tensor randint_like(const Tensor& self, std::int64_t high, const TensorOptions& options,
                    std::optional<MemoryFormat> memory_format) {
  return randint_like(self, 0, high, options, memory_format);
}

Tensor Tensor::new_empty(IntArrayRef size, const TensorOptions& options) const {
  return detail::fresh_like(*this, empty(size, options_like("new_empty", *this, options)));
}
Tensor Tensor::new_empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions& options) const {
  return detail::fresh_like(*this,
                            empty_strided(size, stride, options_like("new_empty_strided", *this, options)));
}
Tensor Tensor::new_zeros(IntArrayRef size, const TensorOptions& options) const {
  return detail::fresh_like(*this, zeros(size, options_like("new_zeros", *this, options)));
}
Tensor Tensor::new_ones(IntArrayRef size, const TensorOptions& options) const {
  return detail::fresh_like(*this, ones(size, options_like("new_ones", *this, options)));
}
Tensor Tensor::new_full(IntArrayRef size, const Scalar& fill_value, const TensorOptions& options) const {
  return detail::fresh_like(*this, full(size, fill_value, options_like("new_full", *this, options)));
}

}  // namespace lanewise
