#pragma once

#include <optional>

#include <lanewise/autograd/node.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// Adds the gradients of `tensors` with respect to the leaves of the graph into the leaves' grad: the product
/// of the Jacobian with `grad_tensors` (one per tensor; may be empty or undefined for tensors with one
/// element, then 1).
///
/// retain_graph   keeps the saved tensors for another backward; default: create_graph
/// create_graph   records the backward itself, for higher derivatives; then the graph of x.grad() leads back to x, a
///                cycle that lives until x.mutable_grad() is assigned an undefined Tensor. grad() makes no such cycle
/// inputs         only these tensors get gradients, leaves or not; empty: all leaves
/// Throws         AutogradError if a tensor needs no gradient, is no scalar and has no grad_tensor, the shape of a
///                grad_tensor is not that of its tensor, or the graph was freed before
LANEWISE_API void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
                           std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                           const variable_list& inputs = {});

/// The gradients of `outputs` with respect to `inputs`, not added to any grad. Inputs that the outputs do not
/// depend on are an error, or with allow_unused an undefined tensor, or with materialize_grads zeros.
/// Otherwise like backward().
LANEWISE_API variable_list grad(const variable_list& outputs, const variable_list& inputs,
                                const variable_list& grad_outputs = {},
                                std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                                bool allow_unused = false, bool materialize_grads = false);

}  // namespace lanewise::autograd
