// exp, log and their relatives. Errors are those of vec/math.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Exp {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::exp(x);
  }
};
struct Expm1 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::expm1(x);
  }
};
struct Log {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::log(x);
  }
};
struct Exp2 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::exp2(x);
  }
};
struct Log2 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::log2(x);
  }
};
struct Log10 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::log10(x);
  }
};
struct Log1p {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::log1p(x);
  }
};

}  // namespace

constinit const ElementwiseKernel exp = elementwise<Exp, Unary, 8>(floating_complex);
constinit const ElementwiseKernel expm1 = elementwise<Expm1, Unary, 14>(floating);
constinit const ElementwiseKernel log = elementwise<Log, Unary, 10>(floating_complex);
constinit const ElementwiseKernel exp2 = elementwise<Exp2, Unary, 8>(floating);
constinit const ElementwiseKernel log2 = elementwise<Log2, Unary, 10>(floating_complex);
constinit const ElementwiseKernel log10 = elementwise<Log10, Unary, 10>(floating_complex);
constinit const ElementwiseKernel log1p = elementwise<Log1p, Unary, 14>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
