#pragma once

#include <string>

#include <lanewise/tensor/tensor.h>

namespace lanewise::data {

/// Reads a file in the IDX format of the MNIST family, plain or compressed with gzip.
///
/// Shapes   as the file says, at most 8 dimensions -> contiguous tensor
/// Dtypes   as the file says: uint8, int8, int16, int32, float32 or float64 (stored big-endian)
/// Throws   DataError if the file is missing, is not IDX, ends early or goes on after the last element;
///          AllocationError if there is no memory for what its header names
/// Source   Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits", section "the IDX file
///          format"
LANEWISE_API Tensor read_idx(const std::string& path);

}  // namespace lanewise::data
