#include "cases.h"

namespace lanewise::testing {
namespace {

/// Evenly spread between the bounds; of complex numbers both parts.
Value within(double low, double high, IntArrayRef sizes, D dtype) {
  const Tensor re = rand(sizes, kDouble) * (high - low) + low;
  if (!isComplexType(dtype)) return re.to(dtype).requires_grad_();
  const Tensor im = rand(sizes, kDouble) * (high - low) + low;
  return view_as_complex(stack({re, im}, -1)).to(dtype).requires_grad_();
}

/// Values without a gradient.
Value number_in(double low, double high, IntArrayRef sizes, D dtype) {
  return (rand(sizes, kDouble) * (high - low) + low).to(dtype);
}
Value signs(IntArrayRef sizes, D dtype) { return (rand(sizes, kDouble) > 0.5).to(dtype) * 2 - 1; }

}  // namespace

std::vector<Case> pointwise_cases() {
  std::vector<Case> cases;
  for (const char* op : {"sinh", "cosh", "sinc", "negative", "absolute", "special_sinc", "special_expit",
                         "angle", "positive", "atan", "arctan", "asinh", "arcsinh"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d)}; }, true});
  }
  for (const char* op :
       {"tanhshrink",    "softsign",    "exp2",          "erfc",        "special_erf", "special_erfc", "special_exp2", "special_expm1",
        "frac",          "fix",         "deg2rad",     "rad2deg",      "special_ndtr", "special_log_ndtr",
        "special_erfcx", "i0",          "special_i0",  "special_i0e",  "special_i1",   "special_i1e",
        "nan_to_num",    "frexp.Tensor"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d)}; }});
  }
  for (const char* op : {"log2", "log10"})
    cases.push_back({op, [](D d) { return Args{positive({2, 3}, d)}; }, true});
  for (const char* op : {"special_log1p", "special_entr"})
    cases.push_back({op, [](D d) { return Args{positive({2, 3}, d)}; }});
  for (const char* op : {"asin", "acos", "atanh", "arcsin", "arccos", "arctanh"}) {
    cases.push_back({op, [](D d) { return Args{within(-0.9, 0.9, {2, 3}, d)}; }, true});
  }
  for (const char* op : {"acosh", "arccosh"})
    cases.push_back({op, [](D d) { return Args{within(1.2, 4, {2, 3}, d)}; }});
  for (const char* op : {"erfinv", "special_erfinv"})
    cases.push_back({op, [](D d) { return Args{within(-0.8, 0.8, {2, 3}, d)}; }});
  for (const char* op : {"special_bessel_j0", "special_bessel_j1", "special_modified_bessel_i0",
                         "special_modified_bessel_i1", "special_spherical_bessel_j0"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d)}; }});
  }
  for (const char* op :
       {"special_bessel_y0", "special_bessel_y1", "special_modified_bessel_k0", "special_modified_bessel_k1",
        "special_scaled_modified_bessel_k0", "special_scaled_modified_bessel_k1"}) {
    cases.push_back({op, [](D d) { return Args{within(0.6, 4, {2, 3}, d)}; }});
  }
  cases.push_back({"special_ndtri", [](D d) { return Args{within(0.1, 0.9, {2, 3}, d)}; }});
  for (const char* op : {"lgamma", "digamma", "special_gammaln", "special_digamma", "special_psi"}) {
    cases.push_back({op, [](D d) { return Args{within(0.6, 4, {2, 3}, d)}; }});
  }
  for (const char* op : {"polygamma", "special_polygamma"}) {
    cases.push_back({op, [](D d) { return Args{2, within(0.6, 4, {2, 3}, d)}; }});
  }
  for (const char* op : {"mvlgamma", "special_multigammaln"}) {
    cases.push_back({op, [](D d) { return Args{within(1.6, 4, {2, 3}, d), 3}; }});
  }
  cases.push_back({"special_zeta", [](D d) {
                     return Args{number_in(1.5, 4, {2, 3}, d), within(0.6, 4, {3}, d)};
                   }});
  cases.push_back({"special_zeta.self_scalar", [](D d) { return Args{2.5, within(0.6, 4, {3}, d)}; }});
  for (const std::string family :
       {"special_chebyshev_polynomial_t", "special_shifted_chebyshev_polynomial_t",
        "special_hermite_polynomial_h", "special_hermite_polynomial_he"}) {
    const bool second = family.find("hermite") != std::string::npos;  // U has no derivative
    cases.push_back(
        {family,
         [](D d) { return Args{within(0.1, 0.9, {2, 3}, d), arange(0, 9, 4, TensorOptions(kLong))}; },
         false,
         {},
         second});
    cases.push_back({family + ".n_scalar", [](D d) { return Args{within(0.1, 0.9, {2, 3}, d), 5}; }, false, {}, second});
  }
  cases.push_back({"fill.Scalar", [](D d) { return Args{in({2, 3}, d), 2.5}; }, true});
  cases.push_back({"fill.Tensor", [](D d) { return Args{in({2, 3}, d), in({}, d)}; }, true});
  for (const char* op : {"igamma", "igammac", "special_gammainc", "special_gammaincc"}) {
    cases.push_back({op, [](D d) {
                       return Args{number_in(0.4, 4, {2, 3}, d), within(0.3, 5, {3}, d)};
                     }});
  }
  for (const char* op : {"logit", "special_logit"}) {
    cases.push_back({op, [](D d) { return Args{within(0.1, 0.9, {2, 3}, d)}; }});
    cases.push_back({op, [](D d) { return Args{within(-0.2, 1.2, {3, 3}, d), 0.05}; }});
  }
  for (const char* op : {"round.decimals", "special_round"}) {
    cases.push_back({op, [](D d) { return Args{within(0.11, 0.14, {2, 3}, d)}; }, false, {{"decimals", 1}}});
  }
  for (const char* op : {"multiply.Tensor", "subtract.Tensor", "divide.Tensor", "true_divide.Tensor"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), in({3}, d)}; }, true});
  }
  for (const char* op : {"multiply.Scalar", "subtract.Scalar", "divide.Scalar", "true_divide.Scalar"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), 2.5}; }, true});
  }
  cases.push_back({"divide.Tensor_mode",
                   [](D d) {
                     return Args{in({2, 3}, d), in({3}, d)};
                   },
                   false,
                   {{"rounding_mode", "floor"}}});
  cases.push_back({"divide.Scalar_mode",
                   [](D d) {
                     return Args{in({2, 3}, d), 0.7};
                   },
                   false,
                   {{"rounding_mode", "trunc"}}});
  for (const char* op : {"hypot", "copysign.Tensor", "arctan2", "fmax", "fmin", "logaddexp", "logaddexp2"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), in({3}, d)}; }});
  }
  cases.push_back({"copysign.Scalar", [](D d) { return Args{in({2, 3}, d), -2.0}; }});
  cases.push_back({"remainder.Scalar_Tensor", [](D d) { return Args{2.7, in({2, 3}, d)}; }});
  for (const char* op : {"xlogy.Tensor", "special_xlogy", "special_xlog1py"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), positive({3}, d)}; }});
  }
  for (const char* op : {"xlogy.Scalar_Self", "special_xlogy.self_scalar", "special_xlog1py.self_scalar"}) {
    cases.push_back({op, [](D d) { return Args{1.5, positive({2, 3}, d)}; }});
  }
  for (const char* op :
       {"xlogy.Scalar_Other", "special_xlogy.other_scalar", "special_xlog1py.other_scalar"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), 1.5}; }});
  }
  cases.push_back({"float_power.Tensor_Tensor",
                   [](D d) {
                     return Args{positive({2, 3}, d), in({3}, d)};
                   },
                   true});
  cases.push_back({"float_power.Tensor_Scalar", [](D d) { return Args{positive({2, 3}, d), 2.5}; }, true});
  cases.push_back({"float_power.Scalar", [](D d) { return Args{1.7, in({2, 3}, d)}; }, true});
  cases.push_back({"ldexp.Tensor", [](D d) { return Args{in({2, 3}, d), in({3}, d)}; }, true});
  for (const char* op : {"complex", "polar"})
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), in({3}, d)}; }});
  cases.push_back({"clip", [](D d) { return Args{in({3, 3}, d), -0.8, 0.8}; }});
  cases.push_back({"clip.Tensor", [](D d) { return Args{in({4, 3}, d), in({3}, d), in({4, 1}, d)}; }});
  return cases;
}

