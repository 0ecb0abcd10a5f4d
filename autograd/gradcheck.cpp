#include <cmath>
#include <complex>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>

#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/gradcheck.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

namespace {

/// Rows: real components of the outputs; columns: real components of the inputs.
struct Jacobian {
  std::size_t rows, cols;
  std::vector<double> values;

  Jacobian(std::size_t r, std::size_t c) : rows(r), cols(c), values(r * c) {}
  double& at(std::size_t r, std::size_t c) { return values[r * cols + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * cols + c]; }

  std::string to_string() const {
    std::ostringstream text;
    text << std::setprecision(6);
    constexpr std::size_t kShown = 12;
    for (std::size_t r = 0; r < std::min(rows, kShown); ++r) {
      text << "  [";
      for (std::size_t c = 0; c < std::min(cols, kShown); ++c) text << (c > 0 ? ", " : "") << at(r, c);
      text << (cols > kShown ? ", ...]\n" : "]\n");
    }
    if (rows > kShown) text << "  ...\n";
    return text.str();
  }
};

std::size_t components(const Tensor& t) {
  return static_cast<std::size_t>(t.numel()) * (t.is_complex() ? 2 : 1);
}

/// The elements in logical order as real components.
std::vector<double> read(const Tensor& t) {
  const NoGradGuard guard;
  const Tensor flat = t.detach().to(t.is_complex() ? kComplexDouble : kDouble).contiguous();
  const auto* first = static_cast<const double*>(flat.const_data_ptr());
  return std::vector<double>(first, first + components(t));
}

/// Real component `i` of a strided tensor.
class Component {
 public:
  Component(const Tensor& t, std::size_t i) : dtype_(t.scalar_type()) {
    const std::size_t parts = t.is_complex() ? 2 : 1;
    auto element = static_cast<std::int64_t>(i / parts);
    std::int64_t offset = 0;
    for (std::int64_t d = t.dim() - 1; d >= 0; --d) {
      const std::int64_t size = t.size(d);
      offset += element % size * t.stride(d);
      element /= size;
    }
    const auto part = static_cast<std::int64_t>(i % parts);
    data_ = static_cast<char*>(t.data_ptr()) + offset * t.element_size() +
            part * t.element_size() / static_cast<std::int64_t>(parts);
  }
  double get() const {
    return is_double() ? *reinterpret_cast<double*>(data_) : double{*reinterpret_cast<float*>(data_)};
  }
  void set(double value) const {
    if (is_double()) {
      *reinterpret_cast<double*>(data_) = value;
    } else {
      *reinterpret_cast<float*>(data_) = static_cast<float>(value);
    }
  }

 private:
  bool is_double() const { return dtype_ == kDouble || dtype_ == kComplexDouble; }
  ScalarType dtype_;
  char* data_;
};

/// The outputs that have a gradient; of a fresh run.
variable_list differentiable_outputs(const GradcheckFunction& fn, const variable_list& inputs) {
  const EnableGradGuard guard;
  variable_list outputs;
  for (Tensor& output : fn(inputs)) {
    if (output.defined() && is_differentiable(output.scalar_type())) outputs.push_back(std::move(output));
  }
  return outputs;
}

/// Per output, the columns of one input.
std::vector<Jacobian> numerical(const GradcheckFunction& fn, const variable_list& inputs, const Tensor& input,
                                const variable_list& outputs, double eps) {
  std::vector<Jacobian> jacobians;
  for (const Tensor& output : outputs) jacobians.emplace_back(components(output), components(input));
  const Tensor memory = input.detach();
  for (std::size_t c = 0; c < components(input); ++c) {
    const Component component(memory, c);
    const double original = component.get();
    component.set(original + eps);
    const double above = component.get();
    const variable_list plus = differentiable_outputs(fn, inputs);
    std::vector<std::vector<double>> upper;
    for (const Tensor& output : plus) upper.push_back(read(output));
    component.set(original - eps);
    const double step = above - component.get();
    const variable_list minus = differentiable_outputs(fn, inputs);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::vector<double> lower = read(minus[o]);  // it may be a view of the input
      for (std::size_t r = 0; r < lower.size(); ++r) jacobians[o].at(r, c) = (upper[o][r] - lower[r]) / step;
    }
    component.set(original);
  }
  return jacobians;
}

