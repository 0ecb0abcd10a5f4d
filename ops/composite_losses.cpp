#include <numbers>

#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>

namespace lanewise {
namespace {

Tensor in_dtype(const Tensor& self, std::optional<ScalarType> dtype) { return dtype ? self.to(*dtype) : self; }

Tensor reduce(const char* op, const Tensor& loss, std::int64_t reduction) {
  LANEWISE_CHECK(ValueError, reduction >= 0 && reduction <= 2, op, ": reduction is ", reduction,
                 "; expected 0 (none), 1 (mean) or 2 (sum)");
  if (reduction == 0) return loss;
  return reduction == 1 ? loss.mean() : loss.sum();
}

}  // namespace

Tensor softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return _softmax(in_dtype(self, dtype), dim);
}

Tensor log_softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return _log_softmax(in_dtype(self, dtype), dim);
}

Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                std::int64_t ignore_index) {
  return std::get<0>(nll_loss_forward(self, target, weight, reduction, ignore_index));
}

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                          std::int64_t ignore_index) {
  LANEWISE_CHECK(ShapeError, self.dim() == 1 || self.dim() == 2,
                 "cross_entropy_loss: expected scores of shape [C] or [N, C], found ", self.sizes());
  return nll_loss(_log_softmax(self, self.dim() == 1 ? 0 : 1), target, weight, reduction, ignore_index);
}

Tensor l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return reduce("l1_loss", (self - target).abs(), reduction);
}

Tensor kl_div(const Tensor& self, const Tensor& target, std::int64_t reduction, bool log_target) {
  for (const Tensor* t : {&self, &target}) {
    LANEWISE_CHECK(DtypeError, t->is_floating_point(), "kl_div: expected floating tensors, found ", to_string(t->scalar_type()));
  }
  if (log_target) return reduce("kl_div", target.exp() * (target - self), reduction);
  return reduce("kl_div", xlogy(target, target) - target * self, reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        std::int64_t reduction) {
  Tensor loss = log_input ? input.exp() - target * input : input - target * (input + eps).log();
  if (full) {
    const Tensor stirling = target * target.log() - target + (target * (2 * std::numbers::pi)).log() * 0.5;
    loss = loss + stirling.masked_fill(target <= 1, 0);
  }
  return reduce("poisson_nll_loss", loss, reduction);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin, std::int64_t reduction) {
  const Tensor near = where(target != 1, clamp_min(margin - self, 0), Scalar(0));
  const Tensor loss = near + where(target != -1, self, Scalar(0));
  return reduce("hinge_embedding_loss", loss, reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           std::int64_t reduction) {
  LANEWISE_CHECK(ShapeError, input1.dim() == input2.dim() && input1.dim() == target.dim(),
                 "margin_ranking_loss: expected inputs and target of one number of dimensions, found shapes ", input1.sizes(), ", ",
                 input2.sizes(), " and ", target.sizes());
  return reduce("margin_ranking_loss", clamp_min((-target * (input1 - input2)).add(Scalar(margin)), 0), reduction);
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             std::int64_t reduction) {
  LANEWISE_CHECK(ShapeError, target.dim() == 0 || target.dim() == 1,
                 "cosine_embedding_loss: expected a target of 0 or 1 dimensions, found shape ", target.sizes());
  for (const Tensor* t : {&input1, &input2}) {
    LANEWISE_CHECK(ShapeError, t->dim() == target.dim() + 1, "cosine_embedding_loss: a target of ", target.dim(),
                   " dimensions needs inputs of one more, found shape ", t->sizes());
  }
  // Keeps vectors of length 0 apart from a division by 0.
  constexpr double kLeastSquare = 1e-12;
  const std::int64_t dim = target.dim();
  const Tensor product = (input1 * input2).sum(dim);
  const Tensor squares = ((input1 * input1).sum(dim) + kLeastSquare) * ((input2 * input2).sum(dim) + kLeastSquare);
  const Tensor cosine = product / squares.sqrt();
  const Tensor loss = where(target == 1, 1 - cosine, Scalar(0)) + where(target == -1, clamp_min(cosine - margin, 0), Scalar(0));
  return reduce("cosine_embedding_loss", loss, reduction);
}

Tensor max(const Tensor& self, const Tensor& other) { return maximum(self, other); }

Tensor min(const Tensor& self, const Tensor& other) { return minimum(self, other); }

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() == other.scalar_type(), "isclose: expected one dtype, found ",
                 to_string(self.scalar_type()), " and ", to_string(other.scalar_type()));
  LANEWISE_CHECK(ValueError, rtol >= 0 && atol >= 0, "isclose: rtol and atol must not be negative, found ", rtol, " and ",
                 atol);
  // Equal first: infinities differ by NaN.
  Tensor close = self == other;
  if (equal_nan && is_differentiable(self.scalar_type())) close = logical_or(close, logical_and(isnan(self), isnan(other)));
  if (!is_differentiable(self.scalar_type()) && rtol == 0 && atol == 0) return close;
  const Tensor difference = (self.scalar_type() == kBool ? logical_xor(self, other).to(kLong) : self - other).abs();
  const Tensor allowed = other.scalar_type() == kBool ? other.to(kLong) * rtol + atol : other.abs() * rtol + atol;
  Tensor within = difference <= allowed;
  if (is_differentiable(self.scalar_type())) within = logical_and(within, isfinite(difference));
  return logical_or(close, within);
}

}  // namespace lanewise
