// Bitwise ops of integers and bools.

#include <lanewise/kernels/elementwise.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct BitwiseAnd {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return x & y;
  }
};
struct BitwiseOr {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return x | y;
  }
};
struct BitwiseXor {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return x ^ y;
  }
};
struct BitwiseNot {
  template <class V>
  V operator()(V x) const noexcept {
    return ~x;
  }
};

}  // namespace

constinit const ElementwiseKernel bitwise_and = by_size<BitwiseAnd, Binary>(boolean + integral);
constinit const ElementwiseKernel bitwise_or = by_size<BitwiseOr, Binary>(boolean + integral);
constinit const ElementwiseKernel bitwise_xor = by_size<BitwiseXor, Binary>(boolean + integral);
constinit const ElementwiseKernel bitwise_not = by_size<BitwiseNot, Unary>(boolean + integral);

}  // namespace lanewise::kernels::LANEWISE_ISA