/// Zeros like `output` but for component `r`.
Tensor unit_gradient(const Tensor& output, std::size_t r) {
  Tensor grad = InputMetadata(output).zeros_like();
  Component(grad, r).set(1);
  return grad;
}

/// Per input, the rows of one output, from one backward per component: a gradient of 1 at an element picks
/// the real part of the output there, a gradient of i its imaginary part.
std::vector<Jacobian> analytical(const variable_list& inputs, const Tensor& output) {
  std::vector<Jacobian> jacobians;
  for (const Tensor& input : inputs) jacobians.emplace_back(components(output), components(input));
  if (!output.requires_grad()) return jacobians;
  for (std::size_t r = 0; r < components(output); ++r) {
    const variable_list grads = grad({output}, inputs, {unit_gradient(output, r)}, /*retain_graph=*/true,
                                     /*create_graph=*/false, /*allow_unused=*/true);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!grads[i].defined()) continue;
      LANEWISE_CHECK(
          AutogradError,
          grads[i].sizes() == inputs[i].sizes() && grads[i].scalar_type() == inputs[i].scalar_type(),
          "gradcheck: the gradient of input ", i, " is ", grads[i].scalar_type(), " ", grads[i].sizes(),
          " for an input that is ", inputs[i].scalar_type(), " ", inputs[i].sizes());
      const std::vector<double> row = read(grads[i]);
      for (std::size_t c = 0; c < row.size(); ++c) jacobians[i].at(r, c) = row[c];
    }
  }
  return jacobians;
}

/// Per output, the columns of one input, from one run with a tangent per component.
std::vector<Jacobian> forward_columns(const GradcheckFunction& fn, variable_list inputs, const Tensor& input,
                                      const variable_list& outputs) {
  std::vector<Jacobian> jacobians;
  for (const Tensor& output : outputs) jacobians.emplace_back(components(output), components(input));
  const variable_list originals = inputs;
  for (std::size_t c = 0; c < components(input); ++c) {
    const forward_ad::NestedLevel level;
    const Tensor dual = forward_ad::make_dual(input, unit_gradient(input, c), level.level());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs[i] = originals[i].is_same(input) ? dual : originals[i];
    const variable_list results = differentiable_outputs(fn, inputs);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const Tensor tangent = forward_ad::unpack_dual(results[o], level.level()).tangent;
      if (!tangent.defined()) continue;
      LANEWISE_CHECK(
          AutogradError,
          tangent.sizes() == outputs[o].sizes() && tangent.scalar_type() == outputs[o].scalar_type(),
          "gradcheck: the tangent of output ", o, " is ", tangent.scalar_type(), " ", tangent.sizes(),
          " for an output that is ", outputs[o].scalar_type(), " ", outputs[o].sizes());
      const std::vector<double> column = read(tangent);
      for (std::size_t r = 0; r < column.size(); ++r) jacobians[o].at(r, c) = column[r];
    }
  }
  return jacobians;
}

bool close(const Jacobian& a, const Jacobian& reference, double atol, double rtol) {
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double difference = std::abs(a.values[i] - reference.values[i]);
    if (!(difference <= atol + rtol * std::abs(reference.values[i]))) return false;
  }
  return true;
}

void check_input(const Tensor& input, std::size_t i) {
  const ScalarType real = to_real_type(input.scalar_type());
  LANEWISE_CHECK(DtypeError, real == kDouble || real == kFloat, "gradcheck: input ", i, " is ",
                 input.scalar_type(), "; finite differences need float or, better, double");
  for (std::int64_t d = 0; d < input.dim(); ++d) {
    LANEWISE_CHECK(
        ValueError, input.size(d) <= 1 || input.stride(d) != 0, "gradcheck: input ", i,
        " has a dimension with stride 0, so that changing one element changes others; pass a clone()");
  }
}

