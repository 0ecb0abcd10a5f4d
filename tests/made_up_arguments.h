#pragma once

#include <string>
#include <vector>

#include <lanewise/lanewise.h>

namespace lanewise::testing {

/// Numbers that repeat on no period of any tile: of either sign for floats, small for integers.
Tensor made_up_numbers(IntArrayRef sizes, ScalarType dtype, std::uint64_t seed);

struct Arguments {
  std::vector<Value> args;
  std::vector<NamedValue> kwargs;
};

/// Arguments of an op whose kinds do not tell what they must be: operands of different shapes, lists of sizes, names. None for
/// other ops.
Arguments own_arguments(const std::string& op, ScalarType dtype);

}  // namespace lanewise::testing
