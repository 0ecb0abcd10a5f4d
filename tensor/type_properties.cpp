#include <array>
#include <utility>

#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/type_properties.h>

namespace lanewise {

namespace {

template <std::size_t... I>
constexpr std::array<DeprecatedTypeProperties, sizeof...(I)> one_of_each(std::index_sequence<I...>) {
  return {DeprecatedTypeProperties(static_cast<ScalarType>(I))...};
}

constinit std::array properties = one_of_each(std::make_index_sequence<kNumScalarTypes>());
constinit DeprecatedTypeProperties undefined(ScalarType::Undefined);

}  // namespace

DeprecatedTypeProperties& CPU(ScalarType dtype) {
  return dtype == ScalarType::Undefined ? undefined : properties.at(static_cast<std::size_t>(dtype));
}

std::string DeprecatedTypeProperties::toString() const {
  if (dtype_ == ScalarType::Undefined) return "UndefinedType";
  return std::string("CPU") + to_string(dtype_) + "Type";
}

DeprecatedTypeProperties& DeprecatedTypeProperties::toScalarType(ScalarType dtype) const {
  return CPU(dtype);
}

std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& type) {
  return out << type.toString();
}

}  // namespace lanewise
