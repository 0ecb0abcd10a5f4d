#include <lanewise/autograd/graph_root.h>

#include <lanewise/autograd/record.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

variable_list Error::apply(variable_list&&) { lanewise::detail::raise<AutogradError>(message_); }

variable_list delayed_error(const variable_list& inputs, std::string message) {
  edge_list edges;
  bool any = false;
  for (const Tensor& input : inputs) {
    edges.push_back(gradient_edge(input));
    any = any || edges.back().is_valid();
  }
  variable_list outputs;
  for (const Tensor& input : inputs) {
    outputs.push_back(input.defined() ? lanewise::detail::make_alias(input) : Tensor());
  }
  if (any && GradMode::is_enabled()) {
    set_history(outputs, make_node<Error>(std::move(message), std::move(edges)));
  }
  return outputs;
}

}  // namespace lanewise::autograd
