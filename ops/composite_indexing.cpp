#include <lanewise/generated/functions.h>
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
  return (self.dim() == 0 ? self.unsqueeze(0) : self).nonzero().unbind(1);
}

std::vector<Tensor> where(const Tensor& condition) { return condition.nonzero_numpy(); }

Tensor argwhere(const Tensor& self) { return self.nonzero(); }

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<std::int64_t> dim) {
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
  return self.scatter_reduce(dim, index, src, reduction_of(reduce));
}

Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value,
               std::string_view reduce) {
  return self.scatter_reduce(dim, index, full(index.sizes(), value, self.options()), reduction_of(reduce));
}

Tensor& scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                 std::string_view reduce) {
  return self.scatter_reduce_(dim, index, src, reduction_of(reduce));
}

Tensor& scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value,
                 std::string_view reduce) {
  return self.scatter_reduce_(dim, index, full(index.sizes(), value, self.options()), reduction_of(reduce));
}

}  // namespace lanewise
