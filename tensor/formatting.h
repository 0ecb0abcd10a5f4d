#pragma once

#include <cstdint>
#include <ostream>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// Writes the elements in columns, matrix by matrix, then "[ CPUFloatType{2,3} ]". Lines are broken into
/// groups of columns at `line_width`; tensors of more than 1000 elements show three at each end of a
/// dimension.
LANEWISE_API void print(std::ostream& out, const Tensor& t, std::int64_t line_width = 80);
LANEWISE_API void print(const Tensor& t, std::int64_t line_width = 80);

}  // namespace lanewise
