// Powers with an exponent per element or one for all.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/kernels/integer_arithmetic.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Pow {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::pow(x, y);
  }
};

/// As pow() takes one exponent for all.
template <class T>
auto exponent_for_all(const KernelScalar& e) {
  if constexpr (std::is_same_v<T, float>) {
    return vec::PowExponent(e.re);
  } else {
    return vec::Vec<T>(scalar_as<T>(e));
  }
}

/// Exponents that occur all the time are products, quotients and roots.
struct PowScalar {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const KernelScalar& e = params[0];
    const bool is_real = e.im == 0;
    if (is_real && e.re == 0) {
      run([](V) { return V(T(1)); });
    } else if (is_real && e.re == 0.5) {
      run([](V x) { return vec::sqrt(x); });
    } else if (is_real && e.re == 1) {
      run([](V x) { return x; });
    } else if (is_real && e.re == 2) {
      run([](V x) { return x * x; });
    } else if (is_real && e.re == 3) {
      run([](V x) { return x * x * x; });
    } else if (is_real && e.re == -0.5) {
      run([](V x) { return vec::rsqrt(x); });
    } else if (is_real && e.re == -1) {
      run([](V x) { return vec::reciprocal(x); });
    } else if (is_real && e.re == -2) {
      run([](V x) { return vec::reciprocal(x * x); });
    } else {
      if constexpr (std::is_floating_point_v<T>) {
        if (e.re == 1.5) return run([](V x) { return vec::half_power<1>(x); });
        if (e.re == 2.5) return run([](V x) { return vec::half_power<2>(x); });
      }
      run([exponent = exponent_for_all<T>(e)](V x) { return vec::pow(x, exponent); });
    }
  }
};

/// grad * (exponent * self^(exponent - 1)); 0 for the exponent 0, also beside a self of 0.
struct PowScalarBackward {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const double e = params[0].re;
    const T exponent = scalar_as<T>(params[0]);
    if (e == 0) {
      run([](V, V) { return V(T(0)); });
    } else if (e == 0.5) {
      run([](V grad, V self) { return grad * (vec::rsqrt(self) * V(T(0.5))); });
    } else if (e == 2) {
      run([](V grad, V self) { return grad * (self * V(T(2))); });
    } else if (e == 3) {
      run([](V grad, V self) { return grad * (self * self * V(T(3))); });
    } else if (e == -1) {
      run([](V grad, V self) { return grad * (vec::reciprocal(self * self) * V(T(-1))); });
    } else if (e == 1.5) {
      run([](V grad, V self) { return grad * (vec::sqrt(self) * V(T(1.5))); });
    } else if (e == 2.5) {
      run([](V grad, V self) { return grad * (vec::half_power<1>(self) * V(T(2.5))); });
    } else {
      const auto less_one = exponent_for_all<T>({0, e - 1, 0});
      run([=](V grad, V self) { return grad * (vec::pow(self, less_one) * V(exponent)); });
    }
  }
};

/// The same steps for every element, so by vectors.
struct IntegerPowScalar {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const std::int64_t exponent = params[0].i;
    run([exponent](V x) {
      if (exponent <
          0) {  // the truncated fraction, see IntegerPow; an infinite one (0 to a negative power) is 0
        const V one(T(1));
        const V minus_one(static_cast<T>(-1));
        const V sign = exponent % 2 == 0 ? one : minus_one;
        const V magnitude_one = vec::select(x == one, one, V(T(0)));
        return std::is_signed_v<T> ? vec::select(x == minus_one, sign, magnitude_one) : magnitude_one;
      }
      V result(T(1));
      V factor = x;
      for (std::int64_t e = exponent; e != 0; e >>= 1) {
        if (e & 1) result = result * factor;
        factor = factor * factor;
      }
      return result;
    });
  }
};

}  // namespace

constinit const ElementwiseKernel pow =
    elementwise<Pow, Binary, 30>(floating_complex) | scalarwise<IntegerPow, Binary>(integral);
constinit const ElementwiseKernel pow_scalar =
    elementwise<PowScalar, Unary, 10>(floating_complex) | elementwise<IntegerPowScalar, Unary, 6>(integral);
constinit const ElementwiseKernel pow_scalar_backward = elementwise<PowScalarBackward, Binary, 12>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
