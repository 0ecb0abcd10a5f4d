#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/gemm.h>
#include <lanewise/ops/matmul.h>
#include <lanewise/ops/product_checks.h>
#include <lanewise/ops/views.h>
#include <lanewise/ops/widened_products.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using ConstTensors = std::initializer_list<const Tensor*>;

constexpr PointwiseOp kMul{"bmm", &kernels::KernelTable::mul};

/// The last two dimensions of a tensor.
Matrix matrix(const Tensor& t) {
  const IntArrayRef sizes = t.sizes();
  const IntArrayRef strides = t.strides();
  const std::size_t r = sizes.size() - 2;
  return {
      static_cast<char*>(t.data_ptr()), t.scalar_type(), sizes[r], sizes[r + 1], strides[r], strides[r + 1]};
}

Matrix column(const Tensor& vec) {
  return {static_cast<char*>(vec.data_ptr()), vec.scalar_type(), vec.numel(), 1, vec.strides()[0], 1};
}

/// `self` broadcast to `rows` x `cols`.
Matrix broadcast(const Tensor& self, std::int64_t rows, std::int64_t cols) {
  Matrix s{static_cast<char*>(self.data_ptr()), self.scalar_type(), rows, cols, 0, 0};
  const auto rank = static_cast<std::size_t>(self.dim());
  if (rank >= 1 && self.sizes()[rank - 1] != 1) s.col_stride = self.strides()[rank - 1];
  if (rank == 2 && self.sizes()[0] != 1) s.row_stride = self.strides()[0];
  return s;
}

bool shares_memory(const Tensor& a, const Tensor& b) {
  return a.is_alias_of(b) && get_overlap_status(a, b) != MemOverlapStatus::No;
}

/// Where Gemm can read `self` while it writes `out`: apart from it, or in the same place.
bool may_add(const Tensor& out, const Tensor& self) {
  if (!shares_memory(out, self)) return true;
  return out.data_ptr() == self.data_ptr() && out.is_same_size(self) && out.strides().equals(self.strides());
}

/// Runs `product(out)` on the destination, or where that would overwrite what is still to be read on a tensor
/// that is then copied.
template <class Product>
void write(const Destination& to, IntArrayRef sizes, ScalarType type, const Tensor* self,
           ConstTensors factors, Product product) {
  bool beside = false;
  if (to.tensor.defined()) {
    for (const Tensor* factor : factors) beside |= shares_memory(to.tensor, *factor);
    if (self != nullptr) beside |= !may_add(to.tensor, *self);
  }
  if (!beside) {
    prepare(to, sizes, type);
    product(to.tensor);
    return;
  }
  Tensor result = lanewise::detail::empty_cpu(sizes, type);
  product(result);
  prepare(to, sizes, type);
  copy_(to.tensor, result);
}

DimVector mm_sizes(const Tensor& a, const Tensor& b) { return {a.sizes()[0], b.sizes()[1]}; }
DimVector bmm_sizes(const Tensor& a, const Tensor& b) { return {a.sizes()[0], a.sizes()[1], b.sizes()[2]}; }

/// Small matrices with gaps between their elements are brought together: kernels read them where they lie then.
Tensor without_gaps(const Tensor& t) {
  constexpr std::int64_t kSmall = 1024;
  const bool gaps = t.strides()[1] != 1 && t.strides()[2] != 1;
  return gaps && t.sizes()[1] * t.sizes()[2] <= kSmall ? dense(t) : t;
}

/// So are right factors of a few elements that do not lie in rows, or in one column: with 2 x 2 it takes 0.3 of the time.
Tensor in_rows(const Tensor& t) {
  constexpr std::int64_t kFew = 64;
  const bool lies_in_rows = (t.sizes()[2] == 1 ? t.strides()[1] : t.strides()[2]) == 1;
  return !lies_in_rows && t.sizes()[1] * t.sizes()[2] <= kFew ? dense(t) : t;
}