void check_all(const GradcheckFunction& fn, const variable_list& inputs, const GradcheckOptions& options) {
  variable_list wanted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
    check_input(inputs[i], i);
    wanted.push_back(inputs[i]);
  }
  LANEWISE_CHECK(ValueError, !wanted.empty(), "gradcheck: no input requires grad");
  const variable_list outputs = differentiable_outputs(fn, inputs);
  LANEWISE_CHECK(ValueError, !outputs.empty(), "gradcheck: no output is floating or complex");

  std::vector<std::vector<Jacobian>> numeric;
  for (const Tensor& input : wanted) numeric.push_back(numerical(fn, inputs, input, outputs, options.eps));
  for (std::size_t i = 0; options.check_forward_ad && i < wanted.size(); ++i) {
    const std::vector<Jacobian> forward = forward_columns(fn, inputs, wanted[i], outputs);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      LANEWISE_CHECK(AutogradError, close(forward[o], numeric[i][o], options.atol, options.rtol),
                     "gradcheck: forward-mode Jacobian mismatch for "
                     "output ",
                     o, " with respect to input ", i,
                     " (rows: components of the output, columns: of the input)\nnumerical:\n",
                     numeric[i][o].to_string(), "forward:\n", forward[o].to_string());
    }
  }
  for (std::size_t o = 0; options.check_backward_ad && o < outputs.size(); ++o) {
    const std::vector<Jacobian> analytic = analytical(wanted, outputs[o]);
    const std::vector<Jacobian> again = analytical(wanted, outputs[o]);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      LANEWISE_CHECK(AutogradError, close(analytic[i], numeric[i][o], options.atol, options.rtol),
                     "gradcheck: Jacobian mismatch for output ", o, " with respect to input ", i,
                     " (rows: components of the output, columns: of the input)\nnumerical:\n",
                     numeric[i][o].to_string(), "analytical:\n", analytic[i].to_string());
      LANEWISE_CHECK(AutogradError, close(again[i], analytic[i], options.nondet_tol, 0),
                     "gradcheck: the backward is not deterministic: "
                     "two runs differ for output ",
                     o, " with respect to input ", i, "\nfirst:\n", analytic[i].to_string(), "second:\n",
                     again[i].to_string());
    }
  }
}

/// Values in [-1, 1) without a pattern, the same on every run.
Tensor pseudo_random_like(const Tensor& t, std::uint64_t seed) {
  Tensor values = InputMetadata(t).zeros_like();
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (std::size_t i = 0; i < components(values); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    Component(values, i).set(static_cast<double>(state >> 11) * 0x1p-52 - 1);
  }
  return values;
}

}  // namespace

bool gradcheck(const GradcheckFunction& fn, const variable_list& inputs, const GradcheckOptions& options) {
  if (options.raise_exception) {
    check_all(fn, inputs, options);
    return true;
  }
  try {
    check_all(fn, inputs, options);
  } catch (const AutogradError&) {
    return false;
  }
  return true;
}

bool gradcheck(const GradcheckFunction& fn, const variable_list& inputs, double eps, double atol, double rtol,
               bool raise_exception) {
  return gradcheck(
      fn, inputs,
      GradcheckOptions{.eps = eps, .atol = atol, .rtol = rtol, .raise_exception = raise_exception});
}

bool gradgradcheck(const GradcheckFunction& fn, const variable_list& inputs,
                   const variable_list& grad_outputs, double eps, double atol, double rtol,
                   bool raise_exception) {
  return gradgradcheck(
      fn, inputs, grad_outputs,
      GradcheckOptions{.eps = eps, .atol = atol, .rtol = rtol, .raise_exception = raise_exception});
}

bool gradgradcheck(const GradcheckFunction& fn, const variable_list& inputs,
                   const variable_list& grad_outputs, const GradcheckOptions& options) {
  variable_list starts = grad_outputs;
  if (starts.empty()) {
    for (const Tensor& output : differentiable_outputs(fn, inputs)) {
      Tensor start = pseudo_random_like(output, starts.size() + 1);
      start.requires_grad_();
      starts.push_back(start);
    }
  }
  const std::size_t count = inputs.size();
  const GradcheckFunction backward_of_fn = [&fn, count](const variable_list& all) {
    const variable_list own(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    variable_list outputs, grads, wanted;
    const variable_list results = differentiable_outputs(fn, own);
    for (std::size_t o = 0; o < results.size(); ++o) {
      if (!results[o].requires_grad()) continue;
      outputs.push_back(results[o]);
      grads.push_back(all[count + o]);
    }
    for (const Tensor& input : own) {
      if (input.defined() && input.requires_grad()) wanted.push_back(input);
    }
    return grad(outputs, wanted, grads, true, /*create_graph=*/true, /*allow_unused=*/true);
  };
  variable_list all = inputs;
  all.insert(all.end(), starts.begin(), starts.end());
  return gradcheck(backward_of_fn, all, options);
}

}  // namespace lanewise::autograd
