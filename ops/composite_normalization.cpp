#include <cmath>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

/// Normalizations, dropouts and distances that are other public ops put together: differentiable because
/// those are.
namespace lanewise {

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps, bool /*cudnn_enable*/) {
  ops::check_defined("layer_norm", "input", input);
  return std::get<0>(native_layer_norm(input, normalized_shape, weight, bias, eps));
}

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  ops::check_defined("rms_norm", "input", input);
  const auto inner = static_cast<std::int64_t>(normalized_shape.size());
  LANEWISE_CHECK(ShapeError, inner > 0 && input.dim() >= inner, "rms_norm: expected an input that ends in ",
                 normalized_shape, ", found shape ", input.sizes());
  DimVector dims;
  for (std::int64_t d = -inner; d < 0; ++d) {
    LANEWISE_CHECK(ShapeError, input.size(d) == normalized_shape[static_cast<std::size_t>(d + inner)],
                   "rms_norm: expected an input that ends in ", normalized_shape, ", found shape ",
                   input.sizes());
    dims.push_back(d);
  }
  const bool wide = input.scalar_type() == kDouble;
  const double least = eps.value_or(wide                               ? 2.220446049250313e-16
                                    : input.scalar_type() == kHalf     ? 9.765625e-4
                                    : input.scalar_type() == kBFloat16 ? 7.8125e-3
                                                                       : 1.1920928955078125e-07);
  const Tensor scale = lanewise::rsqrt((input * input).mean(IntArrayRef(dims), true) + least);
  const Tensor normal = input * scale;
  return weight.defined() ? normal * weight : normal;
}

Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool training, double momentum, double eps,
                  bool /*cudnn_enabled*/) {
  ops::check_defined("batch_norm", "input", input);
  if (input.numel() == 0 && input.dim() >= 2) {  // no statistics; part of the graph all the same
    Tensor nothing = input.clone();
    if (weight.defined() && weight.numel() > 0) nothing = nothing * weight.select(0, 0);
    if (bias.defined() && bias.numel() > 0) nothing = nothing + bias.select(0, 0);
    return nothing;
  }
  return std::get<0>(
      native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps));
}

Tensor group_norm(const Tensor& input, std::int64_t num_groups, const Tensor& weight, const Tensor& bias,
                  double eps, bool /*cudnn_enabled*/) {
  ops::check_defined("group_norm", "input", input);
  LANEWISE_CHECK(ShapeError, input.dim() >= 2,
                 "group_norm: Expected at least 2 dimensions for input tensor but received ", input.dim());
  const std::int64_t samples = input.size(0), channels = input.size(1);
  std::int64_t spatial = 1;
  for (std::int64_t d = 2; d < input.dim(); ++d) spatial *= input.size(d);
  return std::get<0>(
      native_group_norm(input.contiguous(), weight, bias, samples, channels, spatial, num_groups, eps));
}

Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool cudnn_enabled) {
  ops::check_defined("instance_norm", "input", input);
  LANEWISE_CHECK(
      ValueError, use_input_stats || (running_mean.defined() && running_var.defined()),
      "instance_norm: Expected running_mean and running_var to be defined when use_input_stats is false");
  LANEWISE_CHECK(ShapeError, input.dim() >= 2,
                 "instance_norm: expected an input of at least 2 dimensions, found shape ", input.sizes());
  const std::int64_t samples = input.size(0), channels = input.size(1);
  // Samples become channels of one sample.
  DimVector shape(input.sizes());
  shape[0] = 1;
  shape[1] = samples * channels;
  const auto repeated = [&](const Tensor& t) {
    return t.defined() ? t.unsqueeze(0).expand({samples, t.size(0)}).reshape({-1}) : t;
  };
  const auto own = [&](const Tensor& t) { return t.defined() ? repeated(t.detach()).clone() : t; };
  const Tensor mean = own(running_mean), var = own(running_var);
  const Tensor out = batch_norm(input.contiguous().view(shape), repeated(weight), repeated(bias), mean, var,
                                use_input_stats, momentum, eps, cudnn_enabled);
  // What all samples moved the statistics by, on average.
  if (use_input_stats && running_mean.defined())
    running_mean.detach().copy_(mean.view({samples, channels}).mean(0));
  if (use_input_stats && running_var.defined())
    running_var.detach().copy_(var.view({samples, channels}).mean(0));
  return out.view(input.sizes());
}

