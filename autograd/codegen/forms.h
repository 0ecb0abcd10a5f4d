#pragma once

#include <optional>

#include "op.h"

namespace lanewise::codegen {

/// Schema of the in-place form: mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!).
Schema inplace_schema(const Op& op);

/// Schema of the out= form: mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!).
Schema out_schema(const Op& op);

}  // namespace lanewise::codegen
