#include "cases.h"

namespace lanewise::testing {

std::vector<Case> unary_cases() {
  std::vector<Case> cases;
  for (const char* op : {"neg", "abs", "sgn", "_conj_physical", "conj_physical", "conj", "reciprocal", "square", "exp",
                         "sin", "cos", "tan", "tanh", "sigmoid", "silu", "clone", "contiguous", "real", "squeeze", "t", "sum",
                         "mean", "prod", "view_as_real", "imag"}) {
    const std::string name = op;
    const bool complex_only = name == "view_as_real" || name == "imag";
    cases.push_back({name, [complex_only](D d) { return Args{in({2, 3}, complex_only ? kComplexDouble : d)}; }, true});
  }
  for (const char* op : {"sqrt", "rsqrt", "log"}) {
    cases.push_back({op, [](D d) { return Args{positive({2, 3}, d)}; }, true});
  }
  cases.push_back({"log1p", [](D d) { return Args{positive({2, 3}, d)}; }});
  for (const char* op : {"expm1", "sign", "erf", "relu", "gelu", "floor", "ceil", "trunc", "round", "softplus", "max", "min", "amax", "amin"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d)}; }});
  }
  return cases;
}

std::vector<Case> binary_cases() {
  std::vector<Case> cases;
  for (const char* op : {"add.Tensor", "sub.Tensor", "rsub.Tensor", "mul.Tensor", "div.Tensor"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), in({3}, d)}; }, true});
    cases.push_back({op, [](D d) { return Args{transposed({3, 2}, d), in({}, d)}; }, true});
  }
  for (const char* op : {"add.Scalar", "sub.Scalar", "rsub.Scalar", "mul.Scalar", "div.Scalar"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), 2.5}; }, true});
  }
  for (const char* op : {"div.Tensor_mode", "div.Scalar_mode"}) {
    cases.push_back({op, [op](D d) { return Args{in({2, 3}, d), std::string(op) == "div.Scalar_mode" ? Value(0.7) : in({3}, d)}; },
                     true});
    cases.push_back({op, [op](D d) { return Args{in({2, 3}, d), std::string(op) == "div.Scalar_mode" ? Value(0.7) : in({3}, d)}; },
                     false, {{"rounding_mode", "floor"}}});
  }
  for (const char* op : {"maximum", "minimum", "atan2", "max.other", "min.other", "clamp_min.Tensor", "clamp_max.Tensor",
                         "remainder.Tensor", "fmod.Tensor"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), in({3}, d)}; }});
  }
  for (const char* op : {"remainder.Scalar", "fmod.Scalar", "clamp_min", "clamp_max"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), 0.7}; }});
  }
  for (const double exponent : {0.0, 1.0, 2.0, 3.0, 0.5, -1.0, 2.7}) {
    cases.push_back({"pow.Tensor_Scalar", [exponent](D d) { return Args{positive({2, 3}, d), exponent}; }, true});
  }
  cases.push_back({"pow.Tensor_Tensor", [](D d) { return Args{positive({2, 3}, d), in({3}, d)}; }, true});
  cases.push_back({"pow.Scalar", [](D d) { return Args{1.7, in({3}, d)}; }, true});
  return cases;
}

