#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include <lanewise/autograd/node.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

/// The node of an in-place op whose result does not depend smoothly on what it overwrites, or on any input: gradients
/// are zero.
struct ZeroBackward final : Node {
  /// Of `inputs`, one an edge.
  ZeroBackward(const char* op_node, edge_list&& next_edges, std::initializer_list<const Tensor*> inputs)
      : Node(std::move(next_edges)), name_(op_node) {
    for (const Tensor* input : inputs) inputs_.push_back({DimVector(input->sizes()), input->scalar_type()});
  }
  std::string name() const override { return name_; }

 protected:
  variable_list apply(variable_list&& grads) override {
    variable_list result = make_variable_list(inputs_.size());
    for (std::size_t k = 0; grads[0].defined() && k < inputs_.size(); ++k) {
      if (should_compute_output(k)) result[k] = zeros_of(inputs_[k]);
    }
    return result;
  }

 private:
  struct Input {
    DimVector sizes;
    ScalarType type;
  };
  static Tensor zeros_of(const Input& input) {
    Tensor zeros = lanewise::detail::empty_cpu(input.sizes, input.type);
    return lanewise::fill_(zeros, 0);
  }

  const char* name_;
  InlineVector<Input, 2> inputs_;
};

}  // namespace lanewise::autograd
