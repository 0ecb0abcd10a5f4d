// Parts and properties of numbers: fractions, signs, angles, neighbours, mantissas; gcd, lcm and shifts of
// integers.

#include <lanewise/kernels/common_divisor.h>
#include <lanewise/kernels/half_loop.h>
#include <lanewise/kernels/integer_arithmetic.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Frac {
  template <class V>
  V operator()(V x) const noexcept {
    return x - vec::trunc(x);
  }
};

/// A minus sign, that of -0 and NaN too.
struct Signbit {
  template <class V>
  auto operator()(V x) const noexcept {
    using T = typename V::value_type;
    if constexpr (std::is_floating_point_v<T>) {
      return vec::signbit(x);
    } else if constexpr (std::is_signed_v<T>) {
      return x < V(T(0));
    } else {
      return vec::Mask<T>::splat(false);
    }
  }
};

template <class V>
LANEWISE_INLINE auto equals_infinity([[maybe_unused]] V x, [[maybe_unused]] double sign) {
  using T = typename V::value_type;
  if constexpr (std::is_floating_point_v<T>) {
    return x == number<V>(sign * std::numeric_limits<double>::infinity());
  } else {
    return vec::Mask<T>::splat(false);
  }
}
struct IsPosInf {
  template <class V>
  auto operator()(V x) const noexcept {
    return equals_infinity(x, 1);
  }
};
struct IsNegInf {
  template <class V>
  auto operator()(V x) const noexcept {
    return equals_infinity(x, -1);
  }
};

/// Of real numbers 0 or pi, NaN for NaN.
struct Angle {
  template <class V>
  auto operator()(V x) const noexcept {
    using T = typename V::value_type;
    if constexpr (is_complex<T>) {
      return vec::angle(x);
    } else {
      const V turned = vec::select(x < V(T(0)), number<V>(3.14159265358979323846), V(T(0)));
      return vec::select(vec::isnan(x), x, turned);
    }
  }
};

/// NaN, infinity and -infinity become the params.
struct NanToNum {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T nan = scalar_as<T>(params[0]);
    const T high = scalar_as<T>(params[1]);
    const T low = scalar_as<T>(params[2]);
    run([=](V x) {
      const V infinity(std::numeric_limits<T>::infinity());
      return vec::select(vec::isnan(x), V(nan),
                         vec::select(x == infinity, V(high), vec::select(x == -infinity, V(low), x)));
    });
  }
};

/// To params[0] digits after the point, or before it if negative.
struct RoundDecimals {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const std::int64_t decimals = params[0].i;
    double power = 1;
    for (std::int64_t i = decimals < 0 ? -decimals : decimals; i > 0 && power < 1e308; --i) power *= 10;
    const T ten = static_cast<T>(power);
    if (decimals < 0) {
      run([ten](V x) { return vec::round(x / V(ten)) * V(ten); });
    } else {
      run([ten](V x) { return vec::round(x * V(ten)) / V(ten); });
    }
  }
};

struct Copysign {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::copysign(x, y);
  }
};

/// The neighbour of x towards y.
struct Nextafter {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::nextafter(x, y);
  }
};

/// 0 left of 0 and beside NaN, 1 right of it, at 0 the value.
struct Heaviside {
  template <class V>
  V operator()(V x, V value) const noexcept {
    return vec::heaviside(x, value);
  }
};

struct Hypot {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::hypot(x, y);
  }
};

/// 0 where the result is.
struct HypotBackward {
  template <class V>
  V operator()(V grad, V x, V result) const noexcept {
    const V zero(typename V::value_type(0));
    return vec::select(result == zero, zero, grad * (x / result));
  }
};

/// grad where x was chosen as the larger, or y as the smaller; half of it where both were.
struct MaximumBackward {
  template <class V>
  V operator()(V grad, V x, V y) const noexcept {
    grad = vec::in_register(grad);
    const V kept = vec::select(x < y, number<V>(0), grad);
    return vec::select(x == y, grad * number<V>(0.5), kept);
  }
};

/// The exponent as a number of the type.
struct Frexp {
  template <class V>
  std::array<V, 2> operator()(V x) const noexcept {
    const auto parts = vec::frexp(x);
    return {parts.mantissa, vec::convert<typename V::value_type>(parts.exponent)};
  }
};

struct MakeComplex {
  template <class V>
  auto operator()(V re, V im) const noexcept {
    return vec::Vec<std::complex<typename V::value_type>>(re, im);
  }
};
struct Polar {
  template <class V>
  auto operator()(V length, V angle) const noexcept {
    return vec::Vec<std::complex<typename V::value_type>>(length * vec::cos(angle), length * vec::sin(angle));
  }
};

