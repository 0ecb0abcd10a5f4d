#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanewise/autograd/custom_node.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/node.h>

namespace lanewise::autograd {

template <class T>
class CustomNode;

/// A differentiable function of the user's own:
///
///   struct Cube : Function<Cube> {
///     static Tensor forward(AutogradContext* ctx, const Tensor& x, double scale) {
///       ctx->save_for_backward({x});
///       ctx->saved_data["scale"] = scale;
///       return x * x * x * scale;
///     }
///     static variable_list backward(AutogradContext* ctx, variable_list grads) {
///       const Tensor x = ctx->get_saved_variables()[0];
///       return {grads[0] * x * x * (3 * ctx->saved_data["scale"].toDouble()), Tensor()};
///     }
///   };
///   Tensor y = Cube::apply(x, 2.0);
///
/// forward takes the context and any arguments, runs without recording, and returns a Tensor or a variable_list. backward
/// gets a gradient per output and returns one per argument of forward (a list of tensors counts as many arguments), undefined
/// for arguments that are not tensors. It may be differentiated again if it consists of differentiable ops.
template <class T>
struct Function {
  template <class F = T, class... Args>
  static auto apply(Args&&... args) -> decltype(F::forward(std::declval<AutogradContext*>(), std::forward<Args>(args)...)) {
    auto node = make_node<CustomNode<F>>();
    variable_list inputs;
    (node->add_argument(inputs, std::as_const(args)), ...);
    const bool records = node->begin(inputs);
    using Result = decltype(F::forward(std::declval<AutogradContext*>(), std::forward<Args>(args)...));
    static_assert(std::is_same_v<Result, Tensor> || std::is_same_v<Result, variable_list>,
                  "forward() of a custom function returns a Tensor or a variable_list");
    variable_list outputs;
    {
      const AutoGradMode mode(false);
      if constexpr (std::is_same_v<Result, Tensor>) {
        outputs.push_back(F::forward(&node->context(), std::forward<Args>(args)...));
      } else {
        outputs = F::forward(&node->context(), std::forward<Args>(args)...);
      }
    }
    node->finish(inputs, outputs, records);
    if constexpr (std::is_same_v<Result, Tensor>) {
      return std::move(outputs[0]);
    } else {
      return outputs;
    }
  }
};

/// The node of Function<T>, named after T: "CubeBackward".
template <class T>
class CustomNode final : public CustomNodeBase {
 public:
  std::string name() const override { return type_name(typeid(T)) + "Backward"; }

 protected:
  variable_list run_backward(variable_list&& grads) override { return T::backward(&context(), std::move(grads)); }
};

}  // namespace lanewise::autograd
