#pragma once

#include <cstdint>
#include <optional>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// A tensor made to look at its memory in another way, or at other memory. No autograd.
namespace lanewise::ops {

LANEWISE_API void squeeze_(Tensor& self);
LANEWISE_API void squeeze_(Tensor& self, std::int64_t dim);
LANEWISE_API void squeeze_(Tensor& self, IntArrayRef dims);
LANEWISE_API void unsqueeze_(Tensor& self, std::int64_t dim);
LANEWISE_API void transpose_(Tensor& self, std::int64_t dim0, std::int64_t dim1);
LANEWISE_API void t_(Tensor& self);

/// Throws as as_strided does.
LANEWISE_API void as_strided_(Tensor& self, IntArrayRef size, IntArrayRef stride,
                              std::optional<std::int64_t> storage_offset);

/// Throws AutogradError, beginning with `op`, for a tensor that requires a gradient.
LANEWISE_API void check_resizable(const char* op, const Tensor& self);
/// With these sizes, contiguous or in a format; the memory grows if it must, what is new in it is not initialised.
LANEWISE_API void resize_(Tensor& self, IntArrayRef size, std::optional<MemoryFormat> memory_format);
/// To the sizes of `like`; of these Preserve gives the format too.
LANEWISE_API void resize_as_(Tensor& self, const Tensor& like, std::optional<MemoryFormat> memory_format);
/// self over the memory of source, as source sees it. Throws DtypeError if the dtypes differ.
LANEWISE_API void set_(Tensor& self, const Tensor& source);
/// self without memory, of size 0.
LANEWISE_API void set_(Tensor& self);

}  // namespace lanewise::ops
