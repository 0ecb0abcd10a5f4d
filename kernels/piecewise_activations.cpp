// Activations made of straight pieces, and their backwards. Where a comparison chooses the piece it is
// written so that NaN takes the same piece as in PyTorch.

#include <lanewise/kernels/elementwise.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// x above the threshold, else the value.
struct Threshold {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T threshold = scalar_as<T>(params[0]);
    const T value = scalar_as<T>(params[1]);
    run([=](V x) { return vec::select(x <= V(threshold), V(value), x); });
  }
};

struct LeakyRelu {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T slope = scalar_as<T>(params[0]);
    run([slope](V x) {
      x = vec::in_register(x);
      return vec::select(x > V(T(0)), x, x * V(slope));
    });
  }
};
struct LeakyReluBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T slope = scalar_as<T>(params[0]);
    run([slope](V grad, V x) {
      grad = vec::in_register(grad);
      return vec::select(x > V(T(0)), grad, grad * V(slope));
    });
  }
};

/// A slope per element.
struct Prelu {
  template <class V>
  V operator()(V x, V weight) const noexcept {
    x = vec::in_register(x);
    return vec::select(x > V(typename V::value_type(0)), x, x * weight);
  }
};

/// Of self, and of a slope per element.
struct PreluBackward {
  template <class V>
  std::array<V, 2> operator()(V grad, V x, V weight) const noexcept {
    grad = vec::in_register(grad);
    const auto right = x > number<V>(0);
    return {vec::select(right, grad, grad * weight), vec::select(right, number<V>(0), x * grad)};
  }
};

/// grad strictly between the limits.
struct HardtanhBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T low = scalar_as<T>(params[0]);
    const T high = scalar_as<T>(params[1]);
    run([=](V grad, V x) {
      return vec::select((x > V(low)) & (x < V(high)), vec::in_register(grad), V(T(0)));
    });
  }
};

/// min(max(x + 3, 0), 6).
template <class V>
LANEWISE_INLINE V ramp(V x) {
  return vec::minimum(vec::maximum(x + number<V>(3), number<V>(0)), number<V>(6));
}

struct Hardsigmoid {
  template <class V>
  V operator()(V x) const noexcept {
    return ramp(x) / number<V>(6);
  }
};
struct HardsigmoidBackward {
  template <class V>
  V operator()(V grad, V x) const noexcept {
    const auto inside = (x > number<V>(-3)) & (x < number<V>(3));
    return vec::select(inside, grad / number<V>(6), number<V>(0));
  }
};

struct Hardswish {
  template <class V>
  V operator()(V x) const noexcept {
    return x * ramp(x) / number<V>(6);
  }
};
struct HardswishBackward {
  template <class V>
  V operator()(V grad, V x) const noexcept {
    grad = vec::in_register(grad);
    const V bent = grad * (x / number<V>(3) + number<V>(0.5));
    const V right = vec::select(x >= number<V>(3), grad, bent);
    return vec::select(x < number<V>(-3), number<V>(0), right);
  }
};

/// 0 within [-lambda, lambda].
struct Hardshrink {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lambda = scalar_as<T>(params[0]);
    run([lambda](V x) { return vec::select((x >= V(-lambda)) & (x <= V(lambda)), V(T(0)), x); });
  }
};
/// Of hardshrink and softshrink.
struct ShrinkBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lambda = scalar_as<T>(params[0]);
    run([lambda](V grad, V x) {
      return vec::select((x < V(-lambda)) | (x > V(lambda)), vec::in_register(grad), V(T(0)));
    });
  }
};
struct Softshrink {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lambda = scalar_as<T>(params[0]);
    run([lambda](V x) {
      const V left = vec::select(x < V(-lambda), x + V(lambda), V(T(0)));
      return vec::select(x > V(lambda), x - V(lambda), left);
    });
  }
};

}  // namespace

constinit const ElementwiseKernel threshold = elementwise<Threshold, Unary>(real);
constinit const ElementwiseKernel leaky_relu = elementwise<LeakyRelu, Unary>(floating);
constinit const ElementwiseKernel leaky_relu_backward = elementwise<LeakyReluBackward, Binary>(floating);
constinit const ElementwiseKernel prelu = elementwise<Prelu, Binary>(floating);
constinit const ElementwiseKernel prelu_backward =
    elementwise<PreluBackward, Several<2>(Same, Same, Same), kCompactCost>(floating);
constinit const ElementwiseKernel hardtanh_backward = elementwise<HardtanhBackward, Binary>(floating);
constinit const ElementwiseKernel hardsigmoid = elementwise<Hardsigmoid, Unary, 2>(floating);
constinit const ElementwiseKernel hardsigmoid_backward =
    elementwise<HardsigmoidBackward, Binary, 2>(floating);
constinit const ElementwiseKernel hardswish = elementwise<Hardswish, Unary, 2>(floating);
constinit const ElementwiseKernel hardswish_backward = elementwise<HardswishBackward, Binary, 2>(floating);
constinit const ElementwiseKernel hardshrink = elementwise<Hardshrink, Unary>(floating);
constinit const ElementwiseKernel softshrink = elementwise<Softshrink, Unary>(floating);
constinit const ElementwiseKernel shrink_backward = elementwise<ShrinkBackward, Binary>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
