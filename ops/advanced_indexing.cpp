#include <algorithm>
#include <utility>
#include <vector>

#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/advanced_indexing.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/element_index.h>
#include <lanewise/ops/gather_scatter.h>
#include <lanewise/ops/indexed_rows.h>
#include <lanewise/ops/indexed_slices.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/dimension_order.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

Tensor read(const IndexedRows& rows, const Tensor& self) {
  Tensor result = lanewise::detail::empty_cpu(rows.sizes, self.scalar_type());
  read_rows(rows, self, result);
  return result;
}

/// Rows along `dim`.
Tensor selected(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index) {
  const IndexedRows rows = indexed_rows(op, self, dim, index);
  const std::int64_t along = wrap_dim(op, dim, self.dim());
  if (reads_slices(rows, self, along)) {
    const Tensor result = lanewise::detail::empty_cpu(rows.sizes, self.scalar_type());
    read_slices(rows, self, along, result);
    return result;
  }
  if (!wants_dense(rows, self)) return read(rows, self);
  const Tensor in_rows = dense(self);
  return read(indexed_rows(op, in_rows, dim, index), in_rows);
}

/// Strides of a fresh result, its dimensions in the order in which the first operand that tells two of them
/// apart has them: what PyTorch's iterator does, so that a transposed tensor stays transposed.
DimVector strides_like(IntArrayRef sizes, const std::vector<DimVector>& operands) {
  const std::size_t rank = sizes.size();
  DimVector order;  // innermost first
  for (std::size_t d = rank; d-- > 0;) order.push_back(static_cast<std::int64_t>(d));
  const auto compare = [&](std::int64_t a, std::int64_t b) {
    for (const DimVector& strides : operands) {
      const std::int64_t x = strides[static_cast<std::size_t>(a)], y = strides[static_cast<std::size_t>(b)];
      if (x == 0 || y == 0) continue;
      if (x != y) return x < y ? -1 : 1;
      if (sizes[static_cast<std::size_t>(a)] > sizes[static_cast<std::size_t>(b)]) return 1;
    }
    return 0;
  };
  sort_dimensions(order, compare);
  DimVector strides(rank, 1);
  std::int64_t step = 1;
  for (const std::int64_t d : order) {
    strides[static_cast<std::size_t>(d)] = step;
    step *= std::max<std::int64_t>(sizes[static_cast<std::size_t>(d)], 1);
  }
  return strides;
}

/// `values` of the sizes of the result, or one element; never the memory of self.
Tensor fitted(const char* op, const IndexedRows& rows, const Tensor& self, const Tensor& values) {
  LANEWISE_CHECK(DtypeError, values.scalar_type() == self.scalar_type(), op,
                 ": the source and destination dtypes must match, got ", self.scalar_type(),
                 " for the destination and ", values.scalar_type(), " for the source");
  const Tensor own = values.is_alias_of(self) ? clone(values) : values;
  if (own.numel() == 1) return own;
  // Leading dimensions of size 1 broadcast too.
  Tensor shaped = own;
  while (shaped.dim() > static_cast<std::int64_t>(rows.sizes.size()) && shaped.size(0) == 1)
    shaped = squeeze(shaped, 0);
  const bool fits = shaped.dim() <= static_cast<std::int64_t>(rows.sizes.size());
  for (std::int64_t d = 1; fits && d <= shaped.dim(); ++d) {
    const std::int64_t wanted = rows.sizes[rows.sizes.size() - static_cast<std::size_t>(d)];
    LANEWISE_CHECK(ShapeError, shaped.size(-d) == wanted || shaped.size(-d) == 1, op,
                   ": shape mismatch: value tensor of shape ", values.sizes(),
                   " cannot be broadcast to indexing result of shape ", IntArrayRef(rows.sizes));
  }
  LANEWISE_CHECK(ShapeError, fits, op, ": shape mismatch: value tensor of shape ", values.sizes(),
                 " cannot be broadcast to indexing result of shape ", IntArrayRef(rows.sizes));
  return shaped.sizes().equals(rows.sizes) ? shaped : expand(shaped, rows.sizes);
}

