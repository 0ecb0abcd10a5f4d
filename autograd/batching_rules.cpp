#include <algorithm>

#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/batching_rules.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::autograd::batching::rules {
namespace {

DimVector with_batch(const Batch& batch, IntArrayRef sizes) {
  DimVector all{batch.size()};
  for (const std::int64_t size : sizes) all.push_back(size);
  return all;
}

/// Where dimension `dim` of a slice lies in the value.
std::int64_t in_value(const char* op, std::int64_t dim, std::int64_t rank) {
  return wrap_dim(op, dim, rank) + 1;
}

/// A reduction: slices without dimensions get one, which is reduced.
struct Reduction {
  Batch batch;
  Tensor value;
  std::int64_t rank;

  explicit Reduction(const Tensor& self) : batch({&self}), value(batch.front(0)), rank(self.dim()) {
    if (rank == 0) value = value.unsqueeze(1);
  }
  std::int64_t dim(const char* op, std::int64_t d) const { return in_value(op, d, rank); }
  DimVector dims(const char* op, OptionalIntArrayRef asked) const {
    DimVector all;
    if (asked.has_value() && !asked->empty()) {
      for (const std::int64_t d : *asked) all.push_back(dim(op, d));
    } else {
      for (std::int64_t d = 1; d < value.dim(); ++d) all.push_back(d);
    }
    return all;
  }
  bool keeps(bool keepdim) const { return keepdim && rank > 0; }
  Tensor flat() const {
    return value.reshape({batch.size(), value.numel() / std::max<std::int64_t>(batch.size(), 1)});
  }
};

}  // namespace

Tensor view(const Tensor& self, IntArrayRef size) {
  const Batch batch({&self});
  return batch.wrap(batch.front(0).view(with_batch(batch, size)));
}

Tensor _unsafe_view(const Tensor& self, IntArrayRef size) { return rules::view(self, size); }

Tensor permute(const Tensor& self, IntArrayRef dims) {
  const Batch batch({&self});
  DimVector order{0};
  for (const std::int64_t d : dims) order.push_back(in_value("permute", d, self.dim()));
  return batch.wrap(batch.front(0).permute(order));
}

Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1) {
  const Batch batch({&self});
  const std::int64_t a = in_value("transpose", dim0, self.dim()), b = in_value("transpose", dim1, self.dim());
  return batch.wrap(self.dim() == 0 ? batch.front(0) : batch.front(0).transpose(a, b));
}

Tensor t(const Tensor& self) {
  LANEWISE_CHECK(ShapeError, self.dim() <= 2, "t: expects a tensor with <= 2 dimensions, found shape ",
                 self.sizes());
  const Batch batch({&self});
  return batch.wrap(self.dim() == 2 ? batch.front(0).transpose(1, 2) : batch.front(0));
}

Tensor expand(const Tensor& self, IntArrayRef size, bool /*implicit*/) {
  const Batch batch({&self});
  Tensor value = batch.front(0);
  for (std::size_t d = self.sizes().size(); d < size.size(); ++d) value = value.unsqueeze(1);
  return batch.wrap(value.expand(with_batch(batch, size)));
}

Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index) {
  LANEWISE_CHECK(IndexError, self.dim() > 0, "select: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return batch.wrap(batch.front(0).select(in_value("select", dim, self.dim()), index));
}

namespace {

std::vector<Tensor> wrap_each(const Batch& batch, std::vector<Tensor> parts) {
  for (Tensor& part : parts) part = batch.wrap(part);
  return parts;
}

}  // namespace

std::vector<Tensor> split(const Tensor& self, std::int64_t split_size, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "split: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return wrap_each(batch, batch.front(0).split(split_size, in_value("split", dim, self.dim())));
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "split_with_sizes: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return wrap_each(
      batch, batch.front(0).split_with_sizes(split_sizes, in_value("split_with_sizes", dim, self.dim())));
}

std::vector<Tensor> unbind(const Tensor& self, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "unbind: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return wrap_each(batch, batch.front(0).unbind(in_value("unbind", dim, self.dim())));
}

Tensor slice(const Tensor& self, std::int64_t dim, std::optional<std::int64_t> start,
             std::optional<std::int64_t> end, std::int64_t step) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "slice: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return batch.wrap(batch.front(0).slice(in_value("slice", dim, self.dim()), start, end, step));
}

