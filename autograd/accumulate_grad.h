#pragma once

#include <string>

#include <lanewise/autograd/node.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// The end of the graph at a leaf: adds what arrives into the leaf's grad.
struct LANEWISE_API AccumulateGrad : Node {
  explicit AccumulateGrad(const Tensor& variable);

  std::string name() const override { return "AccumulateGrad"; }
  const Tensor& variable() const noexcept { return variable_; }

 protected:
  variable_list apply(variable_list&& grads) override;

 private:
  Tensor variable_;
};

/// Puts `incoming` into `grad` by PyTorch's rules:
/// - no grad yet: takes the tensor over if nobody else holds it or its memory and it is laid out as the variable,
///   else a copy in the variable's layout;
/// - grad mode off: adds in place;
/// - grad mode on (create_graph): a new tensor, so that the old grad stays usable in the graph.
LANEWISE_API void accumulate_grad(const Tensor& variable, Tensor& grad, Tensor incoming);

}  // namespace lanewise::autograd
