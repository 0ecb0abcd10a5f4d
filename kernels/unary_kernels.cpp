// Signs, roundings, roots: unary ops of a few instructions.

#include <lanewise/kernels/half_loop.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// The modulus of complex numbers. The most negative integer stays itself.
struct Abs {
  template <class V>
  auto operator()(V x) const noexcept {
    return vec::abs(x);
  }
};

/// -1, 0 or 1; 0 for NaN.
struct Sign {
  template <class V>
  V operator()(V x) const noexcept {
    using T = typename V::value_type;
    if constexpr (std::is_same_v<T, bool>) {
      return x;
    } else {
      const V zero(T(0));
      const V positive = vec::from_mask(x > zero);
      if constexpr (std::is_unsigned_v<T>) {
        return positive;
      } else {
        return vec::select(x < zero, V(T(-1)), positive);
      }
    }
  }
};

/// z / |z|, 0 at 0.
struct Sgn {
  template <class T>
  vec::Vec<T> operator()(vec::Vec<T> x) const noexcept {
    using R = vec::Vec<real_of<T>>;
    const R modulus = vec::abs(x);
    const auto zero = modulus == R(real_of<T>(0));
    return {vec::select(zero, x.re, x.re / modulus), vec::select(zero, x.im, x.im / modulus)};
  }
};

struct Floor {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::floor(x);
  }
};
struct Ceil {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::ceil(x);
  }
};
struct Trunc {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::trunc(x);
  }
};
/// Ties to even.
struct Round {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::round(x);
  }
};

/// NaN stays NaN.
struct Relu {
  template <class V>
  V operator()(V x) const noexcept {
    const V zero(typename V::value_type(0));
    if constexpr (std::is_integral_v<typename V::value_type>) {
      return vec::maximum(x, zero);
    } else {
      return vec::select(x < zero, zero, x);
    }
  }
};

struct Sqrt {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::sqrt(x);
  }
};

struct Rsqrt {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::rsqrt(x);
  }
};

}  // namespace

constinit const ElementwiseKernel abs =
    elementwise<Abs, RealPart(Same)>(real) | elementwise<Abs, RealPart(Same), kCompactCost>(complex_types);
constinit const ElementwiseKernel sign = elementwise<Sign, Unary>(boolean + real);
constinit const ElementwiseKernel sgn =
    elementwise<Sign, Unary>(boolean + real) | elementwise<Sgn, Unary, kCompactCost>(complex_types);
// Integers are whole already.
constinit const ElementwiseKernel floor =
    elementwise<Floor, Unary>(floating) | by_size<Copy, Unary>(integral);
constinit const ElementwiseKernel ceil = elementwise<Ceil, Unary>(floating) | by_size<Copy, Unary>(integral);
constinit const ElementwiseKernel trunc =
    elementwise<Trunc, Unary>(floating) | by_size<Copy, Unary>(integral);
constinit const ElementwiseKernel round =
    elementwise<Round, Unary>(floating) | by_size<Copy, Unary>(integral);
constinit const ElementwiseKernel relu = elementwise<Relu, Unary>(real) | over_halves<Relu, Unary>();
constinit const ElementwiseKernel sqrt = elementwise<Sqrt, Unary, 3>(floating) | over_halves<Sqrt, Unary>() |
                                         elementwise<Sqrt, Unary, 12>(complex_types);
constinit const ElementwiseKernel rsqrt = elementwise<Rsqrt, Unary, 5>(floating) |
                                          over_halves<Rsqrt, Unary>() |
                                          elementwise<Rsqrt, Unary, 14>(complex_types);

}  // namespace lanewise::kernels::LANEWISE_ISA
