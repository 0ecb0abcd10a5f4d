// (x - mean) * scale * weight + bias, and the backward pass of (x - mean) * scale, whose mean and scale depend on x.

#include <lanewise/kernels/elementwise.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Normalize {
  template <class V>
  V operator()(V x, V weight, V bias, V mean, V scale) const noexcept {
    return ((x - mean) * scale) * weight + bias;
  }
  /// Numbers stay in registers: of batch_norm, all four for a channel; of layer_norm mean and scale of a row.
  static constexpr int kStreams = 3;
  template <class T, class Run>
  static bool by_numbers(const T (&all)[4], std::int64_t, Run run) {
    using V = vec::Vec<T>;
    run([weight = all[0], bias = all[1], mean = all[2], scale = all[3]](V x) {
      return Normalize()(x, V(weight), V(bias), V(mean), V(scale));
    });
    return true;
  }
  template <class T, class Run>
  static bool by_numbers(const T (&of_row)[2], std::int64_t, Run run) {
    using V = vec::Vec<T>;
    run([mean = of_row[0], scale = of_row[1]](V x, V weight, V bias) {
      return Normalize()(x, weight, bias, V(mean), V(scale));
    });
    return true;
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
