#include <algorithm>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

/// Ops that are other public ops put together: differentiable because those are.
namespace lanewise {

Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  ops::check_defined("contiguous", "self", self);
  if (self.is_contiguous(memory_format)) return self;
  LANEWISE_CHECK(ValueError, memory_format != MemoryFormat::Preserve,
                 "contiguous: preserve memory format is unsupported by the contiguous operator; use clone()");
  return self.clone(memory_format);
}

Tensor to(const Tensor& self, ScalarType dtype, bool /*non_blocking*/, bool copy,
          std::optional<MemoryFormat> memory_format) {
  ops::check_defined("to", "self", self);
  const bool lies_so = memory_format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve ||
                       self.suggest_memory_format() == memory_format;
  if (self.scalar_type() == dtype && !copy && lies_so) return self;
  return _to_copy(self, dtype, memory_format);
}

Tensor to(const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  ops::check_defined("to", "self", self, "other", other);
  return to(self, other.scalar_type(), non_blocking, copy, memory_format);
}

Tensor reshape(const Tensor& self, IntArrayRef shape) {
  ops::check_defined("reshape", "self", self);
  if (ops::can_view(self, shape)) return self.view(shape);
  return _unsafe_view(self.clone(MemoryFormat::Contiguous), shape);
}

Tensor flatten(const Tensor& self, std::int64_t start_dim, std::int64_t end_dim) {
  ops::check_defined("flatten", "self", self);
  const DimVector sizes = ops::flatten_sizes(self, start_dim, end_dim);
  const IntArrayRef now = self.sizes();
  if (std::equal(sizes.begin(), sizes.end(), now.begin(), now.end())) return self;
  return self.reshape(sizes);
}

Tensor numpy_T(const Tensor& self) {
  ops::check_defined("numpy_T", "self", self);
  DimVector order;
  for (std::int64_t d = self.dim(); d-- > 0;) order.push_back(d);
  return self.permute(order);
}

Tensor mH(const Tensor& self) {
  ops::check_defined("mH", "self", self);
  return conj(self.mT());
}

Tensor matrix_H(const Tensor& self) {
  ops::check_defined("matrix_H", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() == 2 || self.dim() == 0,
                 "matrix_H: is for matrices (2-D tensors), found a ", self.dim(),
                 "-D tensor; mH exchanges the last two dimensions");
  return self.dim() == 0 ? conj(self) : mH(self);
}

Tensor resolve_conj(const Tensor& self) {
  ops::check_defined("resolve_conj", "self", self);
  return self;
}

Tensor resolve_neg(const Tensor& self) {
  ops::check_defined("resolve_neg", "self", self);
  return self;
}

Tensor narrow_copy(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length) {
  ops::check_defined("narrow_copy", "self", self);
  return self.narrow(dim, start, length).clone(MemoryFormat::Contiguous);
}

Tensor reshape_as(const Tensor& self, const Tensor& other) {
  ops::check_defined("reshape_as", "self", self, "other", other);
  return self.reshape(other.sizes());
}

Tensor ravel(const Tensor& self) {
  ops::check_defined("ravel", "self", self);
  return self.contiguous().view({-1});
}

Tensor type_as(const Tensor& self, const Tensor& other) {
  ops::check_defined("type_as", "self", self, "other", other);
  return self.to(other.scalar_type());
}

Tensor view_as(const Tensor& self, const Tensor& other) {
  ops::check_defined("view_as", "self", self, "other", other);
  return self.view(other.sizes());
}

Tensor expand_as(const Tensor& self, const Tensor& other) {
  ops::check_defined("expand_as", "self", self, "other", other);
  return self.expand(other.sizes());
}

Tensor broadcast_to(const Tensor& self, IntArrayRef size) {
  ops::check_defined("broadcast_to", "self", self);
  return self.expand(size);
}

Tensor sum_to_size(const Tensor& self, IntArrayRef size) {
  ops::check_defined("sum_to_size", "self", self);
  const IntArrayRef sizes = self.sizes();
  bool fits = size.size() <= sizes.size();
  const std::size_t lead = fits ? sizes.size() - size.size() : 0;
  DimVector dims;
  for (std::size_t i = 0; fits && i < sizes.size(); ++i) {
    if (i < lead) {
      dims.push_back(static_cast<std::int64_t>(i));
    } else if (size[i - lead] == 1 && sizes[i] != 1) {
      dims.push_back(static_cast<std::int64_t>(i));
    } else {
      fits = size[i - lead] == sizes[i];
    }
  }
  LANEWISE_CHECK(ShapeError, fits, "sum_to_size: ", size, " does not broadcast to ", sizes);
  if (size.empty()) return self.sum();
  if (dims.empty()) return self;
  Tensor result = self.sum(dims, true);
  return lead > 0 ? result.view(size) : result;
}

