// Ops with a bool result.

#include <lanewise/kernels/elementwise.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Eq {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return x == y;
  }
};
struct Ne {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return x != y;
  }
};
struct Lt {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return x < y;
  }
};
struct Le {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return x <= y;
  }
};
struct Gt {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return x > y;
  }
};
struct Ge {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return x >= y;
  }
};

// Truth is "not zero"; NaN is true.
struct LogicalAnd {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return vec::to_mask(x) & vec::to_mask(y);
  }
};
struct LogicalOr {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return vec::to_mask(x) | vec::to_mask(y);
  }
};
struct LogicalXor {
  template <class V>
  auto operator()(V x, V y) const noexcept {
    return vec::to_mask(x) ^ vec::to_mask(y);
  }
};
struct LogicalNot {
  template <class V>
  auto operator()(V x) const noexcept {
    return ~vec::to_mask(x);
  }
};

template <class V>
inline constexpr bool has_specials = !std::is_integral_v<typename V::value_type>;

struct IsNan {
  template <class V>
  auto operator()(V x) const noexcept {
    if constexpr (has_specials<V>) {
      return vec::isnan(x);
    } else {
      return vec::Mask<typename V::value_type>::splat(false);
    }
  }
};
struct IsInf {
  template <class V>
  auto operator()(V x) const noexcept {
    if constexpr (has_specials<V>) {
      return vec::isinf(x);
    } else {
      return vec::Mask<typename V::value_type>::splat(false);
    }
  }
};
struct IsFinite {
  template <class V>
  auto operator()(V x) const noexcept {
    if constexpr (has_specials<V>) {
      return vec::isfinite(x);
    } else {
      return vec::Mask<typename V::value_type>::splat(true);
    }
  }
};

}  // namespace

constinit const ElementwiseKernel eq = elementwise<Eq, Comparison>(every_type);
constinit const ElementwiseKernel ne = elementwise<Ne, Comparison>(every_type);
constinit const ElementwiseKernel lt = elementwise<Lt, Comparison>(boolean + real);
constinit const ElementwiseKernel le = elementwise<Le, Comparison>(boolean + real);
constinit const ElementwiseKernel gt = elementwise<Gt, Comparison>(boolean + real);
constinit const ElementwiseKernel ge = elementwise<Ge, Comparison>(boolean + real);
constinit const ElementwiseKernel logical_and = elementwise<LogicalAnd, Comparison>(every_type);
constinit const ElementwiseKernel logical_or = elementwise<LogicalOr, Comparison>(every_type);
constinit const ElementwiseKernel logical_xor = elementwise<LogicalXor, Comparison>(every_type);
constinit const ElementwiseKernel logical_not = elementwise<LogicalNot, Predicate>(every_type);
constinit const ElementwiseKernel isnan = elementwise<IsNan, Predicate>(every_type);
constinit const ElementwiseKernel isinf = elementwise<IsInf, Predicate>(every_type);
constinit const ElementwiseKernel isfinite = elementwise<IsFinite, Predicate>(every_type);

}  // namespace lanewise::kernels::LANEWISE_ISA
