#include <algorithm>

#include <lanewise/ops/checks.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

// The views that change how many dimensions there are, or what an element is.
namespace lanewise::ops {

namespace {

using Dim = std::int64_t;

}  // namespace

Tensor view(const Tensor& self, IntArrayRef size) {
  check_defined("view", "self", self);
  const DimVector sizes = infer_size("view", size, self.numel());
  const auto strides = view_strides(self.sizes(), self.strides(), sizes);
  LANEWISE_CHECK(ShapeError, strides.has_value(), "view: size ", size,
                 " is not compatible with input tensor's size ", self.sizes(), " and stride ", self.strides(),
                 ": at least one dimension spans across two contiguous subspaces. Use .reshape(...) instead");
  return lanewise::detail::make_view(self, sizes, *strides, self.storage_offset());
}

bool can_view(const Tensor& self, IntArrayRef size) {
  check_defined("reshape", "self", self);
  return view_strides(self.sizes(), self.strides(), infer_size("reshape", size, self.numel())).has_value();
}

Tensor view_dtype(const Tensor& self, ScalarType dtype) {
  check_defined("view", "self", self);
  LANEWISE_CHECK(DtypeError, dtype != ScalarType::Undefined, "view: the dtype is undefined");
  const auto from = static_cast<std::int64_t>(self.itemsize());
  const auto to = static_cast<std::int64_t>(element_size(dtype));
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  if (from == to) return lanewise::detail::make_view(self, sizes, strides, self.storage_offset(), dtype);
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "view: a 0-dim ", short_name(self.scalar_type()),
                 " tensor cannot be viewed as ", short_name(dtype), " because the element sizes differ (",
                 from, " against ", to, ")");
  LANEWISE_CHECK(ShapeError, strides.back() == 1, "view: the last stride must be 1 to view ",
                 short_name(self.scalar_type()), " as ", short_name(dtype),
                 " (different element sizes), but got ", strides.back());
  if (from > to) {
    const std::int64_t ratio = from / to;
    std::int64_t last = 0;
    LANEWISE_CHECK(ShapeError, !__builtin_mul_overflow(sizes.back(), ratio, &last), "view: sizes ",
                   self.sizes(), " are too large to view as ", short_name(dtype));
    for (std::size_t d = 0; d + 1 < strides.size(); ++d) strides[d] *= ratio;
    sizes.back() = last;
    return lanewise::detail::make_view(self, sizes, strides, self.storage_offset() * ratio, dtype);
  }
  const std::int64_t ratio = to / from;
  LANEWISE_CHECK(ShapeError, sizes.back() % ratio == 0, "view: the last size (", sizes.back(),
                 ") must be divisible by ", ratio, " to view ", short_name(self.scalar_type()), " as ",
                 short_name(dtype));
  LANEWISE_CHECK(ShapeError, self.storage_offset() % ratio == 0, "view: the storage offset (",
                 self.storage_offset(), ") must be divisible by ", ratio, " to view ",
                 short_name(self.scalar_type()), " as ", short_name(dtype));
  for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
    LANEWISE_CHECK(ShapeError, strides[d] % ratio == 0, "view: stride ", strides[d], " of dimension ", d,
                   " must be divisible by ", ratio, " to view ", short_name(self.scalar_type()), " as ",
                   short_name(dtype));
    strides[d] /= ratio;
  }
  sizes.back() /= ratio;
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset() / ratio, dtype);
}

namespace {

template <class Drop>
Tensor drop_dims(const Tensor& self, Drop&& drop) {
  DimVector sizes;
  DimVector strides;
  for (Dim d = 0; d < self.dim(); ++d) {
    if (self.sizes()[d] == 1 && drop(d)) continue;
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset());
}

}  // namespace

Tensor squeeze(const Tensor& self) {
  check_defined("squeeze", "self", self);
  return drop_dims(self, [](Dim) { return true; });
}

Tensor squeeze(const Tensor& self, Dim dim) {
  check_defined("squeeze", "self", self);
  dim = wrap_dim("squeeze", dim, self.dim());
  return drop_dims(self, [dim](Dim d) { return d == dim; });
}

Tensor squeeze(const Tensor& self, IntArrayRef dims) {
  check_defined("squeeze", "self", self);
  const DimVector dropped = wrap_dims("squeeze", dims, self.dim());
  return drop_dims(self,
                   [&](Dim d) { return std::find(dropped.begin(), dropped.end(), d) != dropped.end(); });
}

Tensor unsqueeze(const Tensor& self, Dim dim) {
  check_defined("unsqueeze", "self", self);
  dim = wrap_dim("unsqueeze", dim, self.dim() + 1);
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  std::int64_t stride = 1;
  if (dim < self.dim() && __builtin_mul_overflow(sizes[dim], strides[dim], &stride))
    stride = 1;  // only if empty
  sizes.insert(sizes.begin() + dim, 1);
  strides.insert(strides.begin() + dim, stride);
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset());
}