Tensor squeeze(const Tensor& self) {
  DimVector ones;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1) ones.push_back(static_cast<std::int64_t>(d));
  }
  return rules::squeeze(self, IntArrayRef(ones));
}

Tensor squeeze(const Tensor& self, std::int64_t dim) {
  const Batch batch({&self});
  const std::int64_t d = in_value("squeeze", dim, self.dim());
  return batch.wrap(self.dim() == 0 ? batch.front(0) : batch.front(0).squeeze(d));
}

Tensor squeeze(const Tensor& self, IntArrayRef dim) {
  const Batch batch({&self});
  DimVector dims;
  for (const std::int64_t d : dim) dims.push_back(in_value("squeeze", d, self.dim()));
  return batch.wrap(self.dim() == 0 || dims.empty() ? batch.front(0)
                                                    : batch.front(0).squeeze(IntArrayRef(dims)));
}

Tensor unsqueeze(const Tensor& self, std::int64_t dim) {
  const Batch batch({&self});
  return batch.wrap(batch.front(0).unsqueeze(in_value("unsqueeze", dim, self.dim() + 1)));
}

Tensor diagonal(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  const Batch batch({&self});
  return batch.wrap(batch.front(0).diagonal(offset, in_value("diagonal", dim1, self.dim()),
                                            in_value("diagonal", dim2, self.dim())));
}

Tensor unfold(const Tensor& self, std::int64_t dimension, std::int64_t size, std::int64_t step) {
  LANEWISE_CHECK(NotImplementedError, self.dim() > 0,
                 "unfold: vmap: has no batching rule for slices without dimensions");
  const Batch batch({&self});
  return batch.wrap(batch.front(0).unfold(in_value("unfold", dimension, self.dim()), size, step));
}

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<std::int64_t> storage_offset) {
  const Batch batch({&self});
  const Tensor value = batch.front(0);
  DimVector strides{value.stride(0)};
  for (const std::int64_t s : stride) strides.push_back(s);
  return batch.wrap(
      value.as_strided(with_batch(batch, size), strides, storage_offset.value_or(self.storage_offset())));
}

Tensor view_as_real(const Tensor& self) {
  const Batch batch({&self});
  return batch.wrap(lanewise::view_as_real(batch.front(0)));
}

Tensor view_as_complex(const Tensor& self) {
  const Batch batch({&self});
  return batch.wrap(lanewise::view_as_complex(batch.front(0)));
}

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                       std::int64_t index) {
  const Batch batch({&grad_output});
  const std::int64_t d = in_value("select", dim, static_cast<std::int64_t>(input_sizes.size()));
  return batch.wrap(lanewise::select_backward(batch.front(0), with_batch(batch, input_sizes), d, index));
}

Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                      std::int64_t start, std::int64_t end, std::int64_t step) {
  const Batch batch({&grad_output});
  const std::int64_t d = in_value("slice", dim, static_cast<std::int64_t>(input_sizes.size()));
  return batch.wrap(
      lanewise::slice_backward(batch.front(0), with_batch(batch, input_sizes), d, start, end, step));
}

Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t offset,
                         std::int64_t dim1, std::int64_t dim2) {
  const Batch batch({&grad_output});
  const auto rank = static_cast<std::int64_t>(input_sizes.size());
  return batch.wrap(lanewise::diagonal_backward(batch.front(0), with_batch(batch, input_sizes), offset,
                                                in_value("diagonal", dim1, rank),
                                                in_value("diagonal", dim2, rank)));
}

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
  return rules::sum(self, std::nullopt, false, dtype);
}

Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const Reduction r(self);
  return r.batch.wrap(r.value.sum(r.dims("sum", dim), r.keeps(keepdim), dtype));
}

Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) {
  return rules::mean(self, std::nullopt, false, dtype);
}

Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const Reduction r(self);
  return r.batch.wrap(r.value.mean(r.dims("mean", dim), r.keeps(keepdim), dtype));
}

Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
  const Reduction r(self);
  return r.batch.wrap(r.flat().prod(1, false, dtype));
}

