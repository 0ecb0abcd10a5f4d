#pragma once

#include <cstddef>

#include <lanewise/tensor/dtype.h>

namespace lanewise::optim {

/// Throws ValueError unless `good`: "who: what is found, expected expected".
void check_value(bool good, const char* who, const char* what, double found, const char* expected);

/// Throws DtypeError unless it is a floating type, or a complex one where that will do; `what` precedes the index.
void check_floating(const char* what, std::size_t index, ScalarType dtype, bool or_complex = false);

}  // namespace lanewise::optim
