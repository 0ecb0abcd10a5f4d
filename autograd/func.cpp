#include <algorithm>
#include <memory>
#include <unordered_set>

#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/derivative_parts.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/func.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::func {
namespace {

using autograd::detail::unit_like;
using autograd::forward_ad::detached;

/// Whether the graph of `outputs` has leaves other than `own`.
bool has_other_leaves(const variable_list& outputs, const variable_list& own) {
  std::unordered_set<const autograd::Node*> seen;
  for (const Tensor& t : own) {
    if (const auto node = autograd::impl::try_get_grad_accumulator(t)) seen.insert(node.get());
  }
  std::vector<const autograd::Node*> stack;
  const auto visit = [&](const autograd::Node* node) {
    if (node != nullptr && seen.insert(node).second) stack.push_back(node);
  };
  std::vector<autograd::Edge> roots;
  for (const Tensor& output : outputs) {
    roots.push_back(autograd::gradient_edge(output));
    visit(roots.back().function.get());
  }
  while (!stack.empty()) {
    const autograd::Node* node = stack.back();
    stack.pop_back();
    if (node->sequence_nr() == autograd::kMaxSequenceNr) return true;  // an accumulator
    for (std::size_t i = 0; i < node->num_outputs(); ++i) visit(node->next_edge(i).function.get());
  }
  return false;
}

/// A run of a function with tensors of its own in place of some arguments.
struct Run {
  variable_list own;  ///< what to differentiate by
  variable_list outputs;
  bool continues = false;  ///< the caller differentiates on

  Run(const char* op, const ListFunction& fn, variable_list arguments,
      const std::vector<std::int64_t>& argnums) {
    const bool recording = GradMode::is_enabled();
    const EnableGradGuard guard;
    for (const std::int64_t argnum : argnums) {
      LANEWISE_CHECK(IndexError, argnum >= 0 && argnum < static_cast<std::int64_t>(arguments.size()), op,
                     ": argument ", argnum, " was asked for, there are ", arguments.size());
      Tensor& argument = arguments[static_cast<std::size_t>(argnum)];
      LANEWISE_CHECK(DtypeError, is_differentiable(argument.scalar_type()), op, ": argument ", argnum, " is ",
                     argument.scalar_type(), "; expected a floating or complex dtype");
      const bool connected = recording && argument.requires_grad();
      continues = continues || connected;
      argument =
          autograd::batching::lift_to_active(connected ? argument.view_as(argument) : detached(argument));
      if (!connected) argument.requires_grad_();
      own.push_back(argument);
    }
    outputs = fn(arguments);
    continues = continues || (recording && has_other_leaves(outputs, own));
  }

  variable_list gradients(const variable_list& cotangents, bool retain_graph, bool create_graph) const {
    variable_list grads =
        autograd::detail::gradients_of(outputs, own, cotangents, retain_graph, create_graph);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!grads[i].defined()) grads[i] = zeros_like(own[i]);
    }
    return grads;
  }

  variable_list finished_outputs() const {
    if (continues) return outputs;
    variable_list results;
    for (const Tensor& t : outputs) results.push_back(t.requires_grad() ? detached(t) : t);
    return results;
  }
};

std::pair<variable_list, Tensor> run_grad(const ScalarFunction& fn, const variable_list& inputs,
                                          const std::vector<std::int64_t>& argnums) {
  const Run run(
      "grad", [&](const variable_list& in) { return variable_list{fn(in)}; }, inputs, argnums);
  LANEWISE_CHECK(AutogradError, run.outputs[0].numel() == 1,
                 "grad: the function must return a scalar tensor, found shape ", run.outputs[0].sizes());
  variable_list grads = run.gradients({}, false, run.continues);
  return {std::move(grads), run.finished_outputs()[0]};
}

ScalarFunction of_list(const TensorFunction& fn) {
  return [&fn](const variable_list& inputs) { return fn(inputs[0]); };
}

}  // namespace

TensorFunction grad(TensorFunction fn) {
  return [fn = std::move(fn)](const Tensor& x) { return run_grad(of_list(fn), {x}, {0}).first[0]; };
}

ListFunction grad(ScalarFunction fn, std::vector<std::int64_t> argnums) {
  return [fn = std::move(fn), argnums = std::move(argnums)](const variable_list& in) {
    return run_grad(fn, in, argnums).first;
  };
}

std::function<std::pair<Tensor, Tensor>(const Tensor&)> grad_and_value(TensorFunction fn) {
  return [fn = std::move(fn)](const Tensor& x) {
    auto [grads, value] = run_grad(of_list(fn), {x}, {0});
    return std::pair(grads[0], value);
  };
}

