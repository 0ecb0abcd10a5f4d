#pragma once

#include <lanewise/vec/math/log.h>

// The inverse of erf and of the normal distribution: functions of w = -log(1 - x^2), after Giles,
// "Approximating the erfinv function", GPU Computing Gems (2011), with own polynomials.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// erfinv(x) / x for w <= 6.25, as a pair: its own error is what counts most.
LANEWISE_INLINE Pair<double> erfinv_centre(Vec<double> w) {
  const Vec<double> u = w - Vec<double>(3.125);
  const Vec<double> rest = polynomial(
      u, 0x1.ebd80d9b13dfap-3, -0x1.8b6c33114ea2fp-8, -0x1.84576948359ddp-11, 0x1.879c2a20aeb2ep-13,
      -0x1.d1d1f7c9ffa6dp-17, -0x1.6e8a53c7ac2ffp-20, 0x1.c6b4f8868f532p-22, -0x1.f36ceed4416aep-26,
      -0x1.1a9eb00326b9bp-28, 0x1.20f544d62fff1p-30, -0x1.dc3f457145cd3p-35, -0x1.c8a6afa1550f4p-37,
      0x1.7236b79e1d57ep-39, -0x1.6b86f85109f07p-44, -0x1.6877e8ae70f27p-45, 0x1.d5e95ecc5f898p-48,
      -0x1.6b6b0fc6a580fp-55, -0x1.19ac650194dcap-53, 0x1.1e1f9ee618b29p-56, 0x1.669b9213d3cdfp-61,
      -0x1.9a137911c05cfp-62, 0x1.79a647e43b44ep-66, 0x1.e2aa7ddd776b6p-69, -0x1.b2643e45e1856p-72);
  return fast_two_sum(Vec<double>(0x1.a755e7c99ae86p+0), u * rest);
}
/// |erfinv(x)| as a function of s = sqrt(w): on [2.5, 4], [4, 6.06], [6, 12] and [12, 28].
LANEWISE_INLINE Vec<double> erfinv_tail_4(Vec<double> s) {
  return polynomial(s - Vec<double>(3.25), 0x1.8abb74e751a6bp+1, 0x1.0168ca8555d96p+0, 0x1.30e9d719b59fap-8,
                    -0x1.4096906deaecap-9, 0x1.c0cddfd8f2598p-11, -0x1.d19a56c149583p-13,
                    0x1.951679c62a812p-16, 0x1.1e778d89893ffp-16, -0x1.cf4eebae2a93bp-17,
                    0x1.5511c0770be74p-18, -0x1.f3b3b113b74f1p-22, -0x1.4c966a0eae185p-21,
                    0x1.acf2aa4a646e8p-22, -0x1.9d6687e9c2688p-24, -0x1.72044ddf7d66dp-26,
                    0x1.b2b426d73f424p-26, -0x1.76d8ed87a7ea1p-28, -0x1.030a23475e7dap-30);
}
LANEWISE_INLINE Vec<double> erfinv_tail_6(Vec<double> s) {
  return polynomial(s - Vec<double>(5.0), 0x1.3664ddd1a43ddp+2, 0x1.02a30d2124a41p+0, -0x1.22eb371abe115p-13,
                    -0x1.c2f0c4ba2ae46p-13, 0x1.3eb336279e87fp-14, -0x1.49de79798fdbep-16,
                    0x1.2dcd132291216p-18, -0x1.014c921a71908p-20, 0x1.a10fbdf0f7246p-23,
                    -0x1.426ce7cc37bddp-25, 0x1.d106b9f11c38fp-28, -0x1.172d66363a07bp-30,
                    0x1.9c931ed7ce14ep-35, 0x1.0546836dfc96fp-34, -0x1.5e88599a9ca63p-35,
                    0x1.5120db72397e0p-36, -0x1.f2a88eb0b6a9ap-38, 0x1.77baae32c9156p-40);
}
LANEWISE_INLINE Vec<double> erfinv_tail_12(Vec<double> s) {
  return polynomial(s - Vec<double>(9.0), 0x1.1c4bf1ab3c8b6p+3, 0x1.01b8e2742818dp+0, -0x1.accd56c8ecf02p-12,
                    0x1.58dc927bb1a5cp-16, -0x1.fc7f584df882cp-23, -0x1.461c7a5e2709cp-23,
                    0x1.1a167d898d768p-25, -0x1.5e5f5db203330p-28, 0x1.7fefb0c40cfbbp-31,
                    -0x1.89982fe941d8dp-34, 0x1.82ec9c1b5d328p-37, -0x1.71675505d98cbp-40,
                    0x1.58de210bd2f73p-43, -0x1.3b8380ea05f8bp-46, 0x1.1d1a093f13a30p-49,
                    -0x1.053142f448c28p-52, 0x1.cb5e1e6907553p-56, -0x1.410c13cf3aacdp-59,
                    0x1.17f4290e3597ap-62, -0x1.e97c04f5d6118p-65, 0x1.97d48c233a4ffp-68);
}
LANEWISE_INLINE Vec<double> erfinv_tail_28(Vec<double> s) {
  return polynomial(
      s - Vec<double>(20.0), 0x1.3ed950ca8ee88p+4, 0x1.009a19588301dp+0, -0x1.6ae5d7524e001p-14,
      0x1.ba197e56f09a7p-19, -0x1.0ebbae962f77fp-23, 0x1.47334aef4f224p-28, -0x1.7e803a8766e62p-33,
      0x1.a311123840045p-38, -0x1.9141a2a6caa8fp-43, 0x1.04b427d048b2ep-48, 0x1.018a9306067a0p-54,
      -0x1.f06a0168f4269p-57, 0x1.55a6095f50fffp-60, -0x1.7d047a72b9f8cp-64, 0x1.7d4af4e01c5e9p-68,
      -0x1.52758709cbb74p-72, 0x1.3777189bc8bbfp-76, -0x1.7c64811df928cp-80, 0x1.4867a15d2248fp-84,
      0x1.0724dba9e15a9p-94, 0x1.bdf8b3bf9a242p-99, -0x1.ceefaae16f2b3p-96, 0x1.7fc9d02b53ae9p-100);
}

