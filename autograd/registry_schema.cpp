#include <lanewise/autograd/registry.h>

namespace lanewise {

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
