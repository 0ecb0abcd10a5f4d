#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>

#include <lanewise/tensor/named_tensors.h>

namespace lanewise::data {

/// Texts by name that a safetensors file carries beside its tensors.
using Metadata = std::map<std::string, std::string>;

/// Takes `count` bytes and returns how many it took; fewer are an error.
using Writer = std::function<std::size_t(const void* bytes, std::size_t count)>;
/// Puts `count` bytes from `position` on where `to` points and returns how many there were.
using Reader = std::function<std::size_t(std::uint64_t position, void* to, std::size_t count)>;

/// Writes tensors as a safetensors file, which the format's libraries for other languages exchange. A file is written beside `path` and takes its place, with its permissions, when it is whole, so that what was there is kept if
/// writing fails; pipes and devices are written to. Streams that throw std::ios_base::failure do.
///
/// Shapes   any; the elements are written in logical order, of views those that they show
/// Dtypes   all but complex128, which the format does not have: write view_as_real()
/// Throws   ValueError for undefined tensors; DtypeError for complex128; DataError where `path` cannot be written or the
///          writer stops, and for names that are not UTF-8 or are "__metadata__"
/// Source   the format: safetensors, Hugging Face, "Format" in its README
LANEWISE_API void write_safetensors(const std::string& path, const NamedTensors& tensors,
                                    const Metadata& metadata = {});
LANEWISE_API void write_safetensors(std::ostream& to, const NamedTensors& tensors,
                                    const Metadata& metadata = {});
LANEWISE_API void write_safetensors(const Writer& to, const NamedTensors& tensors,
                                    const Metadata& metadata = {});

/// The tensors of a safetensors file, without gradients; its texts too, if `metadata` is given. A stream is read up to
/// the last element, so that several can follow one another.
///
/// Shapes   as the file says -> contiguous tensors, each with its own memory
/// Dtypes   as the file says, if the library has it (uint16, uint32, uint64 and the 8-bit floats it has not); bytes of
///          bool other than 0 count as true
/// Throws   DataError for a file that is missing, is no safetensors file, ends early, goes on after the last element or
///          has unknown dtypes; AllocationError if there is no memory for it
LANEWISE_API NamedTensors read_safetensors(const std::string& path, Metadata* metadata = nullptr);
LANEWISE_API NamedTensors read_safetensors(std::istream& from, Metadata* metadata = nullptr);
LANEWISE_API NamedTensors read_safetensors(const void* bytes, std::size_t count,
                                           Metadata* metadata = nullptr);
LANEWISE_API NamedTensors read_safetensors(const Reader& from, std::uint64_t count,
                                           Metadata* metadata = nullptr);

}  // namespace lanewise::data
