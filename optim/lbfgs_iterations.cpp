#include <algorithm>
#include <cmath>
#include <utility>

#include <lanewise/generated/functions.h>
#include <lanewise/optim/detail/lbfgs_iterations.h>
#include <lanewise/optim/detail/strong_wolfe.h>

namespace lanewise::optim {
namespace {

/// Of changes with less curvature than this nothing is learnt: the inverse Hessian stays positive definite.
constexpr double kLeastCurvature = 1e-10;

double largest(const Tensor& t) { return t.abs().max().item<double>(); }

double product(const Tensor& a, const Tensor& b) { return a.dot(b).item<double>(); }

std::vector<Tensor> copies(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> all;
  for (const Tensor& p : parameters) all.push_back(p.clone());
  return all;
}

void put_back(const std::vector<Tensor>& parameters, const std::vector<Tensor>& values) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Tensor written = parameters[i];
    written.copy_(values[i]);
  }
}

/// parameters += t * direction, [n].
void go(const std::vector<Tensor>& parameters, double t, const Tensor& direction) {
  std::int64_t offset = 0;
  for (const Tensor& p : parameters) {
    Tensor written = p;
    written.add_(direction.narrow(0, offset, p.numel()).view_as(p), t);
    offset += p.numel();
  }
}

void drop_first(std::vector<Tensor>& list) {
  for (std::size_t i = 1; i < list.size(); ++i) list[i - 1] = std::move(list[i]);
  list.pop_back();
}

/// Takes up what the last iteration's move did to the gradient.
void remember(LBFGSParamState& state, const Tensor& grad, std::int64_t history_size) {
  const Tensor y = grad - state.prev_flat_grad();
  const Tensor s = state.d() * state.t();
  const double ys = product(y, s);
  if (!(ys > kLeastCurvature)) return;
  while (static_cast<std::int64_t>(state.ro().size()) >= history_size) {
    drop_first(state.old_dirs());
    drop_first(state.old_stps());
    state.ro().erase(state.ro().begin());
  }
  state.old_dirs().push_back(y);
  state.old_stps().push_back(s);
  state.ro().push_back(1 / ys);
  state.H_diag(ys / product(y, y));
}

/// -H * grad in two passes over the changes, the latest first, then the oldest.
Tensor downhill(const LBFGSParamState& state, const Tensor& grad) {
  const std::vector<Tensor>&ys = state.old_dirs(), &steps = state.old_stps();
  std::vector<double> weights(ys.size());
  Tensor d = grad.neg();
  for (std::size_t i = ys.size(); i-- > 0;) {
    weights[i] = product(steps[i], d) * state.ro()[i];
    d.add_(ys[i], -weights[i]);
  }
  d.mul_(state.H_diag());
  for (std::size_t i = 0; i < ys.size(); ++i)
    d.add_(steps[i], weights[i] - product(ys[i], d) * state.ro()[i]);
  return d;
}

void iterate(const std::vector<Tensor>& parameters, const LBFGSOptions& o, FunctionRef<Evaluation()> evaluate,
             Evaluation at, LBFGSParamState& state) {
  const std::int64_t max_eval = o.max_eval().value();
  const std::int64_t evals_before = state.func_evals() - 1;
  for (std::int64_t iteration = 1; iteration <= o.max_iter(); ++iteration) {
    const bool first = ++state.n_iter() == 1;
    if (first) {
      state.d(at.grad.neg());
    } else {
      remember(state, at.grad, o.history_size());
      state.d(downhill(state, at.grad));
    }
    state.prev_flat_grad(at.grad);
    state.prev_loss(at.loss);
    double& t = state.t();
    t = o.lr();
    if (first) t *= std::min(1.0, 1 / at.grad.abs().sum().item<double>());

    const Tensor& d = state.d();
    const double slope = product(at.grad, d);
    if (slope > -o.tolerance_change()) return;
    if (o.line_search_fn().has_value()) {
      const std::vector<Tensor> start = copies(parameters);
      const auto along = [&](double distance) {
        go(parameters, distance, d);
        const Evaluation there = evaluate();
        put_back(parameters, start);
        return LinePoint{distance, there.loss, there.grad, product(there.grad, d)};
      };
      const LinePoint found = strong_wolfe(along, {0, at.loss, at.grad, slope}, t, largest(d));
      t = found.t;
      at = {found.loss, found.grad};
      go(parameters, t, d);
    } else {
      go(parameters, t, d);
      if (iteration == o.max_iter()) return;  // the next step evaluates here, perhaps with another batch
      at = evaluate();
    }
    if (state.func_evals() - evals_before >= max_eval || largest(at.grad) <= o.tolerance_grad() ||
        largest(d) * std::abs(t) <= o.tolerance_change() ||
        std::abs(at.loss - state.prev_loss()) < o.tolerance_change())
      return;
  }
}

}  // namespace

void lbfgs_iterations(const std::vector<Tensor>& parameters, const LBFGSOptions& options,
                      FunctionRef<Evaluation()> evaluate, Evaluation at, LBFGSParamState& state) {
  if (largest(at.grad) <= options.tolerance_grad()) return;
  const std::vector<Tensor> start = copies(parameters);
  try {
    iterate(parameters, options, evaluate, std::move(at), state);
  } catch (...) {
    put_back(parameters, start);
    throw;
  }
}

}  // namespace lanewise::optim
