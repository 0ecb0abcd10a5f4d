#pragma once

#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::ops {

/// visit_dtype() for what compares elements: f knows no complex numbers, which have no order. The caller
/// has refused them...
template <class F>
void visit_ordered(ScalarType dtype, F&& f) {
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (!is_complex(scalar_type_of<T>)) f.template operator()<T>();
  });
}
/// ...or this does. Throws DtypeError that begins with `op`.
template <class F>
void visit_ordered(const char* op, ScalarType dtype, F&& f) {
  LANEWISE_CHECK(DtypeError, !is_complex(dtype), op, ": complex numbers have no order");
  visit_ordered(dtype, f);
}

}  // namespace lanewise::ops
