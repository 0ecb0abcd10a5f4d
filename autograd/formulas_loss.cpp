#include <lanewise/autograd/formulas.h>
#include <lanewise/ops/loss_reduction.h>
#include <lanewise/ops/pointwise_losses.h>

namespace lanewise::autograd::formulas {

double loss_share(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ops::loss_share(self, target, reduction);
}

Tensor reduce_loss(const Tensor& terms, std::int64_t reduction) {
  if (reduction == Reduction::None) return terms;
  return reduction == Reduction::Mean ? terms.mean() : terms.sum();
}

Tensor smooth_l1_double_backward(const Tensor& both, const Tensor& self, const Tensor& target,
                                 std::int64_t reduction, double beta) {
  if (beta == 0) return zeros_like(both * self);
  return where((self - target).abs() < beta, both * (loss_share(self, target, reduction) / beta), 0);
}

Tensor huber_double_backward(const Tensor& both, const Tensor& self, const Tensor& target,
                             std::int64_t reduction, double delta) {
  return where((self - target).abs() <= delta, both * loss_share(self, target, reduction), 0);
}

Tensor soft_margin_double_backward(const Tensor& both, const Tensor& self, const Tensor& target,
                                   std::int64_t reduction) {
  const Tensor s = (target * self).sigmoid();
  return both * target * target * s * (1 - s) * loss_share(self, target, reduction);
}

namespace {

/// Shaped to go with scores [N, C] or [C], and shared by the samples for a mean.
Tensor of_samples(const Tensor& grad, const Tensor& self, std::int64_t reduction) {
  const Tensor g = self.dim() == 2 && grad.dim() == 1 ? grad.unsqueeze(1) : grad;
  const std::int64_t samples = self.dim() == 2 ? self.size(0) : 1;
  const std::int64_t classes = self.dim() == 0 ? 1 : self.size(-1);
  return g / static_cast<double>((reduction == Reduction::Mean ? samples : 1) * classes);
}

}  // namespace

Tensor multi_margin_loss_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                  const Scalar& p, const Scalar& margin, const Tensor& weight,
                                  std::int64_t reduction) {
  if (self.dim() == 0) return zeros_like(self);
  if (!differentiates_again()) {
    const Tensor at = target.reshape(self.dim() == 2 ? DimVector{-1, 1} : DimVector{1});
    Tensor share = of_samples(grad, self, reduction);
    if (weight.defined()) share = share * weight.index_select(0, target.reshape({-1})).reshape(at.sizes());
    const Tensor distance = self - (self.gather(-1, at) - margin);
    const Tensor active = distance > 0;
    Tensor slope = p.equal(1) ? active * share : where(active, distance, 0) * (share * 2);
    slope.scatter_(-1, at, 0);
    return slope.scatter_(-1, at, -slope.sum(-1, true));
  }
  const Tensor classes = arange(self.size(-1));
  const Tensor own = classes == (self.dim() == 2 ? target.reshape({-1, 1}) : target.reshape({1}));
  const Tensor score = where(own, self, 0).sum(-1, true);
  const Tensor distance = self - score + margin;
  const Tensor slope = p.equal(1) ? ones_like(distance) : distance * 2;
  Tensor others = where(logical_and(distance > 0, logical_not(own)), slope, 0);
  if (weight.defined()) others = others * where(own, weight, 0).sum(-1, true);
  return of_samples(grad, self, reduction) * where(own, -others.sum(-1, true), others);
}

Tensor multilabel_margin_loss_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                       const Tensor& is_target, std::int64_t reduction) {
  if (self.dim() == 0) return zeros_like(self);
  // [..., target k, class c]
  const Tensor valid = (target >= 0).to(kLong).cumprod(-1) != 0;
  const Tensor own = logical_and(target.unsqueeze(-1) == arange(self.size(-1)), valid.unsqueeze(-1));
  const Tensor score = where(own, self.unsqueeze(-2), 0).sum(-1, true);
  const Tensor counts = logical_and(valid.unsqueeze(-1), is_target.unsqueeze(-2) == 0);
  const Tensor active = logical_and(self.unsqueeze(-2) - score + 1 > 0, counts).to(self.scalar_type());
  const Tensor pushed = active.sum(-2) - where(own, active.sum(-1, true), 0).sum(-2);
  return of_samples(grad, self, reduction) * pushed;
}

namespace {

/// grad with the weight and the share of one term.
Tensor weigh(const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
             std::int64_t reduction) {
  const Tensor weighted = weight.defined() ? grad * weight : grad;
  return reduction == Reduction::Mean ? weighted * loss_share(self, target, reduction) : weighted;
}

}  // namespace

Tensor bce_beside(const Tensor& self, const Tensor& target, const Tensor& of_target) {
  if (self.sizes() == target.sizes()) return of_target;
  return of_target.reshape(ops::bce_target_sizes(self, target));
}

Tensor bce_like_target(const Tensor& grad, const Tensor& self, const Tensor& target) {
  if (self.sizes() == target.sizes()) return grad;
  return grad.sum_to_size(ops::bce_target_sizes(self, target)).reshape(target.sizes());
}

Tensor bce_target_backward(const Tensor& grad, const Tensor& self, const Tensor& any_target,
                           const Tensor& weight, std::int64_t reduction) {
  const Tensor target = bce_beside(self, any_target, any_target);
  return weigh(grad, self, target, weight, reduction) * ((-self).log1p() - self.log());
}

/// Keeps the second derivative finite where a probability is exactly 0 or 1, except of f16, which does not hold it.
constexpr double kBceEpsilon = 1e-12;

Tensor bce_double_backward(const Tensor& both, const Tensor& self, const Tensor& any_target,
                           const Tensor& weight, std::int64_t reduction) {
  const Tensor target = bce_beside(self, any_target, any_target);
  const Tensor held = self + kBceEpsilon, rest = 1 - self + kBceEpsilon;
  const Tensor slope = target / (held * held) + (1 - target) / (rest * rest);
  return weigh(both, self, target, weight, reduction) * slope;
}

Tensor bce_double_backward_target(const Tensor& both, const Tensor& self, const Tensor& any_target,
                                  const Tensor& weight, std::int64_t reduction) {
  const Tensor target = bce_beside(self, any_target, any_target);
  return -weigh(both, self, target, weight, reduction) / ((1 - self + kBceEpsilon) * (self + kBceEpsilon));
}

Tensor bce_logits_self_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                const Tensor& weight, const Tensor& pos_weight, std::int64_t reduction) {
  const Tensor weighted = weigh(grad, self, target, weight, reduction);
  if (!pos_weight.defined()) return weighted * (self.sigmoid() - target);
  const Tensor positive = pos_weight * target;
  return weighted * ((positive + 1 - target) * self.sigmoid() - positive);
}

Tensor bce_logits_target_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                  const Tensor& weight, const Tensor& pos_weight, std::int64_t reduction) {
  const Tensor weighted = weigh(grad, self, target, weight, reduction);
  if (!pos_weight.defined()) return -weighted * self;
  return weighted * ((1 - pos_weight) * log_sigmoid(self) - self);
}

}  // namespace lanewise::autograd::formulas
