// Bessel functions other than I, and Airy's function. Errors are those of vec/math.

#include <lanewise/kernels/elementwise.h>
#include <lanewise/vec/math/airy.h>
#include <lanewise/vec/math/bessel_j.h>
#include <lanewise/vec/math/bessel_k.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct BesselJ0 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_j0(x);
  }
};
struct BesselJ1 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_j1(x);
  }
};
struct BesselY0 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_y0(x);
  }
};
struct BesselY1 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_y1(x);
  }
};
struct BesselK0 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_k0(x);
  }
};
struct BesselK1 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_k1(x);
  }
};
struct ScaledBesselK0 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_k0e(x);
  }
};
struct ScaledBesselK1 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::bessel_k1e(x);
  }
};
struct SphericalBesselJ0 {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::spherical_bessel_j0(x);
  }
};
struct AiryAi {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::airy_ai(x);
  }
};

}  // namespace

constinit const ElementwiseKernel special_bessel_j0 = elementwise<BesselJ0, Unary, 30>(floating);
constinit const ElementwiseKernel special_bessel_j1 = elementwise<BesselJ1, Unary, 30>(floating);
constinit const ElementwiseKernel special_bessel_y0 = elementwise<BesselY0, Unary, 40>(floating);
constinit const ElementwiseKernel special_bessel_y1 = elementwise<BesselY1, Unary, 40>(floating);
constinit const ElementwiseKernel special_modified_bessel_k0 = elementwise<BesselK0, Unary, 30>(floating);
constinit const ElementwiseKernel special_modified_bessel_k1 = elementwise<BesselK1, Unary, 30>(floating);
constinit const ElementwiseKernel special_scaled_modified_bessel_k0 =
    elementwise<ScaledBesselK0, Unary, 30>(floating);
constinit const ElementwiseKernel special_scaled_modified_bessel_k1 =
    elementwise<ScaledBesselK1, Unary, 30>(floating);
constinit const ElementwiseKernel special_spherical_bessel_j0 =
    elementwise<SphericalBesselJ0, Unary, 20>(floating);
constinit const ElementwiseKernel special_airy_ai = elementwise<AiryAi, Unary, 40>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