std::vector<Case> ternary_cases() {
  return {
      {"addcmul", [](D d) { return Args{in({2, 3}, d), in({3}, d), in({2, 1}, d)}; }, true, {{"value", 0.7}}},
      {"addcdiv", [](D d) { return Args{in({2, 3}, d), in({3}, d), in({2, 1}, d)}; }, true, {{"value", 0.7}}},
      {"lerp.Scalar", [](D d) { return Args{in({2, 3}, d), in({3}, d), 0.3}; }, true},
      {"lerp.Tensor", [](D d) { return Args{in({2, 3}, d), in({3}, d), in({2, 1}, d)}; }, true},
      {"clamp", [](D d) { return Args{in({3, 3}, d), -0.8, 0.8}; }},
      {"clamp", [](D d) { return Args{in({3, 3}, d), {}, 0.8}; }},
      {"clamp.Tensor", [](D d) { return Args{in({4, 3}, d), in({3}, d), in({4, 1}, d)}; }},
      {"clamp.Tensor", [](D d) { return Args{in({4, 3}, d), {}, in({4, 1}, d)}; }},
      {"where.self", [](D d) { return Args{flags({2, 3}), in({3}, d), in({2, 1}, d)}; }, true},
      {"where.ScalarSelf", [](D d) { return Args{flags({2, 3}), 2, in({2, 1}, d)}; }, true},
      {"where.ScalarOther", [](D d) { return Args{flags({2, 3}), in({3}, d), 2}; }, true},
      {"masked_fill.Scalar", [](D d) { return Args{in({2, 3}, d), flags({2, 3}), 2}; }, true},
      {"masked_fill.Tensor", [](D d) { return Args{in({2, 3}, d), flags({3}), in({}, d)}; }, true},
      {"softplus", [](D d) { return Args{in({2, 3}, d), 2, 1}; }},
      {"gelu", [](D d) { return Args{in({2, 3}, d)}; }, false, {{"approximate", "tanh"}}},
      {"tanh_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d)}; }, true},
      {"sigmoid_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d)}; }, true},
      {"threshold_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d), 0}; }},
      {"gelu_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d)}; }},
      {"gelu_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d)}; }, false, {{"approximate", "tanh"}}},
      {"pow_backward", [](D d) { return Args{in({2, 3}, d), positive({2, 3}, d), 3}; }},
      {"pow_backward", [](D d) { return Args{in({2, 3}, d), positive({2, 3}, d), -0.7}; }},
      {"silu_backward", [](D d) { return Args{in({2, 3}, d), in({2, 3}, d)}; }},
  };
}

std::vector<Case> view_cases() {
  return {
      {"_to_copy", [](D d) { return Args{in({2, 3}, d)}; }, true, {{"dtype", kComplexDouble}}},
      {"to.dtype", [](D d) { return Args{in({2, 3}, d), kComplexDouble}; }, true},
      {"to.other", [](D d) { return Args{in({2, 3}, d), zeros({}, kComplexDouble)}; }, true},
      {"view", [](D d) { return Args{in({2, 6}, d), {3, 4}}; }, true},
      {"_unsafe_view", [](D d) { return Args{in({2, 6}, d), {3, 4}}; }, true},
      {"reshape", [](D d) { return Args{transposed({2, 6}, d), {3, 4}}; }, true},
      {"flatten.using_ints", [](D d) { return Args{in({2, 3, 2}, d), 1, 2}; }, true},
      {"view_as", [](D d) { return Args{in({2, 6}, d), zeros({3, 4})}; }, true},
      {"permute", [](D d) { return Args{in({2, 3, 4}, d), {2, 0, -2}}; }, true},
      {"transpose.int", [](D d) { return Args{in({2, 3, 4}, d), 0, -1}; }, true},
      {"expand", [](D d) { return Args{in({3, 1}, d), {2, 3, 4}}; }, true},
      {"expand_as", [](D d) { return Args{in({3, 1}, d), zeros({2, 3, 4})}; }, true},
      {"broadcast_to", [](D d) { return Args{in({3, 1}, d), {2, 3, 4}}; }, true},
      {"sum_to_size", [](D d) { return Args{in({2, 3, 4}, d), {3, 1}}; }, true},
      {"select.int", [](D d) { return Args{in({3, 4}, d), 1, -2}; }, true},
      {"slice.Tensor", [](D d) { return Args{in({3, 7}, d), 1, 1, -1, 2}; }, true},
      {"narrow", [](D d) { return Args{in({3, 7}, d), 1, 2, 3}; }, true},
      {"narrow.Tensor", [](D d) { return Args{in({3, 7}, d), 1, tensor(2), 3}; }, true},
      {"squeeze", [](D d) { return Args{in({1, 3, 1}, d)}; }, true},
      {"squeeze.dim", [](D d) { return Args{in({1, 3, 1}, d), -1}; }, true},
      {"squeeze.dims", [](D d) { return Args{in({1, 3, 1}, d), {0, 1}}; }, true},
      {"swapaxes", [](D d) { return Args{in({2, 3, 4}, d), 0, 1}; }, true},
      {"mT", [](D d) { return Args{in({2, 3, 4}, d)}; }, true},
      {"split_with_sizes", [](D d) { return Args{in({5, 2}, d), {2, 0, 3}}; }, true},
      {"unsqueeze", [](D d) { return Args{in({2, 3}, d), 1}; }, true},
      {"diagonal", [](D d) { return Args{in({3, 4}, d), 1}; }, true},
      {"as_strided", [](D d) { return Args{in({10}, d), {2, 3}, {4, 1}, 1}; }, true},
      {"as_strided", [](D d) { return Args{in({10}, d), {3, 4}, {2, 1}, 1}; }, true},
      {"view_as_complex", [](D) { return Args{in({3, 2}, kDouble)}; }},
      {"split.Tensor", [](D d) { return Args{in({5, 2}, d), 2}; }, true},
      {"chunk", [](D d) { return Args{in({5, 2}, d), 2}; }, true},
      {"unsafe_split.Tensor", [](D d) { return Args{in({5, 2}, d), 2}; }, true},
      {"unsafe_split_with_sizes", [](D d) { return Args{in({5, 2}, d), {2, 0, 3}}; }, true},
      {"unsafe_chunk", [](D d) { return Args{in({5, 2}, d), 2}; }, true},
      {"unbind.int", [](D d) { return Args{in({3, 2}, d), 1}; }, true},
      {"movedim.int", [](D d) { return Args{in({2, 3, 4}, d), 0, 2}; }, true},
      {"select_backward", [](D d) { return Args{in({3}, d), {3, 4}, 1, 2}; }, true},
      {"slice_backward", [](D d) { return Args{in({3, 2}, d), {3, 7}, 1, 1, 5, 2}; }, true},
      {"diagonal_backward", [](D d) { return Args{in({3}, d), {3, 4}, 1, 0, 1}; }, true},
      {"as_strided_backward", [](D d) { return Args{in({3, 4}, d), {10}, {1}, 0, {3, 4}, {2, 1}, 1}; }, true},
  };
}

std::vector<Case> reduction_cases() {
  std::vector<Case> cases = {
      {"cat", [](D d) { return Args{list_of({in({2, 3}, d), in({1, 3}, d)}), 0}; }, true},
      {"sum.dim_IntList", [](D d) { return Args{in({2, 3, 4}, d), {0, -1}}; }, true},
      {"sum.dim_IntList", [](D d) { return Args{in({2, 3}, d), {}, true}; }, true},
      {"mean.dim", [](D d) { return Args{in({2, 3, 4}, d), {0, -1}, true}; }, true},
      {"prod.dim_int", [](D d) { return Args{in({2, 3}, d), 1}; }, true},
      {"max.dim", [](D d) { return Args{in({2, 3}, d), 1}; }},
      {"min.dim", [](D d) { return Args{in({2, 3}, d), 0, true}; }},
      {"amax", [](D d) { return Args{in({2, 3, 2}, d), {0, 2}}; }},
      {"amin", [](D d) { return Args{in({2, 3, 2}, d), {1}, true}; }},
      {"_softmax", [](D d) { return Args{in({2, 4}, d), 1}; }},
      {"_log_softmax", [](D d) { return Args{in({2, 4}, d), 0}; }},
      {"softmax.int", [](D d) { return Args{in({2, 4}, d), 1}; }},
      {"log_softmax.int", [](D d) { return Args{in({2, 4}, d), 1}; }},
      {"_softmax_backward_data", [](D d) { return Args{in({2, 4}, d), in({2, 4}, d), 1, d}; }},
      {"_log_softmax_backward_data", [](D d) { return Args{in({2, 4}, d), in({2, 4}, d), 1, d}; }},
      {"nll_loss_forward", [](D d) { return Args{in({3, 4}, d), ints({1, 0, 3}), constant({4}, d), 1, -100}; }},
      {"nll_loss", [](D d) { return Args{in({3, 4}, d), ints({1, 0, 3})}; }},
      {"nll_loss", [](D d) { return Args{in({3, 4}, d), ints({1, 0, 3}), {}, 0, 0}; }},
      {"nll_loss_backward",
       [](D d) { return Args{in({}, d), constant({3, 4}, d), ints({1, 0, 3}), {}, 1, -100, full({}, 3, d)}; }},
      {"cross_entropy_loss", [](D d) { return Args{in({3, 4}, d), ints({1, 0, 3})}; }},
      {"mse_loss", [](D d) { return Args{in({3, 4}, d), in({3, 4}, d)}; }},
      {"mm", [](D d) { return Args{in({2, 3}, d), transposed({4, 3}, d)}; }, true},
      {"addmm", [](D d) { return Args{in({4}, d), in({2, 3}, d), in({3, 4}, d)}; }, true, {{"beta", 0.5}, {"alpha", 2}}},
      {"bmm", [](D d) { return Args{in({2, 2, 3}, d), in({2, 3, 2}, d)}; }, true},
      {"mv", [](D d) { return Args{in({2, 3}, d), in({3}, d)}; }, true},
      {"dot", [](D d) { return Args{in({3}, d), in({3}, d)}; }, true},
      {"linear", [](D d) { return Args{in({2, 3}, d), in({4, 3}, d), in({4}, d)}; }, true},
      {"linear", [](D d) { return Args{in({2, 2, 3}, d), in({4, 3}, d)}; }, true},
  };
  const std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> shapes = {
      {{3}, {3}}, {{2, 3}, {3, 2}}, {{2, 3}, {3}}, {{3}, {3, 2}}, {{2, 2, 3}, {3, 2}}, {{2, 1, 2, 3}, {2, 3, 2}}, {{2, 2, 3}, {3}}};
  for (const auto& [a, b] : shapes) {
    cases.push_back({"matmul", [a = a, b = b](D d) { return Args{in(a, d), in(b, d)}; }, true});
  }
  for (const std::vector<int>& zero_at : {std::vector<int>{1}, {0, 2}}) {
    cases.push_back({"prod", [zero_at](D d) {
                       Tensor t = any({4}, d);
                       for (const int i : zero_at) t[i] = 0;
                       return Args{t.requires_grad_()};
                     }, true});
    cases.push_back({"prod.dim_int", [zero_at](D d) {
                       Tensor t = any({3, 4}, d);
                       for (const int i : zero_at) t.select(1, i).zero_();
                       return Args{t.requires_grad_(), -1};
                     }, true});
  }
  return cases;
}

}  // namespace lanewise::testing
