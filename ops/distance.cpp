#include <algorithm>
#include <cmath>
#include <cstring>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/distance.h>
#include <lanewise/ops/norm.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using lanewise::detail::Scratch;
using lanewise::detail::scratch;

constexpr PointwiseOp kSub{"cdist", &kernels::KernelTable::sub};
/// Differences that make it worth waking another thread.
constexpr std::int64_t kParallelDifferences = 1 << 17;
/// Differences that are held at once for norms that have no kernel.
constexpr std::int64_t kHeldDifferences = 1 << 16;
/// Rows that share what a kernel reads of the columns.
constexpr std::int64_t kRows = 16;
/// With fewer columns than these it is better to take the rows for columns.
constexpr std::int64_t kFewColumns = 16;

/// The kernel for norm p of f32 or f64; null if there is none.
kernels::DistanceFn kernel_of(double p, ScalarType type) {
  const kernels::DistanceTable& table = *kernels::active_kernels().distances;
  const kernels::DistanceFns& fns = type == kDouble ? table.f64 : table.f32;
  return p == 1 ? fns.sum : p == 2 ? fns.root : std::isinf(p) ? fns.largest : nullptr;
}

/// Norms of x - y along dim, for norms that have no kernel.
Tensor norms_of_difference(const Tensor& x, const Tensor& y, double p, std::int64_t dim) {
  return linalg_vector_norm(pointwise(kSub, {x, y}, {1}), p, IntArrayRef(dim), false, std::nullopt);
}

std::int64_t grain_of(std::int64_t differences) {
  return std::max<std::int64_t>(1, kParallelDifferences / std::max<std::int64_t>(differences, 1));
}

/// The rows of t [..., R, M] as columns [..., M, R], contiguous; for a kernel at least as many as it needs,
/// with zeros behind those of t.
Tensor as_columns(const Tensor& t, ScalarType compute, double p) {
  const Tensor turned = transpose(t, -1, -2);
  const std::int64_t columns = turned.size(-1);
  if (columns >= kernels::kDistanceColumns || kernel_of(p, compute) == nullptr) return dense(turned, compute);
  DimVector sizes(turned.sizes());
  sizes.back() = kernels::kDistanceColumns;
  Tensor result = filled(sizes, compute, 0);
  Tensor part = narrow(result, -1, 0, columns);
  copy_(part, turned);
  return result;
}

/// out [..., P, R] = distances of rows of a [..., P, M] from columns of b [..., M, R]; all contiguous.
void put_distances(const Tensor& a, const Tensor& b, double p, const Tensor& out) {
  const std::int64_t rows = a.size(-2), width = a.size(-1), columns = b.size(-1);
  if (const kernels::DistanceFn kernel = kernel_of(p, a.scalar_type())) {
    const std::int64_t groups = divup(rows, kRows), size = a.element_size();
    const auto *rows_of_a = static_cast<const char*>(a.const_data_ptr()),
               *columns_of_b = static_cast<const char*>(b.const_data_ptr());
    auto* result = static_cast<char*>(out.data_ptr());
    parallel_for(
        0, out.numel() / (rows * columns) * groups, grain_of(kRows * width * columns),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t batch = i / groups, first = i % groups * kRows;
            const std::int64_t row = batch * rows + first;
            kernel({rows_of_a + row * width * size, width, columns_of_b + batch * width * columns * size,
                    columns, result + row * columns * size, columns, std::min(kRows, rows - first), columns,
                    width});
          }
        });
    return;
  }
  const Tensor across = unsqueeze(b, -3);
  const std::int64_t step = std::max<std::int64_t>(1, kHeldDifferences / (out.numel() / rows * width));
  for (std::int64_t i = 0; i < rows; i += step) {
    const std::int64_t count = std::min(step, rows - i);
    Tensor part = narrow(out, -2, i, count);
    copy_(part, norms_of_difference(unsqueeze(narrow(a, -2, i, count), -1), across, p, -2));
  }
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
  const std::int64_t rows = x1.size(-2), columns = x2.size(-2), width = x1.size(-1);
  if (columns < kFewColumns && columns < rows) return dense(transpose(cdist_forward(x2, x1, p), -1, -2));
  const auto batch_of = [](const Tensor& t) { return t.sizes().slice(0, t.sizes().size() - 2); };
  const DimVector batch = broadcast_shapes("cdist", batch_of(x1), batch_of(x2));
  const auto sized = [&](std::int64_t r, std::int64_t c) {
    DimVector sizes(batch);
    sizes.push_back(r);
    sizes.push_back(c);
    return sizes;
  };
  const ScalarType compute = kernels::compute_type(x1.scalar_type());
  const DimVector sizes = sized(rows, columns);
  if (rows * columns * width == 0 || multiply_integers(batch) == 0) {
    Tensor nothing = lanewise::detail::empty_cpu(sizes, x1.scalar_type());
    fill_(nothing, 0);
    return nothing;
  }
  const Tensor b = as_columns(expand(x2, sized(columns, width)), compute, p);
  const Tensor out = lanewise::detail::empty_cpu(sized(rows, b.size(-1)), compute);
  put_distances(dense(expand(x1, sized(rows, width)), compute), b, p, out);
  return dense(narrow(out, -1, 0, columns), x1.scalar_type());
}