Tensor prod(const Tensor& self, std::int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
  const Reduction r(self);
  return r.batch.wrap(r.value.prod(r.dim("prod", dim), r.keeps(keepdim), dtype));
}

std::tuple<Tensor, Tensor> max(const Tensor& self, std::int64_t dim, bool keepdim) {
  const Reduction r(self);
  const auto [values, indices] = r.value.max(r.dim("max", dim), r.keeps(keepdim));
  return {r.batch.wrap(values), r.batch.wrap(indices)};
}

std::tuple<Tensor, Tensor> min(const Tensor& self, std::int64_t dim, bool keepdim) {
  const Reduction r(self);
  const auto [values, indices] = r.value.min(r.dim("min", dim), r.keeps(keepdim));
  return {r.batch.wrap(values), r.batch.wrap(indices)};
}

Tensor max(const Tensor& self) {
  const Reduction r(self);
  return r.batch.wrap(r.flat().amax(1));
}

Tensor min(const Tensor& self) {
  const Reduction r(self);
  return r.batch.wrap(r.flat().amin(1));
}

Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.amax(r.dims("amax", dim), r.keeps(keepdim)));
}

Tensor amin(const Tensor& self, IntArrayRef dim, bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.amin(r.dims("amin", dim), r.keeps(keepdim)));
}

Tensor argmax(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  const Reduction r(self);
  if (dim) return r.batch.wrap(r.value.argmax(r.dim("argmax", *dim), r.keeps(keepdim)));
  Tensor result = r.flat().argmax(1);
  for (std::int64_t d = 0; keepdim && d < r.rank; ++d) result = result.unsqueeze(1);
  return r.batch.wrap(result);
}

Tensor argmin(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  const Reduction r(self);
  if (dim) return r.batch.wrap(r.value.argmin(r.dim("argmin", *dim), r.keeps(keepdim)));
  Tensor result = r.flat().argmin(1);
  for (std::int64_t d = 0; keepdim && d < r.rank; ++d) result = result.unsqueeze(1);
  return r.batch.wrap(result);
}

Tensor any(const Tensor& self) {
  const Reduction r(self);
  return r.batch.wrap(r.flat().any(1));
}

Tensor any(const Tensor& self, std::int64_t dim, bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.any(r.dim("any", dim), r.keeps(keepdim)));
}

Tensor all(const Tensor& self) {
  const Reduction r(self);
  return r.batch.wrap(r.flat().all(1));
}

Tensor all(const Tensor& self, std::int64_t dim, bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.all(r.dim("all", dim), r.keeps(keepdim)));
}

namespace {

/// An op that keeps the shape and works along one dimension.
template <class Op>
Tensor along(const char* name, const Tensor& self, std::int64_t dim, Op&& op) {
  const Reduction r(self);
  const Tensor value = op(r.value, r.dim(name, dim));
  return r.batch.wrap(r.rank == 0 ? value.squeeze(1) : value);
}

template <class Op>
Tensor along(const char* name, const Tensor& grad, const Tensor& output, std::int64_t dim, Op&& op) {
  const Batch batch({&grad, &output});
  Tensor g = batch.expanded(0), y = batch.expanded(1);
  if (output.dim() == 0) {
    g = g.unsqueeze(1);
    y = y.unsqueeze(1);
  }
  const Tensor value = op(g, y, in_value(name, dim, output.dim()));
  return batch.wrap(output.dim() == 0 ? value.squeeze(1) : value);
}

}  // namespace

Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.any(OptionalIntArrayRef(r.dims("any", dim)), r.keeps(keepdim)));
}

Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.all(OptionalIntArrayRef(r.dims("all", dim)), r.keeps(keepdim)));
}

Tensor count_nonzero(const Tensor& self, IntArrayRef dim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.count_nonzero(IntArrayRef(r.dims("count_nonzero", dim))));
}

Tensor count_nonzero(const Tensor& self, std::optional<std::int64_t> dim) {
  return dim ? rules::count_nonzero(self, IntArrayRef(*dim)) : rules::count_nonzero(self, IntArrayRef());
}

std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  const Reduction r(self);
  const DimVector dims = r.dims("aminmax", dim ? OptionalIntArrayRef(*dim) : OptionalIntArrayRef());
  return {r.batch.wrap(r.value.amin(dims, r.keeps(keepdim))),
          r.batch.wrap(r.value.amax(dims, r.keeps(keepdim)))};
}

