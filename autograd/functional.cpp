#include <algorithm>
#include <string>

#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/derivative_parts.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/func.h>
#include <lanewise/autograd/functional.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::autograd::functional {
namespace {

using detail::gradients_of;
using detail::unit_like;

/// Tensors of our own to differentiate by; connected to inputs that the caller differentiates by.
variable_list own_inputs(const char* op, const variable_list& inputs, bool create_graph) {
  LANEWISE_CHECK(ValueError, !inputs.empty(), op, ": there are no inputs");
  variable_list own;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    LANEWISE_CHECK(ValueError, inputs[i].defined(), op, ": input ", i, " is undefined");
    const bool connected = create_graph && inputs[i].requires_grad();
    own.push_back(connected ? inputs[i].view_as(inputs[i]) : inputs[i].detach().requires_grad_());
  }
  return own;
}

/// The vectors, outside the caller's graph unless it is continued.
variable_list own_vectors(const char* op, const variable_list& v, const variable_list& of,
                          bool create_graph) {
  if (v.empty()) {
    LANEWISE_CHECK(
        AutogradError, of.size() == 1 && of[0].numel() == 1, op,
        ": the vector v can only be left out where there is a single tensor with a single element");
    return {ones_like(of[0])};
  }
  LANEWISE_CHECK(AutogradError, v.size() == of.size(), op, ": v has ", v.size(), " tensors; expected ",
                 of.size());
  variable_list own;
  for (std::size_t i = 0; i < v.size(); ++i) {
    LANEWISE_CHECK(AutogradError, v[i].defined() && v[i].sizes() == of[i].sizes(), op, ": tensor ", i,
                   " of v has another shape than ", of[i].sizes());
    own.push_back(create_graph ? v[i] : v[i].detach());
  }
  return own;
}

variable_list run(const char* op, const ListFunction& fn, const variable_list& inputs, bool strict) {
  variable_list outputs = fn(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    LANEWISE_CHECK(AutogradError, outputs[i].defined(), op, ": output ", i, " of the function is undefined");
    LANEWISE_CHECK(AutogradError, !strict || outputs[i].requires_grad(), op, ": output ", i,
                   " of the user-provided function does not require gradients; the outputs must be computed "
                   "in a differentiable "
                   "manner from the input when running in strict mode");
  }
  return outputs;
}

/// Gradients, zeros where there is no dependence.
variable_list gradients(const char* op, const variable_list& outputs, const variable_list& inputs,
                        const variable_list& directions, bool create_graph, bool strict,
                        bool retain_graph = false) {
  variable_list grads = gradients_of(outputs, inputs, directions, retain_graph, create_graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    LANEWISE_CHECK(AutogradError, !strict || grads[i].defined(), op,
                   ": the output of the user-provided function is independent of input ", i,
                   "; this is not allowed in strict mode");
    LANEWISE_CHECK(
        AutogradError, !strict || !create_graph || grads[i].requires_grad(), op,
        ": the derivative with respect to input ", i,
        " is independent of the input; this is not allowed in strict mode when create_graph is set");
    if (!grads[i].defined()) grads[i] = zeros_like(inputs[i]);
  }
  return grads;
}

variable_list finished(variable_list tensors, bool create_graph) {
  if (create_graph) return tensors;
  for (Tensor& t : tensors) t = t.detach();
  return tensors;
}

const Tensor& single_output(const char* op, const variable_list& outputs) {
  LANEWISE_CHECK(AutogradError, outputs.size() == 1 && outputs[0].numel() == 1, op,
                 ": the function must return a single Tensor with a single element");
  return outputs[0];
}

/// A call of the function, with tensors of our own in place of its inputs; gradients are recorded as long as
/// it lives.
struct Call {
  const char* op;
  bool create_graph, strict;
  EnableGradGuard guard;
  variable_list own, outputs;

  Call(const char* op_name, const ListFunction& fn, const variable_list& inputs, bool creates_graph,
       bool is_strict)
      : op(op_name),
        create_graph(creates_graph),
        strict(is_strict),
        own(own_inputs(op, inputs, create_graph)),
        outputs(run(op, fn, own, strict)) {}

  /// With a graph.
  variable_list gradient_of_scalar() const {
    single_output(op, outputs);
    return gradients(op, outputs, own, {}, /*create_graph=*/true, strict);
  }
  std::pair<variable_list, variable_list> finish(variable_list products) const {
    return {finished(outputs, create_graph), finished(std::move(products), create_graph)};
  }
};

