#include <algorithm>
#include <cmath>
#include <numbers>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/loss_reduction.h>
#include <lanewise/ops/pointwise_losses.h>
#include <lanewise/tensor/errors.h>

namespace lanewise {
namespace {

Tensor in_dtype(const Tensor& self, std::optional<ScalarType> dtype) {
  return dtype ? self.to(*dtype) : self;
}

Tensor reduce(const char* op, const Tensor& loss, std::int64_t reduction) {
  ops::check_reduction(op, reduction);
  if (reduction == Reduction::None) return loss;
  return reduction == Reduction::Mean ? loss.mean() : loss.sum();
}

/// Variances that broadcast to `input`: one for each element, or one for each row of the last dimension.
Tensor one_for_each(const Tensor& input, const Tensor& var) {
  const IntArrayRef sizes = input.sizes();
  if (var.sizes() == sizes) return var;
  const bool rows = !sizes.empty() && var.sizes() == sizes.slice(0, sizes.size() - 1);
  if (rows) return var.unsqueeze(-1);
  const bool kept = !sizes.empty() && var.dim() == input.dim() && var.size(-1) == 1 &&
                    var.sizes().slice(0, sizes.size() - 1) == sizes.slice(0, sizes.size() - 1);
  LANEWISE_CHECK(ShapeError, kept, "gaussian_nll_loss: var has shape ", var.sizes(),
                 " for an input of shape ", sizes,
                 "; one for each element or for each row of the last dimension is expected");
  return var;
}

}  // namespace

Tensor softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  ops::check_defined("softmax", "self", self);
  return _softmax(in_dtype(self, dtype), dim);
}

Tensor log_softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  ops::check_defined("log_softmax", "self", self);
  return _log_softmax(in_dtype(self, dtype), dim);
}

Tensor softmin(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  ops::check_defined("softmin", "self", self);
  return softmax(-self, dim, dtype);
}

Tensor special_softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  ops::check_defined("special_softmax", "self", self);
  return softmax(self, dim, dtype);
}

Tensor special_log_softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  ops::check_defined("special_log_softmax", "self", self);
  return log_softmax(self, dim, dtype);
}

Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                std::int64_t ignore_index) {
  ops::check_defined("nll_loss", "self", self, "target", target);
  return std::get<0>(nll_loss_forward(self, target, weight, reduction, ignore_index));
}

Tensor nll_loss2d(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                  std::int64_t ignore_index) {
  ops::check_defined("nll_loss2d", "self", self, "target", target);
  return std::get<0>(nll_loss2d_forward(self, target, weight, reduction, ignore_index));
}

namespace {

/// nll_loss of any number of dimensions, and the sum of the weights behind a mean.
std::tuple<Tensor, Tensor> nll_loss_any(const Tensor& self, const Tensor& target, const Tensor& weight,
                                        std::int64_t reduction, std::int64_t ignore_index) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "nll_loss_nd: Expected 1 or more dimensions, got 0");
  if (self.dim() <= 2) return nll_loss_forward(self, target, weight, reduction, ignore_index);
  if (self.dim() == 4) return nll_loss2d_forward(self, target, weight, reduction, ignore_index);
  DimVector expected(self.sizes());
  expected.erase(expected.begin() + 1);
  LANEWISE_CHECK(ShapeError, target.sizes() == IntArrayRef(expected), "nll_loss_nd: Expected target size ",
                 IntArrayRef(expected), ", got ", target.sizes());
  const std::int64_t n = self.size(0), rest = target.numel() / std::max<std::int64_t>(n, 1);
  auto [loss, total] = nll_loss2d_forward(self.reshape({n, self.size(1), 1, rest}),
                                          target.reshape({n, 1, rest}), weight, reduction, ignore_index);
  return {reduction == Reduction::None ? loss.reshape(expected) : loss, total};
}

/// The dimension of the classes.
std::int64_t class_dim(const Tensor& self) { return self.dim() == 1 ? 0 : 1; }

/// Weights [C] shaped to go with scores.
Tensor beside_classes(const Tensor& weight, const Tensor& self) {
  DimVector shape(self.sizes().size(), 1);
  shape[static_cast<std::size_t>(class_dim(self))] = weight.numel();
  return weight.reshape(shape);
}

