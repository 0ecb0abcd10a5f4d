#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lanewise::testing {

/// One line of a random program. Which arguments count depends on the op; whether the line makes sense, and
/// is run at all, is decided when the program runs, so that any list of lines is a program and lines can be
/// left out of it.
struct Statement {
  enum class Op {
    Sin,
    Tanh,
    Exp,
    Sigmoid,
    Neg,
    MulNumber,  // result = op(a)
    Add,
    Sub,
    Mul,  // result = a op b, broadcast
    Sum,
    Mean,  // result = a.sum(dim, keepdim)
    Reshape,
    Transpose,
    Select,
    Slice,
    Unsqueeze,
    Expand,       // views
    UnbindFirst,  // result = a.unbind(dim)[0]: must not be modified
    Detach,
    NoGradMul,
    Clone,  // result = a.detach(); a * a in NoGradGuard; a.clone()
    SinInplace,
    TanhInplace,
    MulNumberInplace,
    AddInplace,
    SubInplace,
    MulInplace,
    CopyInplace,
    ZeroInplace,
    TransposeInplace,
    UnsqueezeInplace,
    SqueezeInplace,  // a changes its shape and no element
    Hook,            // a.register_hook(g * 2)
    RetainGrad,
    kCount
  };

  Op op = Op::Sin;
  std::uint32_t a = 0, b = 0;  ///< variables, modulo how many there are
  std::uint32_t i = 0, j = 0;  ///< dims, positions, shapes
  double number = 1;
};

struct Program {
  std::uint64_t seed = 0;  ///< of the leaves' values and the gradients that go in
  std::vector<Statement> statements;
};

Program random_program(std::uint64_t seed);

/// What check() looks at.
struct Checks {
  bool second_order = false;
  bool finite_differences = false;
  bool wrong_sin = false;  ///< a fault in the tape, to see that it is found
};

/// Runs the program with tensors and on a ScalarTape, and compares values, gradients of the leaves and
/// retained gradients. Empty, or what differs. With `second_order` also second derivatives against finite
/// differences of the tape's first ones; with `finite_differences` the tape's own first derivatives, where no
/// hook and no detached value makes them something else.
std::string check(const Program& program, Checks checks);

/// A smaller program that fails too.
Program shrink(Program program, Checks checks);

/// The program as C++.
std::string as_code(const Program& program);

}  // namespace lanewise::testing