DimVector flatten_sizes(const Tensor& self, Dim start_dim, Dim end_dim) {
  check_defined("flatten", "self", self);
  start_dim = wrap_dim("flatten", start_dim, self.dim());
  end_dim = wrap_dim("flatten", end_dim, self.dim());
  LANEWISE_CHECK(IndexError, start_dim <= end_dim, "flatten: start_dim ", start_dim,
                 " cannot come after end_dim ", end_dim);
  if (self.dim() == 0) return DimVector{1};
  DimVector sizes;
  for (Dim d = 0; d < start_dim; ++d) sizes.push_back(self.sizes()[d]);
  std::int64_t flat = 1;
  for (Dim d = start_dim; d <= end_dim; ++d) flat *= self.sizes()[d];
  sizes.push_back(flat);
  for (Dim d = end_dim + 1; d < self.dim(); ++d) sizes.push_back(self.sizes()[d]);
  return sizes;
}

Tensor diagonal(const Tensor& self, std::int64_t offset, Dim dim1, Dim dim2) {
  check_defined("diagonal", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() >= 2, "diagonal: needs at least 2 dimensions, but self has sizes ",
                 self.sizes());
  dim1 = wrap_dim("diagonal", dim1, self.dim());
  dim2 = wrap_dim("diagonal", dim2, self.dim());
  LANEWISE_CHECK(IndexError, dim1 != dim2, "diagonal: the two dims cannot be identical, both are ", dim1);
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  // Clamped before the arithmetic, so that any offset is fine.
  const std::int64_t below = offset < 0 ? (offset < -sizes[dim1] ? sizes[dim1] : -offset) : 0;
  const std::int64_t above = offset > 0 ? std::min(offset, sizes[dim2]) : 0;
  const std::int64_t length = std::max<std::int64_t>(std::min(sizes[dim1] - below, sizes[dim2] - above), 0);
  const std::int64_t start = length == 0
                                 ? self.storage_offset()
                                 : self.storage_offset() + below * strides[dim1] + above * strides[dim2];
  const std::int64_t stride = strides[dim1] + strides[dim2];
  for (const Dim d : {std::max(dim1, dim2), std::min(dim1, dim2)}) {
    sizes.erase(sizes.begin() + d);
    strides.erase(strides.begin() + d);
  }
  sizes.push_back(length);
  strides.push_back(stride);
  return lanewise::detail::make_view(self, sizes, strides, start);
}

Tensor unfold(const Tensor& self, Dim dimension, std::int64_t size, std::int64_t step) {
  check_defined("unfold", "self", self);
  const Dim d = wrap_dim("unfold", dimension, self.dim());
  const std::int64_t available = self.dim() == 0 ? 1 : self.sizes()[d];
  LANEWISE_CHECK(ValueError, step > 0, "unfold: step must be positive, but got ", step);
  LANEWISE_CHECK(ShapeError, size >= 0 && size <= available, "unfold: maximum size for tensor at dimension ",
                 d, " is ", available, " but size is ", size);
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  sizes.push_back(size);
  strides.push_back(self.dim() == 0 ? 1 : strides[d]);
  if (self.dim() > 0) {
    sizes[d] = (available - size) / step + 1;
    std::int64_t stride = 0;
    if (!__builtin_mul_overflow(strides[d], step, &stride)) strides[d] = stride;
  }
  lanewise::detail::checked_numel("unfold", sizes);
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset());
}

Tensor view_as_real(const Tensor& self) {
  check_defined("view_as_real", "self", self);
  LANEWISE_CHECK(DtypeError, self.is_complex(), "view_as_real: needs a complex tensor, but self is ",
                 short_name(self.scalar_type()));
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  for (std::int64_t& stride : strides) stride *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  lanewise::detail::checked_numel("view_as_real", sizes);
  return lanewise::detail::make_view(self, sizes, strides, 2 * self.storage_offset(),
                                     to_real_type(self.scalar_type()));
}

Tensor view_as_complex(const Tensor& self) {
  check_defined("view_as_complex", "self", self);
  const ScalarType t = self.scalar_type();
  LANEWISE_CHECK(DtypeError, t == kFloat || t == kDouble,
                 "view_as_complex: needs an f32 or f64 tensor, but self is ", short_name(t));
  LANEWISE_CHECK(ShapeError, self.dim() > 0 && self.sizes().back() == 2,
                 "view_as_complex: needs a last dimension of size 2, but self has sizes ", self.sizes());
  LANEWISE_CHECK(ShapeError, self.strides().back() == 1,
                 "view_as_complex: the last dimension must have stride 1, but it is ", self.strides().back(),
                 "; call contiguous() first");
  LANEWISE_CHECK(ShapeError, self.storage_offset() % 2 == 0,
                 "view_as_complex: the storage offset must be even, but it is ", self.storage_offset(),
                 "; call clone() first");
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  sizes.pop_back();
  strides.pop_back();
  for (std::size_t d = 0; d < strides.size(); ++d) {
    LANEWISE_CHECK(ShapeError, strides[d] % 2 == 0 || sizes[d] == 1,
                   "view_as_complex: strides must be even in all but the last dimension, but they are ",
                   self.strides(), "; call contiguous() first");
    strides[d] /= 2;
  }
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset() / 2, to_complex_type(t));
}

}  // namespace lanewise::ops
