#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include <lanewise/autograd/node.h>

namespace lanewise::autograd {

/// A source of gradients: ignores its input and sends `grads` along its edges. For graphs with several roots
/// that somebody wants to look at as one; the engine itself starts from the roots directly.
struct LANEWISE_API GraphRoot : Node {
  GraphRoot(edge_list edges, variable_list grads) : Node(std::move(edges)), grads_(std::move(grads)) {}

  std::string name() const override { return "GraphRoot"; }
  variable_list apply(variable_list&&) override { return grads_; }

 private:
  variable_list grads_;
};

/// Passes gradients on unchanged.
struct LANEWISE_API Identity : Node {
  using Node::Node;
  /// Also for `Identity({})`.
  explicit Identity(std::initializer_list<Edge> next_edges) : Node(edge_list(next_edges)) {}
  std::string name() const override { return "Identity"; }
  variable_list apply(variable_list&& grads) override { return std::move(grads); }
};

/// A forward that passes tensors through; backward, undefined gradients come back to them.
/// `UndefinedGrad().apply({x})[0]`.
struct LANEWISE_API UndefinedGrad : Node {
  UndefinedGrad() { add_input_metadata(undefined_input()); }
  std::string name() const override { return "UndefinedGrad"; }
  variable_list apply(variable_list&& inputs) override;
};

/// The backward of UndefinedGrad: stops gradients.
struct LANEWISE_API UndefinedGradBackward : Node {
  using Node::Node;
  std::string name() const override { return "UndefinedGradBackward"; }
  variable_list apply(variable_list&&) override { return make_variable_list(num_outputs()); }
};

/// Throws AutogradError with its message when a gradient arrives: the grad_fn of what cannot be
/// differentiated.
struct LANEWISE_API Error : Node {
  explicit Error(std::string message, edge_list&& next_edges = {})
      : Node(std::move(next_edges)), message_(std::move(message)) {}
  std::string name() const override { return "Error"; }
  variable_list apply(variable_list&& grads) override;

 private:
  std::string message_;
};

/// An Error that says which forward has no derivative.
struct LANEWISE_API NotImplemented : Error {
  explicit NotImplemented(const std::string& forward, edge_list&& next_edges = {})
      : Error("derivative for " + forward + " is not implemented", std::move(next_edges)) {}
  std::string name() const override { return "NotImplemented"; }
};

/// A forward that passes tensors through and makes an Error node their grad_fn: the failure comes with the
/// backward.
struct LANEWISE_API DelayedError : Node {
  DelayedError(std::string message, std::size_t num_inputs) : message_(std::move(message)) {
    for (std::size_t i = 0; i < num_inputs; ++i) add_input_metadata(undefined_input());
  }
  std::string name() const override { return "DelayedError"; }
  variable_list apply(variable_list&& inputs) override;

 private:
  std::string message_;
};

}  // namespace lanewise::autograd
