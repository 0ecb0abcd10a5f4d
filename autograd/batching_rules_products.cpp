#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/batching_rules.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/product_checks.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

/// Products of slices: a batch more for matmul, or a broadcast product that is summed.
namespace lanewise::autograd::batching::rules {
namespace {

/// beta * self + alpha * product for slices of `rank` dimensions.
Tensor added(const Batch& batch, std::size_t self, std::int64_t self_rank, std::int64_t rank,
             const Scalar& beta, const Scalar& alpha, const Tensor& product) {
  const Tensor scaled = alpha.equal(1) ? product : product * alpha;
  // Of a product without a batch, every slice has a copy.
  const Tensor whole = scaled.dim() > rank ? scaled : scaled.unsqueeze(0);
  Tensor value = batch.front(self);
  for (std::int64_t d = self_rank; d < rank && batch.is_batched(self); ++d) value = value.unsqueeze(1);
  if (!batch.is_batched(self) || beta.equal(0)) {
    DimVector sizes{batch.size()};
    for (const std::int64_t size : whole.sizes().slice(1)) sizes.push_back(size);
    const Tensor all = whole.expand(sizes);
    if (beta.equal(0)) return batch.wrap(all);
    return batch.wrap((beta.equal(1) ? value : value * beta) + all);
  }
  return batch.wrap((beta.equal(1) ? value : value * beta) + whole);
}

DimVector shape_of(std::initializer_list<std::int64_t> sizes) { return DimVector(sizes); }

}  // namespace

Tensor mm(const Tensor& self, const Tensor& mat2) {
  ops::check_matrices("mm", self, mat2);
  const Batch batch({&self, &mat2});
  return batch.wrap(lanewise::matmul(batch.front(0), batch.front(1)));
}

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha) {
  ops::check_matrices("addmm", mat1, mat2);
  ops::check_added("addmm", self, shape_of({mat1.size(0), mat2.size(1)}), mat1.scalar_type(), beta, alpha);
  const Batch batch({&self, &mat1, &mat2});
  return added(batch, 0, self.dim(), 2, beta, alpha, lanewise::matmul(batch.front(1), batch.front(2)));
}

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  ops::check_batches("bmm", self, mat2);
  const Batch batch({&self, &mat2});
  return batch.wrap(lanewise::matmul(batch.front(0), batch.front(1)));
}

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  ops::check_batches("baddbmm", batch1, batch2);
  ops::check_added("baddbmm", self, shape_of({batch1.size(0), batch1.size(1), batch2.size(2)}),
                   batch1.scalar_type(), beta, alpha);
  const Batch batch({&self, &batch1, &batch2});
  return added(batch, 0, self.dim(), 3, beta, alpha, lanewise::matmul(batch.front(1), batch.front(2)));
}

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  ops::check_batches("addbmm", batch1, batch2);
  ops::check_added("addbmm", self, shape_of({batch1.size(1), batch2.size(2)}), batch1.scalar_type(), beta,
                   alpha);
  const Batch batch({&self, &batch1, &batch2});
  const Tensor products = lanewise::matmul(batch.front(1), batch.front(2));
  return added(batch, 0, self.dim(), 2, beta, alpha, products.sum(-3, false, batch1.scalar_type()));
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  ops::check_matrix_vector("mv", self, vec);
  const Batch batch({&self, &vec});
  return batch.wrap(lanewise::matmul(batch.front(0), batch.front(1).unsqueeze(-1)).squeeze(-1));
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  ops::check_matrix_vector("addmv", mat, vec);
  ops::check_added("addmv", self, shape_of({mat.size(0)}), mat.scalar_type(), beta, alpha);
  const Batch batch({&self, &mat, &vec});
  return added(batch, 0, self.dim(), 1, beta, alpha,
               lanewise::matmul(batch.front(1), batch.front(2).unsqueeze(-1)).squeeze(-1));
}

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  LANEWISE_CHECK(ShapeError, self.dim() <= 2 && vec1.dim() == 1 && vec2.dim() == 1,
                 "addr: Expected 1-D arguments vec1 and vec2, found shapes ", vec1.sizes(), " and ",
                 vec2.sizes());
  broadcast_shapes("addr", self.sizes(), shape_of({vec1.size(0), vec2.size(0)}));
  const Batch batch({&self, &vec1, &vec2});
  return added(batch, 0, self.dim(), 2, beta, alpha,
               batch.front(1).unsqueeze(-1) * batch.front(2).unsqueeze(-2));
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  ops::check_vectors("dot", self, tensor);
  const Batch batch({&self, &tensor});
  return batch.wrap((batch.front(0) * batch.front(1)).sum(-1, false, self.scalar_type()));
}

Tensor vdot(const Tensor& self, const Tensor& other) {
  ops::check_vectors("vdot", self, other);
  const Batch batch({&self, &other});
  return batch.wrap((lanewise::conj(batch.front(0)) * batch.front(1)).sum(-1, false, self.scalar_type()));
}

Tensor linalg_cross(const Tensor& self, const Tensor& other, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() == other.dim(),
                 "linalg.cross: inputs must have the same number of dimensions, found shapes ", self.sizes(),
                 " and ", other.sizes());
  const Batch batch({&self, &other});
  return batch.wrap(lanewise::linalg_cross(batch.expanded(0), batch.expanded(1),
                                           wrap_dim("linalg.cross", dim, self.dim()) + 1));
}

Tensor trace(const Tensor& self) {
  LANEWISE_CHECK(ShapeError, self.dim() == 2, "trace: expected a matrix, but got tensor with dim ",
                 self.dim());
  const Batch batch({&self});
  return batch.wrap(batch.front(0).diagonal(0, 1, 2).sum(-1));
}

}  // namespace lanewise::autograd::batching::rules