/// The same elements with a row of one element for each in the rows: what stands behind the indices before them, in `values` too.
/// Into a transposed matrix of 512 x 512 f64 index_copy_ takes 0.1 of the time.
IndexedRows turned(const IndexedRows& rows, Tensor& values) {
  IndexedRows result = rows;
  result.before_sizes.append(rows.after_sizes.begin(), rows.after_sizes.end());
  result.before_strides.append(rows.after_strides.begin(), rows.after_strides.end());
  result.before_count *= rows.row;
  result.after_sizes.clear();
  result.after_strides.clear();
  result.row = 1;
  result.sizes = {rows.before_count, rows.row, rows.per_index()};
  if (values.numel() > 1) {
    const DimVector sizes{rows.before_count, rows.per_index(), rows.row};
    values = transpose(view(can_view(values, sizes) ? values : dense(values), sizes), 1, 2);
  }
  return result;
}

/// put(rows, values as write_rows and add_rows take them).
template <class Put>
void each_row(const char* op, const IndexedRows& rows, const Tensor& self, const Tensor& values, Put&& put) {
  assert_no_internal_overlap(op, self);
  Tensor source = fitted(op, rows, self, values);
  if (runs_along_indices(rows, self)) {
    const IndexedRows by_element = turned(rows, source);
    put(by_element, dense(source));
  } else {
    const bool has_rows = source.numel() == 1 || (rows.row > 1 && row_step(rows, source));
    put(rows, has_rows ? source : dense(source));
  }
}

void put_rows(const char* op, const IndexedRows& rows, const Tensor& self, const Tensor& values,
              bool accumulate) {
  each_row(op, rows, self, values, [&](const IndexedRows& to, const Tensor& source) {
    accumulate ? add_rows(to, self, source) : write_rows(to, self, source);
  });
}

/// Rows along `dim`.
void put_along(const char* op, const IndexedRows& rows, const Tensor& self, std::int64_t dim,
               const Tensor& values, bool accumulate) {
  const std::int64_t along = wrap_dim(op, dim, self.dim());
  if (!writes_slices(rows, self, along, values)) return put_rows(op, rows, self, values, accumulate);
  assert_no_internal_overlap(op, self);
  const Tensor source = fitted(op, rows, self, values);
  accumulate ? add_slices(rows, self, along, source) : write_slices(rows, self, along, source);
}

/// Rows along `dim` for which `source` has a slice each.
IndexedRows rows_for(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                     const Tensor& source) {
  IndexedRows rows = indexed_rows(op, self, dim, index);
  const std::int64_t d = wrap_dim(op, dim, self.dim());
  if (source.dim() == 0 || self.dim() == 0) {
    LANEWISE_CHECK(ShapeError, source.numel() == 1 && index.numel() == 1 && (self.dim() <= 1), op,
                   ": a source of shape ", source.sizes(), " does not fit into shape ", self.sizes(),
                   " along dimension ", d);
    return rows;
  }
  LANEWISE_CHECK(ShapeError, source.dim() == self.dim(), op,
                 ": source and destination must have the same number of dimensions, found shapes ",
                 source.sizes(), " and ", self.sizes());
  LANEWISE_CHECK(ShapeError, source.size(d) == index.numel(), op, ": Number of indices (", index.numel(),
                 ") should be equal to source.size(", d, "), which is ", source.size(d));
  LANEWISE_CHECK(ShapeError, source.sizes().equals(rows.sizes), op,
                 ": Source/destination tensor must have same slice shapes: found ", source.sizes(), " for ",
                 self.sizes(), " along dimension ", d);
  return rows;
}

void check_index_of_number(const Tensor& self, const Tensor& index) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0 || index.numel() == 1,
                 "index_select: Index to scalar can have only 1 value, got ", index.numel());
}

