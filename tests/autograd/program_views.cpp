#include <algorithm>

#include "program_machine.h"

namespace lanewise::testing {

using Op = Statement::Op;

bool Machine::view(const Line& line) {
  const auto& [s, index, a, b, na, nb, number, dims, dim] = line;
  switch (s.op) {
    case Op::Reshape: {
      const std::int64_t n = count(a.shape);
      Shape shape{n};
      if (s.i % 3 == 1) shape = {1, n};
      if (s.i % 3 == 2 && n % 2 == 0) shape = {2, n / 2};
      if (!a.tensor.is_contiguous()) return true;
      write(na + ".view(" + braced(shape) + ")");
      add_view(a.tensor.view(shape), a, a.places, shape);
      return true;
    }
    case Op::Transpose: {
      if (dims < 2) return true;
      const std::int64_t other = s.j % dims;
      const auto d = line.d(), e = static_cast<std::size_t>(other);
      Shape shape = a.shape;
      std::swap(shape[d], shape[e]);
      std::vector<std::size_t> places;
      for (const std::size_t k : transposition(a.shape, d, e)) places.push_back(a.places[k]);
      write(na + ".transpose(" + std::to_string(dim) + ", " + std::to_string(other) + ")");
      add_view(a.tensor.transpose(dim, other), a, std::move(places), shape);
      return true;
    }
    case Op::Select:
    case Op::UnbindFirst:
    case Op::Slice: part(line); return true;
    case Op::Unsqueeze: {
      if (dims >= 4) return true;
      const std::int64_t at_dim = s.i % (dims + 1);
      Shape shape = a.shape;
      shape.insert(shape.begin() + at_dim, 1);
      write(na + ".unsqueeze(" + std::to_string(at_dim) + ")");
      add_view(a.tensor.unsqueeze(at_dim), a, a.places, shape);
      return true;
    }
    case Op::Expand: {
      Shape shape = a.shape;
      for (std::int64_t& size : shape) size = size == 1 ? 2 : size;
      if (s.j % 2 == 1 && dims < 3) shape.insert(shape.begin(), 2);
      if (count(shape) > 36 || shape == a.shape) return true;
      std::vector<std::size_t> places;
      for (const std::size_t k : expansion(a.shape, shape)) places.push_back(a.places[k]);
      write(na + ".expand(" + braced(shape) + ")");
      add_view(a.tensor.expand(shape), a, std::move(places), shape);
      return true;
    }
    default: return false;
  }
}

void Machine::part(const Line& line) {
  const auto& [s, index, a, b, na, nb, number, dims, dim] = line;
  if (dims == 0) return;
  const std::int64_t size = a.shape[line.d()];
  const bool slice = s.op == Op::Slice;
  const std::int64_t first = s.op == Op::UnbindFirst ? 0 : s.j % size;
  const std::int64_t length = slice ? std::max<std::int64_t>(1, (size - first + 1) / 2) : 1;
  std::vector<std::size_t> places;
  std::int64_t inner = 1;
  for (std::size_t i = line.d() + 1; i < a.shape.size(); ++i) inner *= a.shape[i];
  for (std::size_t k = 0; k < a.places.size(); ++k) {
    const std::int64_t at_dim = static_cast<std::int64_t>(k) / inner % size;
    if (at_dim >= first && at_dim < first + length) places.push_back(a.places[k]);
  }
  Shape shape = a.shape;
  shape[line.d()] = length;
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

}  // namespace lanewise::testing
