#include "random_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include <lanewise/lanewise.h>

#include "scalar_tape.h"

namespace lanewise::testing {

namespace {

using Op = Statement::Op;
using Id = ScalarTape::Id;
using Shape = std::vector<std::int64_t>;

std::int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// Memory: what each element holds now.
struct Memory {
  std::vector<Id> values;
  bool saved = false;  ///< a node may have saved a tensor over it: it must not change any more
  bool of_leaf = false;
};

/// A variable of the program, twice: as a tensor, and as elements of a Memory.
struct Variable {
  Tensor tensor;
  std::size_t memory = 0;
  std::vector<std::size_t> places;  ///< in the memory, in row-major order
  Shape shape;
  bool detached = false;
  bool frozen = false;  ///< of unbind: neither it nor its views may be modified
  bool is_view = false;
  bool fresh = true;         ///< no line has used it yet
  std::vector<Id> made;      ///< its first values, before hooks; not of a view
  std::vector<Id> retained;  ///< the values whose gradient retain_grad() keeps
};

class Machine {
 public:
  Machine(const Program& program, Checks checks, const std::vector<double>& shift) : checks_(checks) {
    std::mt19937_64 random(program.seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::size_t next = 0;
    for (const Shape& shape : {Shape{2, 3}, Shape{3}, Shape{2, 1, 2}, Shape{2, 3}}) {
      const bool is_leaf = variables.size() < 3;  // the last one is a constant
      const Tensor t = empty(shape, TensorOptions(kDouble));
      Memory memory;
      memory.of_leaf = is_leaf;
      for (std::int64_t k = 0; k < t.numel(); ++k) {
        double value = uniform(random);
        if (is_leaf && next < shift.size()) value += shift[next];
        if (is_leaf) ++next;
        t.data_ptr<double>()[k] = value;
        memory.values.push_back(tape.constant(value));
        if (is_leaf) inputs.push_back(memory.values.back());
      }
      if (is_leaf) t.requires_grad_();
      leaves += is_leaf ? 1 : 0;
      add(t, std::move(memory), shape);
    }
    for (const Statement& s : program.statements) run(s);
  }

  /// The lines that were run, as C++.
  std::string code;
  std::vector<Variable> variables;
  std::vector<Memory> memories;
  ScalarTape tape;
  std::vector<Id> inputs;
  std::size_t leaves = 0;
  bool differentiable = true;  ///< the tape's gradients are those of the values

  Id at(const Variable& v, std::size_t k) {
    const Id id = memories[v.memory].values[v.places[k]];
    return v.detached ? tape.constant(tape.value(id)) : id;
  }

 private:
  const Checks checks_;

  void add(const Tensor& t, Memory memory, const Shape& shape) {
    Variable v;
    v.tensor = t;
    v.memory = memories.size();
    v.shape = shape;
    v.places.resize(memory.values.size());
    std::iota(v.places.begin(), v.places.end(), std::size_t{0});
    v.made = memory.values;
    memories.push_back(std::move(memory));
    variables.push_back(std::move(v));
  }
  void add_view(const Tensor& t, const Variable& of, std::vector<std::size_t> places, const Shape& shape) {
    Variable v = of;
    v.tensor = t;
    v.places = std::move(places);
    v.shape = shape;
    v.is_view = true;
    v.retained.clear();
    variables.push_back(std::move(v));
  }

  void write(const std::string& line, bool defines = true) {
    if (defines) code += "Tensor v" + std::to_string(variables.size()) + " = ";
    code += line + ";\n";
  }
  static std::string list(const Shape& shape) {
    std::ostringstream text;
    text << "{";
    for (std::size_t i = 0; i < shape.size(); ++i) text << (i == 0 ? "" : ", ") << shape[i];
    text << "}";
    return text.str();
  }

  bool has_duplicates(const Variable& v) const {
    return std::set<std::size_t>(v.places.begin(), v.places.end()).size() != v.places.size();
  }
  bool may_modify(const Variable& v) const {
    const Memory& memory = memories[v.memory];
    return !memory.saved && !memory.of_leaf && !v.detached && !v.frozen && !has_duplicates(v);
  }
  /// Views of unbind() lose their history when somebody else writes to their memory.
  void forget_frozen(std::size_t memory) {
    for (Variable& v : variables) {
      if (v.memory == memory && v.frozen) v.tensor = Tensor();
    }
  }

  template <class F>
  void pointwise(const Variable& a, const Tensor& result, F&& f) {
    Memory memory;
    for (std::size_t k = 0; k < a.places.size(); ++k) memory.values.push_back(f(at(a, k)));
    add(result, std::move(memory), a.shape);
  }

  // The slopes of the tape are written with the derivative in closed form, independently of derivatives.yaml.
  Id sin_of(Id x) {
    return tape.unary(std::sin(tape.value(x)), x, (checks_.wrong_sin ? 2 : 1) * std::cos(tape.value(x)));
  }
  Id tanh_of(Id x) {
    const double c = std::cosh(tape.value(x));
    return tape.unary(std::tanh(tape.value(x)), x, 1 / (c * c));
  }
  Id exp_of(Id x) { return tape.unary(std::exp(tape.value(x)), x, std::exp(tape.value(x))); }
  Id sigmoid_of(Id x) {
    const double e = std::exp(-tape.value(x));
    return tape.unary(1 / (1 + e), x, e / ((1 + e) * (1 + e)));
  }
  Id add_of(Id x, Id y, double sign) {
    return tape.binary(tape.value(x) + sign * tape.value(y), x, 1, y, sign);
  }
  Id mul_of(Id x, Id y) {
    return tape.binary(tape.value(x) * tape.value(y), x, tape.value(y), y, tape.value(x));
  }

  static std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1,
                         y = i < b.size() ? b[b.size() - 1 - i] : 1;
      if (x != y && x != 1 && y != 1) return std::nullopt;
      result[result.size() - 1 - i] = x == 1 ? y : x;
    }
    return result;
  }
  /// For each element of `to`, which element of `from` it shows.
  static std::vector<std::size_t> expansion(const Shape& from, const Shape& to) {
    std::vector<std::size_t> result;
    for (std::int64_t k = 0; k < count(to); ++k) {
      std::int64_t rest = k, place = 0, step = 1;
      for (std::size_t i = 0; i < to.size(); ++i) {
        const std::int64_t size = to[to.size() - 1 - i], index = rest % size;
        rest /= size;
        if (i >= from.size()) continue;
        const std::int64_t own = from[from.size() - 1 - i];
        if (own != 1) place += index * step;
        step *= own;
      }
      result.push_back(static_cast<std::size_t>(place));
    }
    return result;
  }

