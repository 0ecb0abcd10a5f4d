// Trigonometric and hyperbolic functions and their inverses. Errors are those of vec/math.

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
struct Asin {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::asin(x);
  }
};
struct Acos {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::acos(x);
  }
};
struct Atan {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::atan(x);
  }
};
struct Sinh {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::sinh(x);
  }
};
struct Cosh {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::cosh(x);
  }
};
struct Asinh {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::asinh(x);
  }
};
struct Acosh {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::acosh(x);
  }
};
struct Atanh {
  template <class V>
  V operator()(V x) const noexcept {
    return vec::atanh(x);
  }
};
struct Atan2 {
  template <class V>
  V operator()(V y, V x) const noexcept {
    return vec::atan2(y, x);
  }
};
/// grad * numerator / (y^2 + x^2), 0 at the origin.
struct Atan2Backward {
  template <class V>
  V operator()(V grad, V numerator, V y, V x) const noexcept {
    const V zero(typename V::value_type(0)), square = y * y + x * x;
    return vec::select(square == zero, zero, grad * (numerator / square));
  }
};

}  // namespace

constinit const ElementwiseKernel sin = elementwise<Sin, Unary, 14>(floating_complex);
constinit const ElementwiseKernel cos = elementwise<Cos, Unary, 14>(floating_complex);
constinit const ElementwiseKernel tan = elementwise<Tan, Unary, 20>(floating_complex);
constinit const ElementwiseKernel tanh = elementwise<Tanh, Unary, 14>(floating_complex);
constinit const ElementwiseKernel asin =
    elementwise<Asin, Unary, 14>(floating) | elementwise<Asin, Unary, 60>(complex_types);
constinit const ElementwiseKernel acos =
    elementwise<Acos, Unary, 14>(floating) | elementwise<Acos, Unary, 60>(complex_types);
constinit const ElementwiseKernel atan =
    elementwise<Atan, Unary, 16>(floating) | elementwise<Atan, Unary, 60>(complex_types);
constinit const ElementwiseKernel sinh = elementwise<Sinh, Unary, 14>(floating_complex);
constinit const ElementwiseKernel cosh = elementwise<Cosh, Unary, 14>(floating_complex);
constinit const ElementwiseKernel asinh =
    elementwise<Asinh, Unary, 20>(floating) | elementwise<Asinh, Unary, 60>(complex_types);
constinit const ElementwiseKernel acosh =
    elementwise<Acosh, Unary, 20>(floating) | elementwise<Acosh, Unary, 60>(complex_types);
constinit const ElementwiseKernel atanh =
    elementwise<Atanh, Unary, 20>(floating) | elementwise<Atanh, Unary, 60>(complex_types);
constinit const ElementwiseKernel atan2 = elementwise<Atan2, Binary, 24>(floating);
constinit const ElementwiseKernel atan2_backward =
    elementwise<Atan2Backward, Same(Same, Same, Same, Same), kCompactCost>(floating);

}  // namespace lanewise::kernels::LANEWISE_ISA
