#pragma once

#include <complex>
#include <limits>
#include <utility>

#include <lanewise/vec/vec_bool.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (a0 b0 a1 b1 ...) <-> (a0 a1 ... b0 b1 ...) over two registers.
template <class R, std::size_t... I>
LANEWISE_INLINE void deinterleave(RegisterOf<R> a, RegisterOf<R> b, RegisterOf<R>& even, RegisterOf<R>& odd,
                                  std::index_sequence<I...>) {
  even = __builtin_shufflevector(a, b, (2 * I)...);
  odd = __builtin_shufflevector(a, b, (2 * I + 1)...);
}
template <class R, std::size_t... I>
LANEWISE_INLINE void interleave(RegisterOf<R> even, RegisterOf<R> odd, RegisterOf<R>& a, RegisterOf<R>& b,
                                std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  a = __builtin_shufflevector(even, odd, (I / 2 + n * (I % 2))...);
  b = __builtin_shufflevector(even, odd, (n / 2 + I / 2 + n * (I % 2))...);
}

}  // namespace detail

/// complex64 and complex128: two registers. `size` counts complex numbers, as many as a register holds reals.
/// Products are the plain (ac - bd) + (ad + bc)i, quotients are those of `divide` in
/// complex_arithmetic.h.
template <class R>
struct Vec<std::complex<R>> {
  using value_type = std::complex<R>;
  using Real = Vec<R>;
  static constexpr int size = Real::size;
  Real re;
  Real im;

  Vec() = default;
  LANEWISE_INLINE Vec(value_type value) : re(value.real()), im(value.imag()) {}
  LANEWISE_INLINE Vec(R value) : re(value), im(R(0)) {}
  LANEWISE_INLINE Vec(Real r, Real i) : re(r), im(i) {}
  LANEWISE_INLINE explicit Vec(Real r) : re(r), im(R(0)) {}

  static LANEWISE_INLINE Vec load(const value_type* p) {
    const R* q = reinterpret_cast<const R*>(p);
    return split(Real::load(q), Real::load(q + size));
  }
  /// The first n numbers, 0 <= n < size; the other lanes are zero.
  static LANEWISE_INLINE Vec load_partial(const value_type* p, int n) {
    const R* q = reinterpret_cast<const R*>(p);
    if (2 * n >= size) {
      const Real first = Real::load(q);
      return split(first, Real::load_partial(q + size, 2 * n - size));
    }
    return split(Real::load_partial(q, 2 * n), Real(R(0)));
  }
  LANEWISE_INLINE void store(value_type* p) const {
    R* q = reinterpret_cast<R*>(p);
    Real a;
    Real b;
    join(a, b);
    a.store(q);
    b.store(q + size);
  }
  LANEWISE_INLINE void store_partial(value_type* p, int n) const {
    R* q = reinterpret_cast<R*>(p);
    Real a;
    Real b;
    join(a, b);
    if (2 * n >= size) {
      a.store(q);
      b.store_partial(q + size, 2 * n - size);
    } else {
      a.store_partial(q, 2 * n);
    }
  }
  LANEWISE_INLINE value_type extract(int lane) const {
    return value_type(re.extract(lane), im.extract(lane));
  }

  LANEWISE_INLINE friend Vec operator+(Vec a, Vec b) { return Vec(a.re + b.re, a.im + b.im); }
  LANEWISE_INLINE friend Vec operator-(Vec a, Vec b) { return Vec(a.re - b.re, a.im - b.im); }
  LANEWISE_INLINE friend Vec operator*(Vec a, Vec b) {
    return Vec(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  LANEWISE_INLINE friend Vec operator/(Vec a, Vec b) { return divide(a, b); }
  LANEWISE_INLINE friend Vec operator-(Vec a) { return Vec(-a.re, -a.im); }
  LANEWISE_INLINE Vec& operator+=(Vec b) { return *this = *this + b; }
  LANEWISE_INLINE Vec& operator-=(Vec b) { return *this = *this - b; }
  LANEWISE_INLINE Vec& operator*=(Vec b) { return *this = *this * b; }
  LANEWISE_INLINE Vec& operator/=(Vec b) { return *this = *this / b; }

  LANEWISE_INLINE friend Mask<value_type> operator==(Vec a, Vec b) {
    return Mask<value_type>((a.re == b.re) & (a.im == b.im));
  }
  LANEWISE_INLINE friend Mask<value_type> operator!=(Vec a, Vec b) {
    return Mask<value_type>((a.re != b.re) | (a.im != b.im));
  }

 private:
  using Lanes = std::make_index_sequence<static_cast<std::size_t>(size)>;
  static LANEWISE_INLINE Vec split(Real a, Real b) {
    Vec v;
    detail::deinterleave<R>(a.reg, b.reg, v.re.reg, v.im.reg, Lanes{});
    return v;
  }
  LANEWISE_INLINE void join(Real& a, Real& b) const {
    detail::interleave<R>(re.reg, im.reg, a.reg, b.reg, Lanes{});
  }
};

/// Products with the bits of those of Vec<std::complex<R>>, of numbers whose parts lie side by side: half the shuffles where
/// those stay in 16 bytes.
template <class R>
LANEWISE_INLINE Vec<R> product_of_parts(Vec<R> a, Vec<R> b) {
  using Register = typename Vec<R>::Register;
  using Bits [[maybe_unused]] = detail::RegisterOf<detail::SignedOf<R>>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    const Register re = __builtin_shufflevector(a.reg, a.reg, (I & ~std::size_t{1})...);
    const Register im = __builtin_shufflevector(a.reg, a.reg, (I | 1)...);
    const Register swapped = __builtin_shufflevector(b.reg, b.reg, (I ^ 1)...);
    // Signs by their bits: gcc 12.2 would fuse an alternating difference and sum (gcc bug 106902).
    constexpr detail::SignedOf<R> kSign = std::numeric_limits<detail::SignedOf<R>>::min();
    const Bits signs = {(I % 2 == 0 ? kSign : 0)...};
    return Vec<R>(re * b.reg + detail::bits<Register>(detail::bits<Bits>(im * swapped) ^ signs));
  }(std::make_index_sequence<static_cast<std::size_t>(Vec<R>::size)>{});
}

/// The product of two numbers, with the bits of that of Vec<std::complex<R>>.
template <class R>
LANEWISE_INLINE std::complex<R> product(std::complex<R> a, std::complex<R> b) {
  R re = a.real() * b.real() - a.imag() * b.imag();
#if defined(__x86_64__)
  // gcc 12.2 takes the two parts for one of its patterns and fuses them, -ffp-contract=off or not (gcc bug 106902); what it
  // cannot see through is no part of a pattern.
  __asm__("" : "+x"(re));
#endif
  return {re, a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