/// What take() reads. Elements in order cost less than finding the place of many in strided memory.
Tensor taken_from(const Tensor& self, const Tensor& index) {
  return index.numel() > self.numel() / 8 ? dense(self) : self;
}

constexpr PointwiseOp kWhere{"index_put_", &kernels::KernelTable::where};

/// Whether one value goes where a mask of the shape of self says: then no list of positions is needed.
bool fills_mask(const Tensor& self, ArrayRef<Tensor> indices, const Tensor& values) {
  return indices.size() == 1 && indices[0].defined() && indices[0].scalar_type() == kBool && self.dim() > 0 &&
         indices[0].sizes().equals(self.sizes()) && values.numel() == 1 &&
         values.scalar_type() == self.scalar_type() && !indices[0].is_alias_of(self);
}

Tensor flat(const Tensor& t) { return view(dense(t), {t.numel()}); }

}  // namespace

Tensor index(const Tensor& self, ArrayRef<Tensor> indices) {
  const IndexedRows rows = indexed_rows("index", self, indices);
  const auto is_mask = [](const Tensor& index) {
    return index.defined() && (index.scalar_type() == kBool || index.scalar_type() == kByte);
  };
  const bool copies = wants_dense(rows, self) && std::none_of(indices.begin(), indices.end(), is_mask);
  const Tensor in_rows = copies ? dense(self) : self;
  const Tensor result = read(copies ? indexed_rows("index", in_rows, indices) : rows, in_rows);
  const DimVector strides = strides_like(rows.sizes, rows.operand_strides);
  if (result.strides().equals(strides)) return result;
  Tensor laid_out = lanewise::detail::empty_strided_cpu(rows.sizes, strides, self.scalar_type());
  copy_(laid_out, result);
  return laid_out;
}

Tensor index_backward(const Tensor& grad, IntArrayRef sizes, ArrayRef<Tensor> indices) {
  Tensor result = filled(sizes, grad.scalar_type(), 0);
  put_rows("index_backward", indexed_rows("index_backward", result, indices), result, grad, true);
  return result;
}

namespace {

/// Whether all there is of the indices is one mask: then one value fills, and may have another dtype.
bool is_one_mask(ArrayRef<Tensor> indices) {
  const Tensor* mask = nullptr;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    if (mask != nullptr || (index.scalar_type() != kBool && index.scalar_type() != kByte)) return false;
    mask = &index;
  }
  return mask != nullptr;
}

}  // namespace

void index_put_(Tensor& self, ArrayRef<Tensor> indices, const Tensor& values, bool accumulate) {
  // One value under a mask is read before anything is written, as PyTorch does.
  const bool fills = !accumulate && values.numel() == 1 && is_one_mask(indices);
  if (!fills) assert_apart("index_put_", self, {&values});
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    fills ? assert_no_partial_overlap("index_put_", self, index)
          : assert_no_overlap("index_put_", self, index);
  }
  if (fills && values.scalar_type() != self.scalar_type()) {
    return index_put_(self, indices, filled(values.sizes(), self.scalar_type(), values.item()), false);
  }
  if (!accumulate && fills_mask(self, indices, values)) {
    assert_no_internal_overlap("index_put_", self);
    const Tensor value = values.is_alias_of(self) ? clone(values) : values;
    pointwise_inplace(kWhere, self, {indices[0], view(value, IntArrayRef()), self});
    return;
  }
  put_rows("index_put_", indexed_rows("index_put_", self, indices), self, values, accumulate);
}

Tensor index_put(const Tensor& self, ArrayRef<Tensor> indices, const Tensor& values, bool accumulate) {
  Tensor result = clone(self);
  index_put_(result, indices, values, accumulate);
  return result;
}

Tensor index_select(const Tensor& self, std::int64_t dim, const Tensor& index) {
  check_index_of_number(self, index);
  return selected("index_select", self, dim, index);
}