Tensor pdist_forward(const Tensor& self, double p) {
  LANEWISE_CHECK(ShapeError, self.dim() == 2, "pdist: only supports 2D tensors, got: ", self.dim(), "D");
  LANEWISE_CHECK(DtypeError, self.is_floating_point(), "pdist: only supports floating-point dtypes, found ",
                 self.scalar_type());
  LANEWISE_CHECK(ValueError, p >= 0, "pdist: only supports non-negative p values, found ", p);
  const std::int64_t n = self.size(0), width = self.size(1);
  const ScalarType compute = kernels::compute_type(self.scalar_type());
  Tensor out = lanewise::detail::empty_cpu({n > 1 ? n * (n - 1) / 2 : 0}, compute);
  const auto place_of = [n](std::int64_t row) { return row * (2 * n - row - 1) / 2; };
  if (out.numel() == 0) return dense(out, self.scalar_type());
  if (width == 0) return dense(fill_(out, 0), self.scalar_type());
  const Tensor a = dense(self, compute), b = as_columns(self, compute, p);
  const std::int64_t size = a.element_size(), stride = b.size(1);
  if (const kernels::DistanceFn kernel = kernel_of(p, compute)) {
    const auto *rows_of_a = static_cast<const char*>(a.const_data_ptr()),
               *columns_of_b = static_cast<const char*>(b.const_data_ptr());
    auto* result = static_cast<char*>(out.data_ptr());
    parallel_for(
        0, divup(n - 1, kRows), grain_of(kRows * width * n / 2), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t first = begin * kRows; first < std::min(end * kRows, n - 1); first += kRows) {
            // From all rows after the first of the group; of them each row needs those after itself.
            const std::int64_t rows = std::min(kRows, n - 1 - first);
            const std::int64_t start = std::min(first + 1, stride - kernels::kDistanceColumns);
            const std::int64_t columns = stride - start;
            char* tile = scratch(Scratch::Tile, static_cast<std::size_t>(rows * columns * size));
            kernel({rows_of_a + first * width * size, width, columns_of_b + start * size, stride, tile,
                    columns, rows, columns, width});
            for (std::int64_t row = first; row < first + rows; ++row) {
              std::memcpy(result + place_of(row) * size,
                          tile + ((row - first) * columns + row + 1 - start) * size,
                          static_cast<std::size_t>((n - 1 - row) * size));
            }
          }
        });
  } else {
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      const std::int64_t count = n - 1 - i;
      Tensor part = narrow(out, 0, place_of(i), count);
      copy_(part, norms_of_difference(narrow(b, 1, i, 1), narrow(b, 1, i + 1, count), p, 0));
    }
  }
  return dense(out, self.scalar_type());
}

}  // namespace lanewise::ops
