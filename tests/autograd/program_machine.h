#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <lanewise/lanewise.h>

#include "program_shapes.h"
#include "random_program.h"
#include "scalar_tape.h"

namespace lanewise::testing {

using Id = ScalarTape::Id;

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

/// Runs a program with tensors and, element by element, on a ScalarTape. Lines that make no sense do nothing.
class Machine {
 public:
  /// `shift` is added to the elements of the leaves.
  Machine(const Program& program, Checks checks, const std::vector<double>& shift);

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
  /// A line that is being run. Variables by value: the lists of them grow.
  struct Line {
    const Statement& s;
    std::size_t index;  ///< of a
    Variable a, b;
    std::string na, nb, number;
    std::int64_t dims, dim;

    std::size_t d() const { return static_cast<std::size_t>(dim); }
  };

  void run(const Statement& s);
  void step(const Line& line);

  // program_elements.cpp
  bool unary(const Line& line);
  bool binary(const Line& line);
  void reduce(const Line& line);
  void without_grad(const Line& line);
  void watch(const Line& line);
  // program_views.cpp
  bool view(const Line& line);
  void part(const Line& line);
  // program_inplace.cpp
  void modify(const Line& line);
  void look_otherwise(const Line& line);

  void add(const Tensor& t, Memory memory, const Shape& shape);
  void add_view(const Tensor& t, const Variable& of, std::vector<std::size_t> places, const Shape& shape);
  void write(const std::string& line, bool defines = true);
  bool may_modify(const Variable& v) const;
  /// Views of unbind() lose their history when somebody else writes to their memory.
  void forget_frozen(std::size_t memory);
  /// The values whose gradient `v`, which is no view, retains from here on: its elements in order.
  std::vector<Id> kept_by(const Variable& v) const;

  template <class F>
  void pointwise(const Variable& a, const Tensor& result, F&& f) {
    Memory memory;
    for (std::size_t k = 0; k < a.places.size(); ++k) memory.values.push_back(f(at(a, k)));
    add(result, std::move(memory), a.shape);
  }

  // The slopes of the tape are written with the derivative in closed form, independently of derivatives.yaml.
  Id sin_of(Id x);
  Id tanh_of(Id x);
  Id exp_of(Id x);
  Id sigmoid_of(Id x);
  Id same_as(Id x) { return tape.unary(tape.value(x), x, 1); }
  Id times(double number, Id x) { return tape.unary(number * tape.value(x), x, number); }
  Id add_of(Id x, Id y, double sign) {
    return tape.binary(tape.value(x) + sign * tape.value(y), x, 1, y, sign);
  }
  Id mul_of(Id x, Id y) {
    return tape.binary(tape.value(x) * tape.value(y), x, tape.value(y), y, tape.value(x));
  }

  const Checks checks_;
};

/// "{2, 3}".
std::string braced(const Shape& shape);

}  // namespace lanewise::testing
