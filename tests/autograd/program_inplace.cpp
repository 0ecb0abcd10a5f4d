#include "program_machine.h"

namespace lanewise::testing {

using Op = Statement::Op;

void Machine::modify(const Line& line) {
  const auto& [s, index, a, b, na, nb, number, dims, dim] = line;
  if (!may_modify(a)) return;
  const bool with_b =
      s.op == Op::AddInplace || s.op == Op::SubInplace || s.op == Op::MulInplace || s.op == Op::CopyInplace;
  if (with_b && (b.memory == a.memory || broadcast(a.shape, b.shape) != a.shape)) return;
  const auto from_b = with_b ? expansion(b.shape, a.shape) : std::vector<std::size_t>();
  Tensor t = a.tensor;
  std::vector<Id> values;
  const auto each = [&, &a = a](auto&& f) {
    for (std::size_t k = 0; k < a.places.size(); ++k) values.push_back(f(at(a, k)));
  };
  const auto pairs = [&, &a = a, &b = b](auto&& f) {
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
      each([&](Id x) { return times(line.s.number, x); });
      break;
    case Op::ZeroInplace:
      write(na + ".zero_()", false);
      t.zero_();
      each([&](Id) { return tape.constant(0); });
      break;
    case Op::AddInplace:
      write(na + ".add_(" + nb + ")", false);
      t.add_(b.tensor);
      pairs([&](Id x, Id y) { return add_of(x, y, 1); });
      break;
    case Op::SubInplace:
      write(na + ".sub_(" + nb + ")", false);
      t.sub_(b.tensor);
      pairs([&](Id x, Id y) { return add_of(x, y, -1); });
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
      pairs([&](Id, Id y) { return same_as(y); });
      break;
    default: return;
  }
  // The memory gets a new value as a whole: what used the old one has no part in the new one's gradient. The
  // gradient that a tensor keeps follows it to its new value.
  std::vector<Id>& all = memories[a.memory].values;
  for (Id& id : all) id = same_as(id);
  for (std::size_t k = 0; k < values.size(); ++k) all[a.places[k]] = values[k];
  for (Variable& v : variables) {
    if (v.memory == a.memory && !v.retained.empty()) v.retained = kept_by(v);
  }
}

// Changes the variable's shape, and no element: the other views of the memory stay as they are.
void Machine::look_otherwise(const Line& line) {
  const auto& [s, index, a, b, na, nb, number, dims, dim] = line;
  const Memory& memory = memories[a.memory];
  if (memory.saved || memory.of_leaf || a.detached || a.frozen) return;
  Tensor t = a.tensor;
  Shape shape = a.shape;
  std::vector<std::size_t> places = a.places;
  switch (s.op) {
    case Op::TransposeInplace: {
      if (dims < 2) return;
      const std::int64_t other = s.j % dims;
      const auto d = line.d(), e = static_cast<std::size_t>(other);
      for (std::size_t k = 0; const std::size_t from : transposition(a.shape, d, e))
        places[k++] = a.places[from];
      std::swap(shape[d], shape[e]);
      forget_frozen(a.memory);
      if (dims == 2 && d != e && s.a % 2 == 0) {
        write(na + ".t_()", false);
        t.t_();
      } else {
        write(na + ".transpose_(" + std::to_string(dim) + ", " + std::to_string(other) + ")", false);
        t.transpose_(dim, other);
      }
      break;
    }
    case Op::UnsqueezeInplace: {
      if (dims >= 4) return;
      const std::int64_t at_dim = s.i % (dims + 1);
      shape.insert(shape.begin() + at_dim, 1);
      forget_frozen(a.memory);
      write(na + ".unsqueeze_(" + std::to_string(at_dim) + ")", false);
      t.unsqueeze_(at_dim);
      break;
    }
    default:
      if (dims == 0) return;
      if (shape[line.d()] == 1) shape.erase(shape.begin() + dim);
      forget_frozen(a.memory);
      write(na + ".squeeze_(" + std::to_string(dim) + ")", false);
      t.squeeze_(dim);
  }
  Variable& changed = variables[index];
  changed.shape = std::move(shape);
  changed.places = std::move(places);
  if (a.is_view) return;
  // A new value of the tensor that owns the memory, from which its views are made again.
  for (Id& id : memories[a.memory].values) id = same_as(id);
  if (!changed.retained.empty()) changed.retained = kept_by(changed);
}

}  // namespace lanewise::testing
