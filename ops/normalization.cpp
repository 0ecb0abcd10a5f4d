#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/reduction.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/channels_last.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/normalization.h>
#include <lanewise/ops/normalizer.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

constexpr std::int64_t kParallelElements = 1 << 15;
/// Rows of fewer elements that share their parameters are put together for many samples.
constexpr std::int64_t kShortRun = 64;
/// Elements of a row that stands for several samples, where channels lie side by side and are few.
constexpr std::int64_t kTogether = 1024;

/// Calls run(first, rows, period) for rows [begin, end) cut where a period of `of_period` rows ends.
template <class Run>
void each_period(std::int64_t begin, std::int64_t end, std::int64_t of_period, Run run) {
  while (begin < end) {
    const std::int64_t period = begin / of_period, stop = std::min(end, (period + 1) * of_period);
    run(begin, stop - begin, period);
    begin = stop;
  }
}

ScalarType compute_type_of(const char* op, const Tensor& input) {
  LANEWISE_CHECK(DtypeError, input.is_floating_point(), op, ": not defined for ", input.scalar_type(),
                 " elements; convert to a floating type");
  return kernels::compute_type(input.scalar_type());
}

Tensor converted(const char* op, const char* name, const Tensor& t, const Tensor& input, ScalarType compute) {
  if (!t.defined()) return t;
  LANEWISE_CHECK(DtypeError, t.scalar_type() == input.scalar_type() || t.scalar_type() == compute, op, ": ",
                 name, " is ", t.scalar_type(), ", input is ", input.scalar_type());
  return dense(t, compute);
}

const char* data_of(const Tensor& t) {
  return t.defined() ? static_cast<const char*>(t.const_data_ptr()) : nullptr;
}
/// One element for all of a row, of the next row the next one.
Normalizer::Part of_row(const char* data, std::int64_t index, std::int64_t size) {
  return {data == nullptr ? nullptr : data + index * size, true, 1};
}

/// Means and reciprocal standard deviations over `dims`, and if wanted the variances.
struct Statistics {
  Tensor mean, scale, variance;
  std::int64_t count;

  Statistics(const char* op, const Tensor& x, DimMask dims, double eps) : count(1) {
    for (std::int64_t d = 0; d < x.dim(); ++d) {
      if ((dims >> d) & 1) count *= x.size(d);
    }
    const Tensor pairs = reduce({.op = op, .kernel = &kernels::ReductionTable::var_mean, .dims = dims}, x);
    mean = detail::empty_cpu(pairs.sizes(), x.scalar_type());
    scale = detail::empty_cpu(pairs.sizes(), x.scalar_type());
    variance = detail::empty_cpu(pairs.sizes(), x.scalar_type());
    x.scalar_type() == kDouble ? split<double>(pairs, eps) : split<float>(pairs, eps);
  }

 private:
  template <class T>
  void split(const Tensor& pairs, double eps) {
    const T* from = static_cast<const T*>(pairs.const_data_ptr());
    T *m = mean.data_ptr<T>(), *s = scale.data_ptr<T>(), *v = variance.data_ptr<T>();
    for (std::int64_t i = 0; i < mean.numel(); ++i) {
      v[i] = from[2 * i];
      m[i] = from[2 * i + 1];
      s[i] = T(1) / std::sqrt(v[i] + static_cast<T>(eps));
    }
  }
};

