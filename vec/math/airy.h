#pragma once

#include <lanewise/vec/math/bessel_i.h>
#include <lanewise/vec/math/oscillation.h>

// Airy's function Ai. From -6 to 2 polynomials by intervals, centred at the zeros; beyond, for t = 2/3 |x|^(3/2) in a
// pair, e^-t times a rational function of 1 / t on the right, modulus and phase of t on the left (Abramowitz and Stegun,
// 10.4.59 and 10.4.69). Coefficients are from interpolation and least squares at 40 digits.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

inline constexpr Pieces<16> kAiryPieces = {{
    {-0x1.6150da2b52089p+2, -0x1.05a0f6b48f9cp+2, -0x1.bdd4p+1, -0x1.2b471a873adf9p+1, -0x1.7c9cp+0,
     -0x1.072p-1, 0x1.f33p-2, 0x1.8094p+0},
    {-0x1.344ec2366aa3dp-52, -0x1.868651bff05e4p-52, 0.0, -0x1.68d7a31cc8091p-55, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.0, -0x1.8651cdca1e8e7p-2, 0.0, 0x1.df878ff44ce5bp-2, 0x1.ea07a623576fbp-2, 0x1.e04a530af8df7p-3,
     0x1.24fc7cd288282p-4},
    {0x1.bafc05a72a747p-1, -0x1.9b3169d76d43cp-1, -0x1.48bb43360d73ep-2, 0x1.67051ade5f8d1p-1,
     0x1.3329d6d0b43f1p-2, -0x1.9b10b7743be48p-3, -0x1.cf90e33581a5ep-3, -0x1.8de1c93c88a17p-4},
    {0x1.de03a39dee13dp-54, 0x1.a4c02b2c4e8cep-56, 0x1.53dfb73b613f7p-1, -0x1.88e5e7cb47f5ep-59,
     -0x1.6478b8252d81fp-2, -0x1.f7ab1ca3133eap-4, 0x1.d44576e6fa94fp-5, 0x1.b8241d33f5f3p-5},
    {-0x1.9796480c90971p-1, 0x1.1827f2b4316fp-1, 0x1.f71bcaaf69274p-4, -0x1.17cf1eaae581cp-2,
     0x1.e785f74cd8e48p-9, 0x1.8d1ab12f73a29p-4, 0x1.5313a75fff3e1p-6, -0x1.96504a16250c6p-7},
    {0x1.2752ae6f7154dp-4, -0x1.1220f13a49529p-4, -0x1.c162c50cfb0aep-3, 0x1.deb179287f6b9p-5,
     0x1.170cc092b3801p-4, -0x1.77865f55f0f66p-7, -0x1.0eff755090bc5p-6, -0x1.66d284c5fc79ep-10},
    {0x1.c2058fbbd607p-3, -0x1.ca1b023bc7c4p-4, 0x1.82a8bbabd1942p-7, 0x1.05b08034c271ap-5,
     -0x1.21b5199ee5e4cp-6, -0x1.1b1941ba6928dp-7, 0x1.b8bc429d8ae2cp-9, 0x1.cc120c8185039p-10},
    {-0x1.4611d33d2333ep-5, 0x1.c03feabc4081dp-6, 0x1.e4797c4380334p-6, -0x1.bfb1caab0d407p-7,
     -0x1.aa495fe2f38e4p-9, 0x1.c14f45506063p-9, 0x1.b988754ab577ep-12, -0x1.f9461256cfc91p-12},
    {-0x1.bd1672c930301p-6, 0x1.307df966a5478p-7, -0x1.96851c6b2dd82p-8, -0x1.95d5e90611638p-12,
     0x1.26a6ed76b8e48p-9, -0x1.5e87ee766773fp-13, -0x1.7406562527d1p-12, 0x1.fa65622798b92p-16},
    {0x1.0127bfcf7a02fp-7, -0x1.05c64cbd4fd6ep-8, -0x1.aae38aa7f1686p-10, 0x1.2b12dbad9eb81p-10,
     -0x1.e11b7633f95dp-13, -0x1.8583ceee45b39p-13, 0x1.0b39254848a13p-14, 0x1.34ec46ee49194p-16},
    {0x1.911c1b72284bcp-10, -0x1.3590875f814c9p-13, 0x1.74a58ee109a57p-11, -0x1.7397ba563c6ep-13,
     -0x1.802934c91c71bp-14, 0x1.9964f28c1d428p-15, 0x1.ce88cc3f118fbp-19, -0x1.96de75ce471cdp-18},
    {-0x1.9aa249a47f81fp-11, 0x1.2a7c35e3e8192p-12, -0x1.8bfb9298f910cp-18, -0x1.1cb3d026e7458p-15,
     0x1.e2a4521620e0fp-16, -0x1.abab081131eacp-21, -0x1.e2c90f202f78ap-19, 0x1.590f9b59354c6p-21},
    {-0x1.6db137d28ba5cp-18, -0x1.031a160f0347ep-15, -0x1.38fa60882e787p-15, 0x1.da630281b6eeep-17,
     -0x1.c70c86ac9ad96p-21, -0x1.013ac78b23829p-19, 0x1.3f25bc23f94fp-21, 0x1.6b53554131134p-24},
    {0x1.740265acdc1b1p-15, -0x1.5133bac027c01p-17, 0x1.73cf24d7073ebp-18, -0x1.8de41f4c27e41p-21,
     -0x1.113bdee6e028ap-20, 0x1.904a902cf5f31p-22, 0x1.b9e399ee7b216p-27, -0x1.4bdd5396380f9p-25},
    {-0x1.43b3dd1b6098bp-18, 0x1.4d69299ef69bap-19, 0x1.ab2e6e7346861p-21, -0x1.ccf3c04dba63p-22,
     0x1.9d4c4384d9878p-23, 0x1.4d92a45a13112p-30, -0x1.6c040b790fd27p-26, 0x1.5335d8b7c95a3p-28},
    {-0x1.705af2fbff0bbp-20, -0x1.428d72b08bc1dp-24, -0x1.4e3e203ed8891p-22, 0x1.769628ae66c3p-24,
     0x1.f21d7bd5055ap-29, -0x1.8bcb1e94dab3bp-27, 0x1.b8a9a28ee83fep-29, 0x1.a490bf43d68dp-33},
    {0x1.5f0a2fcfa3717p-22, -0x1.6b929fc233f2p-23, 0x1.9a5ead2c79f9p-27, 0x1.be3fa2982908p-31,
     -0x1.a6a436bc4085dp-28, 0x1.de8769eb327f2p-30, 0x1.525030d2c74fdp-38, -0x1.4adc6e0ac45c9p-33},
    {0x1.2778554e0ee8ap-27, -0x1.7add931dcdac4p-27, 0x1.1687205c7a3c8p-27, -0x1.c09caa42a2aecp-29,
     0x1.b7074efe2a58dp-31, -0x1.25fc151ca30fap-35, 0x1.0423e7bcc261ap-36, -0x1.a5a881c3b4bdep-36},
}};
// Left of -6: |x|^(1/4) sqrt(Ai^2 + Bi^2) and t times what the phase lacks of t - pi/4, of 1 / t^2.
inline constexpr TwoPolynomials<10> kAiryWave = {{
    {0x1.20dd750429b6dp-1, 0x1.1c71c71c71c66p-4},
    {-0x1.40f6103d73ae6p-6, -0x1.23075fdddab8p-5},
    {0x1.fd4d90183db44p-6, 0x1.c675475ce2fecp-4},
    {-0x1.47089a761b97dp-3, -0x1.b428802b016bdp-1},
    {0x1.b3578b2901ce8p+0, 0x1.826a97e1afda6p+3},
    {-0x1.ea4fcabd16ea1p+4, -0x1.0ead47cc00195p+8},
    {0x1.8d843ee41ecbp+9, 0x1.01bbff56b8356p+13},
    {-0x1.70ae2858d5504p+14, -0x1.09029d8e0313p+18},
    {0x1.1cff6dfe3d4c5p+19, 0x1.b251b8d23ef63p+22},
    {-0x1.d90d80cc45da4p+22, -0x1.7429dd5f43b9bp+26},
}};
// Right of 2: e^t x^(1/4) Ai is a constant near its mean and a quotient of polynomials of 1 / t.
inline constexpr double kAiryMean = 0x1.18p-2;
inline constexpr TwoPolynomials<8> kAiryRight = {{
    {0x1.1baea08536da1p-7, 1.0},
    {0x1.9de034c248df3p-4, 0x1.bde64564e73cdp+3},
    {0x1.5dc3020d56eebp-2, 0x1.171988ab1a729p+6},
    {0x1.19571f9b7a309p-3, 0x1.3c448e33d5112p+7},
    {-0x1.0b3f9f3579cecp+0, 0x1.5061211997a3bp+7},
    {-0x1.82732a15122f1p+0, 0x1.3b73ae66c1679p+6},
    {-0x1.334f3176bafa7p-1, 0x1.b0dc4a8475c43p+3},
    {-0x1.a980f3107c99ep-5, 0x1.055359fbb29d8p-1},
}};

