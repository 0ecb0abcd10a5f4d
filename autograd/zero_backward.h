#pragma once

#include <string>
#include <utility>

#include <lanewise/autograd/node.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

/// The node of an in-place op whose result does not depend smoothly on what it overwrites: the gradient is
/// zero.
struct ZeroBackward final : Node {
  ZeroBackward(const char* op_node, edge_list&& next_edges) : Node(std::move(next_edges)), name_(op_node) {}
  std::string name() const override { return name_; }

 protected:
  variable_list apply(variable_list&& grads) override {
    variable_list result = make_variable_list(1);
    if (grads[0].defined() && should_compute_output(0)) {
      result[0] = zeros_of(grads[0]);
    }
    return result;
  }

 private:
  static Tensor zeros_of(const Tensor& grad) {
    Tensor zeros = lanewise::detail::empty_cpu(grad.sizes(), grad.scalar_type());
    return lanewise::fill_(zeros, 0);
  }

  const char* name_;
};

}  // namespace lanewise::autograd