  void run(const Statement& s) {
    // By value: the lists of variables and memories grow.
    const std::size_t ia = s.a % variables.size(), ib = s.b % variables.size();
    const Variable a = variables[ia], b = variables[ib];
    if (!a.tensor.defined() || !b.tensor.defined()) return;
    const std::string na = "v" + std::to_string(ia), nb = "v" + std::to_string(ib);
    const std::size_t before = variables.size();
    const std::size_t written = code.size();
    step(s, ia, a, b, na, nb);
    if (variables.size() != before || code.size() != written) {
      if (s.op != Op::Hook && s.op != Op::RetainGrad) variables[ia].fresh = variables[ib].fresh = false;
    }
  }

  void step(const Statement& s, std::size_t ia, const Variable& a, const Variable& b, const std::string& na,
            const std::string& nb) {
    const auto dims = static_cast<std::int64_t>(a.shape.size());
    const std::int64_t dim = dims == 0 ? 0 : s.i % dims;
    const auto d = static_cast<std::size_t>(dim);
    std::ostringstream number;
    number.precision(17);
    number << s.number;
    switch (s.op) {
      case Op::Sin:
        memories[a.memory].saved = true;
        write(na + ".sin()");
        return pointwise(a, a.tensor.sin(), [&](Id x) { return sin_of(x); });
      case Op::Tanh:
        write(na + ".tanh()");
        pointwise(a, a.tensor.tanh(), [&](Id x) { return tanh_of(x); });
        memories.back().saved = true;
        return;
      case Op::Exp:
        write(na + ".exp()");
        pointwise(a, a.tensor.exp(), [&](Id x) { return exp_of(x); });
        memories.back().saved = true;
        return;
      case Op::Sigmoid:
        write(na + ".sigmoid()");
        pointwise(a, a.tensor.sigmoid(), [&](Id x) { return sigmoid_of(x); });
        memories.back().saved = true;
        return;
      case Op::Neg:
        write("-" + na);
        return pointwise(a, -a.tensor, [&](Id x) { return tape.unary(-tape.value(x), x, -1); });
      case Op::MulNumber:
        write(na + " * " + number.str());
        return pointwise(a, a.tensor * s.number,
                         [&](Id x) { return tape.unary(s.number * tape.value(x), x, s.number); });
      case Op::Clone:
        write(na + ".clone()");
        return pointwise(a, a.tensor.clone(), [&](Id x) { return tape.unary(tape.value(x), x, 1); });
      case Op::NoGradMul: {
        differentiable = false;
        write("[&] { NoGradGuard guard; return " + na + " * " + na + "; }()");
        const NoGradGuard guard;
        return pointwise(a, a.tensor * a.tensor,
                         [&](Id x) { return tape.constant(tape.value(x) * tape.value(x)); });
      }
      case Op::Detach: {
        differentiable = false;
        write(na + ".detach()");
        add_view(a.tensor.detach(), a, a.places, a.shape);
        variables.back().detached = true;
        return;
      }
      case Op::Add:
      case Op::Sub:
      case Op::Mul: {
        const std::optional<Shape> shape = broadcast(a.shape, b.shape);
        if (!shape || count(*shape) > 36) return;
        if (s.op == Op::Mul) memories[a.memory].saved = memories[b.memory].saved = true;
        const auto from_a = expansion(a.shape, *shape), from_b = expansion(b.shape, *shape);
        Memory memory;
        for (std::size_t k = 0; k < from_a.size(); ++k) {
          const Id x = at(a, from_a[k]), y = at(b, from_b[k]);
          memory.values.push_back(s.op == Op::Mul ? mul_of(x, y) : add_of(x, y, s.op == Op::Add ? 1 : -1));
        }
        const char* sign = s.op == Op::Mul ? " * " : s.op == Op::Add ? " + " : " - ";
        write(na + sign + nb);
        const Tensor result = s.op == Op::Mul   ? a.tensor * b.tensor
                              : s.op == Op::Add ? a.tensor + b.tensor
                                                : a.tensor - b.tensor;
        return add(result, std::move(memory), *shape);
      }
      case Op::Sum:
      case Op::Mean: {
        if (dims == 0) return;
        const bool keep = s.j % 2 == 1;
        Shape shape = a.shape;
        shape[d] = 1;
        const auto length = static_cast<double>(a.shape[d]);
        Memory memory;
        memory.values.assign(static_cast<std::size_t>(count(shape)), 0);
        std::vector<bool> begun(memory.values.size());
        // Which sum an element goes into: the inverse of expanding the sums.
        const auto into = expansion(shape, a.shape);
        for (std::size_t k = 0; k < into.size(); ++k) {
          Id& sum = memory.values[into[k]];
          sum = begun[into[k]] ? add_of(sum, at(a, k), 1) : tape.unary(tape.value(at(a, k)), at(a, k), 1);
          begun[into[k]] = true;
        }
        if (s.op == Op::Mean) {
          for (Id& sum : memory.values) sum = tape.unary(tape.value(sum) / length, sum, 1 / length);
        }
        if (!keep) shape.erase(shape.begin() + dim);
        write(na + (s.op == Op::Mean ? ".mean(" : ".sum(") + std::to_string(dim) +
              (keep ? ", true)" : ", false)"));
        return add(s.op == Op::Mean ? a.tensor.mean(dim, keep) : a.tensor.sum(dim, keep), std::move(memory),
                   shape);
      }
      case Op::Reshape: {
        const std::int64_t n = count(a.shape);
        Shape shape{n};
        if (s.i % 3 == 1) shape = {1, n};
        if (s.i % 3 == 2 && n % 2 == 0) shape = {2, n / 2};
        if (!a.tensor.is_contiguous()) return;
        write(na + ".view(" + list(shape) + ")");
        return add_view(a.tensor.view(shape), a, a.places, shape);
      }
      case Op::Transpose: {
        if (dims < 2) return;
        const auto e = static_cast<std::size_t>(s.j % dims);
        Shape shape = a.shape;
        std::swap(shape[d], shape[e]);
        std::vector<std::size_t> places;
        for (std::int64_t k = 0; k < count(shape); ++k) {
          Shape index(shape.size());
          std::int64_t rest = k;
          for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i]) index[i] = rest % shape[i];
          std::swap(index[d], index[e]);
          std::int64_t place = 0;
          for (std::size_t i = 0; i < shape.size(); ++i) place = place * a.shape[i] + index[i];
          places.push_back(a.places[static_cast<std::size_t>(place)]);
        }
        write(na + ".transpose(" + std::to_string(dim) + ", " + std::to_string(e) + ")");
        return add_view(a.tensor.transpose(dim, static_cast<std::int64_t>(e)), a, std::move(places), shape);
      }
      case Op::Select:
      case Op::UnbindFirst:
      case Op::Slice: {
        if (dims == 0) return;
        const std::int64_t size = a.shape[d];
        const bool slice = s.op == Op::Slice;
        const std::int64_t first = s.op == Op::UnbindFirst ? 0 : s.j % size;
        const std::int64_t length = slice ? std::max<std::int64_t>(1, (size - first + 1) / 2) : 1;
        std::vector<std::size_t> places;
        std::int64_t inner = 1;
        for (std::size_t i = d + 1; i < a.shape.size(); ++i) inner *= a.shape[i];
        for (std::size_t k = 0; k < a.places.size(); ++k) {
          const std::int64_t index = static_cast<std::int64_t>(k) / inner % size;
          if (index >= first && index < first + length) places.push_back(a.places[k]);
        }
        Shape shape = a.shape;
        shape[d] = length;
        if (!slice) shape.erase(shape.begin() + dim);
        if (slice) {
          write(na + ".narrow(" + std::to_string(dim) + ", " + std::to_string(first) + ", " +
                std::to_string(length) + ")");
          return add_view(a.tensor.narrow(dim, first, length), a, std::move(places), shape);
        }
        if (s.op == Op::Select) {
          write(na + ".select(" + std::to_string(dim) + ", " + std::to_string(first) + ")");
          return add_view(a.tensor.select(dim, first), a, std::move(places), shape);
        }
        write(na + ".unbind(" + std::to_string(dim) + ")[0]");
        add_view(a.tensor.unbind(dim)[0], a, std::move(places), shape);
        variables.back().frozen = true;
        return;
      }
      case Op::Unsqueeze: {
        if (dims >= 4) return;
        const std::int64_t at_dim = s.i % (dims + 1);
        Shape shape = a.shape;
        shape.insert(shape.begin() + at_dim, 1);
        write(na + ".unsqueeze(" + std::to_string(at_dim) + ")");
        return add_view(a.tensor.unsqueeze(at_dim), a, a.places, shape);
      }
      case Op::Expand: {
        Shape shape = a.shape;
        for (std::int64_t& size : shape) size = size == 1 ? 2 : size;
        if (s.j % 2 == 1 && dims < 3) shape.insert(shape.begin(), 2);
        if (count(shape) > 36 || shape == a.shape) return;
        std::vector<std::size_t> places;
        for (const std::size_t k : expansion(a.shape, shape)) places.push_back(a.places[k]);
        write(na + ".expand(" + list(shape) + ")");
        return add_view(a.tensor.expand(shape), a, std::move(places), shape);
      }
      case Op::Hook:
        // Only where the tensor's gradient is that of its elements: before anything has used it.
        if (!a.fresh || a.is_view || !a.tensor.requires_grad() || memories[a.memory].of_leaf) return;
        differentiable = false;
        write(na + ".register_hook([](const Tensor& g) { return g * 2; })", false);
        a.tensor.register_hook([](const Tensor& g) { return g * 2; });
        for (Id& id : memories[a.memory].values) id = tape.unary(tape.value(id), id, 2);
        return;
      case Op::RetainGrad:
        if (!a.fresh || a.is_view || !a.tensor.requires_grad() || memories[a.memory].of_leaf ||
            a.tensor.retains_grad())
          return;
        write(na + ".retain_grad()", false);
        a.tensor.retain_grad();
        // What is kept is the gradient after all of the tensor's hooks.
        variables[ia].retained = a.made;
        return;
      default:
        return modify(s, a, b, na, nb, number.str());
    }
  }

  void modify(const Statement& s, const Variable& a, const Variable& b, const std::string& na,
              const std::string& nb, const std::string& number) {
    if (!may_modify(a)) return;
    Tensor t = a.tensor;
    std::vector<Id> values;
    const auto each = [&](auto&& f) {
      for (std::size_t k = 0; k < a.places.size(); ++k) values.push_back(f(at(a, k)));
    };
    const bool with_b =
        s.op == Op::AddInplace || s.op == Op::SubInplace || s.op == Op::MulInplace || s.op == Op::CopyInplace;
    if (with_b && (b.memory == a.memory || broadcast(a.shape, b.shape) != a.shape)) return;
    const auto from_b = with_b ? expansion(b.shape, a.shape) : std::vector<std::size_t>();
    const auto pairs = [&](auto&& f) {
      for (std::size_t k = 0; k < a.places.size(); ++k) values.push_back(f(at(a, k), at(b, from_b[k])));
    };
    forget_frozen(a.memory);
    switch (s.op) {
      case Op::SinInplace:
        write(na + ".sin_()", false);
        t.sin_();
        each([&](Id x) { return sin_of(x); });
        break;
      case Op::TanhInplace:
        write(na + ".tanh_()", false);
        t.tanh_();
        each([&](Id x) { return tanh_of(x); });
        memories[a.memory].saved = true;
        break;
      case Op::MulNumberInplace:
        write(na + ".mul_(" + number + ")", false);
        t.mul_(s.number);
        each([&](Id x) { return tape.unary(s.number * tape.value(x), x, s.number); });
        break;
      case Op::ZeroInplace:
        write(na + ".zero_()", false);
        t.zero_();
        each([&](Id) { return tape.constant(0); });
        break;
      case Op::AddInplace:
      case Op::SubInplace:
        write(na + (s.op == Op::AddInplace ? ".add_(" : ".sub_(") + nb + ")", false);
        s.op == Op::AddInplace ? t.add_(b.tensor) : t.sub_(b.tensor);
        pairs([&](Id x, Id y) { return add_of(x, y, s.op == Op::AddInplace ? 1 : -1); });
        break;
      case Op::MulInplace:
        write(na + ".mul_(" + nb + ")", false);
        memories[b.memory].saved = true;
        t.mul_(b.tensor);
        pairs([&](Id x, Id y) { return mul_of(x, y); });
        break;
      case Op::CopyInplace:
        write(na + ".copy_(" + nb + ")", false);
        t.copy_(b.tensor);
        pairs([&](Id, Id y) { return tape.unary(tape.value(y), y, 1); });
        break;
      default:
        return;
    }
    // The memory gets a new value as a whole: what used the old one has no part in the new one's gradient.
    std::vector<Id>& all = memories[a.memory].values;
    for (Id& id : all) id = tape.unary(tape.value(id), id, 1);
    for (std::size_t k = 0; k < values.size(); ++k) all[a.places[k]] = values[k];
    // The gradient that a tensor keeps follows it to its new value.
    for (Variable& v : variables) {
      if (v.memory == a.memory && !v.retained.empty()) v.retained = memories[v.memory].values;
    }
  }
};

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
  // Along one direction, by central differences of the tape.
  std::mt19937_64 random(program.seed + 1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> direction(reference.size()), plus(reference.size()), minus(reference.size());
  constexpr double kStep = 1e-5;
  for (std::size_t k = 0; k < direction.size(); ++k) {
    direction[k] = uniform(random);
    plus[k] = kStep * direction[k];
    minus[k] = -plus[k];
  }
  double above = 0, below = 0;
  const std::vector<double> up = gradient_at(program, checks, plus, &above),
                            down = gradient_at(program, checks, minus, &below);
  if (checks.finite_differences && machine.differentiable) {
    const double slope = std::inner_product(reference.begin(), reference.end(), direction.begin(), 0.0);
    if (!close((above - below) / (2 * kStep), slope, 1e-6))
      return differing("slope by finite differences", 0, slope, (above - below) / (2 * kStep));
  }
  if (checks.second_order && machine.differentiable) {
    autograd::variable_list roots, weights;
    std::size_t at = 0;
    for (std::size_t l = 0; l < first.size(); ++l) {
      const Tensor weight = empty(leaves[l].sizes(), TensorOptions(kDouble));
      for (std::int64_t k = 0; k < weight.numel(); ++k) weight.data_ptr<double>()[k] = direction[at++];
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
        const double want = (up[at] - down[at]) / (2 * kStep);
        if (!close(found[k], want, 1e-5))
          return differing("second derivative by v" + std::to_string(l), k, found[k], want);
      }
    }
  }
  return {};
}

}  // namespace

