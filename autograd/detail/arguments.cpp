#include <charconv>
#include <cstdlib>
#include <string>

#include <lanewise/autograd/detail/arguments.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::detail {
namespace {

template <class T>
const T& get(const Value& value) {
  return *value.get_if<T>();
}

MemoryFormat format_of(const Value& value) {
  const std::string& name = get<std::string>(value);
  if (name == "Contiguous") return MemoryFormat::Contiguous;
  if (name == "Preserve") return MemoryFormat::Preserve;
  if (name == "ChannelsLast") return MemoryFormat::ChannelsLast;
  LANEWISE_CHECK(ValueError, name == "ChannelsLast3d", "call: memory_format is \"", name,
                 "\"; expected \"Contiguous\", \"Preserve\", \"ChannelsLast\" or \"ChannelsLast3d\"");
  return MemoryFormat::ChannelsLast3d;
}

}  // namespace

const Tensor& Arguments::tensor(std::size_t i) const {
  static const Tensor undefined;
  return values_[i].is_none() ? undefined : get<Tensor>(values_[i]);
}
ArrayRef<Tensor> Arguments::tensors(std::size_t i) const { return get<std::vector<Tensor>>(values_[i]); }
Scalar Arguments::scalar(std::size_t i) const {
  const Value& value = values_[i];
  if (const auto* b = value.get_if<bool>()) return *b;
  if (const auto* n = value.get_if<std::int64_t>()) return *n;
  if (const auto* z = value.get_if<std::complex<double>>()) return *z;
  if (const auto* t = value.get_if<Tensor>()) return t->item();
  return get<double>(value);
}
std::optional<Scalar> Arguments::optional_scalar(std::size_t i) const {
  return values_[i].is_none() ? std::nullopt : std::optional<Scalar>(scalar(i));
}
std::int64_t Arguments::integer(std::size_t i) const { return get<std::int64_t>(values_[i]); }
std::optional<std::int64_t> Arguments::optional_integer(std::size_t i) const {
  return values_[i].is_none() ? std::nullopt : std::optional<std::int64_t>(integer(i));
}
double Arguments::floating(std::size_t i) const {
  if (const auto* n = values_[i].get_if<std::int64_t>()) return static_cast<double>(*n);
  return get<double>(values_[i]);
}
std::optional<double> Arguments::optional_floating(std::size_t i) const {
  return values_[i].is_none() ? std::nullopt : std::optional<double>(floating(i));
}
bool Arguments::boolean(std::size_t i) const { return get<bool>(values_[i]); }
std::optional<bool> Arguments::optional_boolean(std::size_t i) const {
  return values_[i].is_none() ? std::nullopt : std::optional<bool>(boolean(i));
}
IntArrayRef Arguments::integers(std::size_t i) const {
  if (const auto* n = values_[i].get_if<std::int64_t>()) return {n, 1};
  return get<std::vector<std::int64_t>>(values_[i]);
}
OptionalIntArrayRef Arguments::optional_integers(std::size_t i) const {
  return values_[i].is_none() ? OptionalIntArrayRef() : OptionalIntArrayRef(integers(i));
}
ScalarType Arguments::dtype(std::size_t i) const { return get<ScalarType>(values_[i]); }
std::optional<ScalarType> Arguments::optional_dtype(std::size_t i) const {
  return values_[i].is_none() ? std::nullopt : std::optional<ScalarType>(dtype(i));
}
std::string_view Arguments::string(std::size_t i) const { return get<std::string>(values_[i]); }
std::optional<std::string_view> Arguments::optional_string(std::size_t i) const {
  return values_[i].is_none() ? std::nullopt : std::optional<std::string_view>(string(i));
}
MemoryFormat Arguments::memory_format(std::size_t i) const { return format_of(values_[i]); }
std::optional<MemoryFormat> Arguments::optional_memory_format(std::size_t i) const {
  return values_[i].is_none() ? std::nullopt : std::optional<MemoryFormat>(memory_format(i));
}

Value parse_default(const SchemaArgument& argument) {
  const std::string_view text = argument.default_value;
  if (text == "None") return {};
  if (text == "True" || text == "False") return text == "True";
  if (text.front() == '\'') return text.substr(1, text.size() - 2);
  if (text.front() == '[') {
    std::vector<std::int64_t> list;
    for (std::size_t at = 1; at < text.size(); ++at) {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
      if (error != std::errc()) continue;
      list.push_back(number);
      at = static_cast<std::size_t>(end - text.data());
    }
    return list;
  }
  if (argument.parsed.base == SchemaType::Base::MemoryFormat) return text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return std::strtod(std::string(text).c_str(), nullptr);
}

std::vector<Tensor> pack(Tensor result) {
  std::vector<Tensor> list;
  list.push_back(std::move(result));
  return list;
}

}  // namespace lanewise::detail
