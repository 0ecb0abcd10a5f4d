#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Tensors from sizes, below the public factories: what ops allocate their results with. No autograd.
namespace lanewise::detail {

/// The product of `sizes`. Throws ShapeError, beginning with `op`, if one is negative or the product does not
/// fit int64.
LANEWISE_API std::int64_t checked_numel(const char* op, IntArrayRef sizes);

/// a + b and a * b of sizes. Throws ShapeError, beginning with `op`, where they do not fit int64.
LANEWISE_API std::int64_t checked_sum(const char* op, std::int64_t a, std::int64_t b);
LANEWISE_API std::int64_t checked_product(const char* op, std::int64_t a, std::int64_t b);

/// The elements that a tensor reaches from its first to its last, 0 if it is empty. Throws ShapeError,
/// beginning with `op`, if the lists differ in length, a stride is negative or the reach does not fit int64.
LANEWISE_API std::int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides);
/// Bytes of `numel` elements; throws ShapeError unless byte offsets fit in int64.
std::size_t checked_nbytes(const char* op, std::int64_t numel, IntArrayRef sizes, std::size_t itemsize);

/// Contiguous, not initialised. Throws ShapeError, AllocationError.
LANEWISE_API Tensor empty_cpu(IntArrayRef sizes, ScalarType dtype);
/// Contiguous, not initialised, of the shape of `like`. Throws AllocationError.
LANEWISE_API Tensor empty_contiguous_like(const TensorImpl& like, ScalarType dtype);
/// Not initialised, room for exactly what the non-negative strides reach. Throws ShapeError, AllocationError.
LANEWISE_API Tensor empty_strided_cpu(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
/// Not initialised, the shape of `like`, in its order of dimensions if that is dense, else contiguous.
LANEWISE_API Tensor empty_like_cpu(const Tensor& like, ScalarType dtype);
/// Not initialised, in this format; `op` begins errors. Throws as strides_in() does.
LANEWISE_API Tensor empty_in(const char* op, IntArrayRef sizes, ScalarType dtype, MemoryFormat format);
/// The shape of `like`, in this format; as empty_like_cpu() without one and for Preserve.
LANEWISE_API Tensor empty_like_in(const char* op, const Tensor& like, ScalarType dtype,
                                  std::optional<MemoryFormat> format);

/// A fresh Tensor over the memory of `base`, with its dtype and version counter, without autograd. Unchecked.
LANEWISE_API Tensor make_view(const Tensor& base, IntArrayRef sizes, IntArrayRef strides,
                              std::int64_t storage_offset);
/// The same with another dtype, in whose elements strides and offset count (view_as_real).
LANEWISE_API Tensor make_view(const Tensor& base, IntArrayRef sizes, IntArrayRef strides,
                              std::int64_t storage_offset, ScalarType dtype);
/// A fresh Tensor of the same shape and memory, sharing versions or not.
LANEWISE_API Tensor make_alias(const Tensor& base, bool share_version = true);

/// A 0-dim tensor of the number's own type (Bool, Long, Double, ComplexDouble), marked as a wrapped number.
LANEWISE_API Tensor wrapped_number(const Scalar& value);

/// Gives `out` these sizes, which may be its own, contiguous or with non-negative strides, and more memory if it needs it. Throws
/// ShapeError, AllocationError; StorageError for memory from outside that is too small.
LANEWISE_API void resize_cpu(Tensor& out, IntArrayRef sizes);
LANEWISE_API void resize_cpu(Tensor& out, IntArrayRef sizes, IntArrayRef strides);
/// Throws ShapeError or StorageError where resize_cpu() would; `op` begins the message.
LANEWISE_API void check_resizable(const char* op, const Tensor& out, IntArrayRef sizes);

}  // namespace lanewise::detail