/// Kernels of integers and complex numbers read A by columns: of small ones all are brought into them at once.
Tensor in_columns(const Tensor& t) {
  constexpr std::int64_t kFew = 64;
  if (t.is_floating_point() || t.strides()[1] == 1 || t.sizes()[1] * t.sizes()[2] > kFew) return t;
  return transpose(dense(transpose(t, 1, 2)), 1, 2);
}

std::int64_t batch_step(const Tensor& t) { return t.strides()[0] * t.element_size(); }

void run_mm(const Tensor& out, const Tensor& a, const Tensor& b) {
  if (by_widened_pieces(out, a, b, {}, [](const Tensor& c, const Tensor& x, const Tensor& y, const Tensor&) {
        run_mm(c, x, y);
      })) {
    return;
  }
  Gemm(matrix(out), matrix(a), matrix(b), {}, 0, 1).run();
}

void run_bmm(const Tensor& out, const Tensor& a, const Tensor& b) {
  if (by_widened_pieces(out, a, b, {}, [](const Tensor& c, const Tensor& x, const Tensor& y, const Tensor&) {
        run_bmm(c, x, y);
      })) {
    return;
  }
  if (a.sizes()[2] == 1 && !a.is_complex()) {
    // A product each: small matrices take a fraction of the time that a call per batch takes.
    Tensor to = out;
    pointwise_inplace(kMul, to, {a, b});
    return;
  }
  const Tensor x = in_columns(without_gaps(a)), y = in_rows(without_gaps(b));
  Gemm(matrix(out), matrix(x), matrix(y), {}, 0, 1)
      .run({out.sizes()[0], batch_step(x), batch_step(y), batch_step(out)});
}

void run_baddbmm(const Tensor& out, const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta,
                 const Scalar& alpha) {
  const Tensor s = expand(self, out.sizes());
  const auto piece = [&](const Tensor& c, const Tensor& x, const Tensor& y, const Tensor& part) {
    run_baddbmm(c, part, x, y, beta, alpha);
  };
  if (by_widened_pieces(out, a, b, s, piece)) return;
  Gemm(matrix(out), matrix(a), matrix(b), matrix(s), beta, alpha)
      .run({out.sizes()[0], batch_step(a), batch_step(b), batch_step(out), batch_step(s)});
}

void run_addmm(const Tensor& out, const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta,
               const Scalar& alpha) {
  const auto piece = [&](const Tensor& c, const Tensor& x, const Tensor& y, const Tensor& part) {
    run_addmm(c, part, x, y, beta, alpha);
  };
  const bool widens = product_type(out.scalar_type()) != out.scalar_type();
  if (widens && by_widened_pieces(out, a, b, expand(self, out.sizes()), piece)) return;
  Gemm(matrix(out), matrix(a), matrix(b), broadcast(self, out.sizes()[0], out.sizes()[1]), beta, alpha).run();
}

/// The batches one after the other along the summed dimension.
std::pair<Tensor, Tensor> joined(const Tensor& a, const Tensor& b) {
  const std::int64_t depth = a.sizes()[0] * a.sizes()[2];
  const DimVector left{a.sizes()[1], depth}, right{depth, b.sizes()[2]};
  const Tensor rows = transpose(a, 0, 1);
  return {can_view(rows, left) ? view(rows, left) : view(dense(rows), left),
          can_view(b, right) ? view(b, right) : view(dense(b), right)};
}

}  // namespace

Tensor mm(const Tensor& self, const Tensor& mat2) {
  check_matrices("mm", self, mat2);
  Tensor out = lanewise::detail::empty_cpu(mm_sizes(self, mat2), self.scalar_type());
  run_mm(out, self, mat2);
  return out;
}

void mm_into(const Destination& to, const Tensor& self, const Tensor& mat2) {
  check_matrices(to.op, self, mat2);
  write(to, mm_sizes(self, mat2), self.scalar_type(), nullptr, {&self, &mat2},
        [&](const Tensor& out) { run_mm(out, self, mat2); });
}

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha) {
  check_matrices("addmm", mat1, mat2);
  const DimVector sizes = mm_sizes(mat1, mat2);
  check_added("addmm", self, sizes, mat1.scalar_type(), beta, alpha);
  Tensor out = lanewise::detail::empty_cpu(sizes, mat1.scalar_type());
  run_addmm(out, self, mat1, mat2, beta, alpha);
  return out;
}

