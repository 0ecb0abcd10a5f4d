#pragma once

namespace lanewise::detail {

// What StorageError says, in PyTorch's words.

inline constexpr const char* kOverlapsItself =
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the tensor before performing the operation.";
inline constexpr const char* kOverlapsInput =
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location. Please clone() the tensor before performing the operation.";

}  // namespace lanewise::detail
