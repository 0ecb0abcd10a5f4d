// where, clamp, lerp, addcmul, addcdiv.

#include <lanewise/kernels/elementwise.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Where {
  template <class M, class V>
  V operator()(M condition, V x, V y) const noexcept {
    return vec::select(condition, vec::in_register(x), vec::in_register(y));
  }
};

/// NaN in any operand gives NaN; lo > hi gives hi; of equal values x is kept.
struct Clamp {
  template <class V>
  V operator()(V x, V lo, V hi) const noexcept {
    if constexpr (std::is_floating_point_v<typename V::value_type>) {
      return vec::select(vec::unordered(lo, hi), lo + hi, within(x, lo, hi));
    } else {
      return vec::minimum(vec::maximum(x, lo), hi);
    }
  }
  /// Limits for all elements are asked once whether they are NaN: in place 0.5 to 0.6 of the time in L2 and L3.
  template <class T, class Run>
  requires std::is_floating_point_v<T>
  static bool by_numbers(const T* limits, std::int64_t, Run run) {
    const T lo = limits[0], hi = limits[1];
    if (lo != lo || hi != hi) return false;
    using V = vec::Vec<T>;
    run([lo, hi](V x) { return within(x, V(lo), V(hi)); });
    return true;
  }

 private:
  /// Of limits that are numbers.
  template <class V>
  static LANEWISE_INLINE V within(V x, V lo, V hi) {
    return vec::detail::min_or_second(hi, vec::detail::max_or_second(lo, x));
  }
};

/// x + value * a * b; the product a * b itself for value = 1.
struct Addcmul {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    const T value = scalar_as<T>(params[0]);
    if (value == T(1)) {
      run([](auto x, auto a, auto b) { return x + a * b; });
    } else {
      run([value](auto x, auto a, auto b) { return x + vec::Vec<T>(value) * a * b; });
    }
  }
};

/// x + value * a / b.
struct Addcdiv {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    const T value = scalar_as<T>(params[0]);
    run([value](auto x, auto a, auto b) {
      // A complex 1 would turn infinite parts of a into NaN.
      return is_complex<T> && value == T(1) ? x + a / b : x + vec::Vec<T>(value) * a / b;
    });
  }
};

/// Lerp with one weight for all: which end it is near is known before the loop.
struct LerpScalar {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T weight = scalar_as<T>(params[0]);
    if (is_small(weight)) {
      run([weight](V x, V end) { return x + V(weight) * (end - x); });
    } else {
      run([rest = T(1) - weight](V x, V end) { return end - (end - x) * V(rest); });
    }
  }

 private:
  template <class T>
  static bool is_small(T weight) {
    if constexpr (is_complex<T>) {
      return weight.real() * weight.real() + weight.imag() * weight.imag() < real_of<T>(0.25);
    } else {
      return weight < T(0.5) && weight > T(-0.5);
    }
  }
};

/// Exact at both ends: from x for small weights, from the end for large ones.
struct Lerp {
  template <class V>
  V operator()(V x, V end, V weight) const noexcept {
    using T = typename V::value_type;
    x = vec::in_register(x);
    const V step = end - x;
    const V from_start = x + weight * step;
    const V from_end = end - step * (V(T(1)) - weight);
    if constexpr (is_complex<T>) {
      using R = vec::Vec<real_of<T>>;
      const auto small = weight.re * weight.re + weight.im * weight.im < R(real_of<T>(0.25));
      return vec::select(vec::Mask<T>(small), from_start, from_end);
    } else {
      return vec::select(vec::abs(weight) < V(T(0.5)), from_start, from_end);
    }
  }
};

}  // namespace

constinit const ElementwiseKernel where = by_size<Where, Same(Truth, Same, Same)>(every_type);
constinit const ElementwiseKernel clamp = elementwise<Clamp, Ternary>(boolean + real);
constinit const ElementwiseKernel addcmul =
    elementwise<Addcmul, Ternary, 2>(floating_complex) | by_size<Addcmul, Ternary, 2>(integral);
constinit const ElementwiseKernel addcdiv =
    elementwise<Addcdiv, Ternary, 3>(floating) | elementwise<Addcdiv, Ternary, 8>(complex_types);
constinit const ElementwiseKernel lerp_scalar = elementwise<LerpScalar, Binary>(floating_complex);
constinit const ElementwiseKernel lerp = elementwise<Lerp, Ternary, 2>(floating_complex);

}  // namespace lanewise::kernels::LANEWISE_ISA
