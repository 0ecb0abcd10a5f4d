// The terms of losses, before they are reduced, and their derivatives; params[0] of a backward is the share
// of one term: 1, or 1 / number of terms.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Mse {
  template <class V>
  V operator()(V x, V y) const noexcept {
    const V d = x - y;
    return d * d;
  }
};
struct MseBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T share = T(2) * scalar_as<T>(params[0]);
    run([share](V grad, V x, V y) { return V(share) * (x - y) * grad; });
  }
};

/// d^2 / (2 beta) for |d| < beta, else |d| - beta / 2.
struct SmoothL1 {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T beta = scalar_as<T>(params[0]);
    run([beta](V x, V y) {
      const V d = vec::abs(x - y);
      return vec::select(d < V(beta), V(T(0.5)) * d * d / V(beta), d - V(T(0.5) * beta));
    });
  }
};
struct SmoothL1Backward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T share = scalar_as<T>(params[0]);
    const T beta = scalar_as<T>(params[1]);
    run([=](V grad, V x, V y) {
      const V d = x - y;
      const V right = vec::select(d >= V(beta), V(T(1)), d / V(beta));
      return vec::select(d <= V(-beta), V(T(-1)), right) * V(share) * grad;
    });
  }
};

/// d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2).
struct Huber {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T delta = scalar_as<T>(params[0]);
    run([delta](V x, V y) {
      const V d = vec::abs(x - y);
      return vec::select(d <= V(delta), V(T(0.5)) * d * d, V(delta) * (d - V(T(0.5) * delta)));
    });
  }
};
struct HuberBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T share = scalar_as<T>(params[0]);
    const T delta = scalar_as<T>(params[1]);
    run([=](V grad, V x, V y) {
      const V d = x - y;
      const V limited = vec::select(d < V(-delta), V(-delta), vec::select(d > V(delta), V(delta), d));
      return limited * V(share) * grad;
    });
  }
};

/// (t - 1) log(1 - x) - t log(x), with logarithms not below -100.
struct BinaryCrossEntropy {
  template <class V>
  V operator()(V x, V t) const noexcept {
    const V least = number<V>(-100);
    const V of_x = vec::maximum(vec::log(x), least);
    const V of_rest = vec::maximum(vec::log1p(-x), least);
    return (t - number<V>(1)) * of_rest - t * of_x;
  }
};
struct BinaryCrossEntropyBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T share = scalar_as<T>(params[0]);
    run([share](V grad, V x, V t) {
      const V spread = vec::maximum((V(T(1)) - x) * x, V(T(1e-12)));
      return grad * V(share) * (x - t) / spread;
    });
  }
};

/// log(1 + exp(z)), without overflow.
template <class V>
LANEWISE_INLINE V log_one_plus_exp(V z) {
  return vec::maximum(z, number<V>(0)) + vec::log1p(vec::exp(-vec::abs(z)));
}
/// (1 - t) x + (1 + (w - 1) t) log(1 + exp(-x)), w the weight of positive answers.
struct BceWithLogits {
  template <class V>
  V operator()(V x, V t, V w) const noexcept {
    const V one = number<V>(1);
    return (one - t) * x + ((w - one) * t + one) * log_one_plus_exp(-x);
  }
};

/// log(1 + exp(-t x)).
struct SoftMargin {
  template <class V>
  V operator()(V x, V t) const noexcept {
    return log_one_plus_exp(-t * x);
  }
};
struct SoftMarginBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T share = scalar_as<T>(params[0]);
    run([share](V grad, V x, V t) { return -t * vec::sigmoid(-t * x) * V(share) * grad; });
  }
};

}  // namespace

constinit const ElementwiseKernel mse = elementwise<Mse, Binary>(floating);
constinit const ElementwiseKernel mse_backward = elementwise<MseBackward, Ternary>(floating);
constinit const ElementwiseKernel smooth_l1 = elementwise<SmoothL1, Binary, 3>(floating);
constinit const ElementwiseKernel smooth_l1_backward = elementwise<SmoothL1Backward, Ternary, 3>(floating);
constinit const ElementwiseKernel huber = elementwise<Huber, Binary, 2>(floating);
constinit const ElementwiseKernel huber_backward = elementwise<HuberBackward, Ternary, 2>(floating);
constinit const ElementwiseKernel binary_cross_entropy =
    elementwise<BinaryCrossEntropy, Binary, 26>(floating);
constinit const ElementwiseKernel binary_cross_entropy_backward =
    elementwise<BinaryCrossEntropyBackward, Ternary, 4>(floating);
constinit const ElementwiseKernel bce_with_logits = elementwise<BceWithLogits, Ternary, 24>(floating);
constinit const ElementwiseKernel soft_margin = elementwise<SoftMargin, Binary, 22>(floating);
constinit const ElementwiseKernel soft_margin_backward =
    elementwise<SoftMarginBackward, Ternary, 12>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
