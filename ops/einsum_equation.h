#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// An equation of einsum, its letters replaced by the dimensions of the whole sum: first those of the result
/// in order, then those that are summed. An ellipsis stands for as many dimensions as the operand with most
/// of them has there, aligned at the end.
struct EinsumEquation {
  /// For each operand, the dimension of the sum that each of its own belongs to; one may come several times
  /// (a diagonal).
  std::vector<std::vector<std::int64_t>> operands;
  std::int64_t result_rank = 0;  ///< dimensions of the result
  std::int64_t rank = 0;         ///< of the sum
};

/// Reads "ij,jk->ik" for these operands: letters, commas, "...", spaces. Without "->" the result has the
/// dimensions of the ellipsis, then the letters that come once, A to Z before a to z.
///
/// Throws   ValueError for an equation that cannot be read or names other operands than there are, ShapeError
/// for sizes that do not fit
EinsumEquation read_einsum_equation(std::string_view equation, ArrayRef<Tensor> operands);

}  // namespace lanewise::ops
