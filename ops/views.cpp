#include <algorithm>
#include <new>
#include <utility>

#include <lanewise/ops/checks.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {

namespace {

using Dim = std::int64_t;

/// Like wrap_dim, but a 0-dim tensor has no dimension to name.
Dim wrap_existing_dim(const char* op, Dim dim, Dim rank) {
  LANEWISE_CHECK(IndexError, rank > 0, op, ": dimension ", dim,
                 " was given for a 0-dim tensor, which has none");
  return wrap_dim(op, dim, rank);
}

}  // namespace

Tensor alias(const Tensor& self) {
  check_defined("alias", "self", self);
  return lanewise::detail::make_alias(self);
}

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<std::int64_t> storage_offset) {
  check_defined("as_strided", "self", self);
  LANEWISE_CHECK(ShapeError, size.size() == stride.size(), "as_strided: ", size.size(), " sizes ", size,
                 " came with ", stride.size(), " strides ", stride);
  const std::int64_t offset = storage_offset.value_or(self.storage_offset());
  LANEWISE_CHECK(ShapeError, offset >= 0, "as_strided: storage offset ", offset, " is negative");
  const std::int64_t numel = lanewise::detail::checked_numel("as_strided", size);
  std::int64_t end = lanewise::detail::checked_sum("as_strided", offset, numel == 0 ? 0 : 1);
  for (std::size_t d = 0; d < size.size(); ++d) {
    LANEWISE_CHECK(ShapeError, stride[d] >= 0, "as_strided: negative strides are not supported, got ",
                   stride);
    std::int64_t reach = 0;
    LANEWISE_CHECK(ShapeError,
                   numel == 0 || (!__builtin_mul_overflow(size[d] - 1, stride[d], &reach) &&
                                  !__builtin_add_overflow(end, reach, &end)),
                   "as_strided: sizes ", size, " with strides ", stride, " reach further than int64");
  }
  const auto available = static_cast<std::int64_t>(self.storage().nbytes() / self.itemsize());
  LANEWISE_CHECK(ShapeError, numel == 0 || end <= available, "as_strided: sizes ", size, ", strides ", stride,
                 " and offset ", offset, " reach element ", end - 1,
                 " and are out of bounds for a storage of ", available, " elements");
  return lanewise::detail::make_view(self, size, stride, offset);
}

Tensor expand(const Tensor& self, IntArrayRef size, bool /*implicit*/) {
  check_defined("expand", "self", self);
  const Dim rank = self.dim();
  const Dim new_rank = static_cast<Dim>(size.size());
  LANEWISE_CHECK(ShapeError, new_rank >= rank, "expand: the number of sizes provided (", new_rank,
                 ") must be greater or equal to the number of dimensions in the tensor (", rank, "); sizes ",
                 size, " for a tensor of sizes ", self.sizes());
  DimVector sizes(size);
  DimVector strides(size.size());
  for (Dim d = new_rank - 1; d >= 0; --d) {
    const Dim from = d - (new_rank - rank);
    if (from < 0) {
      LANEWISE_CHECK(ShapeError, sizes[d] >= 0, "expand: size ", sizes[d],
                     " is not allowed in the new leading dimension ", d, " of ", size);
      // A size of 1 repeats nothing; its stride is that of a contiguous tensor.
      strides[d] = sizes[d] == 1 && rank > 0 ? sizes[d + 1] * strides[d + 1] : 0;
      continue;
    }
    const std::int64_t old = self.sizes()[from];
    if (sizes[d] == -1) sizes[d] = old;
    LANEWISE_CHECK(ShapeError, sizes[d] == old || (old == 1 && sizes[d] >= 0),
                   "expand: the expanded size of the tensor (", sizes[d], ") must match the existing size (",
                   old, ") at non-singleton dimension ", d, "; target sizes ", size, ", tensor sizes ",
                   self.sizes());
    strides[d] = sizes[d] == old ? self.strides()[from] : 0;
  }
  lanewise::detail::checked_numel("expand", sizes);
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset());
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  check_defined("permute", "self", self);
  LANEWISE_CHECK(ShapeError, static_cast<Dim>(dims.size()) == self.dim(),
                 "permute: number of dimensions in the tensor input does not match the length of the desired "
                 "ordering of "
                 "dimensions i.e. input.dim() = ",
                 self.dim(), " is not equal to len(dims) = ", dims.size(), " of ", dims);
  const DimVector order = wrap_dims("permute", dims, self.dim());
  DimVector sizes(order.size());
  DimVector strides(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) {
    sizes[d] = self.sizes()[order[d]];
    strides[d] = self.strides()[order[d]];
  }
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset());
}

