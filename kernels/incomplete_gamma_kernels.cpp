// The regularised incomplete gamma functions. Errors are those of vec/math.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math/incomplete_gamma.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Igamma {
  template <class V>
  V operator()(V a, V x) const noexcept {
    return vec::igamma(a, x);
  }
};
struct Igammac {
  template <class V>
  V operator()(V a, V x) const noexcept {
    return vec::igammac(a, x);
  }
};

}  // namespace

constinit const ElementwiseKernel igamma = elementwise<Igamma, Binary, 300>(floating);
constinit const ElementwiseKernel igammac = elementwise<Igammac, Binary, 300>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
