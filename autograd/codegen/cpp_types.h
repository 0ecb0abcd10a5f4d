#pragma once

#include <string>

#include "op.h"

namespace lanewise::codegen {

/// The type of a parameter of a public function.
std::string parameter_type(const Argument& argument);

/// The type in which a node keeps the argument.
std::string stored_type(const Type& type);

std::string return_type(const Schema& schema);

/// `const Tensor& self, const Tensor& other, const Scalar& alpha = 1`. `skip` leaves out one argument (a
/// method's self).
std::string parameter_list(const Schema& schema, bool with_defaults, const std::string& skip = "");

/// `self, other, alpha`, with `replace` spelled as `by`.
std::string argument_list(const Schema& schema, const std::string& replace = "", const std::string& by = "");

}  // namespace lanewise::codegen
