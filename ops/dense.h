#pragma once

#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// `t` itself if it is contiguous and has this dtype, else a contiguous converted copy. No autograd.
Tensor dense(const Tensor& t, ScalarType dtype);
inline Tensor dense(const Tensor& t) { return dense(t, t.scalar_type()); }

}  // namespace lanewise::ops
