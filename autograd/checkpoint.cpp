#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include <lanewise/autograd/checkpoint.h>
#include <lanewise/autograd/detail/run_of_nodes.h>
#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/autograd/saved_variable.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/generator.h>

namespace lanewise::autograd {
namespace {

using ListFunction = std::function<variable_list(const variable_list&)>;

bool contains(const std::vector<Edge>& edges, const Edge& edge) {
  return std::find(edges.begin(), edges.end(), edge) != edges.end();
}

/// One run of the function with tensors of its own as inputs.
struct Run {
  variable_list inputs, outputs;
  std::vector<Edge> inner;  ///< of the inputs
  std::vector<Edge> outer;  ///< where the graph of the run leaves it: tensors that the function captures

  /// `connected` continues the graph of the inputs.
  Run(const ListFunction& fn, const variable_list& originals, const std::vector<bool>& wanted,
      bool connected) {
    const EnableGradGuard guard;
    for (std::size_t i = 0; i < originals.size(); ++i) {
      Tensor own = originals[i];
      if (own.defined() && wanted[i]) own = connected ? own.view_as(own) : own.detach().requires_grad_();
      inputs.push_back(own);
      inner.push_back(gradient_edge(own));
    }
    const RunOfNodes nodes;
    outputs = fn(inputs);
    find_outer(nodes);
  }

 private:
  // Depth first in a fixed order, so that two runs find the same.
  void find_outer(const RunOfNodes& nodes) {
    std::unordered_set<const Node*> seen;
    std::vector<Edge> stack;
    for (auto output = outputs.rbegin(); output != outputs.rend(); ++output)
      stack.push_back(gradient_edge(*output));
    while (!stack.empty()) {
      const Edge edge = std::move(stack.back());
      stack.pop_back();
      const Node* node = edge.function.get();
      if (node == nullptr || contains(inner, edge)) continue;
      if (!nodes.made(*node)) {
        if (!contains(outer, edge)) outer.push_back(edge);
        continue;
      }
      if (!seen.insert(node).second) continue;
      for (std::uint32_t i = node->num_outputs(); i-- > 0;) stack.push_back(node->next_edge(i));
    }
  }
};

/// Stands for the whole call in the graph: edges to the inputs, then to what the function captures.
struct CheckpointBackward final : Node {
  using Node::Node;
  std::string name() const override { return "CheckpointBackward"; }
  void release_variables() override {
    const std::lock_guard lock(mutex_);
    for (SavedVariable& input : inputs) input.reset_data();
  }

  ListFunction fn;
  CheckpointOptions options;
  Generator::State state{};
  std::vector<SavedVariable> inputs;
  std::vector<bool> wanted;

 protected:
  variable_list apply(variable_list&& grads) override {
    variable_list originals;
    {
      const std::lock_guard lock(mutex_);
      for (const SavedVariable& input : inputs)
        originals.push_back(input.unpack(getptr(), /*with_history=*/true));
    }
    const bool create_graph = GradMode::is_enabled();
    const Run run = again(originals, create_graph);
    LANEWISE_CHECK(AutogradError, run.outputs.size() == num_inputs(), "checkpoint: ", run.outputs.size(),
                   " values were recomputed, the forward pass had ", num_inputs(),
                   "; the function must do the same both times");
    edge_list roots, targets;
    variable_list starts;
    for (std::size_t o = 0; o < run.outputs.size(); ++o) {
      if (!grads[o].defined()) continue;
      LANEWISE_CHECK(
          AutogradError,
          run.outputs[o].requires_grad() && run.outputs[o].sizes() == input_metadata(o).shape() &&
              run.outputs[o].scalar_type() == input_metadata(o).dtype(),
          "checkpoint: Recomputed values have different metadata than during the forward pass: output ", o,
          "; the function must do the same both times");
      roots.push_back(gradient_edge(run.outputs[o]));
      starts.push_back(grads[o]);
    }
    std::vector<std::size_t> places;
    for (std::uint32_t i = 0; i < num_outputs(); ++i) {
      if (!task_should_compute_output(i)) continue;
      targets.push_back(i < run.inner.size() ? run.inner[i] : run.outer[i - run.inner.size()]);
      places.push_back(i);
    }
    variable_list results = make_variable_list(num_outputs());
    if (roots.empty() || targets.empty()) return results;
    variable_list found =
        Engine::get_default_engine().execute(roots, starts, /*keep_graph=*/create_graph, create_graph,
                                             /*accumulate_grad=*/false, targets);
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(found[i]);
    return results;
  }

