#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/view_backward.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

constexpr PointwiseOp kAdd{"as_strided_backward", &kernels::KernelTable::add};
constexpr PointwiseOp kDiv{"as_strided_backward", &kernels::KernelTable::div};

Tensor write_window(Tensor whole, Tensor window, const Tensor& grad) {
  copy_(window, grad);
  return whole;
}

// Sufficient: sorted by stride, each dimension steps over all that the smaller ones reach.
bool no_overlap(IntArrayRef sizes, IntArrayRef strides) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1) dims.emplace_back(strides[i], sizes[i]);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t reach = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return false;
    reach += stride * (size - 1);
  }
  return true;
}

/// memory.as_strided(size, stride, offset) += values, also where the window overlaps itself.
void add_window(const Tensor& memory, const Tensor& values, IntArrayRef size, IntArrayRef stride,
                std::int64_t offset) {
  if (no_overlap(size, stride)) {
    Tensor window = lanewise::detail::make_view(memory, size, stride, offset);
    pointwise_inplace(kAdd, window, {window, values}, {Scalar(1)});
    return;
  }
  for (std::int64_t i = 0; i < size[0]; ++i) {
    add_window(memory, select(values, 0, i), size.slice(1), stride.slice(1), offset + i * stride[0]);
  }
}

std::int64_t reach(IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
  for (std::size_t i = 0; i < sizes.size(); ++i) offset += (sizes[i] - 1) * strides[i];
  return offset + 1;
}

bool is_empty(IntArrayRef sizes) { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }

}  // namespace

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                       std::int64_t index) {
  const Tensor whole = filled(input_sizes, grad_output.scalar_type(), 0);
  return write_window(whole, select(whole, dim, index), grad_output);
}

Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                      std::int64_t start, std::int64_t end, std::int64_t step) {
  const Tensor whole = filled(input_sizes, grad_output.scalar_type(), 0);
  return write_window(whole, slice(whole, dim, start, end, step), grad_output);
}

Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t offset,
                         std::int64_t dim1, std::int64_t dim2) {
  const Tensor whole = filled(input_sizes, grad_output.scalar_type(), 0);
  return write_window(whole, diagonal(whole, offset, dim1, dim2), grad_output);
}

Tensor as_strided_backward(const Tensor& grad_output, IntArrayRef input_sizes, IntArrayRef input_strides,
                           std::int64_t input_offset, IntArrayRef size, IntArrayRef stride,
                           std::int64_t storage_offset) {
  constexpr const char* kOp = "as_strided_backward";
  for (const auto& [sizes, strides, offset] :
       {std::tuple(input_sizes, input_strides, input_offset), std::tuple(size, stride, storage_offset)}) {
    LANEWISE_CHECK(ShapeError, offset >= 0, kOp, ": storage offset ", offset, " is negative");
    lanewise::detail::checked_sum(kOp, offset, lanewise::detail::checked_extent(kOp, sizes, strides));
  }
  LANEWISE_CHECK(ShapeError, grad_output.sizes().equals(size), kOp, ": expected a gradient of shape ", size,
                 ", found ", grad_output.sizes());
  const ScalarType dtype = grad_output.scalar_type();
  if (is_empty(input_sizes)) return filled(input_sizes, dtype, 0);
  // Only what one of the two geometries reaches is laid out.
  const std::int64_t first = is_empty(size) ? input_offset : std::min(input_offset, storage_offset);
  std::int64_t last = reach(input_sizes, input_strides, input_offset);
  if (!is_empty(size)) last = std::max(last, reach(size, stride, storage_offset));
  const std::int64_t n = last - first;
  Tensor memory = filled({n}, dtype, 0);
  if (!is_empty(size)) add_window(memory, grad_output, size, stride, storage_offset - first);
  if (!no_overlap(input_sizes, input_strides)) {
    Tensor count = filled({n}, dtype, 0);
    const Tensor one = filled({}, dtype, 1);
    add_window(count, expand(one, input_sizes), input_sizes, input_strides, input_offset - first);
    // Cells that the input does not hold were never written by it: any divisor does.
    pointwise_inplace(kDiv, memory, {memory, count});
  }
  return lanewise::detail::make_view(memory, input_sizes, input_strides, input_offset - first);
}

}  // namespace lanewise::ops
