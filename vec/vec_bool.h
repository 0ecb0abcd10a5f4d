#pragma once

#include <lanewise/vec/vec_int.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// bool, one byte per lane, always 0 or 1 in the register. Arithmetic is that of the two-element lattice: +
/// is or, * is and.
template <>
struct Vec<bool> {
  using value_type = bool;
  using Bytes = Vec<std::uint8_t>;
  static constexpr int size = Bytes::size;
  Bytes bytes;

  Vec() = default;
  LANEWISE_INLINE Vec(bool value) : bytes(static_cast<std::uint8_t>(value)) {}
  LANEWISE_INLINE explicit Vec(Mask<bool> m) : bytes(static_cast<std::uint8_t>(0)) {
    m.store_bool(&bytes.reg);
  }
  /// Lanes that are 0 or 1 already.
  static LANEWISE_INLINE Vec from_01(Bytes b) {
    Vec v;
    v.bytes = b;
    return v;
  }

  /// Any byte but zero counts as true.
  static LANEWISE_INLINE Vec load(const bool* p) {
    return normalise(Bytes::load(reinterpret_cast<const std::uint8_t*>(p)));
  }
  static LANEWISE_INLINE Vec load_partial(const bool* p, int n) {
    return normalise(Bytes::load_partial(reinterpret_cast<const std::uint8_t*>(p), n));
  }
  LANEWISE_INLINE void store(bool* p) const { bytes.store(reinterpret_cast<std::uint8_t*>(p)); }
  LANEWISE_INLINE void store_partial(bool* p, int n) const {
    bytes.store_partial(reinterpret_cast<std::uint8_t*>(p), n);
  }
  LANEWISE_INLINE bool extract(int lane) const { return bytes.extract(lane) != 0; }

  LANEWISE_INLINE Mask<bool> mask() const {
    return mask_cast<bool>(bytes != Bytes(static_cast<std::uint8_t>(0)));
  }

  LANEWISE_INLINE friend Vec operator&(Vec a, Vec b) { return from_01(a.bytes & b.bytes); }
  LANEWISE_INLINE friend Vec operator|(Vec a, Vec b) { return from_01(a.bytes | b.bytes); }
  LANEWISE_INLINE friend Vec operator^(Vec a, Vec b) { return from_01(a.bytes ^ b.bytes); }
  LANEWISE_INLINE friend Vec operator~(Vec a) { return a ^ Vec(true); }
  LANEWISE_INLINE friend Vec operator+(Vec a, Vec b) { return a | b; }
  LANEWISE_INLINE friend Vec operator*(Vec a, Vec b) { return a & b; }
  /// Difference of truth values, as exclusive or.
  LANEWISE_INLINE friend Vec operator-(Vec a, Vec b) { return a ^ b; }
  LANEWISE_INLINE Vec& operator&=(Vec b) { return *this = *this & b; }
  LANEWISE_INLINE Vec& operator|=(Vec b) { return *this = *this | b; }
  LANEWISE_INLINE Vec& operator^=(Vec b) { return *this = *this ^ b; }
  LANEWISE_INLINE Vec& operator+=(Vec b) { return *this = *this + b; }
  LANEWISE_INLINE Vec& operator*=(Vec b) { return *this = *this * b; }

  LANEWISE_INLINE friend Mask<bool> operator==(Vec a, Vec b) { return mask_cast<bool>(a.bytes == b.bytes); }
  LANEWISE_INLINE friend Mask<bool> operator!=(Vec a, Vec b) { return mask_cast<bool>(a.bytes != b.bytes); }
  LANEWISE_INLINE friend Mask<bool> operator<(Vec a, Vec b) { return mask_cast<bool>(a.bytes < b.bytes); }
  LANEWISE_INLINE friend Mask<bool> operator<=(Vec a, Vec b) { return mask_cast<bool>(a.bytes <= b.bytes); }
  LANEWISE_INLINE friend Mask<bool> operator>(Vec a, Vec b) { return mask_cast<bool>(a.bytes > b.bytes); }
  LANEWISE_INLINE friend Mask<bool> operator>=(Vec a, Vec b) { return mask_cast<bool>(a.bytes >= b.bytes); }

 private:
  static LANEWISE_INLINE Vec normalise(Bytes b) {
    const Bytes one(static_cast<std::uint8_t>(1));
    return from_01(Bytes(b.reg < one.reg ? b.reg : one.reg));
  }
};

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
