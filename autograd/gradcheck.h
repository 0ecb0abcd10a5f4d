#pragma once

#include <functional>

#include <lanewise/autograd/node.h>
#include <lanewise/dispatch_isa/api.h>

namespace lanewise::autograd {

/// A function to check: any differentiable outputs from any tensors.
using GradcheckFunction = std::function<variable_list(const variable_list& inputs)>;

struct GradcheckOptions {
  double eps = 1e-6;  ///< step of the central differences
  double atol = 1e-5;
  double rtol = 1e-3;
  bool raise_exception = true;    ///< false: return false instead of throwing
  double nondet_tol = 0;          ///< allowed difference between two runs of the backward
  bool check_forward_ad = false;  ///< forward mode too, of gradgradcheck forward over reverse
  bool check_backward_ad = true;
};

/// Compares the gradients of `fn` with central differences, for every element of every input that requires a
/// gradient and every element of every output that has one. Complex numbers count as two real ones, so real
/// and imaginary parts of both inputs and outputs are checked. Use double inputs; they may have any strides
/// without overlap.
///
/// With check_forward_ad the same of the tangents that forward mode gives.
///
/// Returns true; throws AutogradError with both Jacobians where they differ by more than atol + rtol *
/// |numeric|, where a gradient has another shape or dtype than its input, or where two runs of the backward
/// differ.
LANEWISE_API bool gradcheck(const GradcheckFunction& fn, const variable_list& inputs, double eps = 1e-6,
                            double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true);
LANEWISE_API bool gradcheck(const GradcheckFunction& fn, const variable_list& inputs,
                            const GradcheckOptions& options);

/// gradcheck of the backward of `fn`: second derivatives. `grad_outputs` are the gradients that the backward
/// starts from, one per output; by default fixed pseudo-random values.
LANEWISE_API bool gradgradcheck(const GradcheckFunction& fn, const variable_list& inputs,
                                const variable_list& grad_outputs = {}, double eps = 1e-6, double atol = 1e-5,
                                double rtol = 1e-3, bool raise_exception = true);
LANEWISE_API bool gradgradcheck(const GradcheckFunction& fn, const variable_list& inputs,
                                const variable_list& grad_outputs, const GradcheckOptions& options);

}  // namespace lanewise::autograd