 private:
  Run again(const variable_list& originals, bool connected) {
    const Generator::State now = lanewise::detail::getDefaultCPUGenerator().state();
    struct Restore {
      Generator::State state;
      bool on;
      ~Restore() {
        if (on) lanewise::detail::getDefaultCPUGenerator().set_state(state);
      }
    } const restore{now, options.preserve_rng_state};
    if (options.preserve_rng_state) lanewise::detail::getDefaultCPUGenerator().set_state(state);
    Run run(fn, originals, wanted, connected);
    bool same_edges = run.inner.size() + run.outer.size() == num_outputs();
    for (std::size_t i = 0; same_edges && i < run.outer.size(); ++i) {
      same_edges = run.outer[i] == next_edge(run.inner.size() + i);
    }
    LANEWISE_CHECK(AutogradError, same_edges,
                   "checkpoint: the recomputation depends on other tensors than the original forward; the "
                   "function must do the same both times");
    return run;
  }
};

}  // namespace

variable_list checkpoint(const ListFunction& fn, const variable_list& inputs,
                         const CheckpointOptions& options) {
  if (!GradMode::is_enabled() || transforms_on()) return fn(inputs);
  auto node = make_node<CheckpointBackward>();
  node->fn = fn;
  node->options = options;
  node->state = lanewise::detail::getDefaultCPUGenerator().state();
  for (const Tensor& input : inputs) {
    node->inputs.emplace_back(input, /*is_output=*/false);
    node->wanted.push_back(input.defined() && input.requires_grad());
  }
  variable_list outputs;
  std::vector<bool> differentiable;
  {
    // The graph of this run tells what the function depends on, and is dropped.
    const Run run(fn, inputs, node->wanted, /*connected=*/false);
    for (const Tensor& input : inputs) node->add_next_edge(gradient_edge(input));
    for (const Edge& edge : run.outer) node->add_next_edge(edge);
    for (const Tensor& output : run.outputs) {
      differentiable.push_back(output.defined() && output.requires_grad());
      outputs.push_back(output.defined() ? output.detach() : output);
    }
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (differentiable[o]) {
      set_history(outputs[o], node);
    } else {
      node->add_input_metadata(Node::undefined_input());
    }
  }
  return outputs;
}

Tensor checkpoint(const std::function<Tensor(const Tensor&)>& fn, const Tensor& input,
                  const CheckpointOptions& options) {
  return checkpoint(ListFunction([fn](const variable_list& in) { return variable_list{fn(in[0])}; }), {input},
                    options)[0];
}

Tensor checkpoint_sequential(const std::vector<std::function<Tensor(const Tensor&)>>& functions,
                             std::int64_t segments, const Tensor& input, const CheckpointOptions& options) {
  const auto count = static_cast<std::int64_t>(functions.size());
  LANEWISE_CHECK(ValueError, segments >= 1 && segments <= std::max<std::int64_t>(count, 1),
                 "checkpoint_sequential: segments is ", segments, "; expected 1 to the number of functions, ",
                 count);
  const auto apply = [](const std::vector<std::function<Tensor(const Tensor&)>>& part, Tensor x) {
    for (const auto& fn : part) x = fn(x);
    return x;
  };
  const std::int64_t length = count / segments;
  Tensor x = input;
  std::int64_t start = 0;
  for (std::int64_t s = 0; s + 1 < segments; ++s, start += length) {
    const std::vector<std::function<Tensor(const Tensor&)>> part(functions.begin() + start,
                                                                 functions.begin() + start + length);
    x = checkpoint([part, apply](const Tensor& in) { return apply(part, in); }, x, options);
  }
  return apply({functions.begin() + start, functions.end()}, x);
}

}  // namespace lanewise::autograd
