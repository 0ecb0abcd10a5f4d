#include <atomic>
#include <complex>

#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/input_buffer.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/warnings.h>

namespace lanewise::autograd {

namespace {

/// The number 1 as a gradient of `like`, which has one element.
Tensor one_like(const Tensor& like) {
  Tensor one = lanewise::detail::empty_cpu(like.sizes(), like.scalar_type());
  switch (one.scalar_type()) {
    case ScalarType::Float: *one.data_ptr<float>() = 1; break;
    case ScalarType::Double: *one.data_ptr<double>() = 1; break;
    default: one.fill_(Scalar(1));
  }
  return one;
}

Tensor root_grad(const char* op, const Tensor& output, const Tensor& grad, std::size_t i, bool create_graph) {
  if (!grad.defined()) {
    LANEWISE_CHECK(AutogradError, output.numel() == 1, op,
                   ": grad can be implicitly created only for scalar outputs, but tensor ", i, " has shape ",
                   output.sizes(), "; reduce it, for instance with sum(), or pass its gradient");
    return one_like(output);
  }
  LANEWISE_CHECK(
      AutogradError, grad.is_complex() == output.is_complex(), op,
      ": For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
      "dtype: gradient ",
      i, " is of type ", to_string(grad.scalar_type()), " and tensor ", i, " of type ",
      to_string(output.scalar_type()));
  Tensor fitting = grad;
  if (grad.sizes() != output.sizes()) {
    // As between nodes, and as in libtorch: what the output could have been broadcast to is summed.
    LANEWISE_CHECK(AutogradError, is_expandable_to(output.sizes(), grad.sizes()), op,
                   ": invalid gradient at index ", i, " - got ", grad.sizes(),
                   " but expected shape compatible with ", output.sizes(), ", the shape of tensor ", i);
    const AutoGradMode mode(create_graph);
    fitting = sum_to_shape(grad, output.sizes());
  }
  return fitting.scalar_type() == output.scalar_type() ? fitting : fitting.to(output.scalar_type());
}

/// Once, unless warnings are asked for each time.
void warn_of_cycle() {
  static std::atomic<bool> warned = false;
  if (warned.exchange(true) && !WarningUtils::get_warnAlways()) return;
  warn(
      "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
      "gradient, which keeps "
      "both in memory: use grad(), or assign an undefined Tensor to mutable_grad() of your parameters "
      "afterwards");
}

variable_list run(const char* op, TensorList outputs, TensorList grads, std::optional<bool> retain_graph,
                  bool create_graph, TensorList inputs, bool accumulate, bool allow_unused) {
  if (create_graph && accumulate) [[unlikely]]
    warn_of_cycle();
  LANEWISE_CHECK(AutogradError, grads.empty() || grads.size() == outputs.size(), op, ": got ", outputs.size(),
                 " tensors and ", grads.size(), " gradients");
  edge_list roots;
  variable_list root_grads = make_variable_list(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    LANEWISE_CHECK(AutogradError, outputs[i].defined(), op, ": tensor ", i, " is undefined");
    roots.push_back(gradient_edge(outputs[i]));
    LANEWISE_CHECK(
        AutogradError, roots.back().is_valid(), op, ": element ", i,
        " of tensors does not require grad and does not have a grad_fn; make the graph from leaves with "
        "requires_grad, outside of NoGradGuard");
    root_grads[i] = root_grad(op, outputs[i], grads.empty() ? Tensor() : grads[i], i, create_graph);
  }

  edge_list targets;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    LANEWISE_CHECK(AutogradError, input.defined() && input.requires_grad(), op,
                   ": One of the differentiated Tensors does not require grad (input ", i, ")");
    const std::shared_ptr<Node>& fn = input.grad_fn();
    if (fn != nullptr) {
      if (accumulate) input.retain_grad();
      targets.emplace_back(fn, input.output_nr());
    } else {
      targets.emplace_back(impl::grad_accumulator(input), 0);
    }
  }
  variable_list results = Engine::get_default_engine().execute(
      roots, root_grads, retain_graph.value_or(create_graph), create_graph, accumulate, targets);
  recycle(std::move(root_grads));
  if (!accumulate && !allow_unused) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      LANEWISE_CHECK(AutogradError, results[i].defined(), op, ": input ", i,
                     ": One of the differentiated Tensors appears to not have been used in the graph. Set "
                     "allow_unused=True if this is the desired behavior.");
    }
  }
  return results;
}

}  // namespace

void backward(const variable_list& tensors, const variable_list& grad_tensors,
              std::optional<bool> retain_graph, bool create_graph, const variable_list& inputs) {
  run("backward", tensors, grad_tensors, retain_graph, create_graph, inputs, /*accumulate=*/true, true);
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, std::optional<bool> retain_graph, bool create_graph,
                   bool allow_unused, bool materialize_grads) {
  LANEWISE_CHECK(AutogradError, !inputs.empty(), "grad requires non-empty inputs.");
  variable_list grads = run("grad", outputs, grad_outputs, retain_graph, create_graph, inputs,
                            /*accumulate=*/false, allow_unused || materialize_grads);
  if (materialize_grads) {
    for (std::size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i].defined())
        grads[i] = InputMetadata(inputs[i]).zeros_like().set_requires_grad(create_graph);
    }
  }
  return grads;
}

}  // namespace lanewise::autograd

namespace lanewise {

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
                      std::optional<TensorList> inputs) const {
  LANEWISE_CHECK(AutogradError, !inputs || !inputs->empty(), "backward: the inputs argument cannot be empty");
  autograd::run("backward", TensorList(this, 1), TensorList(&gradient, 1), retain_graph, create_graph,
                inputs.value_or(TensorList()), /*accumulate=*/true, true);
}

}  // namespace lanewise
