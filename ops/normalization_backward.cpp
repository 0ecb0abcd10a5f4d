#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/channels_last.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/normalization_backward.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;

constexpr PointwiseOp kProducts{"normalization backward", &KernelTable::normal_products};
constexpr PointwiseOp kBackward{"normalization backward", &KernelTable::normal_backward};
constexpr PointwiseOp kMul{"normalization backward", &KernelTable::mul};
constexpr std::int64_t kParallelElements = 1 << 15;
/// Shorter rows pass one kernel after the other together.
constexpr std::int64_t kShortRow = 10;
/// Channels with fewer elements in a sample are summed as columns, by reductions.
constexpr std::int64_t kShortChannelRun = 16;
/// Columns of a thread: a cache line.
constexpr std::int64_t kColumns = 16;

/// So many bytes on, where there is anything.
template <class Data>
Data after(Data data, std::int64_t bytes) {
  return data == nullptr ? data : data + bytes;
}

/// All groups, in parallel.
void run_groups(ScalarType compute, const kernels::NormalGroups& all) {
  const kernels::NormalizationTable& table = *kernels::active_kernels().normalizations;
  const bool wide = compute == kDouble, columns = all.element_step != 1;
  const kernels::NormalGroupsFn fn = columns ? (wide ? table.columns_f64 : table.columns_f32)
                                             : (wide ? table.backward_f64 : table.backward_f32);
  const auto size = static_cast<std::int64_t>(element_size(compute));
  const std::int64_t of_group = std::max<std::int64_t>(1, all.runs * all.n);
  parallel_for(0, all.count, std::max(columns ? kColumns : 1, kParallelElements / of_group),
               [&](std::int64_t begin, std::int64_t end) {
                 kernels::NormalGroups part = all;
                 const std::int64_t start = begin * all.group_step * size, element = begin * size;
                 part.grad += start;
                 part.x += start;
                 part.out = after(all.out, start);
                 part.mean += element;
                 part.scale += element;
                 part.factor += element;
                 part.sums = after(all.sums, element);
                 part.products = after(all.products, element);
                 part.count = end - begin;
                 part.first = begin % all.weight_rows;
                 fn(part);
               });
}

char* data_of(const Tensor& t) { return t.defined() ? static_cast<char*>(t.data_ptr()) : nullptr; }

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
  const std::int64_t rows = x.numel() / n;
  if (n < kShortRow && rows > 1) {
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
  const char* const scales = data_of(s);
  run_groups(compute, {.grad = data_of(g),
                       .x = data_of(x),
                       .weight = data_of(w),
                       .mean = data_of(m),
                       .scale = scales,
                       .factor = scales,
                       .out = data_of(out),
                       .sums = nullptr,
                       .products = nullptr,
                       .count = rows,
                       .group_step = n,
                       .runs = 1,
                       .run_step = 0,
                       .n = n,
                       .weight_rows = w.defined() ? w.numel() / n : 1,
                       .first = 0});
  return dense(out, input.scalar_type());
}

bool has_channel_runs(const Tensor& input) {
  return input.dim() > 2 && input.numel() >= kShortChannelRun * input.size(0) * input.size(1);
}

std::tuple<Tensor, Tensor, Tensor> normal_channels_backward(const Tensor& grad, const Tensor& input,
                                                            const Tensor& mean, const Tensor& scale,
                                                            const Tensor& factor) {
  const ScalarType compute = kernels::compute_type(input.scalar_type());
  const std::int64_t samples = input.size(0), channels = input.size(1);
  const std::int64_t spatial = input.numel() / std::max<std::int64_t>(1, samples * channels);
  const bool columns = is_channels_last(input) && !input.is_contiguous() && channels > 1;
  const auto laid_out = [&](const Tensor& t) { return dense(columns ? channels_moved(t) : t, compute); };
  const Tensor g = laid_out(grad), x = laid_out(input), m = dense(mean, compute), s = dense(scale, compute),
               f = dense(factor, compute);
  const Tensor out = lanewise::detail::empty_cpu(x.sizes(), compute);
  const Tensor sums = lanewise::detail::empty_cpu({channels}, compute),
               products = lanewise::detail::empty_cpu({channels}, compute);
  run_groups(compute, {.grad = data_of(g),
                       .x = data_of(x),
                       .weight = nullptr,
                       .mean = data_of(m),
                       .scale = data_of(s),
                       .factor = data_of(f),
                       .out = data_of(out),
                       .sums = data_of(sums),
                       .products = data_of(products),
                       .count = channels,
                       .group_step = columns ? 1 : spatial,
                       .runs = samples,
                       .run_step = channels * spatial,
                       .n = spatial,
                       .weight_rows = 1,
                       .first = 0,
                       .element_step = columns ? channels : 1});
  const Tensor result = dense(out, input.scalar_type());
  return {columns ? channels_back(result) : result, sums, products};
}

}  // namespace lanewise::ops