Program random_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Program program;
  program.seed = seed;
  const std::size_t length = 4 + random() % 24;
  for (std::size_t i = 0; i < length; ++i) {
    Statement s;
    s.op = static_cast<Op>(random() % static_cast<std::uint64_t>(Op::kCount));
    // Late variables more often than early ones.
    s.a = static_cast<std::uint32_t>(random() % 2 == 0 ? 4 + i - std::min<std::uint64_t>(i, random() % 4)
                                                       : random());
    s.b = static_cast<std::uint32_t>(random());
    s.i = static_cast<std::uint32_t>(random());
    s.j = static_cast<std::uint32_t>(random());
    s.number = static_cast<double>(random() % 17) / 8 - 1;
    program.statements.push_back(s);
  }
  return program;
}

std::string check(const Program& program, Checks checks) {
  try {
    return check_unguarded(program, checks);
  } catch (const std::exception& error) {
    return std::string("raised: ") + error.what();
  }
}

Program shrink(Program program, Checks checks) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = program.statements.size(); i-- > 0;) {
      Program shorter = program;
      shorter.statements.erase(shorter.statements.begin() + static_cast<std::ptrdiff_t>(i));
      if (check(shorter, checks).empty()) continue;
      program = std::move(shorter);
      smaller = true;
    }
  }
  return program;
}

std::string as_code(const Program& program) {
  std::string head = "// v0, v1, v2: leaves [2, 3], [3], [2, 1, 2]; v3: a constant [2, 3]\n";
  try {
    return head + Machine(program, {}, {}).code;
  } catch (const std::exception& error) {
    return head + "// raises while it runs: " + error.what();
  }
}

}  // namespace lanewise::testing