std::function<std::pair<variable_list, Tensor>(const variable_list&)> grad_and_value(
    ScalarFunction fn, std::vector<std::int64_t> argnums) {
  return [fn = std::move(fn), argnums = std::move(argnums)](const variable_list& in) {
    return run_grad(fn, in, argnums);
  };
}

std::function<std::pair<Tensor, Tensor>(const Tensor&)> value_and_grad(TensorFunction fn) {
  return [fn = std::move(fn)](const Tensor& x) {
    auto [grads, value] = run_grad(of_list(fn), {x}, {0});
    return std::pair(value, grads[0]);
  };
}

std::function<std::pair<Tensor, variable_list>(const variable_list&)> value_and_grad(
    ScalarFunction fn, std::vector<std::int64_t> argnums) {
  return [fn = std::move(fn), argnums = std::move(argnums)](const variable_list& in) {
    auto [grads, value] = run_grad(fn, in, argnums);
    return std::pair(value, grads);
  };
}

std::pair<variable_list, ListFunction> vjp(const ListFunction& fn, const variable_list& primals) {
  std::vector<std::int64_t> all(primals.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  const auto run = std::make_shared<const Run>("vjp", fn, primals, all);
  ListFunction pull_back = [run](const variable_list& cotangents) {
    LANEWISE_CHECK(AutogradError, cotangents.size() == run->outputs.size(), "vjp: expected ",
                   run->outputs.size(), " cotangents, found ", cotangents.size());
    const bool differentiated =
        std::any_of(cotangents.begin(), cotangents.end(), [](const Tensor& t) { return t.requires_grad(); });
    return run->gradients(cotangents, /*retain_graph=*/true,
                          GradMode::is_enabled() && (run->continues || differentiated));
  };
  return {run->finished_outputs(), std::move(pull_back)};
}

std::pair<Tensor, TensorFunction> vjp(const TensorFunction& fn, const Tensor& primal) {
  auto [outputs, pull_back] =
      vjp([&](const variable_list& in) { return variable_list{fn(in[0])}; }, variable_list{primal});
  return {outputs[0],
          [pull_back = std::move(pull_back)](const Tensor& cotangent) { return pull_back({cotangent})[0]; }};
}

std::pair<variable_list, variable_list> jvp(const ListFunction& fn, const variable_list& primals,
                                            const variable_list& tangents) {
  LANEWISE_CHECK(AutogradError, primals.size() == tangents.size(),
                 "jvp: expected a tangent per primal, found ", primals.size(), " and ", tangents.size());
  variable_list outputs, results;
  const autograd::forward_ad::NestedLevel level;
  variable_list duals;
  for (std::size_t i = 0; i < primals.size(); ++i) {
    duals.push_back(autograd::forward_ad::make_dual(primals[i], tangents[i], level.level()));
  }
  for (const Tensor& output : fn(duals)) {
    auto [primal, tangent] = autograd::forward_ad::unpack_dual(output, level.level());
    outputs.push_back(primal);
    results.push_back(tangent.defined() ? tangent : zeros_like(primal));
  }
  return {std::move(outputs), std::move(results)};
}

std::pair<Tensor, Tensor> jvp(const TensorFunction& fn, const Tensor& primal, const Tensor& tangent) {
  auto [outputs, tangents] =
      jvp([&](const variable_list& in) { return variable_list{fn(in[0])}; }, {primal}, {tangent});
  return {outputs[0], tangents[0]};
}

TensorFunction jacrev(TensorFunction fn) {
  return [fn = std::move(fn)](const Tensor& x) {
    auto [output, pull_back] = vjp(fn, x);
    variable_list rows;
    for (std::int64_t i = 0; i < output.numel(); ++i) rows.push_back(pull_back(unit_like(output, i)));
    const DimVector sizes = concatenated(output.sizes(), x.sizes());
    return rows.empty() ? zeros(sizes, x.options()) : stack(rows).reshape(sizes);
  };
}

TensorFunction jacfwd(TensorFunction fn) {
  return [fn = std::move(fn)](const Tensor& x) {
    variable_list columns;
    for (std::int64_t i = 0; i < x.numel(); ++i) columns.push_back(jvp(fn, x, unit_like(x, i)).second);
    if (!columns.empty()) return stack(columns, -1).reshape(concatenated(columns[0].sizes(), x.sizes()));
    const Tensor output = fn(x);
    return zeros(concatenated(output.sizes(), x.sizes()), output.options());
  };
}

TensorFunction hessian(TensorFunction fn) { return jacfwd(jacrev(std::move(fn))); }

}  // namespace lanewise::func
