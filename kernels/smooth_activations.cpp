// elu, mish, log_sigmoid, glu, logit and the backwards of these and of softplus.

#include <array>

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// scale * x on the right, scale * alpha * (exp(input_scale * x) - 1) on the left.
struct Elu {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T scale = scalar_as<T>(params[1]);
    const T left = scalar_as<T>(params[0]) * scale;
    const T input_scale = scalar_as<T>(params[2]);
    run([=](V x) {
      return vec::select(x <= V(T(0)), vec::expm1(x * V(input_scale)) * V(left), x * V(scale));
    });
  }
};
/// From x, or where params[3] is not 0 from the result.
struct EluBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T scale = scalar_as<T>(params[1]);
    const T left = scalar_as<T>(params[0]) * scale;
    const T input_scale = scalar_as<T>(params[2]);
    if (params[3].i != 0) {
      run([=](V grad, V y) {
        return vec::select(y > V(T(0)), grad * V(scale), grad * V(input_scale) * (y + V(left)));
      });
    } else {
      run([=](V grad, V x) {
        const V slope = V(input_scale * left) * vec::exp(x * V(input_scale));
        return vec::select(x > V(T(0)), grad * V(scale), grad * slope);
      });
    }
  }
};

/// tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2). From where it is 1 within the type on, e is held: its
/// square would overflow.
template <class V>
LANEWISE_INLINE V held_exp(V x) {
  return vec::exp(vec::select(x > number<V>(40), number<V>(40), x));
}
struct Mish {
  template <class V>
  V operator()(V x) const noexcept {
    const V e = held_exp(x);
    const V n = e * (e + number<V>(2));
    return x * (n / (n + number<V>(2)));
  }
};
/// grad * (w + x * sigmoid(x) * (1 - w^2)) with w = tanh(log(1 + e)).
struct MishBackward {
  template <class V>
  V operator()(V grad, V x) const noexcept {
    const V e = held_exp(x);
    const V n = e * (e + number<V>(2));
    const V d = n + number<V>(2);
    const V sigmoid = e / (e + number<V>(1));
    const V bend = number<V>(4) * (n + number<V>(1)) / (d * d);
    // Where e is held the bend is, too: less than half an ULP of 1 there, it would grow with x.
    return grad * (n / d + vec::select(x > number<V>(40), number<V>(40), x) * sigmoid * bend);
  }
};

/// min(x, 0) - log(1 + z), and z = exp(-|x|), which the backward takes.
struct LogSigmoid {
  template <class V>
  std::array<V, 2> operator()(V x) const noexcept {
    const V z = vec::exp(-vec::abs(x));
    return {vec::minimum(x, number<V>(0)) - vec::log1p(z), z};
  }
};
struct LogSigmoidBackward {
  template <class V>
  V operator()(V grad, V x, V z) const noexcept {
    const V share = z / (number<V>(1) + z);
    return grad * vec::select(x < number<V>(0), number<V>(1) - share, share);
  }
};

/// grad * sigmoid(beta x); grad where beta x is above the threshold.
struct SoftplusBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T beta = scalar_as<T>(params[0]);
    const T threshold = scalar_as<T>(params[1]);
    run([=](V grad, V x) {
      const V scaled = x * V(beta);
      return vec::select(scaled > V(threshold), grad, grad * vec::sigmoid(scaled));
    });
  }
};

/// a * sigmoid(b).
struct Glu {
  template <class V>
  V operator()(V a, V b) const noexcept {
    return a * vec::sigmoid(b);
  }
};
/// With respect to b; that with respect to a is glu(grad, b).
struct GluGateBackward {
  template <class V>
  V operator()(V grad, V a, V b) const noexcept {
    const V s = vec::sigmoid(b);
    return grad * a * (s * (number<V>(1) - s));
  }
};

/// log(x / (1 - x)); where params[0] is not negative, x is limited to [params[0], 1 - params[0]] first.
struct Logit {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T low = scalar_as<T>(params[0]);
    if (low < T(0)) {
      run([](V x) { return vec::logit(x); });
    } else {
      const T high = T(1) - low;
      run([=](V x) {
        const V inside = vec::select(x < V(low), V(low), vec::select(x > V(high), V(high), x));
        return vec::logit(inside);
      });
    }
  }
};
/// Without limits NaN outside of [0, 1], with limits 0 beyond them.
struct LogitBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const bool limited = scalar_as<T>(params[0]) >= T(0);
    const T low = limited ? scalar_as<T>(params[0]) : T(0);
    const T high = T(1) - low;
    const T outside = limited ? T(0) : std::numeric_limits<T>::quiet_NaN();
    run([=](V grad, V x) {
      const V slope = grad / (x * (V(T(1)) - x));
      return vec::select((x < V(low)) | (x > V(high)), V(outside), slope);
    });
  }
};

}  // namespace

constinit const ElementwiseKernel elu = elementwise<Elu, Unary, 14>(floating);
constinit const ElementwiseKernel elu_backward = elementwise<EluBackward, Binary, 10>(floating);
constinit const ElementwiseKernel mish = elementwise<Mish, Unary, 12>(floating);
constinit const ElementwiseKernel mish_backward = elementwise<MishBackward, Binary, 14>(floating);
constinit const ElementwiseKernel log_sigmoid_forward =
    elementwise<LogSigmoid, Several<2>(Same), 22>(floating);
constinit const ElementwiseKernel log_sigmoid_backward =
    elementwise<LogSigmoidBackward, Ternary, 3>(floating);
constinit const ElementwiseKernel softplus_backward = elementwise<SoftplusBackward, Binary, 10>(floating);
constinit const ElementwiseKernel glu = elementwise<Glu, Binary, 10>(floating);
constinit const ElementwiseKernel glu_gate_backward = elementwise<GluGateBackward, Ternary, 12>(floating);
constinit const ElementwiseKernel logit = elementwise<Logit, Unary, 12>(floating);
constinit const ElementwiseKernel logit_backward = elementwise<LogitBackward, Binary, 4>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
