#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/loss_reduction.h>
#include <lanewise/ops/pointwise_losses.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;

constexpr PointwiseOp kMul{"loss", &KernelTable::mul};
constexpr PointwiseOp kMse{"mse_loss", &KernelTable::mse};
constexpr PointwiseOp kMseBackward{"mse_loss_backward", &KernelTable::mse_backward};
constexpr PointwiseOp kSmoothL1{"smooth_l1_loss", &KernelTable::smooth_l1};
constexpr PointwiseOp kSmoothL1Backward{"smooth_l1_loss_backward", &KernelTable::smooth_l1_backward};
constexpr PointwiseOp kHuber{"huber_loss", &KernelTable::huber};
constexpr PointwiseOp kHuberBackward{"huber_loss_backward", &KernelTable::huber_backward};
constexpr PointwiseOp kSoftMargin{"soft_margin_loss", &KernelTable::soft_margin};
constexpr PointwiseOp kSoftMarginBackward{"soft_margin_loss_backward", &KernelTable::soft_margin_backward};
constexpr PointwiseOp kBce{"binary_cross_entropy", &KernelTable::binary_cross_entropy};
constexpr PointwiseOp kBceBackward{"binary_cross_entropy_backward",
                                   &KernelTable::binary_cross_entropy_backward};
constexpr PointwiseOp kBceWithLogits{"binary_cross_entropy_with_logits", &KernelTable::bce_with_logits};

Tensor reduced(const char* op, const Tensor& terms, std::int64_t reduction) {
  check_reduction(op, reduction);
  if (reduction == Reduction::None) return terms;
  return reduction == Reduction::Mean ? mean(terms) : sum(terms);
}

/// Terms in the dtype of self, whatever the target's made of them. Throws DtypeError for complex or floating terms of
/// integers.
Tensor as_self(const char* op, const Tensor& self, const Tensor& terms) {
  const ScalarType found = terms.scalar_type(), wanted = self.scalar_type();
  LANEWISE_CHECK(DtypeError, can_cast(found, wanted), op, ": result type ", to_string(found),
                 " can't be cast to the input's type ", to_string(wanted), "; convert the input first");
  return found == wanted ? terms : dense(terms, wanted);
}

/// Throws ShapeError unless a result of `sizes` has room for what it and `other` broadcast to.
void check_room(const char* op, IntArrayRef sizes, IntArrayRef other) {
  const DimVector together = broadcast_shapes(op, sizes, other);
  LANEWISE_CHECK(ShapeError, sizes == IntArrayRef(together), op, ": output with shape ", sizes,
                 " doesn't match the broadcast shape ", IntArrayRef(together), " with an operand of shape ",
                 other, "; expand the other operand first");
}

Tensor weighted(const char* op, const Tensor& terms, const Tensor& weight) {
  if (!weight.defined()) return terms;
  check_room(op, terms.sizes(), weight.sizes());
  return pointwise(kMul, {terms, weight});
}

Tensor beside_self(const Tensor& self, const Tensor& target) {
  return self.sizes() == target.sizes() ? target : view(target, bce_target_sizes(self, target));
}

void check_beta(const char* op, double beta) {
  LANEWISE_CHECK(ValueError, beta >= 0, op, ": beta must not be negative, it is ", beta);
}
void check_delta(const char* op, double delta) {
  LANEWISE_CHECK(ValueError, delta > 0, op, ": delta must be positive, it is ", delta);
}

}  // namespace

void check_reduction(const char* op, std::int64_t reduction) {
  LANEWISE_CHECK(ValueError, reduction >= Reduction::None && reduction < Reduction::END, op,
                 ": reduction is ", reduction, "; expected 0 (none), 1 (mean) or 2 (sum)");
}

double loss_share(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  check_reduction("loss", reduction);
  if (reduction != Reduction::Mean) return 1;
  std::int64_t terms = self.numel();
  if (self.sizes() != target.sizes()) {
    terms = 1;
    for (const std::int64_t size : broadcast_shapes("loss", self.sizes(), target.sizes())) terms *= size;
  }
  return 1 / static_cast<double>(terms);
}

