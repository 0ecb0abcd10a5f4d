// Orthogonal polynomials: two kernels for all families, which are what params[0] says. Errors are those of vec/math.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math/orthogonal.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// params[0]: 0 to 3 for T, U, V, W; 4 more where they are shifted.
struct ChebyshevPolynomial {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    const auto kind = static_cast<vec::Chebyshev>(params[0].i & 3);
    const bool shifted = (params[0].i & 4) != 0;
    run([=](vec::Vec<T> x, vec::Vec<T> n) { return vec::chebyshev(kind, shifted, x, n); });
  }
};
struct OrthogonalPolynomial {
  template <class T, class Run>
  static void choose(const KernelScalar* params, Run run) {
    const auto kind = static_cast<vec::Polynomial>(params[0].i);
    run([=](vec::Vec<T> x, vec::Vec<T> n) { return vec::orthogonal_polynomial(kind, x, n); });
  }
};

}  // namespace

constinit const ElementwiseKernel chebyshev_polynomial =
    elementwise<ChebyshevPolynomial, Binary, 30>(floating);
constinit const ElementwiseKernel orthogonal_polynomial =
    elementwise<OrthogonalPolynomial, Binary, 30>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
