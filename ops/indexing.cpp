#include <algorithm>
#include <optional>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/indexing.h>

// Indexing is a composition of public views, so gradients and in-place writes through an index come with
// them.
namespace lanewise {

namespace {

using indexing::TensorIndex;

/// Dimensions of the tensor that the index uses up.
std::int64_t dims_used(const TensorIndex& i) {
  switch (i.kind()) {
    case TensorIndex::Kind::Integer:
    case TensorIndex::Kind::Slice:
      return 1;
    case TensorIndex::Kind::Tensor:
      return i.tensor().scalar_type() == kBool ? i.tensor().dim() : 1;
    default:
      return 0;
  }
}

/// The integer that a 0-dim integral tensor stands for. Throws NotImplementedError for any other tensor.
std::int64_t integer_of(const Tensor& t) {
  LANEWISE_CHECK(ValueError, t.defined(), "index: a tensor used as an index is undefined");
  LANEWISE_CHECK(
      NotImplementedError, t.dim() == 0 && is_integral(t.scalar_type(), false), "index: a ",
      short_name(t.scalar_type()), " tensor of sizes ", t.sizes(),
      " as an index is not supported; use integers, slices, None, Ellipsis, bools or 0-dim integer tensors");
  return t.item<std::int64_t>();
}

Tensor select_at(const Tensor& x, std::int64_t dim, std::int64_t i) {
  const std::int64_t size = x.size(dim);
  LANEWISE_CHECK(IndexError, i >= -size && i < size, "index: index ", i, " is out of bounds for dimension ",
                 dim, " with size ", size);
  return select(x, dim, i);
}

Tensor apply(const Tensor& self, ArrayRef<TensorIndex> indices) {
  LANEWISE_CHECK(ValueError, self.defined(), "index: the tensor is undefined");
  std::int64_t used = 0;
  for (const TensorIndex& i : indices) used += dims_used(i);
  LANEWISE_CHECK(IndexError, used <= self.dim(), "index: too many indices for tensor of dimension ",
                 self.dim(), ", got ", used);
  LANEWISE_CHECK(IndexError,
                 std::count_if(indices.begin(), indices.end(),
                               [](const TensorIndex& i) { return i.is_ellipsis(); }) <= 1,
                 "index: an index can have only one Ellipsis");

  Tensor x = self;
  std::int64_t dim = 0;
  std::optional<std::int64_t> bool_dim;  // bools side by side share one new dimension
  bool adjacent = false;
  for (const TensorIndex& i : indices) {
    const bool after_bool = adjacent;
    adjacent = false;
    switch (i.kind()) {
      case TensorIndex::Kind::Integer:
        x = select_at(x, dim, i.integer());
        break;
      case TensorIndex::Kind::Tensor:
        x = select_at(x, dim, integer_of(i.tensor()));
        break;
      case TensorIndex::Kind::Slice:
        x = slice(x, dim, i.slice().start(), i.slice().stop(), i.slice().step());
        ++dim;
        break;
      case TensorIndex::Kind::Dots:
        dim += self.dim() - used;
        break;
      case TensorIndex::Kind::NewAxis:
        x = unsqueeze(x, dim++);
        break;
      case TensorIndex::Kind::Boolean:
        LANEWISE_CHECK(NotImplementedError, !bool_dim || after_bool,
                       "index: bools that do not stand side by side are not supported");
        if (!bool_dim) {
          bool_dim = dim;
          x = unsqueeze(x, dim++);
        }
        if (!i.boolean()) x = slice(x, *bool_dim, 0, 0, 1);
        adjacent = true;
        break;
    }
  }
  return x.is_same(self) ? view(self, self.sizes()) : x;
}

/// The value without leading dimensions of size 1 that the target does not have, as an assignment allows.
Tensor without_leading_ones(const Tensor& value, std::int64_t rank) {
  Tensor v = value;
  while (v.dim() > rank && v.size(0) == 1) v = squeeze(v, 0);
  return v;
}

}  // namespace

Tensor Tensor::index(ArrayRef<TensorIndex> indices) const { return apply(*this, indices); }
Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const {
  return apply(*this, ArrayRef<TensorIndex>(indices.begin(), indices.size()));
}

Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor& value) {
  Tensor target = apply(*this, indices);
  target.copy_(without_leading_ones(value, target.dim()));
  return *this;
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value) {
  return index_put_(ArrayRef<TensorIndex>(indices.begin(), indices.size()), value);
}
Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Scalar& value) {
  apply(*this, indices).fill_(value);
  return *this;
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) {
  return index_put_(ArrayRef<TensorIndex>(indices.begin(), indices.size()), value);
}

Tensor Tensor::operator[](std::int64_t i) const {
  LANEWISE_CHECK(IndexError, dim() > 0, "index: a 0-dim tensor cannot be indexed; use item() for its number");
  return select_at(*this, 0, i);
}

Tensor Tensor::operator[](const Tensor& i) const { return (*this)[integer_of(i)]; }

Tensor Tensor::operator[](const Scalar& i) const {
  LANEWISE_CHECK(IndexError, i.isIntegral(false), "index: found the number ", i, ", expected an integer");
  return (*this)[i.to<std::int64_t>()];
}

Tensor& Tensor::operator=(const Tensor& other) && {
  copy_(other);
  return *this;
}
Tensor& Tensor::operator=(Tensor&& other) && {
  copy_(other);
  return *this;
}
Tensor& Tensor::operator=(const Scalar& value) && {
  fill_(value);
  return *this;
}

}  // namespace lanewise
