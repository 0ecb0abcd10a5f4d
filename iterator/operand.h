#pragma once

#include <cstdint>

#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// One operand of a TensorIterator: a tensor, held or borrowed, or a number.
struct IteratorOperand {
  const Tensor* borrowed = nullptr;
  Tensor owned;  ///< also a fresh output, and takes precedence then

  char* data = nullptr;
  /// Step of each dimension of the iterator, in bytes; 0 where the operand repeats.
  DimVector strides;
  ScalarType memory = ScalarType::Undefined;  ///< dtype of the elements in memory
  ScalarType target = ScalarType::Undefined;  ///< dtype that functions see
  ScalarType declared =
      ScalarType::Undefined;  ///< target given by the caller; the operand takes no part in promotion
  bool is_output = false;
  bool is_number = false;
  bool will_resize = false;
  bool is_read_write = false;  ///< an output that is also an input
  alignas(16) char number[16] = {};

  const Tensor& tensor() const { return borrowed != nullptr && !owned.defined() ? *borrowed : owned; }
  bool defined() const { return is_number || tensor().defined(); }
  IntArrayRef sizes() const { return is_number ? IntArrayRef() : tensor().sizes(); }
  std::int64_t memory_size() const { return static_cast<std::int64_t>(element_size(memory)); }
  char* address() const { return is_number ? const_cast<char*>(number) : data; }  // a number has no steps
};

}  // namespace lanewise
