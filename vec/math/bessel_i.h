#pragma once

#include <lanewise/vec/math/exp.h>

// The modified Bessel functions of the first kind I0 and I1, plain and times e^-|x|. Up to 8 the power series
// in x^2, by Chebyshev interpolation; beyond, sqrt(x) e^-x I(x) as a polynomial of 1 / x.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// e^x times a factor, rounded once; x up to 1000: the product may be finite where e^x is not.
LANEWISE_INLINE Vec<double> exp_times(Vec<double> x, Vec<double> factor) {
  using C = ExpConstants<double>;
  const Vec<double> t = fma(x, Vec<double>(C::kLog2E), Vec<double>(C::kMagic));
  const Vec<double> n = t - Vec<double>(C::kMagic);
  const Vec<double> r = fnma(n, Vec<double>(C::kLn2Lo), fnma(n, Vec<double>(C::kLn2Hi), x));
  const Vec<double> p = fma(fma(r * r, exp_tail(r), r), factor, factor);
  return scale_by_rounded(p, t, n);
}

/// The same for x down to -infinity, without a product that vanishes: it takes a processor some hundred cycles.
LANEWISE_INLINE Vec<double> decay_times(Vec<double> x, Vec<double> factor) {
  using V = Vec<double>;
  const Mask<double> gone = x < V(-760.0);
  return select(gone, V(0.0), exp_times(select(gone, V(0.0), x), factor));
}

/// I0(x) for w = x^2 <= 64, and I1(x) / x.
LANEWISE_INLINE Vec<double> i0_small(Vec<double> w) {
  return horner(w, 1.0, 0x1.0000000000000p-2, 0x1.0000000000000p-6, 0x1.c71c71c71c718p-12,
                0x1.c71c71c71c7c2p-18, 0x1.23456789ab17bp-24, 0x1.02e85c08a7dfcp-31, 0x1.522a43f4ad0f5p-39,
                0x1.522a441639e1cp-47, 0x1.0b3130d34d860p-55, 0x1.5601aa949484bp-64, 0x1.69c8a8327233ep-73,
                0x1.41ac98bb3887bp-82, 0x1.e5e1e29c5a679p-92, 0x1.44f6f6b62cb2ep-101, 0x1.3958326cb099fp-111,
                0x1.192af56e3fb42p-120);
}
LANEWISE_INLINE Vec<double> i1_small(Vec<double> w) {
  return horner(w, 0.5, 0x1.0000000000000p-4, 0x1.5555555555555p-9, 0x1.c71c71c71c71bp-15,
                0x1.6c16c16c16c3bp-21, 0x1.845c8a0ce4c34p-28, 0x1.27e4fb7790900p-35, 0x1.522a43f59c117p-43,
                0x1.2c9758e8db15dp-51, 0x1.ab81e8f7e5567p-60, 0x1.f176b5a1a74d4p-69, 0x1.e261c74784a78p-78,
                0x1.8be09d48fa82cp-87, 0x1.15d14c79c80fcp-96, 0x1.594fec537ef43p-106, 0x1.3f689b5999531p-116,
                0x1.025406838da14p-125);
}
/// sqrt(x) e^-x I(x) for u = 1 / x - 1 / 16, 0 <= 1 / x <= 1/8.
LANEWISE_INLINE Vec<double> i0_large(Vec<double> u) {
  return polynomial(u, 0x1.9bd428ad249a5p-2, 0x1.b87969bb93b75p-5, 0x1.1daa72b5e650cp-5, 0x1.75e5ee71edd14p-5,
                    0x1.8e513a1d5e52bp-4, 0x1.3f49a6bcfc2d9p-2, 0x1.7d0f75812d9bcp+0, 0x1.51ced7b713adcp+3,
                    0x1.7224b1828e507p+6, 0x1.03896efb09a41p+9, -0x1.ce768f00b5374p+12,
                    -0x1.cc90f59ec1228p+17, -0x1.77cc956faaa2fp+20, 0x1.0317d4c7b215ap+25,
                    0x1.047454ffcb608p+29, -0x1.df1549cddfaf8p+31, -0x1.a9411c5b0ad08p+36,
                    0x1.9bbbfe31d81e9p+38, 0x1.0ab5ef575d285p+44, -0x1.31c908a5dd531p+45,
                    -0x1.e8fd992032bedp+50, 0x1.42a55974d41b8p+51, 0x1.1ce14787c5bdep+57,
                    -0x1.52109c25bd9ecp+56, -0x1.36e52c10032d7p+62);
}
LANEWISE_INLINE Vec<double> i1_large(Vec<double> u) {
  return polynomial(
      u, 0x1.8ebe783a84030p-2, -0x1.3f796198ee5e3p-3, -0x1.cbc54df1e8a30p-5, -0x1.f89c230c1c6c7p-5,
      -0x1.ec8e10cda9622p-4, -0x1.76136c8d9dbb3p-2, -0x1.ad8c9576be72ap+0, -0x1.7280f7124367dp+3,
      -0x1.91b62a0449ae7p+6, -0x1.20dfa102cdc55p+9, 0x1.d2f43270388f8p+12, 0x1.df68969b0012bp+17,
      0x1.89426861550d7p+20, -0x1.fec28b5e30e16p+24, -0x1.f053fd33757dcp+28, 0x1.a62d3a5241febp+31,
      0x1.5e0ee1eae723fp+36, -0x1.1ff732137576bp+38, -0x1.5873a50ddf275p+43, 0x1.1be99bbf474cep+44,
      0x1.ac4bf6a87bc29p+49, -0x1.1f6f8a3689d3bp+49, -0x1.f23ff1f27dca9p+54);
}