/// What a normalization of no elements gives: means of 0 and no scale.
std::tuple<Tensor, Tensor, Tensor> of_nothing(const Tensor& out, IntArrayRef kept, ScalarType dtype) {
  Tensor mean = detail::empty_cpu(kept, dtype), scale = detail::empty_cpu(kept, dtype);
  fill_(mean, 0);
  fill_(scale, std::numeric_limits<double>::quiet_NaN());
  return {dense(out, dtype), mean, scale};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input, IntArrayRef normalized_shape,
                                                     const Tensor& weight, const Tensor& bias, double eps) {
  constexpr const char* kOp = "layer_norm";
  LANEWISE_CHECK(ShapeError, !normalized_shape.empty(), kOp,
                 ": Expected normalized_shape to be at least 1-dimensional");
  const std::size_t rank = input.sizes().size(), inner = normalized_shape.size();
  LANEWISE_CHECK(ShapeError,
                 rank >= inner && std::equal(normalized_shape.begin(), normalized_shape.end(),
                                             input.sizes().end() - static_cast<std::ptrdiff_t>(inner)),
                 kOp, ": Given normalized_shape=", normalized_shape,
                 ", expected input with shape [*, ...] that ends in it, but got input of size ",
                 input.sizes());
  for (const Tensor* t : {&weight, &bias}) {
    LANEWISE_CHECK(ShapeError, !t->defined() || t->sizes() == normalized_shape, kOp, ": Expected ",
                   t == &weight ? "weight" : "bias", " to be of same shape as normalized_shape ",
                   normalized_shape, ", but got ", t->sizes());
  }
  const ScalarType compute = compute_type_of(kOp, input);
  const Tensor x = dense(input, compute);
  const Tensor w = converted(kOp, "weight", weight, input, compute),
               b = converted(kOp, "bias", bias, input, compute);
  DimVector kept(input.sizes()), last;
  for (std::size_t d = rank - inner; d < rank; ++d) {
    kept[d] = 1;
    last.push_back(static_cast<std::int64_t>(d));
  }
  const DimMask dims = mask_of(kOp, input, OptionalIntArrayRef(last));
  Tensor out = detail::empty_cpu(input.sizes(), input.scalar_type());
  std::int64_t n = 1;
  for (const std::int64_t size : normalized_shape) n *= size;
  if (x.numel() == 0) return of_nothing(out, kept, input.scalar_type());
  const Statistics stats(kOp, x, dims, eps);
  const auto size = static_cast<std::int64_t>(element_size(compute));
  const char *mean = data_of(stats.mean), *scale = data_of(stats.scale), *ws = data_of(w), *bs = data_of(b);
  const Normalizer normalize(x, out, n);
  parallel_for(0, x.numel() / n, std::max<std::int64_t>(1, kParallelElements / n),
               [&](std::int64_t begin, std::int64_t end) {
                 normalize(begin * n, end - begin,
                           {of_row(mean, begin, size), of_row(scale, begin, size), {ws}, {bs}});
               });
  const auto shaped = [&](const Tensor& t) {
    return dense(detail::make_view(t, kept, detail::empty_cpu(kept, compute).strides(), 0),
                 input.scalar_type());
  };
  return {out, shaped(stats.mean), shaped(stats.scale)};
}

