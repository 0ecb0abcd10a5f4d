#include <algorithm>
#include <utility>
#include <vector>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/indexing.h>
#include <lanewise/tensor/warnings.h>

// Indexing is a composition of public views, then one op for the tensors among the indices, so gradients and
// in-place writes through an index come with them.
namespace lanewise {

namespace {

using indexing::TensorIndex;

bool is_mask(const Tensor& t) { return t.scalar_type() == kBool || t.scalar_type() == kByte; }

/// Dimensions of the tensor that the index uses up.
std::int64_t dims_used(const TensorIndex& i) {
  switch (i.kind()) {
    case TensorIndex::Kind::Integer:
    case TensorIndex::Kind::Slice: return 1;
    case TensorIndex::Kind::Tensor:
      LANEWISE_CHECK(ValueError, i.tensor().defined(), "index: a tensor used as an index is undefined");
      return is_mask(i.tensor()) ? i.tensor().dim() : 1;
    default: return 0;
  }
}

/// x without dimension `dim`, which is dimension `named` of the tensor that the user indexed.
Tensor select_at(const Tensor& x, std::int64_t dim, std::int64_t i, std::int64_t named) {
  const std::int64_t size = x.size(dim);
  LANEWISE_CHECK(IndexError, i >= -size && i < size, "index: index ", i, " is out of bounds for dimension ",
                 named, " with size ", size);
  return select(x, dim, i);
}

void warn_of_bytes(const Tensor& mask) {
  if (mask.scalar_type() != kByte) return;
  warn(
      "index: indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead; "
      "x.to(kBool) is one");
}

/// A tensor seen through the indices that are no tensors, and the tensors that are left to choose in it.
struct Indexed {
  Tensor view;
  std::vector<Tensor> tensors;  ///< per dimension of the view, up to the last that has one

  bool is_view() const { return tensors.empty(); }

  void choose(std::int64_t dim, Tensor index) {
    tensors.resize(std::max(tensors.size(), static_cast<std::size_t>(dim) + 1));
    tensors[static_cast<std::size_t>(dim)] = std::move(index);
  }

