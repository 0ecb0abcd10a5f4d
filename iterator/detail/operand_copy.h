#pragma once

#include <lanewise/tensor/tensor.h>

namespace lanewise::detail {

/// A copy of an operand of `op`, rounded to `dtype` if it has another, in the layout that it has if that is dense: what an op reads
/// in place of an input that it may not read as it lies.
Tensor operand_copy(const char* op, const Tensor& t, ScalarType dtype);

/// The same as it is, in the order of C.
Tensor contiguous_copy(const char* op, const Tensor& t);

}  // namespace lanewise::detail
