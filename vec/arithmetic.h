#pragma once

#include <limits>

#include <lanewise/vec/min_max.h>
#include <lanewise/vec/select.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

template <class T>
concept Real = std::is_floating_point_v<T>;
template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// a * b + c rounded once. Only sse4_2 has no such instruction: a product and a sum there.
template <Real T>
LANEWISE_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  using R [[maybe_unused]] = typename Vec<T>::Register;
  using detail::bits;
#if defined(LANEWISE_ISA_AVX512)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm512_fmadd_ps(bits<__m512>(a.reg), bits<__m512>(b.reg), bits<__m512>(c.reg))));
  } else {
    return Vec<T>(bits<R>(_mm512_fmadd_pd(bits<__m512d>(a.reg), bits<__m512d>(b.reg), bits<__m512d>(c.reg))));
  }
#elif defined(LANEWISE_ISA_AVX2)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm256_fmadd_ps(bits<__m256>(a.reg), bits<__m256>(b.reg), bits<__m256>(c.reg))));
  } else {
    return Vec<T>(bits<R>(_mm256_fmadd_pd(bits<__m256d>(a.reg), bits<__m256d>(b.reg), bits<__m256d>(c.reg))));
  }
#elif defined(LANEWISE_ISA_NEON)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(
        bits<R>(vfmaq_f32(bits<float32x4_t>(c.reg), bits<float32x4_t>(a.reg), bits<float32x4_t>(b.reg))));
  } else {
    return Vec<T>(
        bits<R>(vfmaq_f64(bits<float64x2_t>(c.reg), bits<float64x2_t>(a.reg), bits<float64x2_t>(b.reg))));
  }
#else
  return a * b + c;
#endif
}
/// c - a * b rounded once (see fma).
template <Real T>
LANEWISE_INLINE Vec<T> fnma(Vec<T> a, Vec<T> b, Vec<T> c) {
  using R [[maybe_unused]] = typename Vec<T>::Register;
  using detail::bits;
#if defined(LANEWISE_ISA_AVX512)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm512_fnmadd_ps(bits<__m512>(a.reg), bits<__m512>(b.reg), bits<__m512>(c.reg))));
  } else {
    return Vec<T>(
        bits<R>(_mm512_fnmadd_pd(bits<__m512d>(a.reg), bits<__m512d>(b.reg), bits<__m512d>(c.reg))));
  }
#elif defined(LANEWISE_ISA_AVX2)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm256_fnmadd_ps(bits<__m256>(a.reg), bits<__m256>(b.reg), bits<__m256>(c.reg))));
  } else {
    return Vec<T>(
        bits<R>(_mm256_fnmadd_pd(bits<__m256d>(a.reg), bits<__m256d>(b.reg), bits<__m256d>(c.reg))));
  }
#else
  return fma(-a, b, c);
#endif
}
/// a * b - c rounded once (see fma).
template <Real T>
LANEWISE_INLINE Vec<T> fms(Vec<T> a, Vec<T> b, Vec<T> c) {
  return fma(a, b, -c);
}
/// a * b + c where the rounding is not promised: fused for floats where it can be, two operations elsewhere.
template <class T>
  requires(!Real<T>)
LANEWISE_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return a * b + c;
}

template <Real T>
LANEWISE_INLINE Vec<T> sign_mask() {
  return Vec<T>(T(-0.0));
}
namespace detail {
template <class T>
LANEWISE_INLINE Vec<SignedOf<T>> as_int(Vec<T> v) {
  return bitcast<SignedOf<T>>(v);
}
template <class T>
LANEWISE_INLINE Vec<T> bit_and(Vec<T> a, Vec<T> b) {
  return bitcast<T>(as_int(a) & as_int(b));
}
template <class T>
LANEWISE_INLINE Vec<T> bit_or(Vec<T> a, Vec<T> b) {
  return bitcast<T>(as_int(a) | as_int(b));
}
template <class T>
LANEWISE_INLINE Vec<T> bit_xor(Vec<T> a, Vec<T> b) {
  return bitcast<T>(as_int(a) ^ as_int(b));
}
}  // namespace detail

template <Real T>
LANEWISE_INLINE Vec<T> abs(Vec<T> x) {
  return bitcast<T>(detail::as_int(x) &
                    Vec<detail::SignedOf<T>>(std::numeric_limits<detail::SignedOf<T>>::max()));
}
/// The most negative value is its own absolute value, as in two's complement.
template <Integer T>
LANEWISE_INLINE Vec<T> abs(Vec<T> x) {
  if constexpr (std::is_unsigned_v<T>) {
    return x;
  } else {
    return select(x < Vec<T>(T(0)), -x, x);
  }
}
LANEWISE_INLINE Vec<bool> abs(Vec<bool> x) { return x; }

/// Correctly rounded. (xsimd's for f32 on NEON is an estimate.)
template <Real T>
LANEWISE_INLINE Vec<T> sqrt(Vec<T> x) {
#if defined(LANEWISE_ISA_NEON)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(detail::bits<typename Vec<T>::Register>(vsqrtq_f32(detail::bits<float32x4_t>(x.reg))));
  }
#endif
  return Vec<T>::from_batch(xsimd::sqrt(x.batch()));
}

