#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Choosing by masks. No autograd.
namespace lanewise::ops {

/// [n, d] int64: the positions of the n elements that are not zero (NaN is not), in row-major order.
LANEWISE_API Tensor nonzero(const Tensor& self);

/// self with value (as self's dtype has it, fractions cut off where that is integral) where mask, bool, holds: contiguous, of
/// their broadcast shape; a tensor has 0 dimensions. Throws ValueError if value does not fit.
LANEWISE_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);
LANEWISE_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value);
LANEWISE_API void masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value);
LANEWISE_API void masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value);

/// The elements of self where mask holds, in row-major order of their broadcast shape; one dimension. Mask is
/// bool or uint8.
LANEWISE_API Tensor masked_select(const Tensor& self, const Tensor& mask);

/// self with the elements of source, in order, where mask holds; mask broadcasts. Throws ValueError if source
/// has too few.
LANEWISE_API Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source);
LANEWISE_API void masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source);

}  // namespace lanewise::ops
