#include <lanewise/optim/detail/check.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {

void check_value(bool good, const char* who, const char* what, double found, const char* expected) {
  LANEWISE_CHECK(ValueError, good, who, ": ", what, " is ", found, ", expected ", expected);
}

void check_floating(const char* what, std::size_t index, ScalarType dtype, bool or_complex) {
  LANEWISE_CHECK(DtypeError, isFloatingType(dtype) || (or_complex && isComplexType(dtype)), what, index,
                 " is ", dtype, ", expected a floating type");
}

}  // namespace lanewise::optim
