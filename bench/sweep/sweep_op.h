#pragma once

#include <tuple>
#include <vector>

#include "../cases/library.h"

namespace sweep {

/// What an op of the sweep may read, the same numbers in both libraries: matrices of one shape and dtype, and indices. n is the
/// smaller of their sizes.
struct Operands {
  lib::Tensor x, y;       ///< 0.5 to 3.5 and 1.5 to 4.5
  lib::Tensor s;          ///< -1.5 to 1.5
  lib::Tensor mask;       ///< bool, half of them true
  lib::Tensor order;      ///< the numbers below n in another order
  lib::Tensor positions;  ///< a matrix of numbers below n
  lib::Tensor f32;        ///< y in f32, contiguous
  mutable lib::Tensor w;  ///< the numbers of x, for ops that write
};

/// One call. `types` has a letter for each kind of element that it takes: f floating, i integers, h halves, b bool, c complex;
/// with `?` the answer is not compared: it is random, may come in any order, or follows a rule of its own.
struct Op {
  const char* name;
  const char* types;
  lib::Tensor (*run)(const Operands& o);
};

/// A line of a table of ops: a name, types, and a call that reads members of `o`.
#define SWEEP(name, types, ...)                                                                \
  Op {                                                                                         \
    name, types, []([[maybe_unused]] const Operands& o) -> lib::Tensor { return __VA_ARGS__; } \
  }

std::vector<Op> inplace_ops();
std::vector<Op> pointwise_ops();
std::vector<Op> reduction_ops();
std::vector<Op> moving_ops();
std::vector<Op> product_ops();

}  // namespace sweep
