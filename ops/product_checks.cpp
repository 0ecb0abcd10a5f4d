#include <lanewise/ops/product_checks.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// A fractional factor of integers is truncated, as in PyTorch.
void check_weight(const char* op, const char* name, const Scalar& value, ScalarType t) {
  LANEWISE_CHECK(DtypeError, is_complex(t) || !value.isComplex(), op, ": ", name,
                 " is complex, the matrices are ", t);
  value.check_fits(t, op);
}

bool broadcasts_to(IntArrayRef from, IntArrayRef to) {
  if (from.size() > to.size()) return false;
  const std::size_t lead = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[lead + d]) return false;
  }
  return true;
}

}  // namespace

void check_product_types(const char* op, const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(DtypeError, a.scalar_type() == b.scalar_type(), op, ": expected scalar type ",
                 a.scalar_type(), " but found ", b.scalar_type(),
                 ": expected both operands to have the same dtype, convert one with to()");
  LANEWISE_CHECK(DtypeError, a.scalar_type() != kBool, op,
                 ": not defined for Bool; convert to a number type");
}

void check_matrices(const char* op, const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(ShapeError, a.dim() == 2 && b.dim() == 2, op, ": ", a.dim() == 2 ? "mat2" : "self",
                 " must be a matrix, both operands must be matrices, found shapes ", a.sizes(), " and ",
                 b.sizes());
  LANEWISE_CHECK(ShapeError, a.sizes()[1] == b.sizes()[0], op,
                 ": mat1 and mat2 shapes cannot be multiplied (", a.sizes()[0], "x", a.sizes()[1], " and ",
                 b.sizes()[0], "x", b.sizes()[1], ")");
  check_product_types(op, a, b);
}

void check_batches(const char* op, const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(ShapeError, a.dim() == 3 && b.dim() == 3, op, ": ", a.dim() == 3 ? "batch2" : "batch1",
                 " must be a 3D tensor, both batches of matrices must be 3-dim, found shapes ", a.sizes(),
                 " and ", b.sizes());
  LANEWISE_CHECK(ShapeError, a.sizes()[0] == b.sizes()[0] && a.sizes()[2] == b.sizes()[1], op,
                 ": Expected size for first two dimensions of batch2 tensor to be: [", a.sizes()[0], ", ",
                 a.sizes()[2], "] but got: [", b.sizes()[0], ", ", b.sizes()[1], "]; batch1 has shape ",
                 a.sizes(), ", batch2 ", b.sizes());
  check_product_types(op, a, b);
}

void check_matrix_vector(const char* op, const Tensor& mat, const Tensor& vec) {
  LANEWISE_CHECK(ShapeError, mat.dim() == 2 && vec.dim() == 1, op,
                 ": expected a matrix and a vector, found shapes ", mat.sizes(), " and ", vec.sizes());
  LANEWISE_CHECK(ShapeError, mat.sizes()[1] == vec.sizes()[0], op, ": size mismatch, a matrix of shape ",
                 mat.sizes(), " cannot be multiplied with a vector of ", vec.sizes()[0], " elements");
  check_product_types(op, mat, vec);
}

void check_vectors(const char* op, const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(ShapeError, a.dim() == 1 && b.dim() == 1, op, ": 1D tensors expected, but got ", a.dim(),
                 "D and ", b.dim(), "D tensors, of shapes ", a.sizes(), " and ", b.sizes());
  LANEWISE_CHECK(ShapeError, a.numel() == b.numel(), op, ": inconsistent tensor size, expected tensor ",
                 a.sizes(), " and src ", b.sizes(), " to have the same number of elements, but got ",
                 a.numel(), " and ", b.numel(), " elements respectively");
  check_product_types(op, a, b);
}

void check_added(const char* op, const Tensor& self, IntArrayRef shape, ScalarType type, const Scalar& beta,
                 const Scalar& alpha) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() == type, op, ": self is ", self.scalar_type(),
                 ", the matrices are ", type, "; expected one dtype");
  check_weight(op, "beta", beta, type);
  check_weight(op, "alpha", alpha, type);
  LANEWISE_CHECK(ShapeError, broadcasts_to(self.sizes(), shape), op, ": self of shape ", self.sizes(),
                 " does not broadcast to the product's ", shape);
}

}  // namespace lanewise::ops