namespace {

/// Runs of `spatial` elements that share a channel, or of channels side by side if there is one element each.
void normalize_channels(const Tensor& x, Tensor& out, std::int64_t samples, std::int64_t channels,
                        std::int64_t spatial, const Tensor& mean, const Tensor& scale, const Tensor& weight,
                        const Tensor& bias) {
  const std::int64_t size = mean.element_size();
  if (spatial > 1 && spatial < kShortRun && samples > 1) {
    const auto each = [&](const Tensor& t) {
      return t.defined() ? dense(expand(unsqueeze(t, 1), {channels, spatial})) : t;
    };
    return normalize_channels(x, out, samples, channels * spatial, 1, each(mean), each(scale), each(weight),
                              each(bias));
  }
  // Few channels side by side are repeated for many samples, so that these are one run: of 8 channels it takes 0.17 of the time.
  const std::int64_t together = spatial == 1 ? std::clamp<std::int64_t>(kTogether / channels, 1, samples) : 1;
  const auto repeated = [&](const Tensor& t) {
    return t.defined() && together > 1 ? dense(expand(view(t, {1, channels}), {together, channels})) : t;
  };
  const Tensor means = repeated(mean), scales = repeated(scale), weights = repeated(weight),
               biases = repeated(bias);
  const char *ms = data_of(means), *ss = data_of(scales), *ws = data_of(weights), *bs = data_of(biases);
  if (spatial == 1) {
    const std::int64_t n = together * channels;
    const Normalizer normalize(x, out, n);
    const Normalizer::Parts parts{{ms}, {ss}, {ws}, {bs}};
    parallel_for(0, samples / together, std::max<std::int64_t>(1, kParallelElements / n),
                 [&](std::int64_t begin, std::int64_t end) { normalize(begin * n, end - begin, parts); });
    const std::int64_t left = samples % together;
    if (left > 0) normalize((samples - left) * channels, 1, left * channels, parts);
    return;
  }
  const Normalizer normalize(x, out, spatial);
  parallel_for(
      0, samples * channels, std::max<std::int64_t>(1, kParallelElements / spatial),
      [&](std::int64_t begin, std::int64_t end) {
        each_period(begin, end, channels, [&](std::int64_t first, std::int64_t rows, std::int64_t sample) {
          const std::int64_t c = first - sample * channels;
          normalize(first * spatial, rows,
                    {of_row(ms, c, size), of_row(ss, c, size), of_row(ws, c, size), of_row(bs, c, size)});
        });
      });
}

/// running = momentum * statistic + (1 - momentum) * running, in place. Not counted as a new version, as in
/// PyTorch: the node keeps the statistics for evaluation, and in training does not look at them.
template <class T>
void move_towards(const Tensor& running, const Tensor& statistic, double momentum, double factor) {
  const Tensor old = dense(running, statistic.scalar_type());
  Tensor moved = detail::empty_cpu(statistic.sizes(), statistic.scalar_type());
  const T *s = statistic.const_data_ptr<T>(), *r = old.const_data_ptr<T>();
  T* const to = moved.data_ptr<T>();
  for (std::int64_t c = 0, n = statistic.numel(); c < n; ++c) {
    to[c] = static_cast<T>(momentum * static_cast<double>(s[c]) * factor +
                           (1 - momentum) * static_cast<double>(r[c]));
  }
  Tensor target = running;
  copy_(target, moved);
}

/// Of an input in any layout; the result is contiguous. Statistics are those of `counted`, the same elements.
std::tuple<Tensor, Tensor, Tensor> dense_batch_norm(const Tensor& input, const Tensor& counted,
                                                    const Tensor& weight, const Tensor& bias,
                                                    const Tensor& running_mean, const Tensor& running_var,
                                                    bool training, double momentum, double eps) {
  constexpr const char* kOp = "batch_norm";
  LANEWISE_CHECK(ShapeError, input.dim() >= 2, kOp,
                 ": expected an input of at least 2 dimensions [N, C, ...], found shape ", input.sizes());
  const std::int64_t samples = input.size(0), channels = input.size(1);
  const std::int64_t spatial = samples * channels == 0 ? 0 : input.numel() / (samples * channels);
  const auto check = [&](const char* name, const Tensor& t) {
    LANEWISE_CHECK(ShapeError, !t.defined() || (t.dim() == 1 && t.size(0) == channels), kOp, ": ", name,
                   " should contain ", channels, " elements, found shape ", t.sizes());
  };
  check("weight", weight);
  check("bias", bias);
  check("running_mean", running_mean);
  check("running_var", running_var);
  for (const Tensor* running : {&running_mean, &running_var}) {
    if (training && running->defined())
      assert_no_internal_overlap(*running);  // both, before one of them is written
  }
  LANEWISE_CHECK(ValueError, training || (running_mean.defined() && running_var.defined()), kOp,
                 ": running_mean and running_var must be defined in evaluation mode");
  const ScalarType compute = compute_type_of(kOp, input);
  const Tensor x = training ? dense(input, compute) : dense(input);
  const Tensor w = converted(kOp, "weight", weight, input, compute),
               b = converted(kOp, "bias", bias, input, compute);
  const Tensor old_mean = converted(kOp, "running_mean", running_mean, input, compute);
  const Tensor old_var = converted(kOp, "running_var", running_var, input, compute);
  LANEWISE_CHECK(ShapeError, !training || x.numel() > 0, kOp,
                 ": there are no statistics of no elements, found shape ", input.sizes());
  Tensor out = detail::empty_cpu(input.sizes(), input.scalar_type());
  if (!training) {
    Tensor scale = detail::empty_cpu({channels}, compute);
    const auto fill = [&]<class T>() {
      for (std::int64_t c = 0; c < channels; ++c)
        scale.data_ptr<T>()[c] = T(1) / std::sqrt(old_var.const_data_ptr<T>()[c] + static_cast<T>(eps));
    };
    compute == kDouble ? fill.template operator()<double>() : fill.template operator()<float>();
    if (x.numel() > 0) normalize_channels(x, out, samples, channels, spatial, old_mean, scale, w, b);
    return {out, detail::empty_cpu({0}, compute), detail::empty_cpu({0}, compute)};
  }
  const Statistics stats(kOp, counted.is_same(input) ? x : dense(counted, compute), ~DimMask{2}, eps);
  normalize_channels(x, out, samples, channels, spatial, stats.mean, stats.scale, w, b);
  // Of one element there is no unbiased variance: 0 / 0.
  const double count = static_cast<double>(stats.count), unbiased = count / (count - 1);
  const auto update = [&]<class T>() {
    if (running_mean.defined()) move_towards<T>(running_mean, stats.mean, momentum, 1);
    if (running_var.defined()) move_towards<T>(running_var, stats.variance, momentum, unbiased);
  };
  compute == kDouble ? update.template operator()<double>() : update.template operator()<float>();
  return {out, stats.mean, stats.scale};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input, const Tensor& weight,
                                                     const Tensor& bias, const Tensor& running_mean,
                                                     const Tensor& running_var, bool training,
                                                     double momentum, double eps) {
  if (input.is_contiguous() || !is_channels_last(input))
    return dense_batch_norm(input, input, weight, bias, running_mean, running_var, training, momentum, eps);
  const Tensor moved = channels_moved(input);
  const Tensor places = view(dense(moved), {input.numel() / input.size(1), input.size(1)});
  constexpr std::int64_t kFewChannels = 16;  // whose statistics over columns take longer than a copy
  const Tensor& counted = input.size(1) < kFewChannels ? input : places;
  auto [out, mean, scale] =
      dense_batch_norm(places, counted, weight, bias, running_mean, running_var, training, momentum, eps);
  return {channels_back(view(out, moved.sizes())), mean, scale};
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, const Tensor& weight,
                                                     const Tensor& bias, std::int64_t N, std::int64_t C,
                                                     std::int64_t HxW, std::int64_t group, double eps) {
  constexpr const char* kOp = "group_norm";
  LANEWISE_CHECK(
      ValueError, group > 0 && C % group == 0, kOp,
      ": Expected number of channels in input to be divisible by num_groups, but got input of shape ",
      input.sizes(), " and num_groups=", group);
  for (const Tensor* t : {&weight, &bias}) {
    LANEWISE_CHECK(ShapeError, !t->defined() || (t->dim() == 1 && t->numel() == C), kOp, ": Expected ",
                   t == &weight ? "weight" : "bias",
                   " to be a vector of size equal to the number of channels in input, ", C, ", but got ",
                   t->sizes());
  }
  LANEWISE_CHECK(ShapeError, input.numel() == N * C * HxW, kOp, ": expected ", N, " * ", C, " * ", HxW,
                 " elements, found shape ", input.sizes());
  const ScalarType compute = compute_type_of(kOp, input);
  const Tensor x = dense(input, compute);
  const Tensor w = converted(kOp, "weight", weight, input, compute),
               b = converted(kOp, "bias", bias, input, compute);
  Tensor out = detail::empty_cpu(input.sizes(), input.scalar_type());
  if (x.numel() == 0) return of_nothing(out, {N, group}, input.scalar_type());
  const std::int64_t each = C / group * HxW;
  const Tensor grouped = detail::make_view(x, {N, group, each}, {group * each, each, 1}, x.storage_offset());
  const Statistics stats(kOp, grouped, DimMask{4}, eps);
  const auto size = static_cast<std::int64_t>(element_size(compute));
  const char *ms = data_of(stats.mean), *ss = data_of(stats.scale), *ws = data_of(w), *bs = data_of(b);
  // Rows are channels, or groups if a channel has one element; those of a group, or of a sample, come together.
  const std::int64_t of_group = C / group, n = HxW > 1 ? HxW : of_group;
  const Normalizer normalize(x, out, n);
  parallel_for(
      0, x.numel() / n, std::max<std::int64_t>(1, kParallelElements / n),
      [&](std::int64_t begin, std::int64_t end) {
        each_period(
            begin, end, HxW > 1 ? of_group : group,
            [&](std::int64_t first, std::int64_t rows, std::int64_t period) {
              const auto of_channel = [&](const char* data) -> Normalizer::Part {
                if (HxW > 1) return of_row(data, first % C, size);
                return {data == nullptr ? nullptr : data + first % group * of_group * size, false, of_group};
              };
              const auto of_period = [&](const char* data) -> Normalizer::Part {
                if (HxW > 1) return {data + period * size, true};
                return of_row(data, first, size);
              };
              normalize(first * n, rows, {of_period(ms), of_period(ss), of_channel(ws), of_channel(bs)});
            });
      });
  return {out, dense(stats.mean, input.scalar_type()), dense(stats.scale, input.scalar_type())};
}

}  // namespace lanewise::ops
