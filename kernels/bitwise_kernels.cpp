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

constinit const ElementwiseKernel bitwise_and = elementwise<BitwiseAnd, Binary>(boolean + integral);
constinit const ElementwiseKernel bitwise_or = elementwise<BitwiseOr, Binary>(boolean + integral);
constinit const ElementwiseKernel bitwise_xor = elementwise<BitwiseXor, Binary>(boolean + integral);
constinit const ElementwiseKernel bitwise_not = elementwise<BitwiseNot, Unary>(boolean + integral);

}  // namespace lanewise::kernels::LANEWISE_ISA