namespace {

void check_probability(const char* op, double p) {
  LANEWISE_CHECK(ValueError, p >= 0 && p <= 1, op,
                 ": dropout probability has to be between 0 and 1, but got ", p);
}

/// 1 with probability `keep`, else 0; an element for each, or with `features` for each of the first two dims.
Tensor kept(const char* op, const Tensor& input, double keep, bool features) {
  DimVector shape(input.sizes());
  if (features) {
    LANEWISE_CHECK(ShapeError, input.dim() >= 2, op,
                   ": Feature dropout requires at least 2 dimensions in the input, found shape ",
                   input.sizes());
    for (std::size_t d = 2; d < shape.size(); ++d) shape[d] = 1;
  }
  return (lanewise::rand(shape, kFloat) < keep).to(input.scalar_type());
}

/// input * factor + shift of a dropout.
struct Noise {
  Tensor factor, shift;
  Noise(const char* op, const Tensor& input, double p, bool features, bool alpha) {
    LANEWISE_CHECK(DtypeError, !is_integral(input.scalar_type(), true), op,
                   ": the noise is of floating point and can't be cast to the input's ",
                   to_string(input.scalar_type()), "; convert the input first");
    const Tensor noise = kept(op, input, 1 - p, features);
    if (!alpha) {
      factor = noise / (1 - p);
      return;
    }
    // What SELU gives for -inf; mean 0 and variance 1 stay.
    constexpr double kAlpha = 1.7580993408473766;
    const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
    shift = (noise - 1) * (kAlpha * a) + kAlpha * a * p;
    factor = noise * a;
  }
};

Tensor dropped(const char* op, const Tensor& input, double p, bool train, bool features, bool alpha) {
  check_probability(op, p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) return input * zeros({}, input.options());
  const Noise noise(op, input, p, features, alpha);
  const Tensor result = input * noise.factor;
  return noise.shift.defined() ? result + noise.shift : result;
}

Tensor& drop(const char* op, Tensor& self, double p, bool train, bool features, bool alpha) {
  check_probability(op, p);
  if (p == 0 || !train || self.numel() == 0) return self;
  if (p == 1) return self.mul_(zeros({}, self.options()));
  const Noise noise(op, self, p, features, alpha);
  self.mul_(noise.factor);
  return noise.shift.defined() ? self.add_(noise.shift) : self;
}

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train) {
  ops::check_defined("dropout", "input", input);
  return dropped("dropout", input, p, train, false, false);
}
Tensor& dropout_(Tensor& self, double p, bool train) {
  ops::check_defined("dropout_", "self", self);
  return drop("dropout_", self, p, train, false, false);
}
Tensor feature_dropout(const Tensor& input, double p, bool train) {
  ops::check_defined("feature_dropout", "input", input);
  return dropped("feature_dropout", input, p, train, true, false);
}
Tensor& feature_dropout_(Tensor& self, double p, bool train) {
  ops::check_defined("feature_dropout_", "self", self);
  return drop("feature_dropout_", self, p, train, true, false);
}
Tensor alpha_dropout(const Tensor& input, double p, bool train) {
  ops::check_defined("alpha_dropout", "input", input);
  return dropped("alpha_dropout", input, p, train, false, true);
}
Tensor& alpha_dropout_(Tensor& self, double p, bool train) {
  ops::check_defined("alpha_dropout_", "self", self);
  return drop("alpha_dropout_", self, p, train, false, true);
}
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
  ops::check_defined("feature_alpha_dropout", "input", input);
  return dropped("feature_alpha_dropout", input, p, train, true, true);
}
Tensor& feature_alpha_dropout_(Tensor& self, double p, bool train) {
  ops::check_defined("feature_alpha_dropout_", "self", self);
  return drop("feature_alpha_dropout_", self, p, train, true, true);
}

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train) {
  ops::check_defined("native_dropout", "input", input);
  check_probability("native_dropout", p);
  if (input.numel() == 0) return {input, zeros_like(input)};
  if (!train.value_or(true)) return {input.clone(), ones_like(input, TensorOptions(kBool))};
  const Tensor mask = kept("native_dropout", input, 1 - p, false);
  return {input * mask * (p == 1 ? 0 : 1 / (1 - p)), mask.to(kBool)};
}

Tensor normalize(const Tensor& self, double p, std::int64_t dim, double eps) {
  ops::check_defined("normalize", "self", self);
  return self / clamp_min(norm(self, Scalar(p), IntArrayRef(dim), true), eps);
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, std::int64_t dim, double eps) {
  ops::check_defined("cosine_similarity", "x1", x1, "x2", x2);
  const ScalarType type = result_type(x1, x2);
  LANEWISE_CHECK(DtypeError, isFloatingType(type),
                 "cosine_similarity: expected common dtype to be floating point, yet common dtype is ",
                 to_string(type));
  const DimVector shape = broadcast_shapes("cosine_similarity", x1.sizes(), x2.sizes());
  // Lengths below eps are replaced. Their gradients are those of PyTorch 1.13: x over the replacement.
  const auto unit = [&](const Tensor& t) {
    const Tensor x = t.to(type).expand(shape);
    const Tensor length = linalg_vector_norm(x, 2, IntArrayRef(dim), true);
    const Tensor least = clamp_min(length.detach(), eps);
    return x / (least + (length - length.detach()) * (length.detach() / least));
  };
  return (unit(x1) * unit(x2)).sum(dim);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  ops::check_defined("pairwise_distance", "x1", x1, "x2", x2);
  const Tensor difference = lanewise::add(x1 - x2, Scalar(eps));
  return norm(difference, Scalar(p), IntArrayRef(std::max(x1.dim(), x2.dim()) - 1), keepdim);
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<std::int64_t> compute_mode) {
  ops::check_defined("cdist", "x1", x1, "x2", x2);
  return _cdist_forward(x1, x2, p, compute_mode);
}

Tensor pdist(const Tensor& self, double p) {
  ops::check_defined("pdist", "self", self);
  return _pdist_forward(self.contiguous(), p);
}

}  // namespace lanewise
