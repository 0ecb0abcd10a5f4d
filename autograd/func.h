#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <lanewise/autograd/functional.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Derivatives as functions of functions, which may be put into each other in any order, as torch.func.
namespace lanewise::func {

using autograd::variable_list;
using autograd::functional::ListFunction;
using autograd::functional::TensorFunction;
using ScalarFunction = std::function<Tensor(const variable_list& inputs)>;

/// The function that gives the gradient of `fn`, whose result has one element, with respect to its
/// argument...
LANEWISE_API TensorFunction grad(TensorFunction fn);
/// ...or to those of its arguments at `argnums`.
LANEWISE_API ListFunction grad(ScalarFunction fn, std::vector<std::int64_t> argnums = {0});

/// The same with the value: (gradient, value).
LANEWISE_API std::function<std::pair<Tensor, Tensor>(const Tensor&)> grad_and_value(TensorFunction fn);
LANEWISE_API std::function<std::pair<variable_list, Tensor>(const variable_list&)> grad_and_value(
    ScalarFunction fn, std::vector<std::int64_t> argnums = {0});
/// (value, gradient).
LANEWISE_API std::function<std::pair<Tensor, Tensor>(const Tensor&)> value_and_grad(TensorFunction fn);
LANEWISE_API std::function<std::pair<Tensor, variable_list>(const variable_list&)> value_and_grad(
    ScalarFunction fn, std::vector<std::int64_t> argnums = {0});

/// The outputs, and a function from cotangents (one per output) to the gradients of the primals; it may be
/// called often.
LANEWISE_API std::pair<variable_list, ListFunction> vjp(const ListFunction& fn, const variable_list& primals);
LANEWISE_API std::pair<Tensor, TensorFunction> vjp(const TensorFunction& fn, const Tensor& primal);

/// The outputs and their tangents, by forward mode.
LANEWISE_API std::pair<variable_list, variable_list> jvp(const ListFunction& fn, const variable_list& primals,
                                                         const variable_list& tangents);
LANEWISE_API std::pair<Tensor, Tensor> jvp(const TensorFunction& fn, const Tensor& primal,
                                           const Tensor& tangent);

/// Jacobians: output.sizes() + input.sizes(). jacrev has a backward per element of the output, jacfwd a run
/// per element of the input.
LANEWISE_API TensorFunction jacrev(TensorFunction fn);
LANEWISE_API TensorFunction jacfwd(TensorFunction fn);
/// jacfwd(jacrev(fn)).
LANEWISE_API TensorFunction hessian(TensorFunction fn);

}  // namespace lanewise::func
