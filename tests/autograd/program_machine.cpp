#include "program_machine.h"

#include <numeric>
#include <random>
#include <set>
#include <sstream>

namespace lanewise::testing {

using Op = Statement::Op;

Machine::Machine(const Program& program, Checks checks, const std::vector<double>& shift) : checks_(checks) {
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

void Machine::add(const Tensor& t, Memory memory, const Shape& shape) {
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

void Machine::add_view(const Tensor& t, const Variable& of, std::vector<std::size_t> places,
                       const Shape& shape) {
  Variable v = of;
  v.tensor = t;
  v.places = std::move(places);
  v.shape = shape;
  v.is_view = true;
  v.retained.clear();
  variables.push_back(std::move(v));
}

void Machine::write(const std::string& line, bool defines) {
  if (defines) code += "Tensor v" + std::to_string(variables.size()) + " = ";
  code += line + ";\n";
}

std::string braced(const Shape& shape) {
  std::ostringstream text;
  text << "{";
  for (std::size_t i = 0; i < shape.size(); ++i) text << (i == 0 ? "" : ", ") << shape[i];
  text << "}";
  return text.str();
}

bool Machine::may_modify(const Variable& v) const {
  const Memory& memory = memories[v.memory];
  const bool has_duplicates =
      std::set<std::size_t>(v.places.begin(), v.places.end()).size() != v.places.size();
  return !memory.saved && !memory.of_leaf && !v.detached && !v.frozen && !has_duplicates;
}

void Machine::forget_frozen(std::size_t memory) {
  for (Variable& v : variables) {
    if (v.memory == memory && v.frozen) v.tensor = Tensor();
  }
}

std::vector<Id> Machine::kept_by(const Variable& v) const {
  std::vector<Id> kept;
  for (const std::size_t place : v.places) kept.push_back(memories[v.memory].values[place]);
  return kept;
}

void Machine::run(const Statement& s) {
  const std::size_t ia = s.a % variables.size(), ib = s.b % variables.size();
  if (!variables[ia].tensor.defined() || !variables[ib].tensor.defined()) return;
  std::ostringstream number;
  number.precision(17);
  number << s.number;
  const auto dims = static_cast<std::int64_t>(variables[ia].shape.size());
  const Line line{s,
                  ia,
                  variables[ia],
                  variables[ib],
                  "v" + std::to_string(ia),
                  "v" + std::to_string(ib),
                  number.str(),
                  dims,
                  dims == 0 ? 0 : s.i % dims};
  const std::size_t before = variables.size();
  const std::size_t written = code.size();
  step(line);
  if (variables.size() != before || code.size() != written) {
    if (s.op != Op::Hook && s.op != Op::RetainGrad) variables[ia].fresh = variables[ib].fresh = false;
  }
}

void Machine::step(const Line& line) {
  if (unary(line) || binary(line) || view(line)) return;
  switch (line.s.op) {
    case Op::Sum:
    case Op::Mean: return reduce(line);
    case Op::NoGradMul:
    case Op::Detach: return without_grad(line);
    case Op::Hook:
    case Op::RetainGrad: return watch(line);
    case Op::TransposeInplace:
    case Op::UnsqueezeInplace:
    case Op::SqueezeInplace: return look_otherwise(line);
    default: return modify(line);
  }
}

}  // namespace lanewise::testing