// Counts below 0 or not below the width shift everything out.
template <class V>
LANEWISE_INLINE auto shifts_out(V count) {
  using T = typename V::value_type;
  const auto far = count >= V(static_cast<T>(sizeof(T) * 8));
  if constexpr (std::is_signed_v<T>) {
    return far | (count < V(T(0)));
  } else {
    return far;
  }
}
/// Lane by lane, counts from 0 to the width - 1. AVX2 has no instruction for 8 and 16 bits, and one lane after the other takes ten times
/// as long as a step for each bit of the count.
template <bool left, class V>
LANEWISE_INLINE V shifted(V x, V count) {
  using T = typename V::value_type;
  if constexpr (sizeof(T) > 2 || kHasMaskedEnds) {
    return left ? x << count : x >> count;
  } else {
    for (int bit = static_cast<int>(sizeof(T)) * 4; bit > 0; bit /= 2) {
      const V step(static_cast<T>(bit));
      x = vec::select((count & step) == step, left ? x << step : x >> step, x);
    }
    return x;
  }
}
struct ShiftLeft {
  template <class V>
  V operator()(V x, V count) const noexcept {
    const V zero(typename V::value_type(0));
    const auto out = shifts_out(count);
    return vec::select(out, zero, shifted<true>(x, vec::select(out, zero, count)));
  }
};
struct ShiftRight {
  template <class V>
  V operator()(V x, V count) const noexcept {
    using T = typename V::value_type;
    const auto out = shifts_out(count);
    const V last(static_cast<T>(sizeof(T) * 8 - 1));
    const V result =
        shifted<false>(x, vec::select(out, last, count));  // of a negative number the sign is left
    return std::is_signed_v<T> ? result : vec::select(out, V(T(0)), result);
  }
};

/// Without its sign; the most negative number too, as an unsigned one.
template <class T>
LANEWISE_INLINE auto magnitude(vec::Vec<T> x) noexcept {
  return vec::bitcast<std::make_unsigned_t<T>>(vec::select(x < vec::Vec<T>(T(0)), -x, x));
}
struct Gcd {
  template <class T>
  vec::Vec<T> operator()(vec::Vec<T> x, vec::Vec<T> y) const noexcept {
    const auto a = magnitude(x), b = magnitude(y);
    return vec::bitcast<T>(odd_common_divisor(a, b) * common_power(a, b));
  }
};
/// The magnitude of a / gcd * b, whatever part of that T holds; 0 if one of them is.
struct Lcm {
  template <class T>
  vec::Vec<T> operator()(vec::Vec<T> x, vec::Vec<T> y) const noexcept {
    const auto a = magnitude(x), b = magnitude(y);
    const auto divisor = odd_common_divisor(a, b) * common_power(a, b);
    return vec::bitcast<T>(magnitude(vec::bitcast<T>(exact_quotient(a, divisor) * b)));
  }
};

}  // namespace

constinit const ElementwiseKernel frac = elementwise<Frac, Unary>(floating);
constinit const ElementwiseKernel signbit = elementwise<Signbit, Predicate>(boolean + real);
constinit const ElementwiseKernel isposinf = elementwise<IsPosInf, Predicate>(boolean + real);
constinit const ElementwiseKernel isneginf =
    elementwise<IsNegInf, Predicate>(floating) | elementwise<IsPosInf, Predicate>(boolean + integral);
constinit const ElementwiseKernel angle =
    elementwise<Angle, RealPart(Same)>(floating) | elementwise<Angle, RealPart(Same), 24>(complex_types);
constinit const ElementwiseKernel nan_to_num = elementwise<NanToNum, Unary>(floating);
constinit const ElementwiseKernel round_decimals = elementwise<RoundDecimals, Unary, 3>(floating);
constinit const ElementwiseKernel copysign =
    elementwise<Copysign, Binary>(floating) | over_halves<Copysign, Binary>();
constinit const ElementwiseKernel nextafter = elementwise<Nextafter, Binary, 3>(floating);
constinit const ElementwiseKernel heaviside = elementwise<Heaviside, Binary>(boolean + real);
constinit const ElementwiseKernel hypot = elementwise<Hypot, Binary, 8>(floating);
constinit const ElementwiseKernel maximum_backward = elementwise<MaximumBackward, Ternary>(floating);
constinit const ElementwiseKernel hypot_backward =
    elementwise<HypotBackward, Ternary, kCompactCost>(floating);
constinit const ElementwiseKernel frexp = elementwise<Frexp, Several<2>(Same), 6>(floating);
constinit const ElementwiseKernel make_complex =
    elementwise<MakeComplex, ComplexNumber(Same, Same)>(floating);
constinit const ElementwiseKernel polar = elementwise<Polar, ComplexNumber(Same, Same), 28>(floating);
constinit const ElementwiseKernel bitwise_left_shift = by_size<ShiftLeft, Binary, kCompactCost>(integral);
constinit const ElementwiseKernel bitwise_right_shift =
    elementwise<ShiftRight, Binary, kCompactCost>(integral);
constinit const ElementwiseKernel gcd = elementwise<Gcd, Binary, 30>(integral);
constinit const ElementwiseKernel lcm = elementwise<Lcm, Binary, 40>(integral);

}  // namespace lanewise::kernels::LANEWISE_ISA