void addmm_into(const Destination& to, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                const Scalar& beta, const Scalar& alpha) {
  check_matrices(to.op, mat1, mat2);
  const DimVector sizes = mm_sizes(mat1, mat2);
  check_added(to.op, self, sizes, mat1.scalar_type(), beta, alpha);
  write(to, sizes, mat1.scalar_type(), &self, {&mat1, &mat2},
        [&](const Tensor& out) { run_addmm(out, self, mat1, mat2, beta, alpha); });
}

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  check_batches("bmm", self, mat2);
  Tensor out = lanewise::detail::empty_cpu(bmm_sizes(self, mat2), self.scalar_type());
  run_bmm(out, self, mat2);
  return out;
}

void bmm_into(const Destination& to, const Tensor& self, const Tensor& mat2) {
  check_batches(to.op, self, mat2);
  write(to, bmm_sizes(self, mat2), self.scalar_type(), nullptr, {&self, &mat2},
        [&](const Tensor& out) { run_bmm(out, self, mat2); });
}

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  Tensor out;
  baddbmm_into({"baddbmm", out, true}, self, batch1, batch2, beta, alpha);
  return out;
}

void baddbmm_into(const Destination& to, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                  const Scalar& beta, const Scalar& alpha) {
  check_batches(to.op, batch1, batch2);
  const DimVector sizes = bmm_sizes(batch1, batch2);
  check_added(to.op, self, sizes, batch1.scalar_type(), beta, alpha);
  write(to, sizes, batch1.scalar_type(), &self, {&batch1, &batch2},
        [&](const Tensor& out) { run_baddbmm(out, self, batch1, batch2, beta, alpha); });
}

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  Tensor out;
  addbmm_into({"addbmm", out, true}, self, batch1, batch2, beta, alpha);
  return out;
}

void addbmm_into(const Destination& to, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                 const Scalar& beta, const Scalar& alpha) {
  check_batches(to.op, batch1, batch2);
  const DimVector sizes{batch1.sizes()[1], batch2.sizes()[2]};
  check_added(to.op, self, sizes, batch1.scalar_type(), beta, alpha);
  const auto [left, right] = joined(batch1, batch2);
  write(to, sizes, batch1.scalar_type(), &self, {&batch1, &batch2},
        [&, &a = left, &b = right](const Tensor& out) { run_addmm(out, self, a, b, beta, alpha); });
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  Tensor out;
  mv_into({"mv", out, true}, self, vec);
  return out;
}

void mv_into(const Destination& to, const Tensor& self, const Tensor& vec) {
  check_matrix_vector(to.op, self, vec);
  write(to, self.sizes().slice(0, 1), self.scalar_type(), nullptr, {&self, &vec},
        [&](const Tensor& out) { Gemm(column(out), matrix(self), column(vec), {}, 0, 1).run(); });
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  Tensor out;
  addmv_into({"addmv", out, true}, self, mat, vec, beta, alpha);
  return out;
}

void addmv_into(const Destination& to, const Tensor& self, const Tensor& mat, const Tensor& vec,
                const Scalar& beta, const Scalar& alpha) {
  check_matrix_vector(to.op, mat, vec);
  const IntArrayRef sizes = mat.sizes().slice(0, 1);
  check_added(to.op, self, sizes, mat.scalar_type(), beta, alpha);
  write(to, sizes, mat.scalar_type(), &self, {&mat, &vec}, [&](const Tensor& out) {
    Matrix s{static_cast<char*>(self.data_ptr()), self.scalar_type(), sizes[0], 1, 0, 1};
    if (self.numel() != 1) s.row_stride = self.strides()[0];
    Gemm(column(out), matrix(mat), column(vec), s, beta, alpha).run();
  });
}

}  // namespace lanewise::ops
