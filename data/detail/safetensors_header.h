#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lanewise/data/safetensors.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise::data::detail {

/// Bytes of a header that the format's own library accepts.
inline constexpr std::uint64_t kLongestHeader = 100'000'000;

/// A tensor of a safetensors file: its bytes are those from `begin` to `end` of what follows the header.
struct SafetensorsEntry {
  std::string name;
  ScalarType dtype;
  std::vector<std::int64_t> sizes;
  std::uint64_t begin;
  std::uint64_t end;
};

/// The JSON text of a header, padded so that the elements after it and its length are aligned to 8 bytes. Throws
/// DataError for names and texts that are not UTF-8.
std::string write_header(const std::vector<SafetensorsEntry>& entries, const Metadata& metadata);

/// The tensors that a header names, in the order of their bytes, which follow one another without a gap. Throws
/// DataError, which begins with `source`, if they do not or if the text is no such header.
std::vector<SafetensorsEntry> read_header(const std::string& text, const std::string& source,
                                          Metadata* metadata);

/// Throws DtypeError for complex128.
void check_dtype(ScalarType dtype);

}  // namespace lanewise::data::detail
