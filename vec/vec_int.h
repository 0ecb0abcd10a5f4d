#pragma once

#include <type_traits>

#include <lanewise/vec/vec_float.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// Integers of 1 to 8 bytes, signed and unsigned. Arithmetic wraps. On GCC vectors: the compilers know more
/// ways to multiply and shift small integers than xsimd does.
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct Vec<T> {
  using value_type = T;
  using Register = detail::RegisterOf<T>;
  static constexpr int size = detail::LaneCount<T>::value;
  Register reg;

  Vec() = default;
  LANEWISE_INLINE Vec(T value) : reg(Register{} + value) {}
  LANEWISE_INLINE explicit Vec(Register r) : reg(r) {}

  static LANEWISE_INLINE Vec load(const T* p) {
    Vec v;
    __builtin_memcpy(&v.reg, p, sizeof(Register));
    return v;
  }
  LANEWISE_INLINE void store(T* p) const { __builtin_memcpy(p, &reg, sizeof(Register)); }

  /// The first n elements, 0 <= n < size; the other lanes are zero. Nothing past p[n - 1] is read.
  static LANEWISE_INLINE Vec load_partial(const T* p, int n) {
#if defined(LANEWISE_ISA_AVX512)
    const std::uint64_t keep = detail::first_bits(n);
    if constexpr (sizeof(T) == 1) {
      return Vec(detail::bits<Register>(_mm512_maskz_loadu_epi8(keep, p)));
    } else if constexpr (sizeof(T) == 2) {
      return Vec(detail::bits<Register>(_mm512_maskz_loadu_epi16(static_cast<__mmask32>(keep), p)));
    } else if constexpr (sizeof(T) == 4) {
      return Vec(detail::bits<Register>(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(keep), p)));
    } else {
      return Vec(detail::bits<Register>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(keep), p)));
    }
#else
#if defined(LANEWISE_ISA_AVX2)
    if constexpr (sizeof(T) >= 4) {
      const auto keep = detail::bits<__m256i>(Mask<T>::first(n).native);
      if constexpr (sizeof(T) == 4) {
        return Vec(detail::bits<Register>(_mm256_maskload_epi32(reinterpret_cast<const int*>(p), keep)));
      } else {
        return Vec(detail::bits<Register>(_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), keep)));
      }
    }
#endif
    Register r{};
    detail::copy_short<kRegisterBytes, static_cast<int>(sizeof(T))>(&r, p, n * static_cast<int>(sizeof(T)));
    return Vec(r);
#endif
  }
  /// The first n elements only, 0 <= n < size. Nothing past p[n - 1] is written.
  LANEWISE_INLINE void store_partial(T* p, int n) const {
#if defined(LANEWISE_ISA_AVX512)
    const std::uint64_t keep = detail::first_bits(n);
    const auto r = detail::bits<__m512i>(reg);
    if constexpr (sizeof(T) == 1) {
      _mm512_mask_storeu_epi8(p, keep, r);
    } else if constexpr (sizeof(T) == 2) {
      _mm512_mask_storeu_epi16(p, static_cast<__mmask32>(keep), r);
    } else if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(keep), r);
    } else {
      _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(keep), r);
    }
#else
    detail::copy_short<kRegisterBytes, static_cast<int>(sizeof(T))>(p, &reg, n * static_cast<int>(sizeof(T)));
