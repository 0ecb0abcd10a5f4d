#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanewise/data/safetensors.h>
#include <lanewise/tensor/device.h>

namespace lanewise {

/// What has its tensors by name and takes them up again: the optimizers, and a model of yours with these two functions.
template <class T>
concept HasNamedTensors = requires(const T& from, T& to, const NamedTensors& tensors) {
  { from.named_tensors() } -> std::convertible_to<NamedTensors>;
  to.load_named_tensors(tensors);
};

namespace data {

/// A tensor as "0", a list of tensors as "0", "1", ...
LANEWISE_API NamedTensors named_tensors(const Tensor& value);
LANEWISE_API NamedTensors named_tensors(const std::vector<Tensor>& value);
inline const NamedTensors& named_tensors(const NamedTensors& value) { return value; }
template <HasNamedTensors T>
NamedTensors named_tensors(const T& value) {
  return value.named_tensors();
}

/// A defined tensor stays the variable that it is and gets the content; an undefined one becomes what was read. A list
/// gets the tensors behind those that it has.
LANEWISE_API void take_named_tensors(Tensor& value, const NamedTensors& tensors);
LANEWISE_API void take_named_tensors(std::vector<Tensor>& value, const NamedTensors& tensors);
inline void take_named_tensors(NamedTensors& value, const NamedTensors& tensors) { value = tensors; }
template <HasNamedTensors T>
void take_named_tensors(T& value, const NamedTensors& tensors) {
  value.load_named_tensors(tensors);
}

}  // namespace data

/// Writes a tensor, a list of tensors, tensors by name or what HasNamedTensors, as a safetensors file, to where
/// data::write_safetensors() does: a path, a std::ostream or a function. Throws as that does.
template <class Value, class To>
requires requires(const Value& value) { data::named_tensors(value); }
void save(const Value& value, To&& to) {
  data::write_safetensors(std::forward<To>(to), data::named_tensors(value));
}

/// Reads what save() wrote, from a path or a std::istream. Tensors are read to the CPU; naming another device is an
/// error.
///
/// Throws   as data::read_safetensors() does; ValueError if what was read is not what `value` takes: no tensor named
///          "0", the state of other parameters; NotImplementedError for other devices
template <class Value>
void load(Value& value, const std::string& path, std::optional<Device> = std::nullopt) {
  data::take_named_tensors(value, data::read_safetensors(path));
}
template <class Value>
void load(Value& value, std::istream& from, std::optional<Device> = std::nullopt) {
  data::take_named_tensors(value, data::read_safetensors(from));
}
/// From `count` bytes of memory.
template <class Value>
void load(Value& value, const char* bytes, std::size_t count, std::optional<Device> = std::nullopt) {
  data::take_named_tensors(value, data::read_safetensors(bytes, count));
}
/// From a function, and one that tells how many bytes there are.
template <class Value>
void load(Value& value, const data::Reader& from, const std::function<std::size_t()>& count,
          std::optional<Device> = std::nullopt) {
  data::take_named_tensors(value, data::read_safetensors(from, count()));
}

}  // namespace lanewise
