#pragma once

#include <optional>

#include <lanewise/tensor/tensor.h>

/// Copies between any two dtypes and layouts, and fills. No autograd.
namespace lanewise::ops {

/// self = src, broadcast to the shape of self and converted to its dtype (to bool: != 0; complex to real
/// drops the imaginary part; float to integer truncates). Transposed copies go through 2-D blocks, so both
/// sides use whole cache lines. Throws ShapeError if src does not broadcast to self; StorageError if self
/// overlaps itself, or src in part.
LANEWISE_API Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking = false);

/// Every element becomes `value`. Throws ValueError if the dtype cannot hold it.
LANEWISE_API Tensor& fill_(Tensor& self, const Scalar& value);
/// The same for the value of a 0-dim tensor. Throws ShapeError if it has dimensions.
LANEWISE_API Tensor& fill_(Tensor& self, const Tensor& value);
/// The value in the shape, layout and dtype of self.
Tensor fill(const Tensor& self, const Scalar& value);
Tensor fill(const Tensor& self, const Tensor& value);
/// A fresh contiguous tensor of one value. Throws as fill_ does.
Tensor filled(IntArrayRef sizes, ScalarType dtype, const Scalar& value);
/// The bytes of one element, 16 bytes aligned to 16, for all of self.
void fill_with(const Tensor& self, char* element);

/// A copy of its own memory, in the layout of self if that is dense, unless `memory_format` asks for another.
LANEWISE_API Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format = std::nullopt);
/// The same in another dtype.
LANEWISE_API Tensor to_copy(const Tensor& self, std::optional<ScalarType> dtype = std::nullopt,
                            std::optional<MemoryFormat> memory_format = std::nullopt);
/// self if it is contiguous, else a contiguous copy.
LANEWISE_API Tensor contiguous(const Tensor& self);

}  // namespace lanewise::ops