Tensor cross_entropy_of_probabilities(const Tensor& self, const Tensor& target, const Tensor& weight,
                                      std::int64_t reduction, double smoothing) {
  LANEWISE_CHECK(DtypeError, target.is_floating_point(),
                 "cross_entropy_loss: Expected floating point type for target with class probabilities, got ",
                 to_string(target.scalar_type()));
  const std::int64_t dim = class_dim(self), classes = self.size(dim);
  LANEWISE_CHECK(ShapeError, !weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
                 "cross_entropy_loss: weight tensor should be defined either for all ", classes,
                 " classes or no classes, found shape ", weight.sizes());
  const Tensor wanted =
      smoothing > 0 ? target * (1 - smoothing) + smoothing / static_cast<double>(classes) : target;
  Tensor terms = _log_softmax(self, dim) * wanted;
  if (weight.defined()) terms = terms * beside_classes(weight, self);
  if (reduction == Reduction::None) return -terms.sum(dim);
  if (reduction == Reduction::Sum) return -terms.sum();
  // Of an empty batch 0 / 0.
  const double samples = static_cast<double>(self.numel()) / static_cast<double>(classes);
  return lanewise::div(-terms.sum(), samples);
}

Tensor cross_entropy_smoothed(const Tensor& self, const Tensor& target, const Tensor& weight,
                              std::int64_t reduction, std::int64_t ignore_index, double smoothing) {
  const std::int64_t dim = class_dim(self);
  const double share = smoothing / static_cast<double>(self.size(dim));
  const Tensor input = _log_softmax(self, dim);
  const auto [nll, total] = nll_loss_any(input, target, weight, reduction, ignore_index);
  const Tensor weighted = weight.defined() ? input * beside_classes(weight, self) : input;
  const Tensor ignored = target == ignore_index;
  Tensor smooth = (-weighted.sum(dim)).masked_fill(ignored, 0);
  if (reduction == Reduction::Sum) smooth = smooth.sum();
  if (reduction == Reduction::Mean)
    smooth = smooth.sum() / (weight.defined() ? total : logical_not(ignored).sum());
  return lanewise::mul(nll, 1 - smoothing) + lanewise::mul(smooth, share);
}

}  // namespace

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                   std::int64_t ignore_index) {
  ops::check_defined("nll_loss_nd", "self", self, "target", target);
  return std::get<0>(nll_loss_any(self, target, weight, reduction, ignore_index));
}

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight,
                          std::int64_t reduction, std::int64_t ignore_index, double label_smoothing) {
  ops::check_defined("cross_entropy_loss", "self", self, "target", target);
  LANEWISE_CHECK(ShapeError, self.dim() > 0,
                 "cross_entropy_loss: expected scores of shape [C], [N, C] or [N, C, d...], found ",
                 self.sizes());
  ops::check_reduction("cross_entropy_loss", reduction);
  LANEWISE_CHECK(ValueError, label_smoothing >= 0 && label_smoothing <= 1,
                 "cross_entropy_loss: label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  if (self.sizes() == target.sizes()) {
    LANEWISE_CHECK(ValueError, ignore_index < 0,
                   "cross_entropy_loss: ignore_index is not supported for floating point target");
    return cross_entropy_of_probabilities(self, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0)
    return cross_entropy_smoothed(self, target, weight, reduction, ignore_index, label_smoothing);
  return nll_loss_nd(_log_softmax(self, class_dim(self)), target, weight, reduction, ignore_index);
}

Tensor l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  ops::check_defined("l1_loss", "self", self, "target", target);
  return reduce("l1_loss", (self - target).abs(), reduction);
}