variable_list zero_leaves(const variable_list& like) {
  variable_list zeros;
  for (const Tensor& t : like) zeros.push_back(batching::lift_to_active(zeros_like(t)).requires_grad_());
  return zeros;
}

ListFunction as_list(const TensorFunction& fn) {
  return [&fn](const variable_list& inputs) { return variable_list{fn(inputs[0])}; };
}
variable_list as_list(const Tensor& t) { return t.defined() ? variable_list{t} : variable_list(); }
std::pair<Tensor, Tensor> first(std::pair<variable_list, variable_list> both) {
  return {both.first[0], both.second[0]};
}

Tensor stacked(const variable_list& rows, IntArrayRef sizes, const Tensor& like) {
  return rows.empty() ? zeros(sizes, like.options()) : stack(rows).reshape(sizes);
}

std::vector<variable_list> reverse_jacobian(const char* op, const variable_list& outputs,
                                            const variable_list& inputs, bool create_graph, bool strict) {
  std::vector<variable_list> result;
  for (const Tensor& output : outputs) {
    std::vector<variable_list> rows(inputs.size());
    for (std::int64_t e = 0; e < output.numel(); ++e) {
      const variable_list grads = gradients(op, {output}, inputs, {unit_like(output, e)}, create_graph,
                                            strict, /*retain_graph=*/true);
      for (std::size_t i = 0; i < inputs.size(); ++i) rows[i].push_back(grads[i]);
    }
    variable_list of_output;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      of_output.push_back(stacked(rows[i], concatenated(output.sizes(), inputs[i].sizes()), inputs[i]));
    }
    result.push_back(finished(std::move(of_output), create_graph));
  }
  return result;
}

/// Columns put last.
std::vector<variable_list> forward_jacobian(const ListFunction& fn, const variable_list& inputs) {
  std::vector<variable_list> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<variable_list> columns;
    variable_list outputs;
    for (std::int64_t e = 0; e < std::max<std::int64_t>(inputs[i].numel(), 1); ++e) {
      variable_list tangents;
      for (std::size_t j = 0; j < inputs.size(); ++j) {
        tangents.push_back(i == j && inputs[j].numel() > 0 ? unit_like(inputs[j], e) : zeros_like(inputs[j]));
      }
      auto [values, found] = func::jvp(fn, inputs, tangents);
      outputs = values;
      result.resize(outputs.size());
      columns.resize(outputs.size());
      for (std::size_t o = 0; o < outputs.size() && inputs[i].numel() > 0; ++o)
        columns[o].push_back(found[o]);
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const DimVector sizes = concatenated(outputs[o].sizes(), inputs[i].sizes());
      result[o].push_back(columns[o].empty() ? zeros(sizes, outputs[o].options())
                                             : stack(columns[o], -1).reshape(sizes));
    }
  }
  return result;
}

}  // namespace

std::pair<variable_list, variable_list> vjp(const ListFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict) {
  const Call call("vjp", fn, inputs, create_graph, strict);
  const variable_list vectors = own_vectors("vjp", v, call.outputs, create_graph);
  return call.finish(gradients("vjp", call.outputs, call.own, vectors, create_graph, strict));
}

std::pair<variable_list, variable_list> jvp(const ListFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict) {
  const Call call("jvp", fn, inputs, create_graph, strict);
  const variable_list vectors = own_vectors("jvp", v, call.own, create_graph);
  // The backward is linear in its gradients; its derivative by them, times v, is the product wanted.
  const variable_list starts = zero_leaves(call.outputs);
  const variable_list grads = gradients("jvp", call.outputs, call.own, starts, /*create_graph=*/true, strict);
  return call.finish(gradients("jvp", grads, starts, vectors, create_graph, strict && create_graph));
}

