#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/detail/derivative_parts.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>

namespace lanewise::autograd::detail {

variable_list gradients_of(const variable_list& outputs, const variable_list& inputs,
                           const variable_list& cotangents, bool retain_graph, bool create_graph) {
  variable_list dependent, starts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    dependent.push_back(outputs[i]);
    starts.push_back(cotangents.empty() ? Tensor() : cotangents[i]);
  }
  if (dependent.empty()) return variable_list(inputs.size());
  return grad(dependent, inputs, starts, retain_graph || create_graph, create_graph, /*allow_unused=*/true);
}

Tensor unit_like(const Tensor& t, std::int64_t i) {
  Tensor unit = zeros({t.numel()}, t.options());
  unit.select(0, i).fill_(1);
  return unit.view(t.sizes());
}

}  // namespace lanewise::autograd::detail
