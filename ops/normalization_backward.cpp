#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/normalization_backward.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

using kernels::KernelScalar;
using kernels::KernelTable;

constexpr PointwiseOp kProducts{"normalization backward", &KernelTable::normal_products};
constexpr PointwiseOp kBackward{"normalization backward", &KernelTable::normal_backward};
constexpr PointwiseOp kMul{"normalization backward", &KernelTable::mul};
constexpr std::int64_t kParallelElements = 1 << 15;
/// Shorter rows spend their time on calls.
constexpr std::int64_t kShortRow = 64;

/// Elementwise kernels over a row; operands outputs first.
class Row {
 public:
  Row(ScalarType type, std::int64_t n) : n_(n) {
    const KernelTable& table = kernels::active_kernels();
    const auto i = static_cast<std::size_t>(type);
    mul_ = table.mul->fn[i];
    products_ = table.normal_products->fn[i];
    backward_ = table.normal_backward->fn[i];
    sum_ = table.reductions->mean->inner[i];
    finish_ = table.reductions->mean->finish[i];
    count_.re = static_cast<double>(n);
    count_.i = n;
  }
  void multiply(const char* x, const char* y, char* out) const { run(mul_, {out, x, y}, 0); }
  void products(const char* grad, const char* x, const char* mean, const char* scale, char* out) const {
    run(products_, {out, grad, x, mean, scale}, 0b11000);
  }
  void backward(const char* grad, const char* x, const char* mean, const char* scale, const char* mean_grad,
                const char* mean_product, char* out) const {
    run(backward_, {out, grad, x, mean, scale, mean_grad, mean_product, scale}, 0b11111000);
  }
  /// One element, into `value`.
  void mean(const char* x, char* value) const {
    alignas(16) char sum[16];
    sum_(x, n_, 0, kernels::kPrefetchBytes, sum);
    finish_(sum, 1, &count_, value, nullptr);
  }

 private:
  void run(kernels::ElementwiseFn fn, std::initializer_list<const char*> operands,
           std::uint32_t single) const {
    static constexpr KernelScalar kOne{1, 1, 0};
    char* data[kernels::kMaxOperands];
    std::transform(operands.begin(), operands.end(), data,
                   [](const char* p) { return const_cast<char*>(p); });
    fn(data, single, n_, &kOne);
  }

  std::int64_t n_;
  kernels::ElementwiseFn mul_, products_, backward_;
  decltype(kernels::ReductionKernel::inner)::value_type sum_;
  decltype(kernels::ReductionKernel::finish)::value_type finish_;
  KernelScalar count_;
};

}  // namespace

Tensor normal_products(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& scale) {
  return pointwise(kProducts, {grad, input, mean, scale});
}

Tensor normal_backward(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& scale,
                       const Tensor& mean_grad, const Tensor& mean_product, const Tensor& factor) {
  return pointwise(kBackward, {grad, input, mean, scale, mean_grad, mean_product, factor});
}

Tensor normal_rows_backward(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& scale,
                            const Tensor& weight, std::int64_t n) {
  const ScalarType compute = kernels::compute_type(input.scalar_type());
  Tensor out = lanewise::detail::empty_cpu(input.sizes(), compute);
  if (out.numel() == 0) return dense(out, input.scalar_type());
  const Tensor g = dense(grad, compute), x = dense(input, compute), m = dense(mean, compute),
               s = dense(scale, compute), w = weight.defined() ? dense(weight, compute) : weight;
  const std::int64_t size = out.element_size(), rows = x.numel() / n;
  if (n < kShortRow && rows > 1) {
    // All of them pass one kernel after the other: rows of 32 take half of the time.
    const auto in_rows = [&](const Tensor& t) { return view(t, {rows, t.numel() / rows}); };
    Tensor weighted = in_rows(g);
    if (w.defined()) {
      const std::int64_t period = w.numel() / n;
      weighted = in_rows(pointwise(kMul, {view(g, {rows / period, period, n}), view(w, {period, n})}));
    }
    const Tensor from = in_rows(x), means = in_rows(m), scales = in_rows(s);
    const Tensor products = normal_products(weighted, from, means, scales);
    const auto mean_of = [](const Tensor& t) { return ops::mean(t, IntArrayRef{1}, true, std::nullopt); };
    const Tensor result =
        normal_backward(weighted, from, means, scales, mean_of(weighted), mean_of(products), scales);
    return dense(view(result, input.sizes()), input.scalar_type());
  }
  const auto start = [](const Tensor& t) { return static_cast<char*>(t.data_ptr()); };
  const Row row(compute, n);
  parallel_for(0, rows, std::max<std::int64_t>(1, kParallelElements / n),
               [&](std::int64_t begin, std::int64_t end) {
                 char* weighted = lanewise::detail::scratch(
                     lanewise::detail::Scratch::Tile, static_cast<std::size_t>(w.defined() ? n * size : 0));
                 for (std::int64_t r = begin; r < end; ++r) {
                   const std::int64_t first = r * n * size;
                   const char *of_row = start(g) + first, *from = start(x) + first,
                              *at_mean = start(m) + r * size, *at_scale = start(s) + r * size;
                   char* to = start(out) + first;
                   if (w.defined()) {
                     row.multiply(of_row, start(w) + first % (w.numel() * size), weighted);
                     of_row = weighted;
                   }
                   alignas(8) char mean_grad[8], mean_product[8];
                   row.products(of_row, from, at_mean, at_scale, to);
                   row.mean(of_row, mean_grad);
                   row.mean(to, mean_product);
                   row.backward(of_row, from, at_mean, at_scale, mean_grad, mean_product, to);
                 }
               });
  return dense(out, input.scalar_type());
}

}  // namespace lanewise::ops