namespace {

Tensor swap_dims(const char* op, const Tensor& self, Dim dim0, Dim dim1) {
  check_defined(op, "self", self);
  dim0 = wrap_dim(op, dim0, self.dim());
  dim1 = wrap_dim(op, dim1, self.dim());
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  if (dim0 != dim1) {
    std::swap(sizes[dim0], sizes[dim1]);
    std::swap(strides[dim0], strides[dim1]);
  }
  return lanewise::detail::make_view(self, sizes, strides, self.storage_offset());
}

}  // namespace

Tensor transpose(const Tensor& self, Dim dim0, Dim dim1) { return swap_dims("transpose", self, dim0, dim1); }

Tensor t(const Tensor& self) {
  check_defined("t", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() <= 2, "t: expects a tensor with <= 2 dimensions, but self is ",
                 self.dim(), "D; use transpose or mT");
  return self.dim() < 2 ? lanewise::detail::make_alias(self) : swap_dims("t", self, 0, 1);
}

Tensor movedim(const Tensor& self, Dim source, Dim destination) {
  check_defined("movedim", "self", self);
  const Dim from = wrap_dim("movedim", source, self.dim()), to = wrap_dim("movedim", destination, self.dim());
  DimVector order;
  for (Dim d = 0; d < self.dim(); ++d) {
    if (d != from) order.push_back(d);
  }
  if (self.dim() > 0) order.insert(order.begin() + to, from);
  return permute(self, order);
}

Tensor select(const Tensor& self, Dim dim, std::int64_t index) {
  check_defined("select", "self", self);
  dim = wrap_existing_dim("select", dim, self.dim());
  const std::int64_t size = self.sizes()[dim];
  LANEWISE_CHECK(IndexError, index >= -size && index < size, "select: index ", index,
                 " out of range for tensor of size ", self.sizes(), " at dimension ", dim);
  if (index < 0) index += size;
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  const std::int64_t offset = self.storage_offset() + index * strides[dim];
  sizes.erase(sizes.begin() + dim);
  strides.erase(strides.begin() + dim);
  return lanewise::detail::make_view(self, sizes, strides, offset);
}

Tensor slice(const Tensor& self, Dim dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
             std::int64_t step) {
  check_defined("slice", "self", self);
  dim = wrap_existing_dim("slice", dim, self.dim());
  LANEWISE_CHECK(ValueError, step > 0, "slice: step must be positive, but got ", step,
                 "; use flip for the reverse order");
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  const std::int64_t size = sizes[dim];
  const auto clamped = [size](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + size : i, 0, size);
  };
  const std::int64_t first = clamped(start.value_or(0));
  const std::int64_t last = std::max(first, end ? clamped(*end) : size);
  const std::int64_t length = last - first;
  sizes[dim] = length / step + (length % step != 0);
  const std::int64_t offset = self.storage_offset() + first * strides[dim];
  // A stride that no two elements use may be anything; only the product that is used must fit.
  std::int64_t stride = 0;
  if (!__builtin_mul_overflow(strides[dim], step, &stride)) strides[dim] = stride;
  return lanewise::detail::make_view(self, sizes, strides, offset);
}