/// Just below 2, where the last interval ends, and where the first begins.
inline constexpr double kAiryRightLimit = 0x1.ffffp+0;
inline constexpr double kAiryLeftLimit = -6.0;

[[gnu::noinline]] inline Vec<double> airy_far(Vec<double> x) {
  using V = Vec<double>;
  const V ax = abs(x);
  // Beyond, t has no digit that counts and must not overflow.
  const V kept = max_or_second(V(1.0), min_or_second(V(0x1p200), ax));
  const V root = sqrt(kept);
  const V root_low = residual(root, root, kept) * (V(0.5) / root);
  Pair<double> cube = two_product(kept, root);
  cube.lo = fma(kept, root_low, cube.lo);
  const Pair<double> t = multiply(cube, {V(0x1.5555555555555p-1), V(0x1.5555555555555p-55)});
  const V inverse = V(1.0) / t.hi;
  const V quarter = sqrt(sqrt(ax));
  const Mask<double> left = x < V(0.0);
  V r(0.0);
  if (left.any()) r = oscillation(kAiryWave, 0, t, inverse) / quarter;
  if (!left.all()) {
    const TwoValues p = evaluate(kAiryRight, inverse);
    const V factor = (V(kAiryMean) + p.first / p.second) / quarter;
    r = select(left, r, decay_times(-t.hi, fnma(factor, t.lo, factor)));
  }
  return select(ax > V(std::numeric_limits<double>::max()), V(0.0), r);
}

[[gnu::noinline]] inline Vec<double> airy_ai(Vec<double> x) {
  using V = Vec<double>;
  const V low(kAiryLeftLimit);
  const V high(kAiryRightLimit);
  const V kept = max_or_second(low, min_or_second(high, x));
  const Mask<double> far = (x < low) | (x > high);
  V r(0.0);
  if (!far.all()) r = by_pieces(kAiryPieces, FirstPiece::kLikeOthers, kept, kept + V(5.5));
  if (far.any()) r = select(far, airy_far(x), r);
  return r;
}

}  // namespace detail

/// Ai(x); 0 at both infinities. Error (f64): 3.2 ULP right of -2. Left of it 5 ULP (without fma 8) of the result or of 1/64
/// of the modulus |x|^(-1/4) / sqrt(pi), whichever is larger: the latter next to zeros. The angle t is good to 2^-103 of
/// itself: from x = -2^34 on digits of the oscillation go, the last ones at -2^68. f32: 0.51 ULP, in the same way, down to
/// -2^50.
template <Real T>
LANEWISE_INLINE Vec<T> airy_ai(Vec<T> x) {
  return detail::in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::airy_ai(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
