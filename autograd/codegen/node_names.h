#pragma once

#include <string>
#include <vector>

#include "op.h"

namespace lanewise::codegen {

/// Gives every differentiable op its node: the op's name in camel case, `Backward` and the number of the
/// overload in order of the list (add.Tensor: AddBackward0, add.Scalar: AddBackward1).
void name_nodes(std::vector<Op>& ops);

/// Name of the node of the in-place form of an op without derivatives.
std::string zero_node_name(const Op& op);

}  // namespace lanewise::codegen