std::vector<variable_list> jacobian(const ListFunction& fn, const variable_list& inputs, bool create_graph,
                                    bool strict, bool vectorize, std::string_view strategy) {
  LANEWISE_CHECK(ValueError, strategy == "reverse-mode" || strategy == "forward-mode",
                 "jacobian: strategy is \"", strategy, "\"; expected \"reverse-mode\" or \"forward-mode\"");
  LANEWISE_CHECK(AutogradError, !(strict && vectorize),
                 "jacobian: strict=true and vectorize=true are not supported together");
  if (strategy == "forward-mode") {
    LANEWISE_CHECK(NotImplementedError, !create_graph,
                   "jacobian: create_graph=true is not supported in forward mode; use func::jacfwd");
    LANEWISE_CHECK(NotImplementedError, vectorize, "jacobian: forward mode needs vectorize=true");
    variable_list own;
    for (const Tensor& input : inputs) own.push_back(input.detach());
    std::vector<variable_list> result = forward_jacobian(fn, own);
    for (variable_list& row : result) row = finished(std::move(row), false);
    return result;
  }
  const EnableGradGuard guard;
  const variable_list own = own_inputs("jacobian", inputs, create_graph);
  return reverse_jacobian("jacobian", run("jacobian", fn, own, strict), own, create_graph, strict);
}

std::vector<variable_list> hessian(const ListFunction& fn, const variable_list& inputs, bool create_graph,
                                   bool strict, bool vectorize, std::string_view outer_jacobian_strategy) {
  const bool forward = outer_jacobian_strategy == "forward-mode";
  const ListFunction gradient = [&](const variable_list& in) {
    const variable_list own = forward ? [&] {
      variable_list leaves;  // of duals, whose tangents must stay
      for (const Tensor& t : in)
        leaves.push_back(t.requires_grad() ? t.view_as(t) : Tensor(t).requires_grad_());
      return leaves;
    }()
                                      : in;
    const EnableGradGuard guard;
    const variable_list outputs = run("hessian", fn, own, strict);
    single_output("hessian", outputs);
    return gradients("hessian", outputs, own, {}, /*create_graph=*/true, strict && !vectorize);
  };
  return jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy);
}

std::pair<variable_list, variable_list> vhp(const ListFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict) {
  const Call call("vhp", fn, inputs, create_graph, strict);
  const variable_list vectors = own_vectors("vhp", v, call.own, create_graph);
  const variable_list grads = call.gradient_of_scalar();
  return call.finish(gradients("vhp", grads, call.own, vectors, create_graph, strict && create_graph));
}

std::pair<variable_list, variable_list> hvp(const ListFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict) {
  const Call call("hvp", fn, inputs, create_graph, strict);
  const variable_list vectors = own_vectors("hvp", v, call.own, create_graph);
  const variable_list starts = zero_leaves(call.own);
  const variable_list twice = gradients("hvp", call.gradient_of_scalar(), call.own, starts,
                                        /*create_graph=*/true, strict && create_graph);
  return call.finish(gradients("hvp", twice, starts, vectors, create_graph, strict && create_graph));
}

std::pair<Tensor, Tensor> vjp(const TensorFunction& fn, const Tensor& input, const Tensor& v,
                              bool create_graph, bool strict) {
  return first(vjp(as_list(fn), variable_list{input}, as_list(v), create_graph, strict));
}
std::pair<Tensor, Tensor> jvp(const TensorFunction& fn, const Tensor& input, const Tensor& v,
                              bool create_graph, bool strict) {
  return first(jvp(as_list(fn), variable_list{input}, as_list(v), create_graph, strict));
}
Tensor jacobian(const TensorFunction& fn, const Tensor& input, bool create_graph, bool strict, bool vectorize,
                std::string_view strategy) {
  return jacobian(as_list(fn), variable_list{input}, create_graph, strict, vectorize, strategy)[0][0];
}
Tensor hessian(const TensorFunction& fn, const Tensor& input, bool create_graph, bool strict, bool vectorize,
               std::string_view outer_jacobian_strategy) {
  return hessian(as_list(fn), variable_list{input}, create_graph, strict, vectorize,
                 outer_jacobian_strategy)[0][0];
}
std::pair<Tensor, Tensor> vhp(const TensorFunction& fn, const Tensor& input, const Tensor& v,
                              bool create_graph, bool strict) {
  return first(vhp(as_list(fn), variable_list{input}, as_list(v), create_graph, strict));
}
std::pair<Tensor, Tensor> hvp(const TensorFunction& fn, const Tensor& input, const Tensor& v,
                              bool create_graph, bool strict) {
  return first(hvp(as_list(fn), variable_list{input}, as_list(v), create_graph, strict));
}

}  // namespace lanewise::autograd::functional
