#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// Where the elements of a strided operand lie; strides in bytes, of any sign.
struct MemoryFootprint {
  const char* data = nullptr;
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> strides;
  std::int64_t element_size = 1;
};

enum class MemoryOverlap : std::uint8_t {
  None,     ///< no byte in common
  Full,     ///< the same elements at the same positions
  Partial,  ///< some byte in common, but not Full
  Unknown,  ///< not decided within the work allowed
};

/// Whether two elements of `a` share a byte. Exact, unless the strides are so irregular that the search gives
/// up: then Unknown.
LANEWISE_API MemoryOverlap internal_overlap(const MemoryFootprint& a);

/// Whether an element of `a` shares a byte with an element of `b`. Interleaved operands (x[::2] and x[1::2])
/// do not.
LANEWISE_API MemoryOverlap mutual_overlap(const MemoryFootprint& a, const MemoryFootprint& b);

// The same of the elements of tensors.
LANEWISE_API MemoryOverlap internal_overlap(const Tensor& t);
LANEWISE_API MemoryOverlap mutual_overlap(const Tensor& a, const Tensor& b);

// The quick questions that PyTorch asks before an op writes; they decide what is an error.

enum class MemOverlap : std::uint8_t { No, Yes, TooHard };
enum class MemOverlapStatus : std::uint8_t { Full, Partial, No, TooHard };

/// Yes for an expanded tensor, No for a dense one.
LANEWISE_API MemOverlap has_internal_overlap(const Tensor& t);
/// TooHard unless both are dense.
LANEWISE_API MemOverlapStatus get_overlap_status(const Tensor& a, const Tensor& b);
/// Throw StorageError.
LANEWISE_API void assert_no_internal_overlap(const Tensor& t);
LANEWISE_API void assert_no_partial_overlap(const Tensor& a, const Tensor& b);
LANEWISE_API void assert_no_overlap(const Tensor& a, const Tensor& b);
// The same, the message beginning with the op's name.
LANEWISE_API void assert_no_internal_overlap(const char* op, const Tensor& t);
LANEWISE_API void assert_no_partial_overlap(const char* op, const Tensor& a, const Tensor& b);
LANEWISE_API void assert_no_overlap(const char* op, const Tensor& a, const Tensor& b);
/// Of what `op` writes to and each tensor that it reads; undefined ones are passed over.
LANEWISE_API void assert_apart(const char* op, const Tensor& written,
                               std::initializer_list<const Tensor*> read);

}  // namespace lanewise
