#pragma once

#include <vector>

#include <lanewise/iterator/function_ref.h>
#include <lanewise/optim/lbfgs.h>

namespace lanewise::optim {

/// What a call of the closure tells: the loss, and its gradient with respect to all parameters, [n].
struct Evaluation {
  double loss = 0;
  Tensor grad;
};

/// The iterations of a step of LBFGS, from where `at` was evaluated: moves the parameters and takes down in `state`
/// all but func_evals, which `evaluate` counts. If that throws, the parameters are put back.
void lbfgs_iterations(const std::vector<Tensor>& parameters, const LBFGSOptions& options,
                      FunctionRef<Evaluation()> evaluate, Evaluation at, LBFGSParamState& state);

}  // namespace lanewise::optim
