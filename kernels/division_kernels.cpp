// Divisions that round, and what they leave over.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/kernels/integer_arithmetic.h>
#include <lanewise/vec/math/remainder.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct DivTrunc {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::trunc(x / y);
  }
};

/// The floor of the exact quotient, where floor(x / y) would round first; x / y for y = 0.
struct DivFloor {
  template <class V>
  V operator()(V x, V y) const noexcept {
    using T = typename V::value_type;
    const V zero(T(0));
    const V one(T(1));
    const V quotient = x / y;
    const V rest = vec::fmod(x, y);
    const auto below = (rest != zero) & ((rest < zero) ^ (y < zero));
    const V exact = (x - rest) / y;
    const V whole = vec::select(below, exact - one, exact);
    const V floored = vec::floor(whole);
    const V nearest = vec::select(whole - floored > V(T(0.5)), floored + one, floored);
    const V result = vec::select(whole == zero, vec::copysign(zero, quotient), nearest);
    return vec::select(y == zero, quotient, result);
  }
};

/// Sign of the dividend. Exact; NaN for y = 0 and infinite x.
struct Fmod {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::fmod(x, y);
  }
};

/// Sign of the divisor.
struct Remainder {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::remainder(x, y);
  }
};

/// 64-bit integers. Up to magnitudes of 2^50 all is exact in f64, for which there are vector instructions: a quotient of
/// integers below 2^53 is not rounded up to the next one. For others `Each`, element by element, gives the same.
template <class Each>
struct Long {
  using V = vec::Vec<std::int64_t>;
  using D = vec::Vec<double>;

  V operator()(V x, V y) const noexcept {
    constexpr std::int64_t kLimit = std::int64_t{1} << 50;
    const V outside = ((x + V(kLimit)) | (y + V(kLimit))) & V(-2 * kLimit);
    if (__builtin_expect((outside != V(0)).any(), 0)) return one_by_one(x, y);
    const D a = in_double(x), b = in_double(y), zero(0.0);
    const auto by_zero = b == zero;
    const D quotient = vec::select(by_zero, zero, vec::trunc(a / b));
    const D rest = vec::select(by_zero, zero, a - quotient * b);
    const auto below = (rest != zero) & ((rest < zero) ^ (b < zero));
    D r;
    if constexpr (std::is_same_v<Each, IntegerDivTrunc>) {
      r = quotient;
    } else if constexpr (std::is_same_v<Each, IntegerDivFloor>) {
      r = vec::select(below, quotient - D(1.0), quotient);
    } else if constexpr (std::is_same_v<Each, IntegerFmod>) {
      r = rest;
    } else {
      static_assert(std::is_same_v<Each, IntegerRemainder>);
      r = vec::select(below, rest + b, rest);
    }
    return vec::bitcast<std::int64_t>(r + D(kMagic)) - V(kMagicBits);
  }

 private:
  /// Numbers up to 2^51 in magnitude stand in the last bits of a sum with it.
  static constexpr double kMagic = 0x1.8p52;
  static constexpr std::int64_t kMagicBits = 0x4338000000000000;
  static LANEWISE_INLINE D in_double(V x) { return vec::bitcast<double>(x + V(kMagicBits)) - D(kMagic); }

  [[gnu::noinline]] static V one_by_one(V x, V y) noexcept {
    std::int64_t a[V::size], b[V::size];
    x.store(a);
    y.store(b);
    for (int i = 0; i < V::size; ++i) a[i] = Each{}(a[i], b[i]);
    return V::load(a);
  }
};

constexpr Types<std::uint8_t, std::int8_t, std::int16_t, std::int32_t> kShort;
constexpr Types<std::int64_t> kLong;

}  // namespace

constinit const ElementwiseKernel div_trunc = elementwise<DivTrunc, Binary, 4>(floating) |
                                              scalarwise<IntegerDivTrunc, Binary>(kShort) |
                                              elementwise<Long<IntegerDivTrunc>, Binary, kCompactCost>(kLong);
constinit const ElementwiseKernel div_floor = elementwise<DivFloor, Binary, 16>(floating) |
                                              scalarwise<IntegerDivFloor, Binary>(kShort) |
                                              elementwise<Long<IntegerDivFloor>, Binary, kCompactCost>(kLong);
constinit const ElementwiseKernel fmod = elementwise<Fmod, Binary, 10>(floating) |
                                         scalarwise<IntegerFmod, Binary>(kShort) |
                                         elementwise<Long<IntegerFmod>, Binary, kCompactCost>(kLong);
constinit const ElementwiseKernel remainder = elementwise<Remainder, Binary, 12>(floating) |
                                              scalarwise<IntegerRemainder, Binary>(kShort) |
                                              elementwise<Long<IntegerRemainder>, Binary, kCompactCost>(kLong);

}  // namespace lanewise::kernels::LANEWISE_ISA
