#pragma once

#include <type_traits>

#include <lanewise/kernels/element_types.h>
#include <lanewise/vec/vec.h>

/// What an operand of an elementwise kernel is in memory and in registers. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// A constant in every lane.
template <class V>
inline V number(double x) noexcept {
  return V(static_cast<real_of<typename V::value_type>>(x));
}

/// An operand of the compute type.
struct Same {
  static constexpr Role role = Role::Compute;
  template <class T>
  using Element = T;
  template <class T>
  using Register = vec::Vec<T>;
};

/// A bool operand, a mask in registers.
struct Truth {
  static constexpr Role role = Role::Bool;
  template <class T>
  using Element = bool;
  template <class T>
  using Register = vec::Mask<T>;
};

/// An operand of the real counterpart of the compute type.
struct RealPart {
  static constexpr Role role = Role::Real;
  template <class T>
  using Element = real_of<T>;
  template <class T>
  using Register = vec::Vec<real_of<T>>;
};

/// An operand of the complex counterpart of the compute type.
struct ComplexNumber {
  static constexpr Role role = Role::Complex;
  template <class T>
  using Element = std::complex<real_of<T>>;
  template <class T>
  using Register = vec::Vec<std::complex<real_of<T>>>;
};

/// Several outputs of the compute type; the functor returns an array of registers.
template <int N>
struct Several;

template <class Output>
inline constexpr int num_outputs = 1;
template <int N>
inline constexpr int num_outputs<Several<N>> = N;

// Signatures: Output(Inputs...).
using Unary = Same(Same);
using Binary = Same(Same, Same);
using Ternary = Same(Same, Same, Same);
using Comparison = Truth(Same, Same);
using Predicate = Truth(Same);

template <class T>
inline constexpr bool is_mask = false;
template <class T>
inline constexpr bool is_mask<vec::Mask<T>> = true;

/// Bytes that a full register of an operand takes in memory.
template <class Operand, class T>
inline constexpr std::int64_t register_bytes =
    vec::Vec<T>::size * static_cast<std::int64_t>(sizeof(typename Operand::template Element<T>));

template <class Operand, class T>
LANEWISE_INLINE auto load(const char* p) {
  using Register = typename Operand::template Register<T>;
  if constexpr (is_mask<Register>) {
    return Register::load_bool(p);
  } else {
    return Register::load(reinterpret_cast<const typename Operand::template Element<T>*>(p));
  }
}

/// The first n elements, 0 < n < size of the register.
template <class Operand, class T>
LANEWISE_INLINE auto load_partial(const char* p, int n) {
  using Register = typename Operand::template Register<T>;
  if constexpr (is_mask<Register>) {
    return Register::load_bool_partial(p, n);
  } else {
    return Register::load_partial(reinterpret_cast<const typename Operand::template Element<T>*>(p), n);
  }
}

template <class Operand, class T>
LANEWISE_INLINE void store(typename Operand::template Register<T> v, char* p) {
  if constexpr (is_mask<typename Operand::template Register<T>>) {
    v.store_bool(p);
  } else {
    v.store(reinterpret_cast<typename Operand::template Element<T>*>(p));
  }
}

/// Whether there are stores past the caches, and whether cheap kernels take many rows in a call: not worth the code on old CPUs.
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
inline constexpr bool kHasStream = true, kHasRows = true;
#else
inline constexpr bool kHasStream = false, kHasRows = false;
#endif

/// Whether the end of a run that fills no register is loaded and stored under a mask.
#if defined(LANEWISE_ISA_AVX512)
inline constexpr bool kHasMaskedEnds = true;
#else
inline constexpr bool kHasMaskedEnds = false;
#endif

/// The same past the caches, where kHasStream; p is a multiple of the register's size.
template <class V>
LANEWISE_INLINE void stream([[maybe_unused]] V v, [[maybe_unused]] char* p) {
#if defined(LANEWISE_ISA_AVX512)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(p), vec::detail::bits<__m512i>(v.reg));
#elif defined(LANEWISE_ISA_AVX2)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(p), vec::detail::bits<__m256i>(v.reg));
#endif
}

/// What was streamed comes before what is written from now on.
LANEWISE_INLINE void end_stream() {
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
  _mm_sfence();
#endif
}

template <class Operand, class T>
LANEWISE_INLINE void store_partial(typename Operand::template Register<T> v, char* p, int n) {
  if constexpr (is_mask<typename Operand::template Register<T>>) {
    v.store_bool_partial(p, n);
  } else {
    v.store_partial(reinterpret_cast<typename Operand::template Element<T>*>(p), n);
  }
}

/// Fills a register's worth of memory with one element.
template <class Operand, class T>
LANEWISE_INLINE void splat(const char* from, char* to) {
  using Element = typename Operand::template Element<T>;
  if constexpr (is_mask<typename Operand::template Register<T>>) {
    vec::Mask<T>::splat(*reinterpret_cast<const unsigned char*>(from) != 0).store_bool(to);
  } else if constexpr (std::is_same_v<Element, bool>) {
    const bool truth = *reinterpret_cast<const unsigned char*>(from) != 0;
    vec::Vec<bool>(truth).store(reinterpret_cast<bool*>(to));
  } else {
    Element value;
    __builtin_memcpy(&value, from, sizeof value);
    vec::Vec<Element>(value).store(reinterpret_cast<Element*>(to));
  }
}

/// The same with a pair of elements.
template <class T>
LANEWISE_INLINE void splat_pair([[maybe_unused]] const char* from, [[maybe_unused]] char* to) {
  if constexpr (std::is_same_v<T, float>) {
    double pair;
    __builtin_memcpy(&pair, from, sizeof pair);
    vec::Vec<double>(pair).store(reinterpret_cast<double*>(to));
  } else if constexpr (std::is_same_v<T, double>) {
#if defined(LANEWISE_ISA_AVX512)
    _mm512_storeu_pd(to, _mm512_broadcast_f64x2(_mm_loadu_pd(reinterpret_cast<const double*>(from))));
#elif defined(LANEWISE_ISA_AVX2)
    const __m128d pair = _mm_loadu_pd(reinterpret_cast<const double*>(from));
    _mm256_storeu_pd(reinterpret_cast<double*>(to),
                     _mm256_insertf128_pd(_mm256_castpd128_pd256(pair), pair, 1));
#else
    __builtin_memcpy(to, from, 2 * sizeof(double));
#endif
  }
}

}  // namespace lanewise::kernels::LANEWISE_ISA
