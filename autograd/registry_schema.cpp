#include <lanewise/autograd/registry.h>

namespace lanewise {

Value::Value(const Scalar& number) {
  if (number.isBoolean()) {
    content_ = number.to<bool>();
  } else if (number.isIntegral(false)) {
    content_ = number.to<std::int64_t>();
  } else if (number.isComplex()) {
    content_ = number.to<std::complex<double>>();
  } else {
    content_ = number.to<double>();
  }
}

std::string Value::type_name() const {
  constexpr const char* kNames[] = {"None",  "Tensor",  "Tensor[]", "bool",       "int",
                                    "float", "complex", "int[]",    "ScalarType", "str"};
  static_assert(std::size(kNames) == std::variant_size_v<Content>);
  return kNames[content_.index()];
}

std::string Schema::full_name() const {
  std::string text(name);
  if (!overload.empty()) text.append(".").append(overload);
  return text;
}

std::string Schema::to_string() const {
  std::string text = full_name() + "(";
  bool kwarg_only = false;
  for (const SchemaArgument& argument : arguments) {
    if (text.back() != '(') text += ", ";
    if (argument.kwarg_only && !kwarg_only) {
      text += "*, ";
      kwarg_only = true;
    }
    text.append(argument.type).append(" ").append(argument.name);
    if (argument.has_default()) text.append("=").append(argument.default_value);
  }
  text += ") -> ";
  if (returns.size() == 1) return text.append(returns[0]);
  text += "(";
  for (std::size_t i = 0; i < returns.size(); ++i) text.append(i == 0 ? "" : ", ").append(returns[i]);
  return text + ")";
}

}  // namespace lanewise