/// d log I(x) / d w for w = x^2 <= 64, of I0 and of I1(x) / x, to a few hundredths: for what rounding takes
/// from w.
template <int kOrder>
LANEWISE_INLINE Vec<double> bessel_slope(Vec<double> w) {
  return kOrder == 0 ? horner(w, 0.1785, -0.005633, 9.956e-5, -6.405e-7)
                     : horner(w, 0.1137, -0.002456, 3.728e-5, -2.221e-7);
}

/// I_kOrder of a magnitude, times e^-|x| where kScaled.
template <int kOrder, bool kScaled>
[[gnu::noinline]] Vec<double> bessel_i(Vec<double> ax) {
  using V = Vec<double>;
  const V limit(8.0);
  const Mask<double> near = ax <= limit;
  const V kept = min_or_second(limit, ax);
  const Pair<double> square = two_product(kept, kept);
  const V w = square.hi;
  V small = kOrder == 0 ? i0_small(w) : kept * i1_small(w);
  small = fma(small, square.lo * bessel_slope<kOrder>(w), small);
  if constexpr (kScaled) small = small * exp_moderate(-kept);
  if (near.all()) return small;
  // Plain, the function is infinite long before 1000.
  const V beyond = max_or_second(limit, kScaled ? ax : min_or_second(V(1000.0), ax));
  const V u = V(1.0) / beyond - V(0.0625);
  const V factor = (kOrder == 0 ? i0_large(u) : i1_large(u)) / sqrt(beyond);
  return select(near, small, kScaled ? factor : exp_times(beyond, factor));
}
template <int kOrder, bool kScaled>
LANEWISE_INLINE Vec<double> bessel_i_signed(Vec<double> x) {
  const Vec<double> r = bessel_i<kOrder, kScaled>(abs(x));
  return kOrder == 0 ? r : copysign(r, x);
}
template <int kOrder, bool kScaled>
LANEWISE_INLINE Vec<float> bessel_i_signed(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return bessel_i_signed<kOrder, kScaled>(d); });
}

}  // namespace detail

/// I0(x). Error: 4 ULP (f64), 0.51 ULP (f32), as for the three others.
template <Real T>
LANEWISE_INLINE Vec<T> i0(Vec<T> x) {
  return detail::bessel_i_signed<0, false>(x);
}
/// e^-|x| I0(x).
template <Real T>
LANEWISE_INLINE Vec<T> i0e(Vec<T> x) {
  return detail::bessel_i_signed<0, true>(x);
}
/// I1(x), an odd function.
template <Real T>
LANEWISE_INLINE Vec<T> i1(Vec<T> x) {
  return detail::bessel_i_signed<1, false>(x);
}
/// e^-|x| I1(x).
template <Real T>
LANEWISE_INLINE Vec<T> i1e(Vec<T> x) {
  return detail::bessel_i_signed<1, true>(x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
