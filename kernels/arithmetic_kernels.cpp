// copy, add, sub, mul, div, maximum, minimum, neg, square and the like: a few instructions each.

#include <lanewise/kernels/half_loop.h>
#include <lanewise/vec/math/divisor.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// x + alpha * y; exactly x + y for alpha = 1. The sum of bools is "or".
struct Add {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    const T alpha = scalar_as<T>(params[0]);
    if (alpha == T(1)) {
      run([](auto x, auto y) { return x + y; });
    } else {
      run([alpha](auto x, auto y) { return x + vec::Vec<T>(alpha) * y; });
    }
  }
  template <class T>
  static bool is_partwise(const KernelScalar* params) {
    return scalar_as<T>(params[0]) == T(1);
  }
};

struct Sub {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    const T alpha = scalar_as<T>(params[0]);
    if (alpha == T(1)) {
      run([](auto x, auto y) { return x - y; });
    } else {
      run([alpha](auto x, auto y) { return x - vec::Vec<T>(alpha) * y; });
    }
  }
  template <class T>
  static bool is_partwise(const KernelScalar* params) {
    return scalar_as<T>(params[0]) == T(1);
  }
};

struct Mul {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return x * y;
  }
  struct Parts {
    template <class V>
    V operator()(V x, V y) const noexcept {
      return vec::product_of_parts(x, y);
    }
  };
  template <class T>
  static bool is_partwise(const KernelScalar*) {
    return true;
  }
};

struct Div {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return x / y;
  }
#if defined(LANEWISE_ISA_AVX512)
  /// One divisor for all elements becomes products: f32 in L1 takes 0.67 of the time, f64 0.42. For shorter runs it does not pay to
  /// divide the divisor.
  template <class T, class Run>
  requires std::is_floating_point_v<T>
  static bool by_numbers(const T* divisor, std::int64_t n, Run run) {
    constexpr std::int64_t kDividedByOne = 256;
    if (n < kDividedByOne || !vec::Divisor<T>::divides_by(*divisor)) return false;
    run(vec::Divisor<T>(*divisor));
    return true;
  }
#endif
};

struct Maximum {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::maximum(x, y);
  }
};

struct Minimum {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::minimum(x, y);
  }
};

/// The other number beside NaN.
struct Fmax {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::fmax(x, y);
  }
};
struct Fmin {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::fmin(x, y);
  }
};

struct Neg {
  template <class V>
  V operator()(V x) const noexcept {
    return -x;
  }
  template <class T>
  static bool is_partwise(const KernelScalar*) {
    return true;
  }
};

struct Square {
  template <class V>
  V operator()(V x) const noexcept {
    return x * x;
  }
  struct Parts {
    template <class V>
    V operator()(V x) const noexcept {
      return vec::product_of_parts(x, x);
    }
  };
  template <class T>
  static bool is_partwise(const KernelScalar*) {
    return true;
  }
};

struct Reciprocal {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::reciprocal(x);
  }
};

struct ConjPhysical {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::conj(x);
  }
};

}  // namespace

constinit const ElementwiseKernel copy = by_size<Copy, Unary>(boolean + real + Types<std::complex<float>>{}) |
                                         partwise<Copy, Unary>(Types<std::complex<double>>{});
constinit const ElementwiseKernel add = elementwise<Add, Binary>(boolean + floating) |
                                        by_size<Add, Binary>(integral) | over_halves<Add, Binary>() |
                                        partwise<Add, Binary>(complex_types);
constinit const ElementwiseKernel sub = elementwise<Sub, Binary>(floating) | by_size<Sub, Binary>(integral) |
                                        over_halves<Sub, Binary>() | partwise<Sub, Binary>(complex_types);
constinit const ElementwiseKernel mul = elementwise<Mul, Binary>(boolean + floating) |
                                        by_size<Mul, Binary>(integral) | over_halves<Mul, Binary>() |
                                        partwise<Mul, Binary>(complex_types);
constinit const ElementwiseKernel div = elementwise<Div, Binary, 2>(floating) | over_halves<Div, Binary>() |
                                        elementwise<Div, Binary, kCompactCost>(complex_types);
constinit const ElementwiseKernel maximum =
    elementwise<Maximum, Binary>(boolean + real) | over_halves<Maximum, Binary>();
constinit const ElementwiseKernel minimum =
    elementwise<Minimum, Binary>(boolean + real) | over_halves<Minimum, Binary>();
constinit const ElementwiseKernel fmax =
    elementwise<Fmax, Binary>(floating) | elementwise<Maximum, Binary>(boolean + integral);
constinit const ElementwiseKernel fmin =
    elementwise<Fmin, Binary>(floating) | elementwise<Minimum, Binary>(boolean + integral);
constinit const ElementwiseKernel neg = elementwise<Neg, Unary>(floating) | by_size<Neg, Unary>(integral) |
                                        over_halves<Neg, Unary>() | partwise<Neg, Unary>(complex_types);
constinit const ElementwiseKernel square = elementwise<Square, Unary>(floating) |
                                           by_size<Square, Unary>(integral) | over_halves<Square, Unary>() |
                                           partwise<Square, Unary>(complex_types);
constinit const ElementwiseKernel reciprocal = elementwise<Reciprocal, Unary, 2>(floating) |
                                               over_halves<Reciprocal, Unary>() |
                                               elementwise<Reciprocal, Unary, kCompactCost>(complex_types);
constinit const ElementwiseKernel conj_physical =
    by_size<Copy, Unary>(boolean + real) | elementwise<ConjPhysical, Unary>(complex_types);

}  // namespace lanewise::kernels::LANEWISE_ISA
