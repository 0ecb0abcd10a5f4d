#pragma once

#include <lanewise/tensor/tensor.h>

/// In-place and out= forms of ops whose forward makes a fresh tensor.
namespace lanewise::ops {

/// Copies `result` into `self`. Throws ShapeError if the shapes differ, DtypeError if self cannot hold its dtype.
void assign_result(const char* op, Tensor& self, const Tensor& result);

/// Copies `result` into `out`, which is resized if its shape differs. Throws DtypeError if it cannot hold its dtype. An
/// undefined `out` becomes the result.
void resize_result(const char* op, Tensor& out, const Tensor& result);

}  // namespace lanewise::ops
