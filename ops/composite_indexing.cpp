#include <lanewise/generated/functions.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

/// Ops that choose elements, put together from other public ops.
namespace lanewise {
namespace {

/// The names that scatter itself knows.
const char* reduction_of(std::string_view reduce) {
  LANEWISE_CHECK(ValueError, reduce == "add" || reduce == "multiply",
                 "scatter: reduce argument must be either add or multiply, got ", reduce);
  return reduce == "add" ? "sum" : "prod";
}

}  // namespace

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  ops::check_defined("nonzero_numpy", "self", self);
  return (self.dim() == 0 ? self.unsqueeze(0) : self).nonzero().unbind(1);
}

std::vector<Tensor> where(const Tensor& condition) {
  ops::check_defined("where", "condition", condition);
  return condition.nonzero_numpy();
}

Tensor argwhere(const Tensor& self) {
  ops::check_defined("argwhere", "self", self);
  return self.nonzero();
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<std::int64_t> dim) {
  ops::check_defined("take_along_dim", "self", self, "indices", indices);
  LANEWISE_CHECK(DtypeError, indices.scalar_type() == kLong,
                 "take_along_dim: dtype of indices should be Long but got ", indices.scalar_type());
  if (!dim) return self.reshape({-1}).gather(0, indices.reshape({-1}));
  LANEWISE_CHECK(ShapeError, self.dim() == indices.dim(),
                 "take_along_dim: input and indices should have the same number of dimensions, found shapes ",
                 self.sizes(), " and ", indices.sizes());
  if (self.dim() == 0) return self.gather(0, indices);
  const auto d = static_cast<std::size_t>(wrap_dim("take_along_dim", *dim, self.dim()));
  DimVector of_self(self.sizes()), of_indices(indices.sizes());
  of_self[d] = of_indices[d] = 1;
  DimVector sizes = broadcast_shapes("take_along_dim", of_self, of_indices);
  sizes[d] = self.sizes()[d];
  const Tensor whole = self.expand(sizes);
  sizes[d] = indices.sizes()[d];
  return whole.gather(static_cast<std::int64_t>(d), indices.expand(sizes));
}

Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
               std::string_view reduce) {
  ops::check_defined("scatter", "self", self, "index", index, "src", src);
  return self.scatter_reduce(dim, index, src, reduction_of(reduce));
}

Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value,
               std::string_view reduce) {
  ops::check_defined("scatter", "self", self, "index", index);
  return self.scatter_reduce(dim, index, full(index.sizes(), value, self.options()), reduction_of(reduce));
}

namespace {

/// A vector of positions along dim in the shape of source.
Tensor index_like(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                  std::string_view reduce) {
  LANEWISE_CHECK(ValueError, reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
                 "index_reduce: Expected reduce to be one of prod, mean, amax or amin but got ", reduce);
  const auto d = static_cast<std::size_t>(wrap_dim("index_reduce", dim, self.dim()));
  LANEWISE_CHECK(ShapeError, index.dim() <= 1, "index_reduce: Index is supposed to be a vector, found shape ",
                 index.sizes());
  LANEWISE_CHECK(ShapeError,
                 source.dim() == self.dim() && (source.dim() == 0 || source.sizes()[d] == index.numel()),
                 "index_reduce: Number of indices (", index.numel(),
                 ") should be equal to source.size(dim); source has shape ", source.sizes());
  for (std::size_t i = 0; i < source.sizes().size(); ++i) {
    LANEWISE_CHECK(ShapeError, i == d || source.sizes()[i] == self.sizes()[i],
                   "index_reduce: source of shape ", source.sizes(), " does not fit into shape ",
                   self.sizes(), " along dimension ", d);
  }
  if (source.dim() == 0) return index.reshape({});
  DimVector shape(source.sizes().size(), 1);
  shape[d] = index.numel();
  return index.reshape(shape).expand(source.sizes());
}

}  // namespace

Tensor index_reduce(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
  ops::check_defined("index_reduce", "self", self, "index", index, "source", source);
  return self.scatter_reduce(dim, index_like(self, dim, index, source, reduce), source, reduce, include_self);
}

Tensor& index_reduce_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                      std::string_view reduce, bool include_self) {
  ops::check_defined("index_reduce_", "self", self, "index", index, "source", source);
  assert_apart("index_reduce_", self, {&index, &source});
  return self.scatter_reduce_(dim, index_like(self, dim, index, source, reduce), source, reduce,
                              include_self);
}

Tensor& scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                 std::string_view reduce) {
  ops::check_defined("scatter_", "self", self, "index", index, "src", src);
  return self.scatter_reduce_(dim, index, src, reduction_of(reduce));
}

Tensor& scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value,
                 std::string_view reduce) {
  ops::check_defined("scatter_", "self", self, "index", index);
  return self.scatter_reduce_(dim, index, full(index.sizes(), value, self.options()), reduction_of(reduce));
}

}  // namespace lanewise
