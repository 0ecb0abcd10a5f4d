// Products with logarithms, sums of exponentials, sinc.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Xlogy {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::xlogy(x, y);
  }
};
struct Xlog1py {
  template <class V>
  V operator()(V x, V y) const noexcept {
    return vec::xlog1py(x, y);
  }
};
struct Entr {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::entr(x);
  }
};

/// log(exp(x) + exp(y)), from the larger one: no overflow.
struct Logaddexp {
  template <class V>
  V operator()(V x, V y) const noexcept {
    const V larger = vec::maximum(x, y);
    const V sum = larger + vec::log1p(vec::exp(-vec::abs(x - y)));
    return vec::select(vec::isinf(x) & (x == y), x, sum);
  }
};
struct Logaddexp2 {
  template <class V>
  V operator()(V x, V y) const noexcept {
    const V larger = vec::maximum(x, y);
    const V sum = larger + vec::log1p(vec::exp2(-vec::abs(x - y))) * number<V>(1.44269504088896340736);
    return vec::select(vec::isinf(x) & (x == y), x, sum);
  }
};

/// sin(pi x) / (pi x), 1 at 0.
struct Sinc {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::sinc(x);
  }
};

struct Erfc {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::erfc(x);
  }
};

}  // namespace

constinit const ElementwiseKernel xlogy = elementwise<Xlogy, Binary, 12>(floating);
constinit const ElementwiseKernel special_xlog1py = elementwise<Xlog1py, Binary, 16>(floating);
constinit const ElementwiseKernel special_entr = elementwise<Entr, Unary, 12>(floating);
constinit const ElementwiseKernel logaddexp = elementwise<Logaddexp, Binary, 24>(floating);
constinit const ElementwiseKernel logaddexp2 = elementwise<Logaddexp2, Binary, 24>(floating);
constinit const ElementwiseKernel sinc =
    elementwise<Sinc, Unary, 18>(floating) | elementwise<Sinc, Unary, 50>(complex_types);
constinit const ElementwiseKernel erfc = elementwise<Erfc, Unary, 20>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
