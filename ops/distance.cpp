#include <algorithm>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/distance.h>
#include <lanewise/ops/norm.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

constexpr PointwiseOp kSub{"cdist", &kernels::KernelTable::sub};
/// Differences that are held at once.
constexpr std::int64_t kDifferences = std::int64_t{1} << 18;

Tensor norms_of_rows(const Tensor& a, const Tensor& b, double p) {
  return linalg_vector_norm(pointwise(kSub, {a, b}, {1}), p, IntArrayRef(-1), false, std::nullopt);
}

}  // namespace

Tensor cdist_forward(const Tensor& x1, const Tensor& x2, double p) {
  LANEWISE_CHECK(DtypeError, x1.is_floating_point() && x2.is_floating_point(),
                 "cdist: only supports floating-point dtypes, X1 and X2 got: ", x1.scalar_type(), " and ",
                 x2.scalar_type());
  LANEWISE_CHECK(DtypeError, x1.scalar_type() == x2.scalar_type(), "cdist: X1 is ", x1.scalar_type(),
                 " and X2 is ", x2.scalar_type());
  for (const Tensor* t : {&x1, &x2}) {
    LANEWISE_CHECK(ShapeError, t->dim() >= 2, "cdist: only supports at least 2D tensors, found shape ",
                   t->sizes());
  }
  LANEWISE_CHECK(ShapeError, x1.size(-1) == x2.size(-1),
                 "cdist: X1 and X2 must have the same number of columns. X1: ", x1.size(-1),
                 " X2: ", x2.size(-1));
  LANEWISE_CHECK(ValueError, p >= 0, "cdist: only supports non-negative p values, found ", p);
  const Tensor a = unsqueeze(x1, -2), b = unsqueeze(x2, -3);
  DimVector shape = broadcast_shapes("cdist", a.sizes(), b.sizes());
  const std::int64_t rows = x1.size(-2), width = x1.size(-1);
  shape.pop_back();
  Tensor out = detail::empty_cpu(shape, x1.scalar_type());
  if (out.numel() == 0) return out;
  if (width == 0) return fill_(out, 0);
  const std::int64_t each = out.numel() / rows * width;
  const std::int64_t step = std::max<std::int64_t>(1, kDifferences / each);
  for (std::int64_t i = 0; i < rows; i += step) {
    const std::int64_t count = std::min(step, rows - i);
    Tensor part = narrow(out, -2, i, count);
    copy_(part, norms_of_rows(narrow(a, -3, i, count), b, p));
  }
  return out;
}

Tensor pdist_forward(const Tensor& self, double p) {
  LANEWISE_CHECK(ShapeError, self.dim() == 2, "pdist: only supports 2D tensors, got: ", self.dim(), "D");
  LANEWISE_CHECK(DtypeError, self.is_floating_point(), "pdist: only supports floating-point dtypes, found ",
                 self.scalar_type());
  LANEWISE_CHECK(ValueError, p >= 0, "pdist: only supports non-negative p values, found ", p);
  const std::int64_t n = self.size(0);
  Tensor out = detail::empty_cpu({n > 1 ? n * (n - 1) / 2 : 0}, self.scalar_type());
  if (self.size(1) == 0) return fill_(out, 0);
  for (std::int64_t i = 0, first = 0; i + 1 < n; ++i) {
    const std::int64_t count = n - 1 - i;
    Tensor part = narrow(out, 0, first, count);
    copy_(part, norms_of_rows(narrow(self, 0, i, 1), narrow(self, 0, i + 1, count), p));
    first += count;
  }
  return out;
}

}  // namespace lanewise::ops