Tensor narrow(const Tensor& self, Dim dim, std::int64_t start, std::int64_t length) {
  check_defined("narrow", "self", self);
  dim = wrap_existing_dim("narrow", dim, self.dim());
  const std::int64_t size = self.sizes()[dim];
  LANEWISE_CHECK(ShapeError, length >= 0, "narrow: length must be non-negative, but got ", length);
  LANEWISE_CHECK(IndexError, start >= -size && start <= size,
                 "narrow: start out of range (expected to be in range of [", -size, ", ", size, "], but got ",
                 start, ")");
  if (start < 0) start += size;
  LANEWISE_CHECK(IndexError, length <= size - start, "narrow: start (", start, ") + length (", length,
                 ") exceeds dimension size (", size, ") of dimension ", dim);
  return slice(self, dim, start, start + length, 1);
}

std::vector<Tensor> room_for(const char* op, std::int64_t count) {
  // Each is a tensor besides its place in the list.
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  std::vector<Tensor> parts;
  try {
    LANEWISE_CHECK(AllocationError, count < kMost, op, ": there is no memory for ", count, " tensors");
    parts.reserve(static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    lanewise::detail::raise<AllocationError>(op, ": there is no memory for ", count, " tensors");
  }
  return parts;
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, Dim dim) {
  check_defined("split_with_sizes", "self", self);
  dim = wrap_existing_dim("split_with_sizes", dim, self.dim());
  const std::int64_t size = self.sizes()[dim];
  std::int64_t sum = 0;
  for (const std::int64_t part : split_sizes) {
    LANEWISE_CHECK(ShapeError, part >= 0 && part <= size - sum, "split_with_sizes: sizes ", split_sizes,
                   " must be non-negative and sum exactly to ", size, " (input tensor's size at dimension ",
                   dim, ")");
    sum += part;
  }
  LANEWISE_CHECK(ShapeError, sum == size, "split_with_sizes: sizes ", split_sizes, " sum to ", sum,
                 ", but must sum exactly to ", size, " (input tensor's size at dimension ", dim, ")");
  std::vector<Tensor> parts = room_for("split_with_sizes", static_cast<std::int64_t>(split_sizes.size()));
  std::int64_t start = 0;
  for (const std::int64_t part : split_sizes) {
    parts.push_back(slice(self, dim, start, start + part, 1));
    start += part;
  }
  return parts;
}

std::vector<Tensor> split(const Tensor& self, std::int64_t split_size, Dim dim) {
  check_defined("split", "self", self);
  dim = wrap_existing_dim("split", dim, self.dim());
  const std::int64_t size = self.sizes()[dim];
  LANEWISE_CHECK(ShapeError, split_size > 0 || (split_size == 0 && size == 0),
                 "split: split_size can only be 0 if dimension size is 0, and never negative, but got "
                 "dimension size of ",
                 size, " for dimension ", dim, " and split_size ", split_size);
  if (size == 0) return {slice(self, dim, 0, 0, 1)};
  std::vector<Tensor> parts = room_for("split", (size - 1) / split_size + 1);
  for (std::int64_t start = 0; start < size; start += std::min(split_size, size - start)) {
    parts.push_back(slice(self, dim, start, start + std::min(split_size, size - start), 1));
  }
  return parts;
}

namespace {
std::vector<Tensor> with_own_versions(std::vector<Tensor>&& parts) {
  for (const Tensor& part : parts) part.unsafeGetTensorImpl()->own_version(0);
  return std::move(parts);
}
}  // namespace

std::vector<Tensor> unsafe_split(const Tensor& self, std::int64_t split_size, Dim dim) {
  return with_own_versions(split(self, split_size, dim));
}

std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes, Dim dim) {
  return with_own_versions(split_with_sizes(self, split_sizes, dim));
}

std::vector<Tensor> unbind(const Tensor& self, Dim dim) {
  check_defined("unbind", "self", self);
  dim = wrap_existing_dim("unbind", dim, self.dim());
  std::vector<Tensor> parts = room_for("unbind", self.sizes()[dim]);
  for (std::int64_t i = 0; i < self.sizes()[dim]; ++i) parts.push_back(select(self, dim, i));
  return parts;
}

}  // namespace lanewise::ops
