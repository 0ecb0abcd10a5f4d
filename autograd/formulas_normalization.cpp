#include <algorithm>
#include <cmath>

#include <lanewise/autograd/formulas.h>
#include <lanewise/ops/distance.h>
#include <lanewise/ops/normalization_backward.h>
#include <lanewise/ops/pointwise_forms.h>

/// Derivatives of normalizations and distances. Where they are differentiated again, statistics are computed
/// anew from the input, so that they are part of the graph.
namespace lanewise::autograd::formulas {
namespace {

struct Normal {
  Tensor mean, scale;
};

/// `dims` with size 1.
Normal statistics(const Tensor& x, IntArrayRef dims, double eps) {
  const auto [variance, mean] = var_mean(x, dims, Scalar(0), true);
  return {mean, lanewise::rsqrt(variance + eps)};
}

/// The derivative by x of (x - mean) * scale, with statistics over dims.
Tensor normal_backward(const Tensor& grad, const Tensor& normal, const Tensor& scale, IntArrayRef dims) {
  return scale * (grad - grad.mean(dims, true) - normal * (grad * normal).mean(dims, true));
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& grad, const Tensor& input,
                                                       IntArrayRef normalized_shape, const Tensor& mean,
                                                       const Tensor& scale, const Tensor& weight, double eps,
                                                       std::array<bool, 3> mask) {
  const std::int64_t rank = input.dim(), outer = rank - static_cast<std::int64_t>(normalized_shape.size());
  DimVector inner, leading;
  for (std::int64_t d = 0; d < rank; ++d) (d < outer ? leading : inner).push_back(d);
  const auto over_rows = [&](const Tensor& t) { return leading.empty() ? t : t.sum(IntArrayRef(leading)); };
  std::tuple<Tensor, Tensor, Tensor> result;
  if (mask[2]) std::get<2>(result) = over_rows(grad);
  if (!differentiates_again()) {
    std::int64_t n = 1;
    for (const std::int64_t size : normalized_shape) n *= size;
    if (mask[0]) std::get<0>(result) = ops::normal_rows_backward(grad, input, mean, scale, weight, n);
    if (mask[1]) std::get<1>(result) = over_rows(ops::normal_products(grad, input, mean, scale));
    return result;
  }
  const Normal s = statistics(input, inner, eps);
  const Tensor normal = (input - s.mean) * s.scale;
  if (mask[0])
    std::get<0>(result) = normal_backward(weight.defined() ? grad * weight : grad, normal, s.scale, inner);
  if (mask[1]) std::get<1>(result) = over_rows(grad * normal);
  return result;
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(const Tensor& grad, const Tensor& input,
                                                       const Tensor& weight, const Tensor& running_mean,
                                                       const Tensor& running_var, const Tensor& mean,
                                                       const Tensor& scale, bool training, double eps,
                                                       std::array<bool, 3> mask) {
  DimVector dims, shape(input.sizes().size(), 1);
  for (std::int64_t d = 0; d < input.dim(); ++d) {
    if (d != 1) dims.push_back(d);
  }
  shape[1] = input.size(1);
  const auto shaped = [&](const Tensor& t) { return t.reshape(shape); };
  Normal s;
  if (!training) {
    s = {shaped(running_mean), shaped(lanewise::rsqrt(running_var + eps))};
  } else {
    s = differentiates_again() ? statistics(input, dims, eps) : Normal{shaped(mean), shaped(scale)};
  }
  std::tuple<Tensor, Tensor, Tensor> result;
  if (!differentiates_again()) {
    const Tensor factor = weight.defined() ? s.scale * shaped(weight) : s.scale;
    if (training && mask[0] && ops::has_channel_runs(input)) {
      auto [by_input, sum, products] = ops::normal_channels_backward(grad, input, s.mean, s.scale, factor);
      return {by_input, mask[1] ? products : Tensor(), mask[2] ? sum : Tensor()};
    }
    if (mask[0] && !training) std::get<0>(result) = grad * factor;
    // Of halves in f32, as the statistics are.
    const auto over_channels = [&](const Tensor& t) {
      return t.sum(IntArrayRef(dims), false, s.scale.scalar_type());
    };
    const Tensor sum = (mask[0] && training) || mask[2] ? over_channels(grad) : Tensor();
    if (mask[2]) std::get<2>(result) = sum;
    if (!(mask[0] && training) && !mask[1]) return result;
    const Tensor products = over_channels(ops::normal_products(grad, input, s.mean, s.scale));
    if (mask[1]) std::get<1>(result) = products;
    if (mask[0] && training) {
      const double count = static_cast<double>(input.numel()) / static_cast<double>(input.size(1));
      std::get<0>(result) = ops::normal_backward(grad, input, s.mean, s.scale, shaped(sum / count),
                                                 shaped(products / count), factor);
    }
    return result;
  }
  const Tensor normal = (input - s.mean) * s.scale;
  if (mask[0]) {
    const Tensor weighted = weight.defined() ? grad * shaped(weight) : grad;
    std::get<0>(result) = training ? normal_backward(weighted, normal, s.scale, dims) : weighted * s.scale;
  }
  if (mask[1]) std::get<1>(result) = (grad * normal).sum(IntArrayRef(dims));
  if (mask[2]) std::get<2>(result) = grad.sum(IntArrayRef(dims));
  return result;
}

std::tuple<Tensor, Tensor, Tensor> group_norm_backward(const Tensor& grad, const Tensor& input,
                                                       const Tensor& mean, const Tensor& scale,
                                                       const Tensor& weight, std::int64_t n,
                                                       std::int64_t channels, std::int64_t spatial,
                                                       std::int64_t groups, double eps,
                                                       std::array<bool, 3> mask) {
  const DimVector shape = {n, groups, channels / groups, spatial};
  const Tensor x = input.reshape(shape), g = grad.reshape(shape);
  std::tuple<Tensor, Tensor, Tensor> result;
  if (mask[2]) std::get<2>(result) = g.sum({0, 3}).reshape({channels});
  if (!differentiates_again()) {
    const Tensor each =
        weight.defined() ? weight.reshape({channels, 1}).expand({channels, spatial}) : Tensor();
    if (mask[0]) {
      std::get<0>(result) = ops::normal_rows_backward(g, x, mean, scale, each, channels / groups * spatial)
                                .reshape(input.sizes());
    }
    if (mask[1]) {
      const DimVector one = {n, groups, 1, 1};
      const Tensor products = ops::normal_products(g, x, mean.reshape(one), scale.reshape(one));
      std::get<1>(result) = products.sum({0, 3}).reshape({channels});
    }
    return result;
  }
  const Normal s = statistics(x, {2, 3}, eps);
  const Tensor normal = (x - s.mean) * s.scale;
  if (mask[0]) {
    const Tensor weighted = weight.defined() ? g * weight.reshape({1, groups, channels / groups, 1}) : g;
    std::get<0>(result) = normal_backward(weighted, normal, s.scale, {2, 3}).reshape(input.sizes());
  }
  if (mask[1]) std::get<1>(result) = (g * normal).sum({0, 3}).reshape({channels});
  return result;
}

namespace {

/// The derivative of distances by the differences, whose last dim was reduced. Unlike those of norms,
/// components that tie for the largest are not shared among.
Tensor distance_backward(const Tensor& grad, const Tensor& difference, double p, const Tensor& distance) {
  const Tensor g = grad.unsqueeze(-1), d = distance.unsqueeze(-1);
  if (p == 0) return zeros_like(difference);
  if (std::isinf(p)) return where(difference.abs() == d, difference.sgn() * g, 0);
  return norm_backward(g, difference, p, d, IntArrayRef(-1), true);
}

/// By rows of x1, whose differences from x2 are at most this many at a time.
constexpr std::int64_t kHeldDifferences = 1 << 16;

std::tuple<Tensor, Tensor> in_pieces(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                                     const Tensor& distance) {
  const std::int64_t rows = x1.size(-2), width = x1.size(-1);
  const std::int64_t of_row = rows == 0 ? 0 : distance.numel() / rows * width;
  const std::int64_t step = std::max<std::int64_t>(1, kHeldDifferences / std::max<std::int64_t>(of_row, 1));
  std::vector<Tensor> first;
  Tensor second;
  for (std::int64_t i = 0; i == 0 || i < rows; i += step) {
    const std::int64_t count = std::min(step, rows - i);
    const auto part = [&](const Tensor& t) { return t.narrow(-2, i, count); };
    const Tensor difference = part(x1).unsqueeze(-2) - x2.unsqueeze(-3);
    const Tensor along = distance_backward(part(grad), difference, p, part(distance));
    first.push_back(along.sum(-2));
    const Tensor sum = along.sum(-3);
    second = second.defined() ? second - sum : -sum;
  }
  return {cat(first, -2), second};
}

/// What ops::distance_gradients() takes for weights: divided by the distance for p = 2, 0 where that is 0.
Tensor distance_weights(const Tensor& grad, const Tensor& distance, double p) {
  return p == 2 ? ops::hypot_backward(grad, ones({}, distance.options()), distance) : grad;
}

}  // namespace

std::tuple<Tensor, Tensor> cdist_backward(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                                          const Tensor& result, std::array<bool, 2> mask) {
  if (differentiates_again()) {
    const Tensor along = distance_backward(grad, x1.unsqueeze(-2) - x2.unsqueeze(-3), p, result);
    return {along.sum(-2), -along.sum(-3)};
  }
  if (!ops::has_distance_gradients(p)) return in_pieces(grad, x1, x2, p, result);
  const auto as_batch = [&](const Tensor& x) {
    DimVector sizes(result.sizes());
    sizes[sizes.size() - 2] = x.size(-2);
    sizes.back() = x.size(-1);
    return x.expand(sizes);
  };
  const Tensor a = as_batch(x1), b = as_batch(x2);
  const Tensor weights = distance_weights(grad, result, p);
  return {mask[0] ? ops::distance_gradients(weights, result, a, b, p, false) : Tensor(),
          mask[1] ? ops::distance_gradients(weights, result, b, a, p, true) : Tensor()};
}

Tensor pdist_backward(const Tensor& grad, const Tensor& self, double p, const Tensor& result) {
  const std::int64_t n = self.size(0);
  if (n < 2) return zeros_like(self);
  if (!differentiates_again()) {
    // Every pair from both sides.
    const auto matrix = [n](const Tensor& pairs) { return ops::pairs_as_matrix(pairs, n); };
    if (!ops::has_distance_gradients(p))
      return std::get<0>(in_pieces(matrix(grad), self, self, p, matrix(result)));
    const Tensor weights = matrix(distance_weights(grad, result, p));
    return ops::distance_gradients(weights, std::isinf(p) ? matrix(result) : weights, self, self, p, false);
  }
  // Pairs in order, as the upper triangle of a matrix; elsewhere is 1, which has derivatives of any order.
  const auto triangle = [&](const Tensor& pairs, double elsewhere) {
    std::vector<Tensor> rows;
    for (std::int64_t i = 0, at = 0; i < n; at += n - 1 - i++) {
      rows.push_back(cat({full({i + 1}, elsewhere, pairs.options()), pairs.narrow(0, at, n - 1 - i)}));
    }
    return stack(rows);
  };
  const Tensor index = arange(n);
  const Tensor is_pair = (index.unsqueeze(1) < index).unsqueeze(-1);
  const Tensor difference = where(is_pair, self.unsqueeze(1) - self.unsqueeze(0), 1);
  const Tensor along = distance_backward(triangle(grad, 0), difference, p, triangle(result, 1));
  return along.sum(1) - along.sum(0);
}

}  // namespace lanewise::autograd::formulas