Tensor narrow(const Tensor& self, std::int64_t dim, const Tensor& start, std::int64_t length) {
  ops::check_defined("narrow", "self", self, "start", start);
  LANEWISE_CHECK(ShapeError, start.dim() == 0 && is_integral(start.scalar_type(), false),
                 "narrow: start must be an 0-dim integral Tensor, found ", start.scalar_type(), " of shape ",
                 start.sizes());
  return narrow(self, dim, start.item<std::int64_t>(), length);
}

Tensor narrow(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length) {
  ops::check_defined("narrow", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "narrow: a 0-dim tensor has no dimension to narrow");
  const std::int64_t d = wrap_dim("narrow", dim, self.dim());
  const std::int64_t size = self.size(d);
  const std::int64_t first = start < 0 ? start + size : start;
  LANEWISE_CHECK(IndexError, length >= 0, "narrow: length must be non-negative, it is ", length);
  LANEWISE_CHECK(IndexError, first >= 0 && first <= size && length <= size - first, "narrow: start (", start,
                 ") + length (", length, ") exceeds dimension size (", size, ") of dimension ", d,
                 ", or start is not within it");
  return self.slice(d, first, first + length, 1);
}

Tensor real(const Tensor& self) {
  ops::check_defined("real", "self", self);
  return self.is_complex() ? view_as_real(self).select(-1, 0) : self;
}

Tensor imag(const Tensor& self) {
  ops::check_defined("imag", "self", self);
  LANEWISE_CHECK(DtypeError, self.is_complex(),
                 "imag: not implemented for tensors with non-complex dtypes, found ",
                 to_string(self.scalar_type()));
  return view_as_real(self).select(-1, 1);
}

Tensor conj(const Tensor& self) {
  ops::check_defined("conj", "self", self);
  if (!self.is_complex()) return self;
  // As a number it would be rounded to the default dtype.
  if (self.is_wrapped_number()) return detail::wrapped_number(self.item().conj());
  return _conj_physical(self);
}

Tensor conj_physical(const Tensor& self) {
  ops::check_defined("conj_physical", "self", self);
  return conj(self);
}

Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other) {
  ops::check_defined("where", "condition", condition, "other", other);
  self.check_fits(result_type(other, self), "where");
  return where(condition, detail::wrapped_number(self), other);
}

Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other) {
  ops::check_defined("where", "condition", condition, "self", self);
  other.check_fits(result_type(self, other), "where");
  return where(condition, self, detail::wrapped_number(other));
}

namespace {

/// The size of each chunk but the last; 0 where the dimension is empty.
std::int64_t chunk_size(const char* op, const Tensor& self, std::int64_t chunks, std::int64_t dim) {
  ops::check_defined(op, "self", self);
  LANEWISE_CHECK(ValueError, chunks > 0, op, " expects `chunks` to be greater than 0, got: ", chunks);
  LANEWISE_CHECK(ShapeError, self.dim() > 0, op, ": a 0-dim tensor has no dimension to split");
  const std::int64_t size = self.size(wrap_dim(op, dim, self.dim()));
  return size == 0 ? 0 : (size - 1) / chunks + 1;
}

/// Of an empty dimension as many empty parts as asked for.
std::vector<std::int64_t> no_sizes(const char* op, std::int64_t chunks) {
  static_cast<void>(ops::room_for(op, chunks));  // refuses a count that no memory holds
  return std::vector<std::int64_t>(static_cast<std::size_t>(chunks), 0);
}

}  // namespace

std::vector<Tensor> chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim) {
  const std::int64_t size = chunk_size("chunk", self, chunks, dim);
  return size == 0 ? split_with_sizes(self, no_sizes("chunk", chunks), dim) : split(self, size, dim);
}

std::vector<Tensor> unsafe_chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim) {
  const std::int64_t size = chunk_size("unsafe_chunk", self, chunks, dim);
  return size == 0 ? unsafe_split_with_sizes(self, no_sizes("unsafe_chunk", chunks), dim)
                   : unsafe_split(self, size, dim);
}

Tensor movedim(const Tensor& self, std::int64_t source, std::int64_t destination) {
  ops::check_defined("movedim", "self", self);
  const std::int64_t from = wrap_dim("movedim", source, self.dim());
  const std::int64_t to = wrap_dim("movedim", destination, self.dim());
  DimVector order;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (d != from) order.push_back(d);
  }
  if (self.dim() > 0) order.insert(order.begin() + to, from);
  return self.permute(order);
}

Tensor swapaxes(const Tensor& self, std::int64_t axis0, std::int64_t axis1) {
  ops::check_defined("swapaxes", "self", self);
  return self.transpose(axis0, axis1);
}

Tensor mT(const Tensor& self) {
  ops::check_defined("mT", "self", self);
  if (self.dim() == 0) return self;
  LANEWISE_CHECK(ShapeError, self.dim() >= 2, "mT: expected at least two dimensions, found shape ",
                 self.sizes());
  return self.transpose(-2, -1);
}

}  // namespace lanewise