std::vector<Case> activation_cases() {
  std::vector<Case> cases;
  for (const char* op : {"leaky_relu", "elu", "selu", "celu", "hardtanh", "relu6", "hardsigmoid", "hardswish",
                         "hardshrink", "softshrink", "mish", "log_sigmoid", "log_sigmoid_forward", "rrelu"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d)}; }});
  }
  cases.push_back({"threshold", [](D d) { return Args{in({2, 3}, d), 0.2, -1.5}; }});
  cases.push_back({"elu", [](D d) { return Args{in({2, 3}, d), 0.7, 1.3, 1.6}; }});
  cases.push_back({"celu", [](D d) { return Args{in({2, 3}, d), 0.7}; }});
  cases.push_back({"hardswish", [](D d) { return Args{within(-5, 5, {3, 3}, d)}; }});
  cases.push_back({"prelu", [](D d) { return Args{in({2, 3, 2}, d), in({3}, d)}; }});
  cases.push_back({"prelu", [](D d) { return Args{in({2, 3}, d), in({1}, d)}; }});
  cases.push_back({"prelu_backward", [](D d) {
                     return Args{in({2, 3, 2}, d), in({2, 3, 2}, d), in({3}, d)};
                   }});
  cases.push_back({"rrelu_with_noise", [](D d) { return Args{in({2, 3}, d), zeros({2, 3}, d), 0.1, 0.3}; }});
  cases.push_back({"rrelu_with_noise_backward", [](D d) {
                     return Args{in({2, 3}, d), in({2, 3}, d), constant({2, 3}, d), 0.1, 0.3, false, false};
                   }});
  cases.push_back({"rrelu_with_noise_backward", [](D d) {
                     return Args{in({2, 3}, d), in({2, 3}, d), constant({2, 3}, d), 0.1, 0.3, true, false};
                   }});
  cases.push_back({"glu", [](D d) { return Args{in({2, 4}, d)}; }});
  cases.push_back({"glu", [](D d) { return Args{transposed({3, 4}, d), -2}; }});
  cases.push_back({"glu_jvp", [](D d) { return Args{in({2, 2}, d), in({2, 4}, d), in({2, 4}, d), 1}; }});
  cases.push_back({"glu_backward", [](D d) { return Args{in({2, 2}, d), in({2, 4}, d), 1}; }});
  for (const char* op : {"hardsigmoid_backward", "hardswish_backward", "mish_backward"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), in({2, 3}, d)}; }});
  }
  for (const char* op : {"hardshrink_backward", "softshrink_backward"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), in({2, 3}, d), 0.5}; }});
  }
  cases.push_back({"leaky_relu_backward", [](D d) {
                     return Args{in({2, 3}, d), in({2, 3}, d), 0.3, false};
                   }});
  cases.push_back({"hardtanh_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d), -0.7, 0.7}; }});
  cases.push_back({"softplus_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d), 2, 1}; }});
  cases.push_back({"logit_backward", [](D d) { return Args{in({2, 3}, d), within(0.1, 0.9, {2, 3}, d)}; }});
  cases.push_back({"elu_backward", [](D d) {
                     return Args{in({2, 3}, d), 0.7, 1.3, 1.6, false, in({2, 3}, d)};
                   }});
  cases.push_back({"elu_backward", [](D d) {
                     return Args{in({2, 3}, d), 0.7, 1.3, 1.6, true, in({2, 3}, d)};
                   }});
  // By its first operand only: the buffer moves with the second, which the case of log_sigmoid checks.
  cases.push_back({"log_sigmoid_backward", [](D d) {
                     const Tensor self = any({2, 3}, d);
                     return Args{in({2, 3}, d), self, (-self.abs()).exp()};
                   }});
  return cases;
}

std::vector<Case> loss_cases() {
  std::vector<Case> cases;
  for (const std::int64_t reduction : {0, 1, 2}) {
    for (const char* op : {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}) {
      cases.push_back({op, [reduction](D d) { return Args{in({3, 2}, d), in({3, 2}, d), reduction}; }});
    }
    cases.push_back({"mse_loss", [reduction](D d) { return Args{in({3, 2}, d), in({2}, d), reduction}; }});
    cases.push_back({"smooth_l1_loss", [reduction](D d) {
                       return Args{in({3, 2}, d), in({3, 1}, d), reduction, 0.7};
                     }});
    cases.push_back({"huber_loss", [reduction](D d) {
                       return Args{in({3, 2}, d), in({3, 2}, d), reduction, 0.7};
                     }});
    cases.push_back({"soft_margin_loss", [reduction](D d) {
                       return Args{in({3, 2}, d), signs({3, 2}, d), reduction};
                     }});
    cases.push_back({"binary_cross_entropy", [reduction](D d) {
                       return Args{within(0.1, 0.9, {3, 2}, d), within(0.1, 0.9, {3, 2}, d), {}, reduction};
                     }});
    cases.push_back(
        {"binary_cross_entropy", [reduction](D d) {
           return Args{within(0.1, 0.9, {3, 2}, d), within(0.1, 0.9, {3, 2}, d), constant({2}, d), reduction};
         }});
    cases.push_back({"binary_cross_entropy_with_logits", [reduction](D d) {
                       return Args{in({3, 2}, d), in({3, 2}, d), {}, {}, reduction};
                     }});
    cases.push_back(
        {"binary_cross_entropy_with_logits", [reduction](D d) {
           return Args{in({3, 2}, d), in({3, 2}, d), constant({2}, d), constant({2}, d), reduction};
         }});
    cases.push_back({"kl_div", [reduction](D d) {
                       return Args{in({3, 2}, d), within(0.1, 0.9, {3, 2}, d), reduction};
                     }});
    cases.push_back({"kl_div",
                     [reduction](D d) {
                       return Args{in({3, 2}, d), in({3, 2}, d), reduction};
                     },
                     false,
                     {{"log_target", true}}});
    cases.push_back({"poisson_nll_loss", [reduction](D d) {
                       return Args{in({3, 2}, d), number_in(0.5, 4, {3, 2}, d), true, true, 1e-8, reduction};
                     }});
    cases.push_back(
        {"poisson_nll_loss", [reduction](D d) {
           return Args{positive({3, 2}, d), number_in(0.5, 4, {3, 2}, d), false, false, 1e-8, reduction};
         }});
    cases.push_back({"hinge_embedding_loss", [reduction](D d) {
                       return Args{in({3, 2}, d), signs({3, 2}, d), 0.9, reduction};
                     }});
    cases.push_back({"margin_ranking_loss", [reduction](D d) {
                       return Args{in({4}, d), in({4}, d), signs({4}, d), 0.2, reduction};
                     }});
    cases.push_back({"margin_ranking_loss", [reduction](D d) {
                       return Args{in({2, 3}, d), in({3}, d), signs({2, 1}, d), 0.2, reduction};
                     }});
    cases.push_back({"cosine_embedding_loss", [reduction](D d) {
                       return Args{in({3, 4}, d), in({3, 4}, d), signs({3}, d), 0.1, reduction};
                     }});
    const std::vector<std::int64_t> sizes =
        reduction == 0 ? std::vector<std::int64_t>{3, 2} : std::vector<std::int64_t>{};
    cases.push_back({"mse_loss_backward", [=](D d) {
                       return Args{in(sizes, d), in({3, 2}, d), in({3, 2}, d), reduction};
                     }});
    cases.push_back({"smooth_l1_loss_backward", [=](D d) {
                       return Args{in(sizes, d), in({3, 2}, d), in({3, 2}, d), reduction, 0.7};
                     }});
    cases.push_back({"huber_loss_backward", [=](D d) {
                       return Args{in(sizes, d), in({3, 2}, d), in({3, 2}, d), reduction, 0.7};
                     }});
    cases.push_back({"soft_margin_loss_backward", [=](D d) {
                       return Args{in(sizes, d), in({3, 2}, d), signs({3, 2}, d), reduction};
                     }});
    cases.push_back({"binary_cross_entropy_backward", [=](D d) {
                       return Args{in(sizes, d), within(0.1, 0.9, {3, 2}, d), within(0.1, 0.9, {3, 2}, d),
                                   constant({2}, d), reduction};
                     }});
  }
  return cases;
}

}  // namespace lanewise::testing
