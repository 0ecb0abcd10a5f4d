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

}  // namespace

constinit const ElementwiseKernel div_trunc =
    elementwise<DivTrunc, Binary, 4>(floating) | scalarwise<IntegerDivTrunc, Binary>(integral);
constinit const ElementwiseKernel div_floor =
    elementwise<DivFloor, Binary, 16>(floating) | scalarwise<IntegerDivFloor, Binary>(integral);
constinit const ElementwiseKernel fmod =
    elementwise<Fmod, Binary, 10>(floating) | scalarwise<IntegerFmod, Binary>(integral);
constinit const ElementwiseKernel remainder =
    elementwise<Remainder, Binary, 12>(floating) | scalarwise<IntegerRemainder, Binary>(integral);

}  // namespace lanewise::kernels::LANEWISE_ISA