Tensor nansum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const Reduction r(self);
  return r.batch.wrap(r.value.nansum(r.dims("nansum", dim), r.keeps(keepdim), dtype));
}

Tensor var(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
           bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.var(r.dims("var", dim), correction, r.keeps(keepdim)));
}

Tensor std(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
           bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.std(r.dims("std", dim), correction, r.keeps(keepdim)));
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
  const Reduction r(self);
  const auto [spread, mean] =
      lanewise::var_mean(r.value, r.dims("var_mean", dim), correction, r.keeps(keepdim));
  return {r.batch.wrap(spread), r.batch.wrap(mean)};
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
  const Reduction r(self);
  const auto [spread, mean] =
      lanewise::std_mean(r.value, r.dims("std_mean", dim), correction, r.keeps(keepdim));
  return {r.batch.wrap(spread), r.batch.wrap(mean)};
}

Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  const Reduction r(self);
  return r.batch.wrap(
      lanewise::linalg_vector_norm(r.value, ord, r.dims("linalg.vector_norm", dim), r.keeps(keepdim), dtype));
}

Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim) {
  const Reduction r(self);
  return r.batch.wrap(r.value.logsumexp(r.dims("logsumexp", dim), r.keeps(keepdim)));
}

Tensor cumsum(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return along("cumsum", self, dim, [&](const Tensor& x, std::int64_t d) { return x.cumsum(d, dtype); });
}

Tensor _reverse_cumsum(const Tensor& self, std::int64_t dim) {
  return along("cumsum", self, dim,
               [&](const Tensor& x, std::int64_t d) { return lanewise::_reverse_cumsum(x, d); });
}

Tensor cumprod(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return along("cumprod", self, dim, [&](const Tensor& x, std::int64_t d) { return x.cumprod(d, dtype); });
}

Tensor logcumsumexp(const Tensor& self, std::int64_t dim) {
  return along("logcumsumexp", self, dim, [&](const Tensor& x, std::int64_t d) { return x.logcumsumexp(d); });
}

Tensor _reverse_logcumsumexp(const Tensor& self, std::int64_t dim) {
  return along("logcumsumexp", self, dim,
               [&](const Tensor& x, std::int64_t d) { return lanewise::_reverse_logcumsumexp(x, d); });
}

Tensor _softmax(const Tensor& self, std::int64_t dim, bool half_to_float) {
  return along("softmax", self, dim,
               [&](const Tensor& x, std::int64_t d) { return lanewise::_softmax(x, d, half_to_float); });
}

Tensor _log_softmax(const Tensor& self, std::int64_t dim, bool half_to_float) {
  return along("log_softmax", self, dim,
               [&](const Tensor& x, std::int64_t d) { return lanewise::_log_softmax(x, d, half_to_float); });
}

Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                              ScalarType input_dtype) {
  return along("softmax", grad_output, output, dim, [&](const Tensor& g, const Tensor& y, std::int64_t d) {
    return lanewise::_softmax_backward_data(g, y, d, input_dtype);
  });
}

Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                                  ScalarType input_dtype) {
  return along("log_softmax", grad_output, output, dim,
               [&](const Tensor& g, const Tensor& y, std::int64_t d) {
                 return lanewise::_log_softmax_backward_data(g, y, d, input_dtype);
               });
}

Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dim) {
  const Batch batch({}, tensors);
  std::vector<Tensor> values;
  std::int64_t rank = 1;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    // An empty vector is skipped by cat whatever the other shapes.
    if (tensors[i].dim() == 1 && tensors[i].numel() == 0) continue;
    values.push_back(batch.expanded(i));
    rank = tensors[i].dim();
  }
  if (values.empty()) values.push_back(batch.expanded(0));
  return batch.wrap(lanewise::cat(values, in_value("cat", dim, rank)));
}

Tensor stack(ArrayRef<Tensor> tensors, std::int64_t dim) {
  const Batch batch({}, tensors);
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < batch.count(); ++i) values.push_back(batch.expanded(i));
  return batch.wrap(lanewise::stack(values, in_value("stack", dim, tensors[0].dim() + 1)));
}

}  // namespace lanewise::autograd::batching::rules
