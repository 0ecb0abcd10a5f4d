#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanewise/autograd/custom_node.h>
#include <lanewise/autograd/forward_ad.h>
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
/// forward takes the context and any arguments, runs without recording, and returns a Tensor or a
/// variable_list. backward gets a gradient per output and returns one per argument of forward (a list of
/// tensors counts as many arguments, a std::vector or a TensorList), undefined for arguments that are not
/// tensors. It may be differentiated again if it consists of differentiable ops.
///
/// For forward mode it has a `static variable_list jvp(AutogradContext* ctx, variable_list tangents)`: from a
/// tangent per argument of forward (undefined for arguments that are not tensors) one per output.
/// get_saved_variables() works there too.
template <class T>
struct Function {
  template <class F = T, class... Args>
  static auto apply(Args&&... args)
      -> decltype(F::forward(std::declval<AutogradContext*>(), std::forward<Args>(args)...)) {
    auto node = make_node<CustomNode<F>>();
    variable_list inputs;
    (node->add_argument(inputs, std::as_const(args)), ...);
    const bool records = node->begin(inputs);
    using Result = decltype(F::forward(std::declval<AutogradContext*>(), std::forward<Args>(args)...));
    static_assert(std::is_same_v<Result, Tensor> || std::is_same_v<Result, variable_list>,
                  "forward() of a custom function returns a Tensor or a variable_list");
    const bool dual = transforms_on() && CustomNodeBase::any_dual(inputs);
    variable_list outputs;
    {
      const AutoGradMode mode(false);
      const AutoFwGradMode forward_mode(!dual && AutoFwGradMode::is_enabled());
      if constexpr (std::is_same_v<Result, Tensor>) {
        outputs.push_back(F::forward(&node->context(), std::forward<Args>(args)...));
      } else {
        outputs = F::forward(&node->context(), std::forward<Args>(args)...);
      }
    }
    const variable_list saved = dual ? node->saved_for_jvp() : variable_list();
    node->finish(inputs, outputs, records);
    if (dual) [[unlikely]]
      node->propagate(inputs, saved, outputs);
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
  variable_list run_jvp(variable_list&& tangents) override {
    if constexpr (requires(AutogradContext* ctx) { T::jvp(ctx, variable_list()); }) {
      return T::jvp(&this->context(), std::move(tangents));
    } else {
      return CustomNodeBase::run_jvp(std::move(tangents));
    }
  }
  variable_list run_backward(variable_list&& grads) override {
    return T::backward(&context(), std::move(grads));
  }
};

}  // namespace lanewise::autograd
