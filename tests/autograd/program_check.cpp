#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

#include "program_machine.h"

namespace lanewise::testing {

namespace {

/// Where exp of exp has overflowed, there is nothing to compare.
bool close(double x, double y, double tolerance) {
  if (!std::isfinite(y)) return !std::isfinite(x);
  return std::abs(x - y) <= tolerance * (1 + std::abs(x) + std::abs(y));
}

/// The weights with which a program's variables go into the scalar that is differentiated: the last few
/// count.
struct Outputs {
  autograd::variable_list tensors, gradients;
  std::vector<std::pair<Id, double>> seeds;
};

Outputs outputs_of(Machine& machine, std::uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x9e3779b97f4a7c15ull);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Outputs result;
  const std::size_t n = machine.variables.size();
  for (std::size_t v = machine.leaves; v < n; ++v) {
    Variable& variable = machine.variables[v];
    if (n - v > 4 && v % 3 != 0) continue;
    const Tensor weights = empty(variable.shape, TensorOptions(kDouble));
    for (std::int64_t k = 0; k < weights.numel(); ++k) weights.data_ptr<double>()[k] = uniform(random);
    if (!variable.tensor.defined() || !variable.tensor.requires_grad()) continue;
    for (std::int64_t k = 0; k < weights.numel(); ++k) {
      result.seeds.emplace_back(machine.at(variable, static_cast<std::size_t>(k)),
                                weights.data_ptr<double>()[k]);
    }
    result.tensors.push_back(variable.tensor);
    result.gradients.push_back(weights);
  }
  return result;
}

/// The tape's gradient with respect to the leaves' elements, shifted by `shift`.
std::vector<double> gradient_at(const Program& program, Checks checks, const std::vector<double>& shift,
                                double* value = nullptr) {
  Machine machine(program, checks, shift);
  const Outputs outputs = outputs_of(machine, program.seed);
  if (value != nullptr) {
    *value = 0;
    for (const auto& [id, weight] : outputs.seeds) *value += weight * machine.tape.value(id);
  }
  const std::vector<double> adjoint = machine.tape.adjoints(outputs.seeds);
  std::vector<double> gradient;
  for (const Id id : machine.inputs) gradient.push_back(adjoint[id]);
  return gradient;
}

/// Derivatives along one random direction by central differences of the tape. Where exp of exp has large
/// higher derivatives, a smaller step tells their error from a wrong derivative.
class Differences {
 public:
  Differences(const Program& program, Checks checks, std::size_t size)
      : program_(program), checks_(checks), direction_(size) {
    std::mt19937_64 random(program.seed + 1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (double& d : direction_) d = uniform(random);
    coarse_ = with_step(1e-5);
  }

  const std::vector<double>& direction() const { return direction_; }
  double slope() const { return coarse_.slope; }
  double second(std::size_t k) const { return coarse_.second[k]; }
  bool slope_is(double found) const {
    return close(coarse_.slope, found, 1e-6) || approached(found, coarse_.slope, fine().slope);
  }
  bool second_is(std::size_t k, double found) const {
    return close(found, coarse_.second[k], 1e-5) || approached(found, coarse_.second[k], fine().second[k]);
  }

 private:
  struct Estimate {
    double slope = 0;
    std::vector<double> second;
  };

  Estimate with_step(double step) const {
    std::vector<double> plus, minus;
    for (const double d : direction_) {
      plus.push_back(step * d);
      minus.push_back(-step * d);
    }
    double above = 0, below = 0;
    const std::vector<double> up = gradient_at(program_, checks_, plus, &above),
                              down = gradient_at(program_, checks_, minus, &below);
    Estimate estimate{(above - below) / (2 * step), {}};
    for (std::size_t k = 0; k < up.size(); ++k) estimate.second.push_back((up[k] - down[k]) / (2 * step));
    return estimate;
  }
  const Estimate& fine() const {
    if (!fine_) fine_ = with_step(1e-6);
    return *fine_;
  }
  /// The error of central differences falls with the square of the step; that of a derivative stays.
  static bool approached(double found, double coarse, double fine) {
    return std::abs(found - fine) < std::abs(found - coarse) / 8;
  }

  const Program& program_;
  Checks checks_;
  std::vector<double> direction_;
  Estimate coarse_;
  mutable std::optional<Estimate> fine_;
};

std::vector<double> flat(const Tensor& t, std::size_t size) {
  std::vector<double> result(size, 0.0);
  if (!t.defined()) return result;
  const Tensor dense = t.detach().contiguous();
  std::copy_n(dense.data_ptr<double>(), dense.numel(), result.begin());
  return result;
}

std::string differing(const std::string& what, std::size_t k, double found, double want) {
  std::ostringstream text;
  text.precision(17);
  text << what << " [" << k << "] is " << found << ", expected " << want;
  return text.str();
}

std::string check_values(Machine& machine) {
  for (std::size_t v = 0; v < machine.variables.size(); ++v) {
    Variable& variable = machine.variables[v];
    if (!variable.tensor.defined()) continue;
    if (variable.tensor.sizes().vec() != variable.shape) return "shape of v" + std::to_string(v);
    const std::vector<double> found = flat(variable.tensor, variable.places.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double want = machine.tape.value(machine.at(variable, k));
      if (!close(found[k], want, 1e-12)) return differing("v" + std::to_string(v), k, found[k], want);
    }
  }
  return {};
}

std::string check_unguarded(const Program& program, Checks checks) {
  Machine machine(program, checks, {});
  if (std::string problem = check_values(machine); !problem.empty()) return problem;
  const Outputs outputs = outputs_of(machine, program.seed);
  if (outputs.tensors.empty()) return {};

  autograd::variable_list leaves;
  for (std::size_t l = 0; l < machine.leaves; ++l) leaves.push_back(machine.variables[l].tensor);
  autograd::variable_list first;
  if (checks.second_order) {
    first = autograd::grad(outputs.tensors, leaves, outputs.gradients, true, /*create_graph=*/true,
                           /*allow_unused=*/true);
    for (Variable& v : machine.variables) {
      if (!v.retained.empty()) v.tensor.mutable_grad() = Tensor();
    }
  }
  autograd::backward(outputs.tensors, outputs.gradients, checks.second_order);

  const std::vector<double> adjoint = machine.tape.adjoints(outputs.seeds);
  std::size_t element = 0;
  std::vector<double> reference;
  for (std::size_t l = 0; l < machine.leaves; ++l) {
    const auto n = static_cast<std::size_t>(leaves[l].numel());
    const std::vector<double> found = flat(leaves[l].grad(), n);
    const std::vector<double> asked = checks.second_order ? flat(first[l], n) : found;
    for (std::size_t k = 0; k < n; ++k, ++element) {
      const double want = adjoint[machine.inputs[element]];
      reference.push_back(want);
      if (!close(found[k], want, 1e-9))
        return differing("v" + std::to_string(l) + ".grad()", k, found[k], want);
      if (!close(asked[k], want, 1e-9))
        return differing("grad() of v" + std::to_string(l), k, asked[k], want);
    }
  }
  for (std::size_t v = 0; v < machine.variables.size(); ++v) {
    Variable& variable = machine.variables[v];
    if (variable.retained.empty()) continue;
    const std::vector<double> found = flat(variable.tensor.grad(), variable.retained.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double want = adjoint[variable.retained[k]];
      if (!close(found[k], want, 1e-9))
        return differing("retained v" + std::to_string(v) + ".grad()", k, found[k], want);
    }
  }

  if (!checks.second_order && !(checks.finite_differences && machine.differentiable)) return {};
  const Differences expected(program, checks, reference.size());
  if (checks.finite_differences && machine.differentiable) {
    const double slope =
        std::inner_product(reference.begin(), reference.end(), expected.direction().begin(), 0.0);
    if (!expected.slope_is(slope))
      return differing("slope by finite differences", 0, slope, expected.slope());
  }
  if (checks.second_order && machine.differentiable) {
    autograd::variable_list roots, weights;
    std::size_t at = 0;
    for (std::size_t l = 0; l < first.size(); ++l) {
      const Tensor weight = empty(leaves[l].sizes(), TensorOptions(kDouble));
      for (std::int64_t k = 0; k < weight.numel(); ++k)
        weight.data_ptr<double>()[k] = expected.direction()[at++];
      if (!first[l].defined() || !first[l].requires_grad()) continue;
      roots.push_back(first[l]);
      weights.push_back(weight);
    }
    autograd::variable_list second(leaves.size());
    if (!roots.empty())
      second = autograd::grad(roots, leaves, weights, std::nullopt, false, /*allow_unused=*/true);
    at = 0;
    for (std::size_t l = 0; l < leaves.size(); ++l) {
      const std::vector<double> found = flat(second[l], static_cast<std::size_t>(leaves[l].numel()));
      for (std::size_t k = 0; k < found.size(); ++k, ++at) {
        if (expected.second_is(at, found[k])) continue;
        return differing("second derivative by v" + std::to_string(l), k, found[k], expected.second(at));
      }
    }
  }
  return {};
}

}  // namespace

std::string check(const Program& program, Checks checks) {
  try {
    return check_unguarded(program, checks);
  } catch (const std::exception& error) {
    return std::string("raised: ") + error.what();
  }
}

}  // namespace lanewise::testing
