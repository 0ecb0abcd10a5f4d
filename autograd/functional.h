#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <lanewise/autograd/node.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Derivatives of functions. The inputs are not touched: each function is called with tensors of its own.
namespace lanewise::autograd::functional {

using TensorFunction = std::function<Tensor(const Tensor& input)>;
using ListFunction = std::function<variable_list(const variable_list& inputs)>;

// What all have in common, as torch.autograd.functional:
//
// create_graph  the result can be differentiated again, with respect to inputs that require a gradient
// strict        an output that does not depend on an input is an AutogradError instead of zeros
// Throws        AutogradError if shapes of inputs, outputs and vectors do not fit

/// The outputs, and the product of `v`, one per output, with the Jacobian. `v` may be left out for one output
/// with one element.
LANEWISE_API std::pair<variable_list, variable_list> vjp(const ListFunction& fn, const variable_list& inputs,
                                                         const variable_list& v = {},
                                                         bool create_graph = false, bool strict = false);
LANEWISE_API std::pair<Tensor, Tensor> vjp(const TensorFunction& fn, const Tensor& input,
                                           const Tensor& v = {}, bool create_graph = false,
                                           bool strict = false);

/// The outputs, and the product of the Jacobian with `v`, one per input. By two backwards, so that it works
/// where an op has no forward-mode derivative; func::jvp is the faster way.
LANEWISE_API std::pair<variable_list, variable_list> jvp(const ListFunction& fn, const variable_list& inputs,
                                                         const variable_list& v = {},
                                                         bool create_graph = false, bool strict = false);
LANEWISE_API std::pair<Tensor, Tensor> jvp(const TensorFunction& fn, const Tensor& input,
                                           const Tensor& v = {}, bool create_graph = false,
                                           bool strict = false);

/// Jacobians [output][input], of shape output.sizes() + input.sizes(). A row per backward ("reverse-mode") or
/// a column per tangent ("forward-mode", with vectorize only, as in PyTorch; neither strict nor
/// create_graph).
LANEWISE_API std::vector<variable_list> jacobian(const ListFunction& fn, const variable_list& inputs,
                                                 bool create_graph = false, bool strict = false,
                                                 bool vectorize = false,
                                                 std::string_view strategy = "reverse-mode");
LANEWISE_API Tensor jacobian(const TensorFunction& fn, const Tensor& input, bool create_graph = false,
                             bool strict = false, bool vectorize = false,
                             std::string_view strategy = "reverse-mode");

/// Second derivatives [input][input] of a function with one output of one element.
LANEWISE_API std::vector<variable_list> hessian(const ListFunction& fn, const variable_list& inputs,
                                                bool create_graph = false, bool strict = false,
                                                bool vectorize = false,
                                                std::string_view outer_jacobian_strategy = "reverse-mode");
LANEWISE_API Tensor hessian(const TensorFunction& fn, const Tensor& input, bool create_graph = false,
                            bool strict = false, bool vectorize = false,
                            std::string_view outer_jacobian_strategy = "reverse-mode");

/// The output, and the product of `v` with the Hessian.
LANEWISE_API std::pair<variable_list, variable_list> vhp(const ListFunction& fn, const variable_list& inputs,
                                                         const variable_list& v = {},
                                                         bool create_graph = false, bool strict = false);
LANEWISE_API std::pair<Tensor, Tensor> vhp(const TensorFunction& fn, const Tensor& input,
                                           const Tensor& v = {}, bool create_graph = false,
                                           bool strict = false);

/// The output, and the product of the Hessian with `v`.
LANEWISE_API std::pair<variable_list, variable_list> hvp(const ListFunction& fn, const variable_list& inputs,
                                                         const variable_list& v = {},
                                                         bool create_graph = false, bool strict = false);
LANEWISE_API std::pair<Tensor, Tensor> hvp(const TensorFunction& fn, const Tensor& input,
                                           const Tensor& v = {}, bool create_graph = false,
                                           bool strict = false);

}  // namespace lanewise::autograd::functional
