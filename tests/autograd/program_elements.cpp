// New tensors from old ones: element by element, reductions, islands without gradients; hooks.

#include <cmath>

#include "program_machine.h"

namespace lanewise::testing {

using Op = Statement::Op;

Id Machine::sin_of(Id x) {
  return tape.unary(std::sin(tape.value(x)), x, (checks_.wrong_sin ? 2 : 1) * std::cos(tape.value(x)));
}
Id Machine::tanh_of(Id x) {
  const double c = std::cosh(tape.value(x));
  return tape.unary(std::tanh(tape.value(x)), x, 1 / (c * c));
}
Id Machine::exp_of(Id x) { return tape.unary(std::exp(tape.value(x)), x, std::exp(tape.value(x))); }
Id Machine::sigmoid_of(Id x) {
  const double e = std::exp(-tape.value(x));
  return tape.unary(1 / (1 + e), x, e / ((1 + e) * (1 + e)));
}

bool Machine::unary(const Line& line) {
  const Variable& a = line.a;
  switch (line.s.op) {
    case Op::Sin:
      memories[a.memory].saved = true;
      write(line.na + ".sin()");
      pointwise(a, a.tensor.sin(), [&](Id x) { return sin_of(x); });
      return true;
    case Op::Tanh:
      write(line.na + ".tanh()");
      pointwise(a, a.tensor.tanh(), [&](Id x) { return tanh_of(x); });
      memories.back().saved = true;
      return true;
    case Op::Exp:
      write(line.na + ".exp()");
      pointwise(a, a.tensor.exp(), [&](Id x) { return exp_of(x); });
      memories.back().saved = true;
      return true;
    case Op::Sigmoid:
      write(line.na + ".sigmoid()");
      pointwise(a, a.tensor.sigmoid(), [&](Id x) { return sigmoid_of(x); });
      memories.back().saved = true;
      return true;
    case Op::Neg:
      write("-" + line.na);
      pointwise(a, -a.tensor, [&](Id x) { return times(-1, x); });
      return true;
    case Op::MulNumber:
      write(line.na + " * " + line.number);
      pointwise(a, a.tensor * line.s.number, [&](Id x) { return times(line.s.number, x); });
      return true;
    case Op::Clone:
      write(line.na + ".clone()");
      pointwise(a, a.tensor.clone(), [&](Id x) { return same_as(x); });
      return true;
    default: return false;
  }
}

bool Machine::binary(const Line& line) {
  const Op op = line.s.op;
  if (op != Op::Add && op != Op::Sub && op != Op::Mul) return false;
  const Variable &a = line.a, &b = line.b;
  const std::optional<Shape> shape = broadcast(a.shape, b.shape);
  if (!shape || count(*shape) > 36) return true;
  if (op == Op::Mul) memories[a.memory].saved = memories[b.memory].saved = true;
  const auto from_a = expansion(a.shape, *shape), from_b = expansion(b.shape, *shape);
  Memory memory;
  for (std::size_t k = 0; k < from_a.size(); ++k) {
    const Id x = at(a, from_a[k]), y = at(b, from_b[k]);
    memory.values.push_back(op == Op::Mul ? mul_of(x, y) : add_of(x, y, op == Op::Add ? 1 : -1));
  }
  write(line.na + (op == Op::Mul ? " * " : op == Op::Add ? " + " : " - ") + line.nb);
  const Tensor result = op == Op::Mul   ? a.tensor * b.tensor
                        : op == Op::Add ? a.tensor + b.tensor
                                        : a.tensor - b.tensor;
  add(result, std::move(memory), *shape);
  return true;
}

void Machine::reduce(const Line& line) {
  const auto& [s, index, a, b, na, nb, number, dims, dim] = line;
  if (dims == 0) return;
  const bool keep = s.j % 2 == 1;
  Shape shape = a.shape;
  shape[line.d()] = 1;
  const auto length = static_cast<double>(a.shape[line.d()]);
  Memory memory;
  memory.values.assign(static_cast<std::size_t>(count(shape)), 0);
  std::vector<bool> begun(memory.values.size());
  // Which sum an element goes into: the inverse of expanding the sums.
  const auto into = expansion(shape, a.shape);
  for (std::size_t k = 0; k < into.size(); ++k) {
    Id& sum = memory.values[into[k]];
    sum = begun[into[k]] ? add_of(sum, at(a, k), 1) : same_as(at(a, k));
    begun[into[k]] = true;
  }
  if (s.op == Op::Mean) {
    for (Id& sum : memory.values) sum = tape.unary(tape.value(sum) / length, sum, 1 / length);
  }
  if (!keep) shape.erase(shape.begin() + dim);
  write(na + (s.op == Op::Mean ? ".mean(" : ".sum(") + std::to_string(dim) + (keep ? ", true)" : ", false)"));
  return add(s.op == Op::Mean ? a.tensor.mean(dim, keep) : a.tensor.sum(dim, keep), std::move(memory), shape);
}

void Machine::without_grad(const Line& line) {
  const Variable& a = line.a;
  differentiable = false;
  if (line.s.op == Op::Detach) {
    write(line.na + ".detach()");
    add_view(a.tensor.detach(), a, a.places, a.shape);
    variables.back().detached = true;
    return;
  }
  write("[&] { NoGradGuard guard; return " + line.na + " * " + line.na + "; }()");
  const NoGradGuard guard;
  pointwise(a, a.tensor * a.tensor, [&](Id x) { return tape.constant(tape.value(x) * tape.value(x)); });
}

// Only where the tensor's gradient is that of its elements: before anything has used it.
void Machine::watch(const Line& line) {
  const Variable& a = line.a;
  if (!a.fresh || a.is_view || !a.tensor.requires_grad() || memories[a.memory].of_leaf) return;
  if (line.s.op == Op::RetainGrad) {
    if (a.tensor.retains_grad()) return;
    write(line.na + ".retain_grad()", false);
    a.tensor.retain_grad();
    // What is kept is the gradient after all of the tensor's hooks.
    variables[line.index].retained = a.made;
    return;
  }
  differentiable = false;
  write(line.na + ".register_hook([](const Tensor& g) { return g * 2; })", false);
  a.tensor.register_hook([](const Tensor& g) { return g * 2; });
  for (Id& id : memories[a.memory].values) id = tape.unary(tape.value(id), id, 2);
}

}  // namespace lanewise::testing
