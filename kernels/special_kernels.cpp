// Gamma, zeta, Bessel and normal distribution functions. Errors are those of vec/math.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Lgamma {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::lgamma(x);
  }
};
struct Digamma {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::digamma(x);
  }
};
/// Of order params[0].
struct Polygamma {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    const std::int64_t order = params[0].i;
    run([order](vec::Vec<T> x) { return vec::polygamma(order, x); });
  }
};
struct Zeta {
  template <class V>
  V operator()(V s, V q) const noexcept {
    return vec::zeta(s, q);
  }
};
struct Erfinv {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::erfinv(x);
  }
};
struct Erfcx {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::erfcx(x);
  }
};
struct Ndtr {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::ndtr(x);
  }
};
struct Ndtri {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::ndtri(x);
  }
};
struct LogNdtr {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::log_ndtr(x);
  }
};
struct I0 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::i0(x);
  }
};
struct I0e {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::i0e(x);
  }
};
struct I1 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::i1(x);
  }
};
struct I1e {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::i1e(x);
  }
};

}  // namespace

constinit const ElementwiseKernel lgamma = elementwise<Lgamma, Unary, 40>(floating);
constinit const ElementwiseKernel digamma = elementwise<Digamma, Unary, 40>(floating);
constinit const ElementwiseKernel polygamma = elementwise<Polygamma, Unary, 200>(floating);
constinit const ElementwiseKernel special_zeta = elementwise<Zeta, Binary, 300>(floating);
constinit const ElementwiseKernel erfinv = elementwise<Erfinv, Unary, 30>(floating);
constinit const ElementwiseKernel special_erfcx = elementwise<Erfcx, Unary, 30>(floating);
constinit const ElementwiseKernel special_ndtr = elementwise<Ndtr, Unary, 30>(floating);
constinit const ElementwiseKernel special_ndtri = elementwise<Ndtri, Unary, 40>(floating);
constinit const ElementwiseKernel special_log_ndtr = elementwise<LogNdtr, Unary, 40>(floating);
constinit const ElementwiseKernel i0 = elementwise<I0, Unary, 30>(floating);
constinit const ElementwiseKernel special_i0e = elementwise<I0e, Unary, 30>(floating);
constinit const ElementwiseKernel special_i1 = elementwise<I1, Unary, 30>(floating);
constinit const ElementwiseKernel special_i1e = elementwise<I1e, Unary, 30>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
