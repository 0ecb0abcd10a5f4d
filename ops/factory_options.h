#pragma once

#include <optional>
#include <utility>

#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// The options of a _like or new_ factory: a dtype that is not given is that of `self`, which must be defined.
TensorOptions options_like(const char* op, const Tensor& self, const TensorOptions& options);

/// The format that either asks for. Throws ValueError, beginning with `op`, if both do.
std::optional<MemoryFormat> format_of(const char* op, const TensorOptions& options,
                                      std::optional<MemoryFormat> memory_format);

/// A fresh tensor as its options want it.
inline Tensor with_options(Tensor&& t, const TensorOptions& options) {
  if (options.requires_grad()) t.set_requires_grad(true);
  return std::move(t);
}

}  // namespace lanewise::ops