/// |erfinv| for w > 6.25.
[[gnu::noinline]] inline Vec<double> erfinv_tail(Vec<double> w) {
  using V = Vec<double>;
  const V s = sqrt(w);
  V r = select(s < V(4.0), erfinv_tail_4(s), erfinv_tail_6(s));
  const Mask<double> far = s > V(6.05);
  if (__builtin_expect(far.any(), 0)) {
    r = select(far, select(s < V(12.0), erfinv_tail_12(s), erfinv_tail_28(s)), r);
  }
  return r;
}
/// erfinv x, given w = -log(1 - x^2), which may be known better than 1 - |x|, times a factor; x may be a
/// product with that factor already.
LANEWISE_INLINE Vec<double> erfinv_of(Pair<double> x, Vec<double> w, Vec<double> factor) {
  using V = Vec<double>;
  const Mask<double> tail = w > V(6.25);
  const Pair<double> c = erfinv_centre(w);
  const V r = copysign(fma(x.hi, c.hi, fma(x.lo, c.hi, x.hi * c.lo)), x.hi);  // -0 for -0
  if (tail.any()) return select(tail, copysign(factor * erfinv_tail(w), x.hi), r);
  return r;
}
[[gnu::noinline]] inline Vec<double> erfinv(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const V ax = abs(x);
  const V r = erfinv_of({x, V(0.0)}, -log((one - ax) * (one + ax)), one);
  return select(ax == one, copysign(V(std::numeric_limits<double>::infinity()), x), r);
}
/// sqrt(2) erfinv(2 p - 1), the factor of the function in a pair.
[[gnu::noinline]] inline Vec<double> ndtri(Vec<double> p) {
  using V = Vec<double>;
  const V one(1.0);
  const V inf(std::numeric_limits<double>::infinity());
  const V root(0x1.6a09e667f3bcdp+0);
  const Pair<double> x = fast_two_sum(-one, p + p);
  Pair<double> scaled = two_product(x.hi, root);
  scaled.lo = fma(x.lo, root, fma(x.hi, V(-0x1.bdd3413b26456p-54), scaled.lo));
  const V r = erfinv_of(scaled, -log((V(4.0) * p) * (one - p)), root);
  return select(p == V(0.0), -inf, select(p == one, inf, r));
}

}  // namespace detail

/// Inverse of erf, infinite at +-1, NaN beyond. Error: 4 ULP (f64), 0.51 ULP (f32).
LANEWISE_INLINE Vec<double> erfinv(Vec<double> x) { return detail::erfinv(x); }
LANEWISE_INLINE Vec<float> erfinv(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::erfinv(d); });
}
/// Inverse of the normal distribution function. Error: 4 ULP (f64), 0.51 ULP (f32).
LANEWISE_INLINE Vec<double> ndtri(Vec<double> p) { return detail::ndtri(p); }
LANEWISE_INLINE Vec<float> ndtri(Vec<float> p) {
  return in_double(
      p, [](Vec<double> d) __attribute__((always_inline)) { return detail::ndtri(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