#endif
  }
  LANEWISE_INLINE T extract(int lane) const { return reg[lane]; }

  LANEWISE_INLINE friend Vec operator+(Vec a, Vec b) { return wrap(a.unsigned_reg() + b.unsigned_reg()); }
  LANEWISE_INLINE friend Vec operator-(Vec a, Vec b) { return wrap(a.unsigned_reg() - b.unsigned_reg()); }
  LANEWISE_INLINE friend Vec operator*(Vec a, Vec b) {
#if defined(__x86_64__)
    if constexpr (sizeof(T) == 1) {
      // x86 multiplies 16 bits at the least: once for the lower byte of each pair, once for the upper one in its place.
      const auto x = detail::bits<detail::RegisterOf<std::uint16_t>>(a.reg);
      const auto y = detail::bits<detail::RegisterOf<std::uint16_t>>(b.reg);
      return Vec(detail::bits<Register>(((x * y) & 0x00ff) | ((x >> 8) * (y & 0xff00))));
    }
#endif
    return wrap(a.unsigned_reg() * b.unsigned_reg());
  }
  LANEWISE_INLINE friend Vec operator-(Vec a) { return wrap(-a.unsigned_reg()); }
  LANEWISE_INLINE friend Vec operator&(Vec a, Vec b) { return Vec(a.reg & b.reg); }
  LANEWISE_INLINE friend Vec operator|(Vec a, Vec b) { return Vec(a.reg | b.reg); }
  LANEWISE_INLINE friend Vec operator^(Vec a, Vec b) { return Vec(a.reg ^ b.reg); }
  LANEWISE_INLINE friend Vec operator~(Vec a) { return Vec(~a.reg); }
  /// 0 <= count < bits of T. `>>` keeps the sign of signed types.
  LANEWISE_INLINE friend Vec operator<<(Vec a, int count) {
    return wrap(a.unsigned_reg() << static_cast<Unsigned>(count));
  }
  LANEWISE_INLINE friend Vec operator>>(Vec a, int count) { return Vec(a.reg >> static_cast<T>(count)); }
  /// Lane-wise counts, each 0 <= count < bits of T.
  LANEWISE_INLINE friend Vec operator<<(Vec a, Vec count) {
    return wrap(a.unsigned_reg() << count.unsigned_reg());
  }
  LANEWISE_INLINE friend Vec operator>>(Vec a, Vec count) { return Vec(a.reg >> count.reg); }
  LANEWISE_INLINE Vec& operator+=(Vec b) { return *this = *this + b; }
  LANEWISE_INLINE Vec& operator-=(Vec b) { return *this = *this - b; }
  LANEWISE_INLINE Vec& operator*=(Vec b) { return *this = *this * b; }
  LANEWISE_INLINE Vec& operator&=(Vec b) { return *this = *this & b; }
  LANEWISE_INLINE Vec& operator|=(Vec b) { return *this = *this | b; }
  LANEWISE_INLINE Vec& operator^=(Vec b) { return *this = *this ^ b; }

  LANEWISE_INLINE friend Mask<T> operator==(Vec a, Vec b) { return compare<kEq>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator!=(Vec a, Vec b) { return compare<kNe>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator<(Vec a, Vec b) { return compare<kLt>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator<=(Vec a, Vec b) { return compare<kLe>(a, b); }
  LANEWISE_INLINE friend Mask<T> operator>(Vec a, Vec b) { return compare<kLt>(b, a); }
  LANEWISE_INLINE friend Mask<T> operator>=(Vec a, Vec b) { return compare<kLe>(b, a); }

  /// `>>` that fills with zeros, also for signed types.
  LANEWISE_INLINE Vec shift_right_logical(int count) const {
    return wrap(unsigned_reg() >> static_cast<Unsigned>(count));
  }

 private:
  using Unsigned = std::make_unsigned_t<T>;
  using UnsignedRegister = detail::RegisterOf<Unsigned>;
  LANEWISE_INLINE UnsignedRegister unsigned_reg() const { return reinterpret_cast<UnsignedRegister>(reg); }
  static LANEWISE_INLINE Vec wrap(UnsignedRegister r) { return Vec(reinterpret_cast<Register>(r)); }

  static constexpr int kEq = 0;  // the numbers of _MM_CMPINT_*
  static constexpr int kLt = 1;
  static constexpr int kLe = 2;
  static constexpr int kNe = 4;

  template <int Op>
  static LANEWISE_INLINE Mask<T> compare(Vec a, Vec b) {
#if defined(LANEWISE_ISA_AVX512)
    const auto x = detail::bits<__m512i>(a.reg);
    const auto y = detail::bits<__m512i>(b.reg);
    constexpr bool kSigned = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) {
      return Mask<T>(kSigned ? _mm512_cmp_epi8_mask(x, y, Op) : _mm512_cmp_epu8_mask(x, y, Op));
    } else if constexpr (sizeof(T) == 2) {
      return Mask<T>(kSigned ? _mm512_cmp_epi16_mask(x, y, Op) : _mm512_cmp_epu16_mask(x, y, Op));
    } else if constexpr (sizeof(T) == 4) {
      return Mask<T>(kSigned ? _mm512_cmp_epi32_mask(x, y, Op) : _mm512_cmp_epu32_mask(x, y, Op));
    } else {
      return Mask<T>(kSigned ? _mm512_cmp_epi64_mask(x, y, Op) : _mm512_cmp_epu64_mask(x, y, Op));
    }
#else
    using Native = typename Mask<T>::Native;
    if constexpr (Op == kEq) {
      return Mask<T>(detail::bits<Native>(a.reg == b.reg));
    } else if constexpr (Op == kNe) {
      return Mask<T>(detail::bits<Native>(a.reg != b.reg));
    } else if constexpr (Op == kLt) {
      return Mask<T>(detail::bits<Native>(a.reg < b.reg));
    } else {
      return Mask<T>(detail::bits<Native>(a.reg <= b.reg));
    }
#endif
  }
};

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
