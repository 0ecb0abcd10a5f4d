#include <limits>

#include <lanewise/kernels/reduction_build.h>
#include <lanewise/kernels/reduction_kernels.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// amax (Max) or amin of floats. Through the tree, because of -0 and +0.
template <class T, bool Max>
struct Extreme {
  using Element = T;
  using V = vec::Vec<T>;
  static constexpr bool kExactIdentity = true;
  static constexpr T identity() {
    return Max ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  }
  // Of equal values the first; NaN wins.
  static LANEWISE_INLINE V apply(V a, V b) { return Max ? vec::maximum(b, a) : vec::minimum(b, a); }
  static LANEWISE_INLINE T apply(T a, T b) { return (Max ? b > a : b < a) || b != b ? b : a; }

  /// The instruction that takes the second operand unless the first is better; right where no element is NaN.
  struct Quick {
    vec::Mask<T> nan = vec::Mask<T>::splat(false);
    LANEWISE_INLINE void look_at(V a, V b) { nan |= unordered(a, b); }
    LANEWISE_INLINE V apply(V a, V b) const { return first_if_better(b, a); }
    LANEWISE_INLINE bool holds() const { return vec::none(nan); }
  };

 private:
  static LANEWISE_INLINE vec::Mask<T> unordered(V a, V b) {
    using vec::detail::bits;
#if defined(LANEWISE_ISA_AVX512)
    if constexpr (sizeof(T) == 4) {
      return vec::Mask<T>(_mm512_cmp_ps_mask(bits<__m512>(a.reg), bits<__m512>(b.reg), _CMP_UNORD_Q));
    } else {
      return vec::Mask<T>(_mm512_cmp_pd_mask(bits<__m512d>(a.reg), bits<__m512d>(b.reg), _CMP_UNORD_Q));
    }
#elif defined(LANEWISE_ISA_AVX2)
    using Native = typename vec::Mask<T>::Native;
    if constexpr (sizeof(T) == 4) {
      return vec::Mask<T>(
          bits<Native>(_mm256_cmp_ps(bits<__m256>(a.reg), bits<__m256>(b.reg), _CMP_UNORD_Q)));
    } else {
      return vec::Mask<T>(
          bits<Native>(_mm256_cmp_pd(bits<__m256d>(a.reg), bits<__m256d>(b.reg), _CMP_UNORD_Q)));
    }
#else
    return vec::isnan(a) | vec::isnan(b);
#endif
  }
  static LANEWISE_INLINE V first_if_better(V a, V b) {
    using vec::detail::bits;
    using R [[maybe_unused]] = typename V::Register;
#if defined(LANEWISE_ISA_AVX512)
    if constexpr (sizeof(T) == 4) {
      const auto x = bits<__m512>(a.reg);
      const auto y = bits<__m512>(b.reg);
      return V(bits<R>(Max ? _mm512_max_ps(x, y) : _mm512_min_ps(x, y)));
    } else {
      const auto x = bits<__m512d>(a.reg);
      const auto y = bits<__m512d>(b.reg);
      return V(bits<R>(Max ? _mm512_max_pd(x, y) : _mm512_min_pd(x, y)));
    }
#elif defined(LANEWISE_ISA_AVX2)
    if constexpr (sizeof(T) == 4) {
      const auto x = bits<__m256>(a.reg);
      const auto y = bits<__m256>(b.reg);
      return V(bits<R>(Max ? _mm256_max_ps(x, y) : _mm256_min_ps(x, y)));
    } else {
      const auto x = bits<__m256d>(a.reg);
      const auto y = bits<__m256d>(b.reg);
      return V(bits<R>(Max ? _mm256_max_pd(x, y) : _mm256_min_pd(x, y)));
    }
#else
    return select(Max ? a > b : a < b, a, b);
#endif
  }
};

template <class T, bool Max>
struct IntegerExtreme {
  using Element = T;
  using Narrow = T;
  using Wide = T;
  static constexpr ScalarType kValueType = scalar_type_of<T>();
  static constexpr std::int64_t kBlock = std::int64_t{1} << 60;
  static constexpr T start() { return Max ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max(); }
  static constexpr T wide_start() { return start(); }
  static constexpr bool decided(T) { return false; }
  static LANEWISE_INLINE T step(T a, T x) { return (Max ? x > a : x < a) ? x : a; }
  static LANEWISE_INLINE T widen(T a, T x) { return step(a, x); }
  static LANEWISE_INLINE T merge(T a, T b) { return step(a, b); }
};

template <bool Max>
constexpr ReductionKernel extreme_kernel() {
  ReductionKernel k = empty_reduction();
  for_each_type(floating, [&]<class T>() { add_tree<Extreme<T, Max>>(k); });
  for_each_type(integral, [&]<class T>() { add_order_free<IntegerExtreme<T, Max>>(k, index_of<T>); });
  add_order_free<IntegerExtreme<std::uint8_t, Max>>(k, index_of<bool>);
  k.value_type[index_of<bool>] = ScalarType::Bool;
  return k;
}

}  // namespace

constinit const ReductionKernel reduce_amax = extreme_kernel<true>();
constinit const ReductionKernel reduce_amin = extreme_kernel<false>();

}  // namespace lanewise::kernels::LANEWISE_ISA
