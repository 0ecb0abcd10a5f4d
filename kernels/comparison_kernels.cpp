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

/// |x - y| <= atol + rtol |y|, each step rounded; infinities are close to themselves only, NaN to NaN if so asked.
struct IsClose {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    using V = vec::Vec<T>;
    const T rtol = scalar_as<T>(params[0]), atol = scalar_as<T>(params[1]);
    const auto within = [rtol, atol](V x, V y) {
      const V difference = vec::abs(x - y);
      return (difference <= vec::abs(y) * V(rtol) + V(atol)) & vec::isfinite(difference);
    };
    if (params[2].i == 0) {
      run([within](V x, V y) { return (x == y) | within(x, y); });
    } else {
      run([within](V x, V y) { return (x == y) | within(x, y) | (vec::isnan(x) & vec::isnan(y)); });
    }
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

struct IsNan {
  template <class V>
  auto operator()(V x) const noexcept {
    return vec::isnan(x);
  }
};
struct IsInf {
  template <class V>
  auto operator()(V x) const noexcept {
    return vec::isinf(x);
  }
};
struct IsFinite {
  template <class V>
  auto operator()(V x) const noexcept {
    return vec::isfinite(x);
  }
};

}  // namespace

constinit const ElementwiseKernel eq =
    elementwise<Eq, Comparison>(boolean + floating_complex) | by_size<Eq, Comparison>(integral);
constinit const ElementwiseKernel ne =
    elementwise<Ne, Comparison>(boolean + floating_complex) | by_size<Ne, Comparison>(integral);
constinit const ElementwiseKernel lt = elementwise<Lt, Comparison>(boolean + real);
constinit const ElementwiseKernel le = elementwise<Le, Comparison>(boolean + real);
constinit const ElementwiseKernel gt = elementwise<Gt, Comparison>(boolean + real);
constinit const ElementwiseKernel ge = elementwise<Ge, Comparison>(boolean + real);
constinit const ElementwiseKernel is_close = elementwise<IsClose, Comparison, 2>(floating);
constinit const ElementwiseKernel logical_and =
    elementwise<LogicalAnd, Comparison>(boolean + floating_complex) |
    by_size<LogicalAnd, Comparison>(integral);
constinit const ElementwiseKernel logical_or =
    elementwise<LogicalOr, Comparison>(boolean + floating_complex) | by_size<LogicalOr, Comparison>(integral);
constinit const ElementwiseKernel logical_xor =
    elementwise<LogicalXor, Comparison>(boolean + floating_complex) |
    by_size<LogicalXor, Comparison>(integral);
constinit const ElementwiseKernel logical_not =
    elementwise<LogicalNot, Predicate>(boolean + floating_complex) | by_size<LogicalNot, Predicate>(integral);
constinit const ElementwiseKernel isnan = elementwise<IsNan, Predicate>(floating_complex);
constinit const ElementwiseKernel isinf = elementwise<IsInf, Predicate>(floating_complex);
constinit const ElementwiseKernel isfinite = elementwise<IsFinite, Predicate>(floating_complex);

}  // namespace lanewise::kernels::LANEWISE_ISA