template <Real T>
LANEWISE_INLINE Mask<T> isnan(Vec<T> x) {
  return x != x;
}
/// True where either is NaN.
template <Real T>
LANEWISE_INLINE Mask<T> unordered(Vec<T> a, Vec<T> b) {
#if defined(LANEWISE_ISA_AVX512)
  if constexpr (sizeof(T) == 4) {
    return Mask<T>(
        _mm512_cmp_ps_mask(detail::bits<__m512>(a.reg), detail::bits<__m512>(b.reg), _CMP_UNORD_Q));
  } else {
    return Mask<T>(
        _mm512_cmp_pd_mask(detail::bits<__m512d>(a.reg), detail::bits<__m512d>(b.reg), _CMP_UNORD_Q));
  }
#elif defined(LANEWISE_ISA_AVX2)
  using Native = typename Mask<T>::Native;
  if constexpr (sizeof(T) == 4) {
    return Mask<T>(detail::bits<Native>(
        _mm256_cmp_ps(detail::bits<__m256>(a.reg), detail::bits<__m256>(b.reg), _CMP_UNORD_Q)));
  } else {
    return Mask<T>(detail::bits<Native>(
        _mm256_cmp_pd(detail::bits<__m256d>(a.reg), detail::bits<__m256d>(b.reg), _CMP_UNORD_Q)));
  }
#else
  return isnan(a) | isnan(b);
#endif
}
template <Real T>
LANEWISE_INLINE Mask<T> isinf(Vec<T> x) {
  return abs(x) == Vec<T>(std::numeric_limits<T>::infinity());
}
template <Real T>
LANEWISE_INLINE Mask<T> isfinite(Vec<T> x) {
  return abs(x) < Vec<T>(std::numeric_limits<T>::infinity());
}
template <Real T>
LANEWISE_INLINE Mask<T> signbit(Vec<T> x) {
  using I = detail::SignedOf<T>;
  return mask_cast<T>(bitcast<I>(x) < Vec<I>(I(0)));
}
template <Real T>
LANEWISE_INLINE Vec<T> copysign(Vec<T> magnitude, Vec<T> sign) {
  return detail::bit_or(abs(magnitude), detail::bit_and(sign, sign_mask<T>()));
}

/// The smaller; NaN if either is NaN. Of equal values (also -0 and +0) the second.
template <class T>
  requires std::is_arithmetic_v<T>
LANEWISE_INLINE Vec<T> minimum(Vec<T> a, Vec<T> b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a & b;
  } else if constexpr (Integer<T>) {
    return Vec<T>(a.reg < b.reg ? a.reg : b.reg);
  } else {
    return select(isnan(a), a, detail::min_or_second(a, b));
  }
}
/// The larger; NaN if either is NaN. Of equal values (also -0 and +0) the second.
template <class T>
  requires std::is_arithmetic_v<T>
LANEWISE_INLINE Vec<T> maximum(Vec<T> a, Vec<T> b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a | b;
  } else if constexpr (Integer<T>) {
    return Vec<T>(a.reg > b.reg ? a.reg : b.reg);
  } else {
    return select(isnan(a), a, detail::max_or_second(a, b));
  }
}
/// The smaller; a NaN gives way to a number. Of equal values the second.
template <class T>
  requires std::is_arithmetic_v<T>
LANEWISE_INLINE Vec<T> fmin(Vec<T> a, Vec<T> b) {
  if constexpr (Real<T>) {
    return select(isnan(b), a, detail::min_or_second(a, b));
  } else {
    return minimum(a, b);
  }
}
/// The larger; a NaN gives way to a number. Of equal values the second.
template <class T>
  requires std::is_arithmetic_v<T>
LANEWISE_INLINE Vec<T> fmax(Vec<T> a, Vec<T> b) {
  if constexpr (Real<T>) {
    return select(isnan(b), a, detail::max_or_second(a, b));
  } else {
    return maximum(a, b);
  }
}

// Roundings to integers; single instructions on NEON too, where xsimd has only generic code.
template <Real T>
LANEWISE_INLINE Vec<T> floor(Vec<T> x) {
#if defined(LANEWISE_ISA_NEON)
  using R = typename Vec<T>::Register;
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(detail::bits<R>(vrndmq_f32(detail::bits<float32x4_t>(x.reg))));
  } else {
    return Vec<T>(detail::bits<R>(vrndmq_f64(detail::bits<float64x2_t>(x.reg))));
  }
#else
  return Vec<T>::from_batch(xsimd::floor(x.batch()));
#endif
}
template <Real T>
LANEWISE_INLINE Vec<T> ceil(Vec<T> x) {
#if defined(LANEWISE_ISA_NEON)
  using R = typename Vec<T>::Register;
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(detail::bits<R>(vrndpq_f32(detail::bits<float32x4_t>(x.reg))));
  } else {
    return Vec<T>(detail::bits<R>(vrndpq_f64(detail::bits<float64x2_t>(x.reg))));
  }
#else
  return Vec<T>::from_batch(xsimd::ceil(x.batch()));
#endif
}
template <Real T>
LANEWISE_INLINE Vec<T> trunc(Vec<T> x) {
#if defined(LANEWISE_ISA_NEON)
  using R = typename Vec<T>::Register;
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(detail::bits<R>(vrndq_f32(detail::bits<float32x4_t>(x.reg))));
  } else {
    return Vec<T>(detail::bits<R>(vrndq_f64(detail::bits<float64x2_t>(x.reg))));
  }
#else
  return Vec<T>::from_batch(xsimd::trunc(x.batch()));
#endif
}
/// To the nearest integer, ties to even.
template <Real T>
LANEWISE_INLINE Vec<T> round(Vec<T> x) {
#if defined(LANEWISE_ISA_NEON)
  using R = typename Vec<T>::Register;
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(detail::bits<R>(vrndnq_f32(detail::bits<float32x4_t>(x.reg))));
  } else {
    return Vec<T>(detail::bits<R>(vrndnq_f64(detail::bits<float64x2_t>(x.reg))));
  }
#else
  return Vec<T>::from_batch(xsimd::nearbyint(x.batch()));
#endif
}

/// 1 / x, correctly rounded.
template <Real T>
LANEWISE_INLINE Vec<T> reciprocal(Vec<T> x) {
  return Vec<T>(T(1)) / x;
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