Tensor kl_div(const Tensor& self, const Tensor& target, std::int64_t reduction, bool log_target) {
  ops::check_defined("kl_div", "self", self, "target", target);
  for (const Tensor* t : {&self, &target}) {
    LANEWISE_CHECK(DtypeError, t->is_floating_point(), "kl_div: expected floating tensors, found ",
                   to_string(t->scalar_type()));
  }
  if (log_target) return reduce("kl_div", target.exp() * (target - self), reduction);
  // One after the other: the order of operands in an expression is the compiler's, and gradients add up in that of the calls.
  const Tensor entropy = xlogy(target, target);
  return reduce("kl_div", entropy - target * self, reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        std::int64_t reduction) {
  ops::check_defined("poisson_nll_loss", "input", input, "target", target);
  Tensor loss = log_input ? input.exp() - target * input : input - target * (input + eps).log();
  if (full) {
    const Tensor stirling = target * target.log() - target + (target * (2 * std::numbers::pi)).log() * 0.5;
    loss = loss + stirling.masked_fill(target <= 1, 0).to(loss.scalar_type());
  }
  return reduce("poisson_nll_loss", loss, reduction);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin, std::int64_t reduction) {
  ops::check_defined("hinge_embedding_loss", "self", self, "target", target);
  const Tensor near = where(target != 1, clamp_min(margin - self, 0), Scalar(0));
  const Tensor loss = near + where(target != -1, self, Scalar(0));
  return reduce("hinge_embedding_loss", loss, reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           std::int64_t reduction) {
  ops::check_defined("margin_ranking_loss", "input1", input1, "input2", input2, "target", target);
  return reduce("margin_ranking_loss", clamp_min((-target * (input1 - input2)).add(Scalar(margin)), 0),
                reduction);
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             std::int64_t reduction) {
  ops::check_defined("cosine_embedding_loss", "input1", input1, "input2", input2, "target", target);
  LANEWISE_CHECK(ShapeError, target.dim() == 0 || target.dim() == 1,
                 "cosine_embedding_loss: expected a target of 0 or 1 dimensions, found shape ",
                 target.sizes());
  for (const Tensor* t : {&input1, &input2}) {
    LANEWISE_CHECK(ShapeError, t->dim() == target.dim() + 1, "cosine_embedding_loss: a target of ",
                   target.dim(), " dimensions needs inputs of one more, found shape ", t->sizes());
  }
  // Keeps vectors of length 0 apart from a division by 0.
  constexpr double kLeastSquare = 1e-12;
  const std::int64_t dim = target.dim();
  const Tensor product = (input1 * input2).sum(dim);
  const Tensor squares =
      ((input1 * input1).sum(dim) + kLeastSquare) * ((input2 * input2).sum(dim) + kLeastSquare);
  const Tensor cosine = product / squares.sqrt();
  const Tensor loss = where(target == 1, 1 - cosine, Scalar(0)) +
                      where(target == -1, clamp_min(cosine - margin, 0), Scalar(0));
  return reduce("cosine_embedding_loss", loss, reduction);
}

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full, double eps,
                         std::int64_t reduction) {
  ops::check_defined("gaussian_nll_loss", "input", input, "target", target, "var", var);
  const Tensor each = one_for_each(input, var);
  // Variances below eps are replaced, but keep their gradients.
  const Tensor least = each + (clamp_min(each, eps) - each).detach();
  const Tensor distance = input - target;
  Tensor loss = (least.log() + distance * distance / least) * 0.5;
  if (full) loss = loss + 0.5 * std::log(2 * std::numbers::pi);
  return reduce("gaussian_nll_loss", loss, reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, std::int64_t reduction) {
  ops::check_defined("triplet_margin_loss", "anchor", anchor, "positive", positive, "negative", negative);
  LANEWISE_CHECK(ShapeError, anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
                 "triplet_margin_loss: The anchor, positive, and negative tensors are expected to have the "
                 "same number of dimensions, but got: anchor ",
                 anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(),
                 "D inputs");
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return reduce("triplet_margin_loss", clamp_min(lanewise::add(near, Scalar(margin)) - far, 0), reduction);
}

Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  ops::check_defined("multilabel_margin_loss", "self", self, "target", target);
  return std::get<0>(multilabel_margin_loss_forward(self, target, reduction));
}

Tensor multilabel_soft_margin_loss(const Tensor& self, const Tensor& target, const Tensor& weight,
                                   std::int64_t reduction) {
  ops::check_defined("multilabel_soft_margin_loss", "self", self, "target", target);
  Tensor loss = -(target * log_sigmoid(self) + (1 - target) * log_sigmoid(-self));
  if (weight.defined()) loss = loss * weight;
  const std::int64_t classes = self.dim() - 1;
  return reduce("multilabel_soft_margin_loss", loss.sum(classes) / self.size(classes), reduction);
}

}  // namespace lanewise
