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

Tensor mse_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return reduce("mse_loss", square(self - target), reduction);
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
