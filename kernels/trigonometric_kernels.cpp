// sin, cos, tan, tanh, atan2. Errors are those of vec/math.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Sin {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::sin(x);
  }
};
struct Cos {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::cos(x);
  }
};
struct Tan {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::tan(x);
  }
};
struct Tanh {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::tanh(x);
  }
};
struct Atan2 {
  template <class V>
  V operator()(V y, V x) const noexcept {
    return vec::atan2(y, x);
  }
};

}  // namespace

constinit const ElementwiseKernel sin = elementwise<Sin, Unary, 14>(floating_complex);
constinit const ElementwiseKernel cos = elementwise<Cos, Unary, 14>(floating_complex);
constinit const ElementwiseKernel tan = elementwise<Tan, Unary, 20>(floating_complex);
constinit const ElementwiseKernel tanh = elementwise<Tanh, Unary, 14>(floating_complex);
constinit const ElementwiseKernel atan2 = elementwise<Atan2, Binary, 24>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
