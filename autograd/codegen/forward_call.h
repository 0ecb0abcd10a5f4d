#pragma once

#include <string>

#include "op.h"

namespace lanewise::codegen {

/// The constant of a pointwise op that names its kernel: k_add_Tensor.
std::string pointwise_constant(const Op& op);

/// The call that computes an op, without derivatives, and its result.
std::string forward_call(const Op& op);
/// The operands of a pointwise op, its parameters after them: `{self, other}, ArrayRef<Scalar>(alpha)`.
std::string pointwise_operands(const Op& op);
/// The call of an op with `into:` that writes `target`, whose form `form` errors name.
std::string forward_into_call(const Op& op, const std::string& form, const std::string& target,
                              bool resizable);
/// forward_call(), or its rule for batched arguments if there are any.
std::string batched_or_forward_call(const Op& op);

}  // namespace lanewise::codegen
