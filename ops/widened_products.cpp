#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/gemm.h>
#include <lanewise/ops/views.h>
#include <lanewise/ops/widened_products.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// Bytes of a piece's factors and results: a quarter of a usual second-level cache.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 18;
/// Fewer matrices or rows than this are no batch: three tensors of a piece cost as much as they save.
constexpr std::int64_t kLeastMatrices = 4, kLeastRows = 64;
/// Rows of integers are packed in any case: larger matrices than of so many elements gain nothing.
constexpr std::int64_t kMostIntegers = 1024;
constexpr std::int64_t kPiecesPerThread = 4;

/// `t` in another dtype and in its own layout; the matrix of an expanded batch once.
Tensor widened(const Tensor& t, ScalarType type) {
  if (t.dim() == 3 && t.strides()[0] == 0) return expand(to_copy(narrow(t, 0, 0, 1), type), t.sizes());
  return to_copy(t, type);
}

}  // namespace

bool by_widened_pieces(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& s,
                       ProductFn product) {
  const ScalarType type = product_type(out.scalar_type());
  if (type == out.scalar_type() || out.numel() == 0) return false;
  const bool matrices = a.dim() == 3;
  const std::int64_t count = a.sizes()[0];
  const std::int64_t k = a.sizes()[a.dim() - 1], cols = b.sizes()[b.dim() - 1];
  const std::int64_t rows = matrices ? a.sizes()[1] : 1;
  const std::int64_t bytes = static_cast<std::int64_t>(element_size(type));
  const std::int64_t step = (rows * (k + cols) + (matrices ? k * cols : 0)) * bytes;
  const std::int64_t least = matrices ? kLeastMatrices : kLeastRows;
  if (is_integral(type, false) && (!matrices || rows * k > kMostIntegers)) return false;
  if (count < least || cols == 1 || k == 0 || step * (matrices ? 1 : least) > kPieceBytes ||
      (!matrices && k * cols * bytes > 2 * kPieceBytes)) {
    return false;
  }
  std::int64_t piece = kPieceBytes / step;
  const std::int64_t products = rows * k * cols;
  if (count * products >= 2 * kParallelProducts && !in_parallel_region())
    piece = std::min(piece, divup(count, kPiecesPerThread * get_num_threads()));
  const Tensor whole = matrices ? Tensor() : to_copy(b, type);
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    const auto part = [&](const Tensor& t) { return narrow(t, 0, begin, end - begin); };
    Tensor to = part(out);
    Tensor wide = lanewise::detail::empty_cpu(to.sizes(), type);
    product(wide, widened(part(a), type), matrices ? widened(part(b), type) : whole,
            s.defined() ? part(s) : s);
    copy_(to, wide);
  };
  const std::int64_t grain = std::max<std::int64_t>(1, kParallelProducts / (piece * products));
  parallel_for(0, divup(count, piece), grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) run(i * piece, std::min(count, (i + 1) * piece));
  });
  return true;
}

}  // namespace lanewise::ops
