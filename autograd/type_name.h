#pragma once

#include <string>
#include <typeinfo>

namespace lanewise::autograd {

/// The readable name of a type without its namespaces and enclosing classes: "MulBackward0".
std::string type_name(const std::type_info& type);

}  // namespace lanewise::autograd
