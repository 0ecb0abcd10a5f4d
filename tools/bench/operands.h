#pragma once

#include <string_view>
#include <vector>

#include <lanewise/autograd/registry.h>

#include "bench/case.h"

namespace lanewise::tools {

/// A value for each argument of the schema: operands of the case's dtype, shape and layout with random
/// numbers in (0.1, 0.9), integers from 1 to 9; products get factors that fit; what has a default takes it.
/// Throws   ValueError if an argument needs a word from the user
std::vector<Value> make_operands(const BenchCase& c, const Schema& schema);

}  // namespace lanewise::tools
