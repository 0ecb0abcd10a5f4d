// One pass over parameter, gradient and state per optimizer step.

#include <array>

#include <lanewise/kernels/elementwise.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <class T>
T square_root(double x) {
  return static_cast<T>(vec::sqrt(vec::Vec<double>(x)).extract(0));
}

/// State that decays ends at zero, not among the denormals: there it would stay for good, since 0.9 of the
/// smallest one rounds to itself, and each step would take many times as long. The bound leaves room for a
/// factor of 2^-16 above the denormals.
template <class V>
LANEWISE_INLINE V settled(V state) {
  using T = typename V::value_type;
  constexpr T kNegligible = sizeof(T) == 4 ? T(0x1p-110) : T(0x1p-1006);
  return vec::select(vec::abs(state) < V(kNegligible), V(T(0)), state);
}

struct SgdStep {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lr = scalar_as<T>(params[0]);
    const T momentum = scalar_as<T>(params[1]);
    const T fresh = static_cast<T>(1 - params[2].re);
    const T weight_decay = scalar_as<T>(params[3]);
    const bool nesterov = params[4].i != 0;
    const bool first = params[5].i != 0;
    run([=](V p, V grad, V buf) {
      const V g = weight_decay == 0 ? grad : grad + V(weight_decay) * p;
      const V next = first ? g : settled(V(momentum) * buf + V(fresh) * g);
      const V step = nesterov ? g + V(momentum) * next : next;
      return std::array{p - V(lr) * step, next};
    });
  }
};

struct SgdStepPlain {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lr = scalar_as<T>(params[0]);
    const T weight_decay = scalar_as<T>(params[1]);
    run([=](V p, V grad) { return p - V(lr) * (weight_decay == 0 ? grad : grad + V(weight_decay) * p); });
  }
};

/// Kingma and Ba, ICLR 2015; decoupled weight decay after Loshchilov and Hutter, ICLR 2019.
template <class T>
struct AdamFactors {
  T fresh1, beta2, fresh2, eps, decay, shrink, step, inverse_root;

  explicit AdamFactors(const KernelScalar* params) {
    const double lr = params[0].re;
    const bool decoupled = params[5].i != 0;
    fresh1 = static_cast<T>(1 - params[1].re);
    beta2 = scalar_as<T>(params[2]);
    fresh2 = static_cast<T>(1 - params[2].re);
    eps = scalar_as<T>(params[3]);
    decay = decoupled ? T(0) : scalar_as<T>(params[4]);
    shrink = decoupled ? static_cast<T>(1 - lr * params[4].re) : T(1);
    step = static_cast<T>(lr / params[6].re);
    inverse_root = T(1) / square_root<T>(params[7].re);
  }

  using V = vec::Vec<T>;
  LANEWISE_INLINE V gradient(V p, V grad) const { return decay == 0 ? grad : grad + V(decay) * p; }
  LANEWISE_INLINE V first_moment(V m, V g) const { return settled(m + V(fresh1) * (g - m)); }
  LANEWISE_INLINE V second_moment(V v, V g) const { return settled(V(beta2) * v + V(fresh2) * (g * g)); }
  LANEWISE_INLINE V moved(V p, V m, V v) const {
    return V(shrink) * p - V(step) * (m / (vec::sqrt(v) * V(inverse_root) + V(eps)));
  }
};

struct AdamStep {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const AdamFactors<T> f(params);
    run([=](V p, V grad, V m, V v) {
      const V g = f.gradient(p, grad);
      const V m1 = f.first_moment(m, g);
      const V v1 = f.second_moment(v, g);
      return std::array{f.moved(p, m1, v1), m1, v1};
    });
  }
};

struct AdamStepAmsgrad {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const AdamFactors<T> f(params);
    run([=](V p, V grad, V m, V v, V vmax) {
      const V g = f.gradient(p, grad);
      const V m1 = f.first_moment(m, g);
      const V v1 = f.second_moment(v, g);
      const V largest = vec::maximum(vmax, v1);
      return std::array{f.moved(p, m1, largest), m1, v1, largest};
    });
  }
};

struct RmspropStep {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lr = scalar_as<T>(params[0]);
    const T alpha = scalar_as<T>(params[1]);
    const T fresh = static_cast<T>(1 - params[1].re);
    const T eps = scalar_as<T>(params[2]);
    const T weight_decay = scalar_as<T>(params[3]);
    run([=](V p, V grad, V square) {
      const V g = weight_decay == 0 ? grad : grad + V(weight_decay) * p;
      const V next = settled(V(alpha) * square + V(fresh) * (g * g));
      return std::array{p - V(lr) * (g / (vec::sqrt(next) + V(eps))), next};
    });
  }
};

struct RmspropStepFull {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lr = scalar_as<T>(params[0]);
    const T alpha = scalar_as<T>(params[1]);
    const T fresh = static_cast<T>(1 - params[1].re);
    const T eps = scalar_as<T>(params[2]);
    const T weight_decay = scalar_as<T>(params[3]);
    const T momentum = scalar_as<T>(params[4]);
    const bool centered = params[5].i != 0;
    run([=](V p, V grad, V square, V buffer, V mean) {
      const V g = weight_decay == 0 ? grad : grad + V(weight_decay) * p;
      const V next = settled(V(alpha) * square + V(fresh) * (g * g));
      const V next_mean = centered ? settled(V(alpha) * mean + V(fresh) * g) : mean;
      const V spread = centered ? next - next_mean * next_mean : next;
      const V step = settled(V(momentum) * buffer + g / (vec::sqrt(spread) + V(eps)));
      return std::array{p - V(lr) * step, next, momentum == 0 ? buffer : step, next_mean};
    });
  }
};

struct AdagradStep {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T lr = scalar_as<T>(params[0]);
    const T eps = scalar_as<T>(params[1]);
    const T weight_decay = scalar_as<T>(params[2]);
    run([=](V p, V grad, V sum) {
      const V g = weight_decay == 0 ? grad : grad + V(weight_decay) * p;
      const V next = sum + g * g;
      return std::array{p - V(lr) * (g / (vec::sqrt(next) + V(eps))), next};
    });
  }
};

}  // namespace

constinit const ElementwiseKernel sgd_step = elementwise<SgdStep, Several<2>(Same, Same, Same), 4>(floating);
constinit const ElementwiseKernel sgd_step_plain = elementwise<SgdStepPlain, Binary, 2>(floating);
constinit const ElementwiseKernel adam_step =
    elementwise<AdamStep, Several<3>(Same, Same, Same, Same), 8>(floating);
constinit const ElementwiseKernel adam_step_amsgrad =
    elementwise<AdamStepAmsgrad, Several<4>(Same, Same, Same, Same, Same), 8>(floating);
constinit const ElementwiseKernel rmsprop_step =
    elementwise<RmspropStep, Several<2>(Same, Same, Same), 4>(floating);
constinit const ElementwiseKernel rmsprop_step_full =
    elementwise<RmspropStepFull, Several<4>(Same, Same, Same, Same, Same), 6>(floating);
constinit const ElementwiseKernel adagrad_step =
    elementwise<AdagradStep, Several<2>(Same, Same, Same), 3>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
