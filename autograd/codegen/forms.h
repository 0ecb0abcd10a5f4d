#pragma once

#include <optional>

#include "op.h"

namespace lanewise::codegen {

/// `call`, which makes the views of a view op, marked as views; other ops' calls as they are.
std::string as_view(const Op& op, const std::string& call);

/// "{&self, &other}", with ", list" after it where there is a list of tensors: the arguments of a Frame.
std::string tensor_pointers(const Schema& schema, const std::string& first = "");

/// Schema of the in-place form: mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!).
Schema inplace_schema(const Op& op);

/// Schema of the out= form: mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!).
Schema out_schema(const Op& op);
/// "out", or "out0", "out1" and so on for several results.
std::vector<std::string> out_names(const Op& op);

}  // namespace lanewise::codegen
