#pragma once

#include <cstdint>

#include <lanewise/autograd/node.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

/// What the functions of functions share: namespaces functional and func.
namespace lanewise::autograd::detail {

/// Gradients of those outputs that require one, from `cotangents` (none: scalars); undefined for inputs that
/// have no part in them.
variable_list gradients_of(const variable_list& outputs, const variable_list& inputs,
                           const variable_list& cotangents, bool retain_graph, bool create_graph);

/// 1 at element `i`, else 0.
Tensor unit_like(const Tensor& t, std::int64_t i);

}  // namespace lanewise::autograd::detail
