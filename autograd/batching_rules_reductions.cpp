#include <algorithm>

#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/batching_rules.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/shape.h>

/// Reductions, scans and softmax of slices: the same along a dimension of the value.
namespace lanewise::autograd::batching::rules {
namespace {

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

}  // namespace lanewise::autograd::batching::rules
