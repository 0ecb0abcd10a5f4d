#pragma once

#include <type_traits>

#include <lanewise/vec/mask.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// One register of elements of type T and the operations on it, lane by lane. For complex types two registers
/// (re, im).
template <class T>
struct Vec;

/// f32 and f64. The arithmetic operators are those of GCC vectors: they are always inlined and never
/// contracted; loads, stores, square roots and roundings come from xsimd.
template <class T>
  requires std::is_floating_point_v<T>
struct Vec<T> {
  using value_type = T;
  using Batch = xsimd::batch<T, Arch>;
  using Register = detail::RegisterOf<T>;
  static constexpr int size = detail::LaneCount<T>::value;
  Register reg;

  Vec() = default;
  LANEWISE_INLINE Vec(T value) : reg(detail::bits<Register>(Batch(value).data)) {}
  LANEWISE_INLINE explicit Vec(Register r) : reg(r) {}
  static LANEWISE_INLINE Vec from_batch(Batch b) { return Vec(detail::bits<Register>(b.data)); }
  LANEWISE_INLINE Batch batch() const { return Batch(detail::bits<typename Batch::register_type>(reg)); }

  static LANEWISE_INLINE Vec load(const T* p) { return from_batch(Batch::load_unaligned(p)); }
  LANEWISE_INLINE void store(T* p) const { batch().store_unaligned(p); }

  /// The first n elements, 0 <= n < size; the other lanes are zero. Nothing past p[n - 1] is read.
  static LANEWISE_INLINE Vec load_partial(const T* p, int n) {
#if defined(LANEWISE_ISA_AVX512)
    if constexpr (sizeof(T) == 4) {
      return Vec(
          detail::bits<Register>(_mm512_maskz_loadu_ps(static_cast<__mmask16>(detail::first_bits(n)), p)));
    } else {
      return Vec(
          detail::bits<Register>(_mm512_maskz_loadu_pd(static_cast<__mmask8>(detail::first_bits(n)), p)));
    }
#elif defined(LANEWISE_ISA_AVX2)
    const auto keep = detail::bits<__m256i>(Mask<T>::first(n).native);
    if constexpr (sizeof(T) == 4) {
      return Vec(detail::bits<Register>(_mm256_maskload_ps(p, keep)));
    } else {
      return Vec(detail::bits<Register>(_mm256_maskload_pd(p, keep)));
    }
#else
    Register r{};
    detail::copy_short<kRegisterBytes, static_cast<int>(sizeof(T))>(&r, p, n * static_cast<int>(sizeof(T)));
    return Vec(r);
#endif
  }
  /// The first n elements only, 0 <= n < size. Nothing past p[n - 1] is written.
  LANEWISE_INLINE void store_partial(T* p, int n) const {
#if defined(LANEWISE_ISA_AVX512)
    if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>(detail::first_bits(n)), detail::bits<__m512>(reg));
    } else {
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(detail::first_bits(n)), detail::bits<__m512d>(reg));
    }
#else
    detail::copy_short<kRegisterBytes, static_cast<int>(sizeof(T))>(p, &reg, n * static_cast<int>(sizeof(T)));
#endif
  }
  LANEWISE_INLINE T extract(int lane) const { return reg[lane]; }

  LANEWISE_INLINE friend Vec operator+(Vec a, Vec b) { return Vec(a.reg + b.reg); }
  LANEWISE_INLINE friend Vec operator-(Vec a, Vec b) { return Vec(a.reg - b.reg); }
  LANEWISE_INLINE friend Vec operator*(Vec a, Vec b) { return Vec(a.reg * b.reg); }
  LANEWISE_INLINE friend Vec operator/(Vec a, Vec b) { return Vec(a.reg / b.reg); }
  LANEWISE_INLINE friend Vec operator-(Vec a) { return Vec(-a.reg); }
  LANEWISE_INLINE Vec& operator+=(Vec b) { return *this = *this + b; }
  LANEWISE_INLINE Vec& operator-=(Vec b) { return *this = *this - b; }
  LANEWISE_INLINE Vec& operator*=(Vec b) { return *this = *this * b; }
  LANEWISE_INLINE Vec& operator/=(Vec b) { return *this = *this / b; }

  // Ordered comparisons: false beside NaN, except !=.
  LANEWISE_INLINE friend Mask<T> operator==(Vec a, Vec b) { return compare<kEq>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator!=(Vec a, Vec b) { return compare<kNe>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator<(Vec a, Vec b) { return compare<kLt>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator<=(Vec a, Vec b) { return compare<kLe>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator>(Vec a, Vec b) { return compare<kLt>(b, a); }
  LANEWISE_INLINE friend Mask<T> operator>=(Vec a, Vec b) { return compare<kLe>(b, a); }

 private:
  static constexpr int kEq = 0;
  static constexpr int kNe = 1;
  static constexpr int kLt = 2;
  static constexpr int kLe = 3;

  template <int Op>
  static LANEWISE_INLINE Mask<T> compare(Vec a, Vec b) {
#if defined(LANEWISE_ISA_AVX512)
    constexpr int kPredicate = Op == kEq   ? _CMP_EQ_OQ
                               : Op == kNe ? _CMP_NEQ_UQ
                               : Op == kLt ? _CMP_LT_OQ
                                           : _CMP_LE_OQ;
    if constexpr (sizeof(T) == 4) {
      return Mask<T>(
          _mm512_cmp_ps_mask(detail::bits<__m512>(a.reg), detail::bits<__m512>(b.reg), kPredicate));
    } else {
      return Mask<T>(
          _mm512_cmp_pd_mask(detail::bits<__m512d>(a.reg), detail::bits<__m512d>(b.reg), kPredicate));
    }
#else
    using Native = typename Mask<T>::Native;
    if constexpr (Op == kEq) {
      return Mask<T>(static_cast<Native>(a.reg == b.reg));
    } else if constexpr (Op == kNe) {
      return Mask<T>(static_cast<Native>(a.reg != b.reg));
    } else if constexpr (Op == kLt) {
      return Mask<T>(static_cast<Native>(a.reg < b.reg));
    } else {
      return Mask<T>(static_cast<Native>(a.reg <= b.reg));
    }
#endif
  }
};

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