void index_select_into(const Destination& to, const Tensor& self, std::int64_t dim, const Tensor& index) {
  check_out_exact(to.op, to.tensor, self.scalar_type());
  assert_apart(to.op, to.tensor, {&self, &index});
  check_index_of_number(self, index);
  select_into(to, "index_select", self, dim, index);
}

Tensor index_select_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, const Tensor& index) {
  Tensor result = filled(sizes, grad.scalar_type(), 0);
  put_along("index_select_backward", indexed_rows("index_select_backward", result, dim, index), result, dim,
            grad, true);
  return result;
}

void index_add_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                const Scalar& alpha) {
  assert_apart("index_add_", self, {&index, &source});
  const IndexedRows rows = rows_for("index_add", self, dim, index, source);
  LANEWISE_CHECK(
      DtypeError, alpha.isIntegral(true) || is_differentiable(self.scalar_type()),
      "index_add: For integral input tensors, argument alpha must not be a floating point number, found ",
      alpha);
  alpha.check_fits(self.scalar_type(), "index_add");
  if (alpha.equal(1)) return put_along("index_add", rows, self, dim, source, true);
  each_row("index_add", rows, self, source,
           [&](const IndexedRows& to, const Tensor& values) { add_rows(to, self, values, alpha); });
}

void index_copy_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source) {
  assert_apart("index_copy_", self, {&index, &source});
  put_along("index_copy", rows_for("index_copy", self, dim, index, source), self, dim, source, false);
}

namespace {

/// Of all ops with one index this alone counts negative positions from the end.
Tensor from_the_front(const Tensor& self, std::int64_t dim, const Tensor& index) {
  if (index.scalar_type() != kLong && index.scalar_type() != kInt) return index;
  const std::int64_t size = self.dim() == 0 ? 1 : self.size(wrap_dim("index_fill", dim, self.dim()));
  const Tensor given = dense(index, kLong);
  Tensor result = lanewise::detail::empty_cpu(index.sizes(), kLong);
  const auto* from = given.const_data_ptr<std::int64_t>();
  auto* to = result.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < result.numel(); ++i) to[i] = from[i] < 0 ? from[i] + size : from[i];
  return result;
}

}  // namespace

void index_fill_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  LANEWISE_CHECK(ValueError, self.defined() && index.defined(), "index_fill_: a tensor is undefined");
  LANEWISE_CHECK(DtypeError, !value.isComplex() || self.is_complex(),
                 "index_fill: Converting complex Scalar to non-complex type is not supported");
  assert_apart("index_fill_", self, {&index});
  const Tensor one = filled({}, self.scalar_type(), value), places = from_the_front(self, dim, index);
  const IndexedRows rows = indexed_rows("index_fill", self, dim, places);
  // Where runs leave a line with each element they go in the order of memory: it does not matter which is written first.
  const DimVector order = memory_order(self);
  const bool apart = rows.row > 1 && std::abs(rows.after_strides.back()) * self.element_size() >= 64;
  if (!apart || std::is_sorted(order.begin(), order.end()))
    return put_rows("index_fill", rows, self, one, false);
  const std::int64_t wrapped = wrap_dim("index_fill", dim, self.dim());
  const std::int64_t at = std::find(order.begin(), order.end(), wrapped) - order.begin();
  const Tensor in_order = permute(self, order);
  const IndexedRows rows_in_order = indexed_rows("index_fill", in_order, at, places);
  const bool tiny_rows = rows_in_order.row > 1 && rows_in_order.row < 4;
  tiny_rows ? put_rows("index_fill", rows, self, one, false)
            : put_rows("index_fill", rows_in_order, in_order, one, false);
}

void index_fill_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value) {
  LANEWISE_CHECK(ShapeError, value.dim() == 0,
                 "index_fill: only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
                 " dimension(s)");
  index_fill_(self, dim, index, value.item());
}

Tensor index_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  Tensor result = clone(self, MemoryFormat::Contiguous);
  index_add_(result, dim, index, source, alpha);
  return result;
}

