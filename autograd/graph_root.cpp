#include <lanewise/autograd/graph_root.h>
#include <lanewise/autograd/record.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

namespace {

/// The inputs outside of the graph, then with the node that `make` gives as their grad_fn, if they take part
/// in one.
template <class Make>
variable_list pass_through(const variable_list& inputs, const Make& make) {
  variable_list outputs;
  for (const Tensor& input : inputs) {
    outputs.push_back(input.defined() ? lanewise::detail::make_alias(input) : Tensor());
  }
  const ArrayRef<Tensor> list(inputs);
  if (compute_requires_grad(list)) set_history(outputs, make(collect_next_edges(list)));
  return outputs;
}

}  // namespace

variable_list Error::apply(variable_list&&) { lanewise::detail::raise<AutogradError>(message_); }

variable_list UndefinedGrad::apply(variable_list&& inputs) {
  return pass_through(inputs,
                      [](edge_list&& edges) { return make_node<UndefinedGradBackward>(std::move(edges)); });
}

variable_list DelayedError::apply(variable_list&& inputs) {
  return pass_through(inputs,
                      [&](edge_list&& edges) { return make_node<Error>(message_, std::move(edges)); });
}

}  // namespace lanewise::autograd
