#include "passport_functions.h"

#include <cmath>

#include "special_references.h"

namespace lanewise::tools {
namespace {

#define LANEWISE_UNARY(op, expression, low, high, ...)                                               \
  RealFunction {                                                                                     \
    op, [](Wide x, Wide) -> Wide { return expression; }, false, low, high __VA_OPT__(, ) __VA_ARGS__ \
  }
#define LANEWISE_BINARY(op, expression, low, high)                                \
  RealFunction {                                                                  \
    op, [](Wide x, Wide y) -> Wide { return expression; }, true, low, high, false \
  }
#define LANEWISE_COMPLEX(op, range)                                     \
  ComplexFunction {                                                     \
    #op, [](WideComplex z) -> WideComplex { return std::op(z); }, range \
  }

const RealFunction kReal[] = {
    LANEWISE_UNARY("exp", std::exp(x), -80, 80),
    LANEWISE_UNARY("exp2", std::exp2(x), -120, 120),
    LANEWISE_UNARY("expm1", std::expm1(x), -20, 80),
    LANEWISE_UNARY("sigmoid", reference_sigmoid(x), -80, 80),
    LANEWISE_UNARY("log", std::log(x), 0, 100),
    LANEWISE_UNARY("log2", std::log2(x), 0, 100),
    LANEWISE_UNARY("log10", std::log10(x), 0, 100),
    LANEWISE_UNARY("log1p", std::log1p(x), -1, 100),
    LANEWISE_UNARY("logit", reference_logit(x), 0, 1),
    LANEWISE_UNARY("sqrt", std::sqrt(x), 0, 1000),
    LANEWISE_UNARY("rsqrt", 1 / std::sqrt(x), 0, 1000),
    LANEWISE_UNARY("reciprocal", 1 / x, -1000, 1000),
    LANEWISE_BINARY("pow", std::pow(x, y), 0, 20),
    LANEWISE_BINARY("hypot", std::hypot(x, y), -20, 20),
    LANEWISE_UNARY("sin", std::sin(x), -1000, 1000),
    LANEWISE_UNARY("cos", std::cos(x), -1000, 1000),
    LANEWISE_UNARY("tan", std::tan(x), -1000, 1000),
    LANEWISE_UNARY("asin", std::asin(x), -1, 1),
    LANEWISE_UNARY("acos", std::acos(x), -1, 1),
    LANEWISE_UNARY("atan", std::atan(x), -20, 20),
    LANEWISE_BINARY("atan2", std::atan2(x, y), -20, 20),
    LANEWISE_UNARY("sinc", reference_sinc(x), -20, 20),
    LANEWISE_UNARY("sinh", std::sinh(x), -80, 80),
    LANEWISE_UNARY("cosh", std::cosh(x), -80, 80),
    LANEWISE_UNARY("tanh", std::tanh(x), -10, 10),
    LANEWISE_UNARY("asinh", std::asinh(x), -100, 100),
    LANEWISE_UNARY("acosh", std::acosh(x), 1, 100),
    LANEWISE_UNARY("atanh", std::atanh(x), -1, 1),
    LANEWISE_UNARY("erf", std::erf(x), -5, 5),
    LANEWISE_UNARY("erfc", std::erfc(x), -5, 9),
    LANEWISE_UNARY("special_erfcx", reference_erfcx(x), -8, 40),
    LANEWISE_UNARY("erfinv", reference_erfinv(x), -1, 1),
    LANEWISE_UNARY("special_ndtr", reference_ndtr(x), -12, 8),
    LANEWISE_UNARY("special_log_ndtr", reference_log_ndtr(x), -12, 8),
    LANEWISE_UNARY("special_ndtri", reference_ndtri(x), 0, 1),
    LANEWISE_UNARY("lgamma", std::lgamma(x), 0, 30, true),
    LANEWISE_UNARY("digamma", reference_digamma(x), 0, 30, true),
    LANEWISE_BINARY("special_zeta", reference_zeta(x, y), 1, 30),
    LANEWISE_BINARY("igamma", reference_incomplete_gamma(x, y, false), 0, 30),
    LANEWISE_BINARY("igammac", reference_incomplete_gamma(x, y, true), 0, 30),
    LANEWISE_UNARY("i0", reference_bessel_i(0, false, x), -60, 60),
    LANEWISE_UNARY("special_i0e", reference_bessel_i(0, true, x), -60, 60),
    LANEWISE_UNARY("special_i1", reference_bessel_i(1, false, x), -60, 60),
    LANEWISE_UNARY("special_i1e", reference_bessel_i(1, true, x), -60, 60),
    LANEWISE_UNARY("special_modified_bessel_k0", reference_bessel_k(0, false, x), 0, 60),
    LANEWISE_UNARY("special_modified_bessel_k1", reference_bessel_k(1, false, x), 0, 60),
    LANEWISE_UNARY("special_scaled_modified_bessel_k0", reference_bessel_k(0, true, x), 0, 60),
    LANEWISE_UNARY("special_scaled_modified_bessel_k1", reference_bessel_k(1, true, x), 0, 60),
    LANEWISE_UNARY("special_spherical_bessel_j0", reference_spherical_j0(x), -20, 20),
    LANEWISE_UNARY("special_entr",
                   x < 0    ? -HUGE_VALL
                   : x == 0 ? 0
                            : -x * std::log(x),
                   0, 4),
    LANEWISE_BINARY("xlogy", x == 0 && !std::isnan(y) ? 0 : x * std::log(y), 0, 20),
    LANEWISE_BINARY("special_xlog1py", x == 0 && !std::isnan(y) ? 0 : x * std::log1p(y), 0, 20),
    LANEWISE_BINARY("fmod", std::fmod(x, y), -20, 20),
    LANEWISE_BINARY("remainder", reference_remainder(x, y), -20, 20),
};

const ComplexFunction kComplex[] = {
    LANEWISE_COMPLEX(exp, 60),    LANEWISE_COMPLEX(log, 100),   LANEWISE_COMPLEX(log10, 100),
    LANEWISE_COMPLEX(sqrt, 100),  LANEWISE_COMPLEX(sin, 30),    LANEWISE_COMPLEX(cos, 30),
    LANEWISE_COMPLEX(tan, 10),    LANEWISE_COMPLEX(sinh, 30),   LANEWISE_COMPLEX(cosh, 30),
    LANEWISE_COMPLEX(tanh, 10),   LANEWISE_COMPLEX(asin, 100),  LANEWISE_COMPLEX(acos, 100),
    LANEWISE_COMPLEX(atan, 100),  LANEWISE_COMPLEX(asinh, 100), LANEWISE_COMPLEX(acosh, 100),
    LANEWISE_COMPLEX(atanh, 100),
};

#undef LANEWISE_COMPLEX
#undef LANEWISE_BINARY
#undef LANEWISE_UNARY

}  // namespace

std::span<const RealFunction> real_functions() { return kReal; }
std::span<const ComplexFunction> complex_functions() { return kComplex; }

}  // namespace lanewise::tools