  /// A new dimension of size 1, of which all or nothing is taken.
  void choose_all_or_nothing(std::int64_t dim, bool all) {
    view = unsqueeze(view, dim);
    choose(dim, zeros({all ? 1 : 0}, kLong));
  }
};

/// Masks over several dimensions become an index for each, so that tensors after them count their dimensions right; the last one
/// stays a mask.
void choose_by_mask(Indexed& x, std::int64_t dim, const Tensor& mask, bool last) {
  for (std::int64_t d = 0; d < mask.dim(); ++d) {
    if (mask.size(d) == x.view.size(dim + d)) continue;
    warn_of_bytes(mask);
    lanewise::detail::raise<IndexError>("index: The shape of the mask ", mask.sizes(), " at index ", d,
                                        " does not match the shape of the indexed tensor ", x.view.sizes(),
                                        " at index ", dim + d);
  }
  if (mask.dim() == 1 || last) {
    x.choose(dim, mask);
    return;
  }
  warn_of_bytes(mask);
  const Tensor positions = nonzero(mask);
  for (std::int64_t d = 0; d < mask.dim(); ++d) x.choose(dim + d, select(positions, 1, d));
}

Indexed apply(const char* op, const Tensor& self, ArrayRef<TensorIndex> indices) {
  LANEWISE_CHECK(ValueError, self.defined(), "index: the tensor is undefined");
  LANEWISE_CHECK(IndexError, !indices.empty(), op, ": Passing an empty index list to Tensor::", op,
                 "() is not valid syntax; pass Ellipsis for the whole tensor");
  std::int64_t used = 0;
  for (const TensorIndex& i : indices) used += dims_used(i);
  LANEWISE_CHECK(IndexError, self.dim() > 0 || !indices.front().is_integer(),
                 "index: invalid index of a 0-dim tensor; read its number with item<T>()");
  LANEWISE_CHECK(IndexError, used <= self.dim(), "index: too many indices for tensor of dimension ",
                 self.dim(), ", got ", used);
  LANEWISE_CHECK(IndexError,
                 std::count_if(indices.begin(), indices.end(),
                               [](const TensorIndex& i) { return i.is_ellipsis(); }) <= 1,
                 "index: an index can have only one Ellipsis");

  Indexed x{self, {}};
  std::int64_t dim = 0;
  std::int64_t taken = 0;  // dimensions of self before the one that is next
  for (const TensorIndex& i : indices) {
    switch (i.kind()) {
      case TensorIndex::Kind::Integer: x.view = select_at(x.view, dim, i.integer(), taken); break;
      case TensorIndex::Kind::Tensor:
        if (i.tensor().dim() == 0 && !is_mask(i.tensor()) && is_integral(i.tensor().scalar_type(), false)) {
          x.view = select_at(x.view, dim, i.tensor().item<std::int64_t>(), taken);
        } else if (!is_mask(i.tensor())) {
          x.choose(dim++, i.tensor());
        } else if (i.tensor().dim() == 0) {
          warn_of_bytes(i.tensor());
          x.choose_all_or_nothing(dim++, i.tensor().item().to<bool>());
        } else {
          const bool last = std::none_of(&i + 1, indices.end(), [](const TensorIndex& later) {
            return later.kind() == TensorIndex::Kind::Tensor || later.kind() == TensorIndex::Kind::Boolean;
          });
          choose_by_mask(x, dim, i.tensor(), last);
          dim += i.tensor().dim();
        }
        break;
      case TensorIndex::Kind::Slice:
        LANEWISE_CHECK(ValueError, i.slice().step() > 0,
                       "index: step must be greater than zero, found the slice ", i.slice(),
                       "; flip() reverses");
        x.view = slice(x.view, dim, i.slice().start(), i.slice().stop(), i.slice().step());
        ++dim;
        break;
      case TensorIndex::Kind::Dots:
        dim += self.dim() - used;
        taken += self.dim() - used;
        break;
      case TensorIndex::Kind::NewAxis: x.view = unsqueeze(x.view, dim++); break;
      case TensorIndex::Kind::Boolean: x.choose_all_or_nothing(dim++, i.boolean()); break;
    }
    taken += dims_used(i);
  }
  if (x.is_view() && x.view.is_same(self)) x.view = view(self, self.sizes());
  return x;
}

/// The value without leading dimensions of size 1 that the target does not have, as an assignment allows.
Tensor without_leading_ones(const Tensor& value, std::int64_t rank) {
  Tensor v = value;
  while (v.dim() > rank && v.size(0) == 1) v = squeeze(v, 0);
  return v;
}

}  // namespace

Tensor Tensor::index(ArrayRef<TensorIndex> indices) const {
  const Indexed x = apply("index", *this, indices);
  return x.is_view() ? x.view : lanewise::index(x.view, x.tensors);
}
Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const {
  return index(ArrayRef<TensorIndex>(indices.begin(), indices.size()));
}

Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor& value) {
  Indexed x = apply("index_put_", *this, indices);
  if (x.is_view()) {
    x.view.copy_(without_leading_ones(value, x.view.dim()));
  } else {
    lanewise::index_put_(x.view, x.tensors, value);
  }
  return *this;
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value) {
  return index_put_(ArrayRef<TensorIndex>(indices.begin(), indices.size()), value);
}
Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Scalar& value) {
  Indexed x = apply("index_put_", *this, indices);
  if (x.is_view()) {
    x.view.fill_(value);
  } else {
    lanewise::index_put_(x.view, x.tensors, full({}, value, options()));
  }
  return *this;
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) {
  return index_put_(ArrayRef<TensorIndex>(indices.begin(), indices.size()), value);
}

Tensor Tensor::operator[](std::int64_t i) const {
  LANEWISE_CHECK(
      IndexError, dim() > 0,
      "index: invalid index of a 0-dim tensor, select() cannot be applied to a 0-dim tensor; read its "
      "number with item<T>()");
  return select_at(*this, 0, i, 0);
}

Tensor Tensor::operator[](const Tensor& i) const {
  LANEWISE_CHECK(IndexError, i.defined(), "index: Can only index with tensors that are defined");
  LANEWISE_CHECK(IndexError, i.dim() == 0,
                 "index: Can only index with tensors that are scalars (zero-dim), found shape ", i.sizes(),
                 "; index({i}) takes any shape");
  return (*this)[i.item()];
}

Tensor Tensor::operator[](const Scalar& i) const {
  LANEWISE_CHECK(IndexError, i.isIntegral(false),
                 "index: Can only index tensors with integral scalars, found ", i);
  return (*this)[i.to<std::int64_t>()];
}

std::ostream& indexing::operator<<(std::ostream& out, const Slice& slice) {
  return out << slice.start() << ':' << slice.stop() << ':' << slice.step();
}

std::ostream& indexing::operator<<(std::ostream& out, const TensorIndex& index) {
  switch (index.kind()) {
    case TensorIndex::Kind::NewAxis: return out << "None";
    case TensorIndex::Kind::Dots: return out << "...";
    case TensorIndex::Kind::Integer: return out << index.integer();
    case TensorIndex::Kind::Boolean: return out << (index.boolean() ? "true" : "false");
    case TensorIndex::Kind::Slice: return out << index.slice();
    case TensorIndex::Kind::Tensor: break;
  }
  return out << index.tensor();
}

std::ostream& indexing::operator<<(std::ostream& out, const std::vector<TensorIndex>& indices) {
  out << '(';
  for (std::size_t i = 0; i < indices.size(); ++i) out << (i == 0 ? "" : ", ") << indices[i];
  return out << ')';
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
