// (x - mean) * scale * weight + bias, and the backward pass of (x - mean) * scale, whose mean and scale depend on x.

#include <lanewise/kernels/elementwise.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Normalize {
  template <class V>
  V operator()(V x, V mean, V scale, V weight, V bias) const noexcept {
    return ((x - mean) * scale) * weight + bias;
  }
};

/// What the gradient by the scale sums.
struct NormalProducts {
  template <class V>
  V operator()(V grad, V x, V mean, V scale) const noexcept {
    return grad * ((x - mean) * scale);
  }
};

/// From the means of `grad` and of the products over what shares a mean; `factor` is scale, times a weight if there is one.
struct NormalBackward {
  template <class V>
  V operator()(V grad, V x, V mean, V scale, V mean_grad, V mean_product, V factor) const noexcept {
    return ((grad - mean_grad) - ((x - mean) * scale) * mean_product) * factor;
  }
};

}  // namespace

constinit const ElementwiseKernel normalize =
    elementwise<Normalize, Same(Same, Same, Same, Same, Same), 5>(floating);
constinit const ElementwiseKernel normal_products =
    elementwise<NormalProducts, Same(Same, Same, Same, Same), kCompactCost>(floating);
constinit const ElementwiseKernel normal_backward =
    elementwise<NormalBackward, Same(Same, Same, Same, Same, Same, Same, Same), kCompactCost>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
