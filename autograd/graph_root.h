#pragma once

#include <string>
#include <utility>

#include <lanewise/autograd/node.h>

namespace lanewise::autograd {

/// A source of gradients: ignores its input and sends `grads` along its edges. For graphs with several roots that
/// somebody wants to look at as one; the engine itself starts from the roots directly.
struct LANEWISE_API GraphRoot : Node {
  GraphRoot(edge_list edges, variable_list grads) : Node(std::move(edges)), grads_(std::move(grads)) {}

  std::string name() const override { return "GraphRoot"; }

 protected:
  variable_list apply(variable_list&&) override { return grads_; }

 private:
  variable_list grads_;
};

/// Passes gradients on unchanged.
struct LANEWISE_API Identity : Node {
  using Node::Node;
  std::string name() const override { return "Identity"; }

 protected:
  variable_list apply(variable_list&& grads) override { return std::move(grads); }
};

/// Stops gradients: passes undefined ones on.
struct LANEWISE_API UndefinedGrad : Node {
  using Node::Node;
  std::string name() const override { return "UndefinedGrad"; }

 protected:
  variable_list apply(variable_list&&) override { return make_variable_list(num_outputs()); }
};

/// Throws AutogradError with its message when a gradient arrives: the grad_fn of what cannot be differentiated.
struct LANEWISE_API Error : Node {
  explicit Error(std::string message, edge_list&& next_edges = {})
      : Node(std::move(next_edges)), message_(std::move(message)) {}
  std::string name() const override { return "Error"; }

 protected:
  variable_list apply(variable_list&& grads) override;

 private:
  std::string message_;
};

/// A forward that passes tensors through and makes an Error node their grad_fn: the failure comes with the backward.
LANEWISE_API variable_list delayed_error(const variable_list& inputs, std::string message);

}  // namespace lanewise::autograd