DimVector bce_target_sizes(const Tensor& self, const Tensor& target) {
  if (self.sizes() == target.sizes()) return DimVector(self.sizes());
  const auto squeezed = [](IntArrayRef sizes) {
    DimVector kept;
    for (const std::int64_t size : sizes) {
      if (size != 1) kept.push_back(size);
    }
    return kept;
  };
  const DimVector wanted = squeezed(self.sizes()), found = squeezed(target.sizes());
  check_room("binary_cross_entropy", wanted, found);
  DimVector sizes(self.sizes().size(), 1);
  std::size_t left = found.size();
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (self.sizes()[d] != 1 && left > 0) sizes[d] = found[--left];
  }
  return sizes;
}

Tensor mse_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  check_reduction("mse_loss", reduction);
  return reduced("mse_loss", pointwise(kMse, {self, target}), reduction);
}

Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         std::int64_t reduction) {
  return pointwise(kMseBackward, {grad_output, self, target}, {loss_share(self, target, reduction)});
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction, double beta) {
  check_beta("smooth_l1_loss", beta);
  check_reduction("smooth_l1_loss", reduction);
  return reduced("smooth_l1_loss", pointwise(kSmoothL1, {self, target}, {beta}), reduction);
}

Tensor smooth_l1_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                               std::int64_t reduction, double beta) {
  check_beta("smooth_l1_loss_backward", beta);
  return pointwise(kSmoothL1Backward, {grad_output, self, target},
                   {loss_share(self, target, reduction), beta});
}

Tensor huber_loss(const Tensor& self, const Tensor& target, std::int64_t reduction, double delta) {
  check_delta("huber_loss", delta);
  check_reduction("huber_loss", reduction);
  return reduced("huber_loss", as_self("huber_loss", self, pointwise(kHuber, {self, target}, {delta})),
                 reduction);
}

Tensor huber_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                           std::int64_t reduction, double delta) {
  check_delta("huber_loss_backward", delta);
  return pointwise(kHuberBackward, {grad_output, self, target}, {loss_share(self, target, reduction), delta});
}

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  check_reduction("soft_margin_loss", reduction);
  check_room("soft_margin_loss", self.sizes(), target.sizes());
  return reduced("soft_margin_loss",
                 as_self("soft_margin_loss", self, pointwise(kSoftMargin, {self, target})), reduction);
}

Tensor soft_margin_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                 std::int64_t reduction) {
  return pointwise(kSoftMarginBackward, {grad_output, self, target}, {loss_share(self, target, reduction)});
}

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight,
                            std::int64_t reduction) {
  check_reduction("binary_cross_entropy", reduction);
  check_same_dtype("binary_cross_entropy", self, target);
  LANEWISE_CHECK(DtypeError, self.is_floating_point(),
                 "binary_cross_entropy: expected floating tensors, found ", to_string(self.scalar_type()));
  if (self.numel() > 0) {  // NaN is neither within
    LANEWISE_CHECK(ValueError, amin(self).item<double>() >= 0 && amax(self).item<double>() <= 1,
                   "binary_cross_entropy: every element of self must lie in [0, 1]; apply sigmoid, or call "
                   "binary_cross_entropy_with_logits");
  }
  const Tensor beside = beside_self(self, target);
  return reduced("binary_cross_entropy",
                 weighted("binary_cross_entropy", pointwise(kBce, {self, beside}), weight), reduction);
}

Tensor binary_cross_entropy_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                     const Tensor& weight, std::int64_t reduction) {
  const Tensor beside = beside_self(self, target);
  const double share = loss_share(self, beside, reduction);
  return weighted("binary_cross_entropy_backward",
                  pointwise(kBceBackward, {grad_output, self, beside}, {share}), weight);
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, std::int64_t reduction) {
  const char* op = "binary_cross_entropy_with_logits";
  check_reduction(op, reduction);
  for (const Tensor* t : {&self, &target}) {
    LANEWISE_CHECK(DtypeError, t->is_floating_point(), op, ": expected floating tensors, found ",
                   to_string(t->scalar_type()));
  }
  check_room(op, target.sizes(), self.sizes());
  if (pos_weight.defined()) check_room(op, target.sizes(), pos_weight.sizes());
  const Scalar one(1);
  const Tensor terms = pos_weight.defined() ? pointwise(kBceWithLogits, {self, target, pos_weight})
                                            : pointwise(kBceWithLogits, {self, target, one});
  return reduced(op, weighted(op, terms, weight), reduction);
}

}  // namespace lanewise::ops
