
#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise {
namespace {

DimVector with_tail(IntArrayRef batch, std::int64_t rows, std::int64_t cols) {
  DimVector sizes(batch);
  sizes.push_back(rows);
  sizes.push_back(cols);
  return sizes;
}

IntArrayRef batch_of(const Tensor& t) { return t.sizes().slice(0, t.sizes().size() - 2); }

/// Both have at least two dimensions, one has more.
Tensor batched(const Tensor& self, const Tensor& other) {
  const std::int64_t n = self.size(-2), k = self.size(-1), m = other.size(-1);
  LANEWISE_CHECK(ShapeError, k == other.size(-2), "matmul: shapes ", self.sizes(), " and ", other.sizes(),
                 " do not multiply: ", k, " columns against ", other.size(-2), " rows");
  if (other.dim() == 2) {
    // One big product: the batch joins the rows.
    const DimVector sizes = with_tail(batch_of(self), n, m);
    const Tensor flat = self.reshape({multiply_integers(batch_of(self)) * n, k}).mm(other);
    return _unsafe_view(flat, sizes);
  }
  const DimVector batch = broadcast_shapes("matmul", batch_of(self), batch_of(other));
  const std::int64_t b = multiply_integers(batch);
  const Tensor x = self.expand(with_tail(batch, n, k)).reshape({b, n, k});
  const Tensor y = other.expand(with_tail(batch, k, m)).reshape({b, k, m});
  return _unsafe_view(x.bmm(y), with_tail(batch, n, m));
}

/// A batch of matrices times a vector: one matrix with all rows.
Tensor times_vector(const Tensor& matrices, const Tensor& vec) {
  LANEWISE_CHECK(ShapeError, matrices.size(-1) == vec.size(0), "matmul: size mismatch, shapes ",
                 matrices.sizes(), " and ", vec.sizes(), " do not multiply: ", matrices.size(-1),
                 " columns against ", vec.size(0), " elements");
  const DimVector sizes(matrices.sizes().slice(0, matrices.sizes().size() - 1));
  return _unsafe_view(matrices.reshape({multiply_integers(sizes), vec.size(0)}).mv(vec), sizes);
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  ops::check_defined("matmul", "self", self, "other", other);
  LANEWISE_CHECK(ShapeError, self.dim() > 0 && other.dim() > 0,
                 "matmul: both arguments to matmul need to be at least 1D, but they are ", self.dim(),
                 "D and ", other.dim(), "D");
  if (self.dim() == 1 && other.dim() == 1) return self.dot(other);
  if (self.dim() == 2 && other.dim() == 2) return self.mm(other);
  if (self.dim() == 2 && other.dim() == 1) return self.mv(other);
  if (self.dim() == 1 && other.dim() == 2) {
    Tensor row = self.unsqueeze(0).mm(other);
    return row.squeeze_(0);  // no view, whose base nobody sees
  }
  if (other.dim() == 1) return times_vector(self, other);
  if (self.dim() == 1) return times_vector(other.transpose(-2, -1), self);
  return batched(self, other);
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  ops::check_defined("linear", "input", input, "weight", weight);
  if (!bias.defined()) return matmul(input, weight.t());
  if (input.dim() == 2) return addmm(bias, input, weight.t());
  if (input.dim() > 2 && weight.dim() == 2 && bias.dim() == 1 && input.is_contiguous()) {
    DimVector sizes(input.sizes());
    sizes.back() = weight.size(0);
    const Tensor rows =
        input.view({multiply_integers(input.sizes().slice(0, input.sizes().size() - 1)), input.size(-1)});
    return addmm(bias, rows, weight.t()).view(sizes);
  }
  return matmul(input, weight.t()) + bias;
}

Tensor inner(const Tensor& self, const Tensor& other) {
  ops::check_defined("inner", "self", self, "other", other);
  if (self.dim() == 0 || other.dim() == 0) return self * other;
  LANEWISE_CHECK(ShapeError, self.size(-1) == other.size(-1),
                 "inner: the last dimension must match on both input tensors but got shapes ", self.sizes(),
                 " and ", other.sizes());
  return tensordot(self, other, {-1}, {-1});
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  ops::check_defined("outer", "self", self, "vec2", vec2);
  LANEWISE_CHECK(ShapeError, self.dim() == 1 && vec2.dim() == 1, "outer: Expected 1-D argument ",
                 self.dim() == 1 ? "vec2" : "self", ", but got ", self.dim() == 1 ? vec2.dim() : self.dim(),
                 "-D: the arguments self and vec2 are ", self.dim(), "-D and ", vec2.dim(), "-D");
  return self.view({self.size(0), 1}) * vec2;
}

Tensor cross(const Tensor& self, const Tensor& other, std::optional<std::int64_t> dim) {
  ops::check_defined("cross", "self", self, "other", other);
  if (dim) return linalg_cross(self, other, *dim);
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) == 3) return linalg_cross(self, other, d);
  }
  detail::raise<ShapeError>("cross: no dimension of size 3 in input of shape ", self.sizes());
}

Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left) {
  ops::check_defined("linalg_solve", "A", A, "B", B);
  if (left) return _linalg_solve(A, B);
  LANEWISE_CHECK(ShapeError, A.dim() >= 2 && B.dim() >= 2,
                 "linalg.solve: with left=False B must be matrices, found shapes ", A.sizes(), " and ",
                 B.sizes());
  LANEWISE_CHECK(ShapeError, !B.sizes().equals(A.sizes().slice(0, A.sizes().size() - 1)),
                 "linalg.solve: Incompatible shapes of A and B for the equation XA = B, ", A.sizes(), " and ",
                 B.sizes());
  return _linalg_solve(A.mT(), B.mT()).mT();
}

Tensor linalg_vecdot(const Tensor& x, const Tensor& y, std::int64_t dim) {
  ops::check_defined("linalg_vecdot", "x", x, "y", y);
  LANEWISE_CHECK(DtypeError, is_differentiable(x.scalar_type()),
                 "linalg.vecdot: Expected a floating point or complex tensor as input. Got ",
                 x.scalar_type());
  LANEWISE_CHECK(DtypeError, x.scalar_type() == y.scalar_type(),
                 "linalg.vecdot: Expected x and y to have the same dtype, but found x of type ",
                 x.scalar_type(), " and y of type ", y.scalar_type(), " instead");
  return (x.conj() * y).sum(dim);
}

}  // namespace lanewise
