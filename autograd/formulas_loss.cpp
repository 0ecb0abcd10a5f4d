#include <lanewise/autograd/formulas.h>
#include <lanewise/ops/pointwise_losses.h>

namespace lanewise::autograd::formulas {

double loss_share(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ops::loss_share(self, target, reduction);
}

Tensor reduce_loss(const Tensor& terms, std::int64_t reduction) {
  if (reduction == 0) return terms;
  return reduction == 1 ? terms.mean() : terms.sum();
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

/// grad with the weight and the share of one term.
Tensor weigh(const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
             std::int64_t reduction) {
  const Tensor weighted = weight.defined() ? grad * weight : grad;
  return reduction == 1 ? weighted * loss_share(self, target, reduction) : weighted;
}

}  // namespace

Tensor bce_target_backward(const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
                           std::int64_t reduction) {
  return weigh(grad, self, target, weight, reduction) * ((-self).log1p() - self.log());
}

Tensor bce_double_backward(const Tensor& both, const Tensor& self, const Tensor& target, const Tensor& weight,
                           std::int64_t reduction) {
  const Tensor rest = 1 - self;
  const Tensor slope = target / (self * self) + (1 - target) / (rest * rest);
  return weigh(both, self, target, weight, reduction) * slope;
}

Tensor bce_double_backward_target(const Tensor& both, const Tensor& self, const Tensor& target,
                                  const Tensor& weight, std::int64_t reduction) {
  return -weigh(both, self, target, weight, reduction) / ((1 - self) * self);
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
