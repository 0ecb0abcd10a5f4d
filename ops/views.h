#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <lanewise/tensor/tensor.h>

/// Views: the same memory with other sizes, strides and offset. Raw: nothing is recorded for backward. Dims
/// may be negative. Throws ShapeError, IndexError, DtypeError before anything is made; messages begin with
/// the op.
namespace lanewise::ops {

LANEWISE_API Tensor alias(const Tensor& self);

/// `size` may hold one -1. Throws ShapeError if data would have to move (reshape copies then).
LANEWISE_API Tensor view(const Tensor& self, IntArrayRef size);
/// The same bytes as another dtype; the last dimension grows or shrinks by the ratio of the element sizes.
LANEWISE_API Tensor view_dtype(const Tensor& self, ScalarType dtype);
/// Whether view(self, size) works without moving data; `size` may hold one -1, and is checked as reshape
/// does.
LANEWISE_API bool can_view(const Tensor& self, IntArrayRef size);
/// Any window that lies within the storage; strides must not be negative.
LANEWISE_API Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                               std::optional<std::int64_t> storage_offset = std::nullopt);

/// Dimensions of size 1 repeat, with stride 0; -1 keeps a size.
LANEWISE_API Tensor expand(const Tensor& self, IntArrayRef size, bool implicit = false);

LANEWISE_API Tensor permute(const Tensor& self, IntArrayRef dims);
LANEWISE_API Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1);
LANEWISE_API Tensor movedim(const Tensor& self, std::int64_t source, std::int64_t destination);
/// Two dimensions swapped; fewer than two left alone.
LANEWISE_API Tensor t(const Tensor& self);

LANEWISE_API Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index);
/// start and end may be negative and are clamped; step is positive.
LANEWISE_API Tensor slice(const Tensor& self, std::int64_t dim = 0,
                          std::optional<std::int64_t> start = std::nullopt,
                          std::optional<std::int64_t> end = std::nullopt, std::int64_t step = 1);
LANEWISE_API Tensor narrow(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length);

LANEWISE_API Tensor squeeze(const Tensor& self);
LANEWISE_API Tensor squeeze(const Tensor& self, std::int64_t dim);
LANEWISE_API Tensor squeeze(const Tensor& self, IntArrayRef dims);
LANEWISE_API Tensor unsqueeze(const Tensor& self, std::int64_t dim);
/// The sizes that flatten(start_dim, end_dim) gives.
LANEWISE_API DimVector flatten_sizes(const Tensor& self, std::int64_t start_dim, std::int64_t end_dim);

LANEWISE_API Tensor diagonal(const Tensor& self, std::int64_t offset = 0, std::int64_t dim1 = 0,
                             std::int64_t dim2 = 1);
/// Windows of `size` every `step` along a dimension, in a new last dimension.
LANEWISE_API Tensor unfold(const Tensor& self, std::int64_t dimension, std::int64_t size, std::int64_t step);

/// complex [...] -> real [..., 2]
LANEWISE_API Tensor view_as_real(const Tensor& self);
/// real [..., 2] -> complex [...]
LANEWISE_API Tensor view_as_complex(const Tensor& self);

LANEWISE_API std::vector<Tensor> split(const Tensor& self, std::int64_t split_size, std::int64_t dim = 0);
/// As split, but each part has a version counter of its own.
LANEWISE_API std::vector<Tensor> unsafe_split(const Tensor& self, std::int64_t split_size, std::int64_t dim = 0);
LANEWISE_API std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                                         std::int64_t dim = 0);
LANEWISE_API std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                                  std::int64_t dim = 0);
/// An empty list with room for `count` tensors. Throws AllocationError.
std::vector<Tensor> room_for(const char* op, std::int64_t count);
LANEWISE_API std::vector<Tensor> unbind(const Tensor& self, std::int64_t dim = 0);

}  // namespace lanewise::ops
