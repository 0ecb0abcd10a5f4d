#include <lanewise/ops/matmul.h>

#include <lanewise/ops/dense.h>
#include <lanewise/ops/gemm.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// The last two dimensions of a tensor.
Matrix matrix(const Tensor& t) {
  const IntArrayRef sizes = t.sizes();
  const IntArrayRef strides = t.strides();
  const std::size_t r = sizes.size() - 2;
  return {static_cast<char*>(t.data_ptr()), t.scalar_type(), sizes[r], sizes[r + 1], strides[r], strides[r + 1]};
}

void check_types(const char* op, const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(DtypeError, a.scalar_type() == b.scalar_type(), op, ": expected both matrices to have the same dtype, found ",
                 a.scalar_type(), " and ", b.scalar_type());
  LANEWISE_CHECK(DtypeError, a.scalar_type() != kBool, op, ": not defined for Bool; convert to a number type");
}

void check_matrices(const char* op, const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(ShapeError, a.dim() == 2 && b.dim() == 2, op, ": both operands must be matrices, found shapes ", a.sizes(),
                 " and ", b.sizes());
  LANEWISE_CHECK(ShapeError, a.sizes()[1] == b.sizes()[0], op, ": mat1 and mat2 shapes cannot be multiplied (", a.sizes()[0],
                 "x", a.sizes()[1], " and ", b.sizes()[0], "x", b.sizes()[1], ")");
  check_types(op, a, b);
}

/// A factor must not lose its fraction or its imaginary part.
void check_factor(const char* op, const char* name, const Scalar& value, ScalarType t) {
  LANEWISE_CHECK(DtypeError, is_complex(t) || !value.isComplex(), op, ": ", name, " is complex, the matrices are ", t);
  LANEWISE_CHECK(DtypeError, !is_integral(t, true) || value.isIntegral(true), op, ": For integral input tensors, argument ",
                 name, " must not be a floating point number; the matrices are ", t);
}

}  // namespace

Tensor mm(const Tensor& self, const Tensor& mat2) {
  check_matrices("mm", self, mat2);
  Tensor out = detail::empty_cpu({self.sizes()[0], mat2.sizes()[1]}, self.scalar_type());
  Gemm(matrix(out), matrix(self), matrix(mat2), {}, 0, 1).run();
  return out;
}

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  check_matrices("addmm", mat1, mat2);
  const ScalarType type = mat1.scalar_type();
  LANEWISE_CHECK(DtypeError, self.scalar_type() == type, "addmm: self is ", self.scalar_type(), ", the matrices are ", type);
  check_factor("addmm", "beta", beta, type);
  check_factor("addmm", "alpha", alpha, type);
  const DimVector shape{mat1.sizes()[0], mat2.sizes()[1]};
  const DimVector broadcast = self.dim() <= 2 ? broadcast_shapes("addmm", self.sizes(), shape) : DimVector();
  LANEWISE_CHECK(ShapeError, broadcast == shape, "addmm: self of shape ", self.sizes(), " does not broadcast to the product's ",
                 IntArrayRef(shape));
  Matrix s{static_cast<char*>(self.data_ptr()), type, shape[0], shape[1], 0, 0};
  const auto rank = static_cast<std::size_t>(self.dim());
  if (rank >= 1 && self.sizes()[rank - 1] != 1) s.col_stride = self.strides()[rank - 1];
  if (rank == 2 && self.sizes()[0] != 1) s.row_stride = self.strides()[0];
  Tensor out = detail::empty_cpu(shape, type);
  Gemm(matrix(out), matrix(mat1), matrix(mat2), s, beta, alpha).run();
  return out;
}

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  LANEWISE_CHECK(ShapeError, self.dim() == 3 && mat2.dim() == 3, "bmm: both operands must be 3-dim, found shapes ", self.sizes(),
                 " and ", mat2.sizes());
  const IntArrayRef a = self.sizes();
  const IntArrayRef b = mat2.sizes();
  LANEWISE_CHECK(ShapeError, a[0] == b[0] && a[2] == b[1], "bmm: expected a second operand of shape [", a[0], ", ", a[2],
                 ", *] for a first of shape ", a, ", found ", b);
  check_types("bmm", self, mat2);
  Tensor out = detail::empty_cpu({a[0], a[1], b[2]}, self.scalar_type());
  const std::int64_t bytes = out.element_size();
  Gemm(matrix(out), matrix(self), matrix(mat2), {}, 0, 1)
      .run({a[0], self.strides()[0] * bytes, mat2.strides()[0] * bytes, out.strides()[0] * bytes});
  return out;
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  LANEWISE_CHECK(ShapeError, self.dim() == 2 && vec.dim() == 1, "mv: expected a matrix and a vector, found shapes ", self.sizes(),
                 " and ", vec.sizes());
  LANEWISE_CHECK(ShapeError, self.sizes()[1] == vec.sizes()[0], "mv: size mismatch, a matrix of shape ", self.sizes(),
                 " cannot be multiplied with a vector of ", vec.sizes()[0], " elements");
  check_types("mv", self, vec);
  Tensor out = detail::empty_cpu({self.sizes()[0]}, self.scalar_type());
  const std::int64_t rows = out.numel();
  const Matrix c{static_cast<char*>(out.data_ptr()), out.scalar_type(), rows, 1, 1, 1};
  const Matrix x{static_cast<char*>(vec.data_ptr()), vec.scalar_type(), vec.numel(), 1, vec.strides()[0], 1};
  Gemm(c, matrix(self), x, {}, 0, 1).run();
  return out;
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  LANEWISE_CHECK(ShapeError, self.dim() == 1 && tensor.dim() == 1, "dot: 1D tensors expected, found shapes ", self.sizes(),
                 " and ", tensor.sizes());
  LANEWISE_CHECK(ShapeError, self.numel() == tensor.numel(), "dot: inconsistent tensor size, expected the same number of elements, found ",
                 self.numel(), " and ", tensor.numel());
  check_types("dot", self, tensor);
  const ScalarType type = self.scalar_type();
  const ScalarType compute = is_integral(type, true) && type != kLong ? kInt : kernels::compute_type(type);
  const Tensor a = dense(self, compute);
  const Tensor b = dense(tensor, compute);
  Tensor out = detail::empty_cpu({}, compute);
  if (a.numel() == 0) {
    __builtin_memset(out.data_ptr(), 0, out.nbytes());
  } else {
    kernels::active_kernels().gemm->of[static_cast<std::size_t>(compute)]->dot(
        static_cast<const char*>(a.const_data_ptr()), static_cast<const char*>(b.const_data_ptr()), a.numel(),
        static_cast<char*>(out.data_ptr()));
  }
  return dense(out, type);
}

}  // namespace lanewise::ops
