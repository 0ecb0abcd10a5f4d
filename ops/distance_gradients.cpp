#include <algorithm>
#include <cmath>
#include <cstring>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/distance.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// Differences that make it worth waking another thread.
constexpr std::int64_t kParallelDifferences = 1 << 17;
/// Rows that a call of a kernel takes.
constexpr std::int64_t kRows = 16;

/// Rows with zeros behind them up to what kernels take at once.
Tensor padded(const Tensor& t, ScalarType compute) {
  const std::int64_t width = t.size(-1), rest = width % kernels::kGradientWidth;
  if (rest == 0) return dense(t, compute);
  DimVector sizes(t.sizes());
  sizes.back() = width - rest + kernels::kGradientWidth;
  Tensor result = filled(sizes, compute, 0);
  Tensor part = narrow(result, -1, 0, width);
  copy_(part, t);
  return result;
}

}  // namespace

bool has_distance_gradients(double p) { return p == 1 || p == 2 || std::isinf(p); }

Tensor distance_gradients(const Tensor& weights, const Tensor& distances, const Tensor& a, const Tensor& b,
                          double p, bool turned) {
  const ScalarType compute = kernels::compute_type(a.scalar_type());
  const Tensor w = dense(weights, compute), d = dense(distances, compute), x = padded(a, compute),
               y = padded(b, compute);
  Tensor out = lanewise::detail::empty_cpu(x.sizes(), compute);
  if (w.numel() == 0 || out.numel() == 0) {
    fill_(out, 0);
    return dense(narrow(out, -1, 0, a.size(-1)), a.scalar_type());
  }
  const std::int64_t rows = a.size(-2), others = b.size(-2), width = x.size(-1), size = x.element_size();
  const kernels::DistanceTable& table = *kernels::active_kernels().distances;
  const kernels::DistanceFns& fns = compute == kDouble ? table.f64 : table.f32;
  const kernels::DistanceGradientFn kernel = p == 1   ? fns.sum_gradient
                                             : p == 2 ? fns.root_gradient
                                                      : fns.largest_gradient;
  const auto at = [size](const Tensor& t, std::int64_t element) {
    return static_cast<char*>(t.data_ptr()) + element * size;
  };
  const std::int64_t groups = divup(rows, kRows);
  const std::int64_t batches = out.numel() / (rows * width);
  const std::int64_t grain =
      std::max<std::int64_t>(1, kParallelDifferences / std::max<std::int64_t>(kRows * width * others, 1));
  parallel_for(0, batches * groups, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t batch = i / groups, first = i % groups * kRows, row = batch * rows + first;
      const std::int64_t row_stride = turned ? 1 : others, col_stride = turned ? rows : 1;
      const std::int64_t weight = batch * rows * others + first * row_stride;
      kernel({at(w, weight), at(d, weight), row_stride, col_stride, at(x, row * width),
              at(y, batch * others * width), at(out, row * width), std::min(kRows, rows - first), others,
              width});
    }
  });
  return dense(narrow(out, -1, 0, a.size(-1)), a.scalar_type());
}

Tensor pairs_as_matrix(const Tensor& pairs, std::int64_t n) {
  const Tensor from = dense(pairs);
  const Tensor matrix = lanewise::detail::empty_cpu({n, n}, pairs.scalar_type());
  const auto size = static_cast<std::size_t>(from.element_size());
  const char* row = static_cast<const char*>(from.const_data_ptr());
  char* to = static_cast<char*>(matrix.data_ptr());
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bytes = static_cast<std::size_t>(n - 1 - i) * size;
    char* diagonal = to + static_cast<std::size_t>(i * n + i) * size;
    std::memset(diagonal, 0, size);
    std::memcpy(diagonal + size, row, bytes);
    row += bytes;
  }
  // Below the diagonal: what is above it, turned in blocks, and element by element in those on the diagonal.
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t first = 0; first < n; first += kBlock) {
    const std::int64_t end = std::min(first + kBlock, n);
    for (std::int64_t i = first + 1; i < end; ++i) {
      for (std::int64_t j = first; j < i; ++j)
        std::memcpy(to + static_cast<std::size_t>(i * n + j) * size,
                    to + static_cast<std::size_t>(j * n + i) * size, size);
    }
    const auto block = [&](std::int64_t row_at, std::int64_t rows, std::int64_t col_at, std::int64_t cols) {
      return narrow(narrow(matrix, 0, row_at, rows), 1, col_at, cols);
    };
    if (end < n) {
      Tensor below = block(end, n - end, first, end - first);
      copy_(below, transpose(block(first, end - first, end, n - end), 0, 1));
    }
  }
  return matrix;
}

}  // namespace lanewise::ops