Tensor index_copy(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source) {
  Tensor result = clone(self, MemoryFormat::Contiguous);
  index_copy_(result, dim, index, source);
  return result;
}

Tensor index_fill(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  Tensor result = clone(self);
  index_fill_(result, dim, index, value);
  return result;
}

Tensor index_fill(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value) {
  Tensor result = clone(self);
  index_fill_(result, dim, index, value);
  return result;
}

Tensor take(const Tensor& self, const Tensor& index) {
  const Tensor source = taken_from(self, index);
  return read(indexed_elements("take", source, index), source);
}

void take_into(const Destination& to, const Tensor& self, const Tensor& index) {
  check_out_exact(to.op, to.tensor, self.scalar_type());
  assert_apart(to.op, to.tensor, {&self, &index});
  const Tensor source = taken_from(self, index);
  const IndexedRows rows = indexed_elements("take", source, index);
  write_result(to, rows.sizes, self.scalar_type(), {&self, &index},
               [&](const Tensor& out) { read_rows(rows, source, out); });
}

void put_(Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  LANEWISE_CHECK(ShapeError, source.numel() == index.numel(),
                 "put_: Expected source and index to have the same number of elements, but got ",
                 source.numel(), " and ", index.numel());
  assert_apart("put_", self, {&index, &source});
  IndexedRows rows = indexed_elements("put_", self, index);
  rows.sizes = DimVector{index.numel()};
  put_rows("put_", rows, self, flat(source), accumulate);
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  Tensor result = clone(self);
  put_(result, index, source, accumulate);
  return result;
}

Tensor embedding(const Tensor& weight, const Tensor& indices) {
  LANEWISE_CHECK(ShapeError, weight.dim() == 2, "embedding: 'weight' must be 2-D, found shape ",
                 weight.sizes());
  DimVector sizes(indices.sizes());
  sizes.push_back(weight.size(1));
  return view(selected("embedding", weight, 0, flat(indices)), sizes);
}

Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices, std::int64_t num_weights,
                                std::int64_t padding_idx, bool scale_grad_by_freq) {
  LANEWISE_CHECK(ShapeError, grad_output.dim() > 0,
                 "embedding_dense_backward: expected a gradient with dimensions");
  const std::int64_t width = grad_output.size(-1);
  const Tensor index = flat(dense(indices, kLong));
  Tensor result = filled({num_weights, width}, grad_output.scalar_type(), 0);
  const IndexedRows rows = indexed_rows("embedding_dense_backward", result, 0, index);
  Tensor grads = view(dense(grad_output), {index.numel(), width});
  if (scale_grad_by_freq) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(num_weights), 0);
    Tensor divisors = lanewise::detail::empty_cpu({index.numel(), 1}, kLong);
    const auto* i = index.const_data_ptr<std::int64_t>();
    for (std::int64_t p = 0; p < index.numel(); ++p) ++counts[static_cast<std::size_t>(i[p])];
    constexpr PointwiseOp kDivide{"embedding_dense_backward", &kernels::KernelTable::div, true};
    constexpr PointwiseOp kMultiply{"embedding_dense_backward", &kernels::KernelTable::mul};
    // 1 / count of integers is 0 or 1.
    const bool whole = is_integral(grad_output.scalar_type(), true);
    for (std::int64_t p = 0; p < index.numel(); ++p) {
      const std::int64_t count = counts[static_cast<std::size_t>(i[p])];
      divisors.data_ptr<std::int64_t>()[p] = whole ? (count == 1 ? 1 : 0) : count;
    }
    const Tensor as_gradient = dense(divisors, grad_output.scalar_type());
    grads = pointwise(whole ? kMultiply : kDivide, {grads, as_gradient});
  }
  add_rows(rows, result, grads);
  if (padding_idx >= 0 && padding_idx < num_weights) {
    Tensor padding = select(result, 0, padding_idx);
    fill_(padding, Scalar(0));
  }
  return result;
}

}  // namespace lanewise::ops
