// Activations and their fused backwards.

#include <concepts>

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440084436210485;
constexpr double kInverseSqrt2Pi = 0.39894228040143267793994605993438;
constexpr double kSqrt2OverPi = 0.79788456080286535587989211986876;
constexpr double kGeluCubic = 0.044715;

struct Sigmoid {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::sigmoid(x);
  }
};

struct Erf {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::erf(x);
  }
};

/// The normal distribution function; its error is an ULP of 1/2, so that small values are exact only
/// absolutely.
template <class V>
V normal_cdf(V x) {
  return number<V>(0.5) * (number<V>(1) + vec::erf(x * number<V>(kSqrtHalf)));
}

/// x times the normal distribution function.
struct Gelu {
  template <class V>
  V operator()(V x) const noexcept {
    return x * normal_cdf(x);
  }
};

struct GeluBackward {
  template <class V>
  V operator()(V grad, V x) const noexcept {
    if constexpr (std::same_as<typename V::value_type, float>) {
      return grad * vec::gelu_slope(x);
    } else {
      // A number that does not show in the power, but keeps the square of a tiny x from being denormal.
      const V bell = vec::exp(vec::fma(number<V>(-0.5) * x, x, number<V>(0x1p-60)));
      return grad * (normal_cdf(x) + x * (number<V>(kInverseSqrt2Pi) * bell));
    }
  }
};

/// sqrt(2 / pi) (x + c x^3), without a power of x that may be denormal.
template <class V>
V gelu_inner(V x) {
  return number<V>(kSqrt2OverPi) * x * vec::fma(number<V>(kGeluCubic) * x, x, number<V>(1));
}

/// The approximation by tanh (Hendrycks and Gimpel, arXiv:1606.08415).
struct GeluTanh {
  template <class V>
  V operator()(V x) const noexcept {
    return number<V>(0.5) * x * (number<V>(1) + vec::tanh(gelu_inner(x)));
  }
};

struct GeluTanhBackward {
  template <class V>
  V operator()(V grad, V x) const noexcept {
    const V half = number<V>(0.5);
    const V one = number<V>(1);
    const V t = vec::tanh(gelu_inner(x));
    const V inner_slope = number<V>(kSqrt2OverPi) * vec::fma(number<V>(3 * kGeluCubic) * x, x, one);
    return grad * (half * (one + t) + half * x * vec::fnma(t, t, one) * inner_slope);
  }
};

/// x * sigmoid(x).
struct Silu {
  template <class V>
  V operator()(V x) const noexcept {
    return x * vec::sigmoid(x);
  }
};

struct SiluBackward {
  template <class V>
  V operator()(V grad, V x) const noexcept {
    const V one = number<V>(1);
    const V s = vec::sigmoid(x);
    return grad * (s * (one + x * (one - s)));
  }
};

/// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold.
struct Softplus {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T beta = scalar_as<T>(params[0]);
    const T threshold = scalar_as<T>(params[1]);
    run([=](V x) {
      const V scaled = x * V(beta);
      return vec::select(scaled > V(threshold), x, vec::log1p(vec::exp(scaled)) / V(beta));
    });
  }
};

/// grad * conj(1 - result^2).
struct TanhBackward {
  template <class V>
  V operator()(V grad, V result) const noexcept {
    if constexpr (is_complex<typename V::value_type>) {
      return grad * vec::conj(number<V>(1) - result * result);
    } else {
      return grad * vec::fnma(result, result, number<V>(1));
    }
  }
};

/// grad * conj(result * (1 - result)).
struct SigmoidBackward {
  template <class V>
  V operator()(V grad, V result) const noexcept {
    const V slope = (number<V>(1) - result) * result;
    if constexpr (is_complex<typename V::value_type>) {
      return grad * vec::conj(slope);
    } else {
      return grad * slope;
    }
  }
};

/// grad where self is above the threshold, else 0; grad beside NaN.
struct ThresholdBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T threshold = scalar_as<T>(params[0]);
    run([threshold](V grad, V self) { return vec::select(self <= V(threshold), V(T(0)), grad); });
  }
};

}  // namespace

constinit const ElementwiseKernel sigmoid = elementwise<Sigmoid, Unary, 10>(floating_complex);
constinit const ElementwiseKernel erf = elementwise<Erf, Unary, 16>(floating);
constinit const ElementwiseKernel gelu = elementwise<Gelu, Unary, 20>(floating);
constinit const ElementwiseKernel gelu_backward = elementwise<GeluBackward, Binary, 30>(floating);
constinit const ElementwiseKernel gelu_tanh = elementwise<GeluTanh, Unary, 18>(floating);
constinit const ElementwiseKernel gelu_tanh_backward = elementwise<GeluTanhBackward, Binary, 22>(floating);
constinit const ElementwiseKernel silu = elementwise<Silu, Unary, 10>(floating_complex);
constinit const ElementwiseKernel silu_backward = elementwise<SiluBackward, Binary, 12>(floating);
constinit const ElementwiseKernel softplus = elementwise<Softplus, Unary, 24>(floating);
constinit const ElementwiseKernel tanh_backward = elementwise<TanhBackward, Binary, 2>(floating_complex);
constinit const ElementwiseKernel sigmoid_backward =
    elementwise<SigmoidBackward, Binary, 2>(floating_complex);
constinit const ElementwiseKernel threshold_backward = elementwise<ThresholdBackward, Binary>(real);

}  // namespace lanewise::kernels::LANEWISE_ISA
