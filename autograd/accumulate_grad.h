#pragma once

#include <string>

#include <lanewise/autograd/node.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

// Note [Accumulators]
// A leaf owns its accumulator, so that reading the leaf into one graph after another costs a reference each
// and no allocation. The accumulator refers to the leaf without owning it. When the leaf's last reference
// goes while a graph still leads here, ownership turns round: the accumulator keeps the leaf, and its .grad
// and hooks, until the graph is gone (AutogradMeta::survives, Note [Reachable tensors]). To users it looks as
// in PyTorch: an accumulator lives as long as a graph.

/// The end of the graph at a leaf: adds what arrives into the leaf's grad.
struct LANEWISE_API AccumulateGrad : Node {
  explicit AccumulateGrad(const Tensor& variable);

  std::string name() const override { return "AccumulateGrad"; }
  /// The leaf.
  Tensor variable() const;
  /// Makes this node own the leaf, which gives it up.
  void keep(const Tensor& leaf);

  variable_list apply(variable_list&& grads) override;

 private:
  friend struct AutogradMeta;

  TensorImpl* leaf_;  ///< null once the leaf is gone
  Tensor kept_;       ///< the leaf, if this node owns it
};

/// Puts `incoming` into `grad` by PyTorch's rules:
/// - no grad yet: takes the tensor over if nobody else holds it or its memory and it is laid out as the
/// variable,
///   else a copy in the variable's layout;
/// - grad mode off: adds in place;
/// - grad mode on (create_graph): a new tensor, so that the old grad stays usable in the graph.
LANEWISE_API void accumulate_grad(const Tensor& variable, Tensor& grad, Tensor incoming);

}  // namespace lanewise::autograd
