#include <limits>

#include "cases.h"

namespace lanewise::testing {
namespace {

/// Distinct values, so that small steps do not change which is where in the order.
Value distinct(IntArrayRef sizes, D dtype) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const Tensor spread = (arange(count, kDouble) * 0.7 + 0.3).sin() * 2;
  return spread.reshape(sizes).to(dtype).requires_grad_();
}

/// With zeros at these places along dim.
Value zeros_at(std::vector<int> places, IntArrayRef sizes, std::int64_t dim, D dtype) {
  Tensor t = any(sizes, dtype).clone();
  for (const int i : places) t.select(dim, i).zero_();
  return t.requires_grad_();
}

}  // namespace

std::vector<Case> more_reduction_cases() {
  std::vector<Case> cases = {
      {"aminmax",
       [](D d) {
         return Args{distinct({2, 3, 2}, d)};
       }},
      {"aminmax",
       [](D d) {
         return Args{distinct({2, 3, 2}, d)};
       },
       false,
       {{"dim", -2}, {"keepdim", true}}},
      {"nansum",
       [](D d) {
         return Args{in({2, 3, 2}, d), {0, -1}};
       }},
      {"nansum",
       [](D d) {
         return Args{in({2, 3}, d)};
       }},
      {"nanmean",
       [](D d) {
         return Args{in({2, 3}, d), {-1}};
       }},
      {"var",
       [](D d) {
         return Args{in({2, 3}, d), false};
       },
       true},
      {"var.dim",
       [](D d) {
         return Args{in({2, 3}, d), {-1}, true, true};
       },
       true},
      {"var.correction",
       [](D d) {
         return Args{in({2, 3, 2}, d), {0, -1}};
       },
       true,
       {{"correction", 0.5}}},
      {"std",
       [](D d) {
         return Args{in({2, 3}, d), true};
       },
       true},
      {"std.dim",
       [](D d) {
         return Args{in({2, 3}, d), {1}, false};
       },
       true},
      {"std.correction",
       [](D d) {
         return Args{in({2, 3, 2}, d), {0, -1}};
       },
       true,
       {{"keepdim", true}}},
      {"var_mean",
       [](D d) {
         return Args{in({2, 3}, d), true};
       },
       true},
      {"var_mean.dim",
       [](D d) {
         return Args{in({2, 3}, d), {0}, true};
       },
       true},
      {"var_mean.correction",
       [](D d) {
         return Args{in({2, 3}, d), {-1}};
       },
       true,
       {{"correction", 0}}},
      {"std_mean",
       [](D d) {
         return Args{in({2, 3}, d), true};
       },
       true},
      {"std_mean.dim",
       [](D d) {
         return Args{in({2, 3}, d), {0}, true};
       },
       true},
      {"std_mean.correction",
       [](D d) {
         return Args{in({2, 3}, d), {-1}};
       },
       true,
       {{"correction", 0}}},
      {"linalg_norm",
       [](D d) {
         return Args{in({2, 3}, d)};
       },
       true},
      {"linalg_norm",
       [](D d) {
         return Args{in({2, 3}, d), 1};
       }},
      {"linalg_norm.ord_str",
       [](D d) {
         return Args{in({2, 3}, d), "fro"};
       },
       true},
      {"linalg_matrix_norm",
       [](D d) {
         return Args{in({2, 3, 2}, d), std::numeric_limits<double>::infinity(), {0, 2}};
       }},
      {"linalg_matrix_norm.str_ord",
       [](D d) {
         return Args{in({2, 3, 2}, d)};
       },
       true},
      {"frobenius_norm.dim",
       [](D d) {
         return Args{in({2, 3}, d), {0, 1}};
       },
       true},
      {"dist",
       [](D d) {
         return Args{in({2, 3}, d), in({3}, d), 2};
       },
       true},
      {"dist",
       [](D d) {
         return Args{in({2, 3}, d), in({2, 1}, d), 3};
       }},
      {"renorm",
       [](D d) {
         return Args{in({3, 4}, d), 2, -1, 1.1};
       },
       true},
      {"renorm",
       [](D d) {
         return Args{in({3, 2, 2}, d), 1, 0, 2.5};
       }},
      {"logsumexp",
       [](D d) {
         return Args{in({2, 3, 2}, d), {0, -1}};
       }},
      {"logsumexp",
       [](D d) {
         return Args{in({2, 3}, d), {-1}, true};
       }},
      {"special_logsumexp",
       [](D d) {
         return Args{in({2, 3}, d), {0}};
       }},
      {"median",
       [](D d) {
         return Args{distinct({2, 4}, d)};
       }},
      {"median.dim",
       [](D d) {
         return Args{distinct({2, 4}, d), -2, true};
       }},
      {"nanmedian",
       [](D d) {
         return Args{distinct({2, 4}, d)};
       }},
      {"nanmedian.dim",
       [](D d) {
         return Args{distinct({2, 4}, d), 1};
       }},
      {"mode",
       [](D d) {
         return Args{distinct({2, 4}, d)};
       }},
      {"cumsum",
       [](D d) {
         return Args{in({2, 3, 2}, d), -2};
       },
       true},
      {"cumsum",
       [](D d) {
         return Args{in({}, d), 0};
       },
       true},
      {"_reverse_cumsum",
       [](D d) {
         return Args{in({2, 3}, d), 1};
       },
       true},
      {"cumprod",
       [](D d) {
         return Args{in({2, 3}, d), -1};
       },
       true},
      {"cumprod",
       [](D d) {
         return Args{zeros_at({1}, {2, 4}, -1, d), 1};
       },
       true},
      {"cumprod",
       [](D d) {
         return Args{zeros_at({0, 2}, {4, 2}, 0, d), -2};
       },
       true},
      {"logcumsumexp",
       [](D d) {
         return Args{in({2, 3}, d), -1};
       }},
      {"logcumsumexp",
       [](D d) {
         return Args{in({3, 2}, d), 0};
       }},
      {"_reverse_logcumsumexp",
       [](D d) {
         return Args{in({3, 2}, d), 0};
       }},
      {"diff",
       [](D d) {
         return Args{in({2, 5}, d), 2};
       },
       true},
      {"diff",
       [](D d) {
         return Args{in({3, 2}, d), 1, 0, in({1, 2}, d), in({2, 2}, d)};
       },
       true},
      {"trapezoid.x",
       [](D d) {
         return Args{in({2, 4}, d), in({4}, d)};
       }},
      {"trapezoid.dx",
       [](D d) {
         return Args{in({2, 4}, d)};
       },
       true,
       {{"dx", 0.5}, {"dim", 0}}},
      {"trapz.x",
       [](D d) {
         return Args{in({2, 4}, d), in({2, 4}, d)};
       }},
      {"trapz.dx",
       [](D d) {
         return Args{in({2, 4}, d)};
       },
       true},
      {"cumulative_trapezoid.x",
       [](D d) {
         return Args{in({2, 4}, d), in({4}, d)};
       }},
      {"cumulative_trapezoid.dx",
       [](D d) {
         return Args{in({2, 4}, d)};
       },
       true},
      {"cov",
       [](D d) {
         return Args{in({2, 4}, d)};
       },
       true},
      {"corrcoef",
       [](D d) {
         return Args{in({2, 4}, d)};
       }},
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, infinity, -infinity, -1.0}) {
    const bool twice = p != 0;
    cases.push_back({"norm.Scalar", [p](D d) { return Args{distinct({2, 3}, d), p}; }, false, {}, twice});
    cases.push_back({"norm.ScalarOpt_dim",
                     [p](D d) {
                       return Args{distinct({2, 3, 2}, d), p, {0, -1}, true};
                     },
                     false,
                     {},
                     twice});
    cases.push_back({"linalg_vector_norm",
                     [p](D d) {
                       return Args{distinct({2, 3}, d), p, {-1}};
                     },
                     false,
                     {},
                     twice});
  }
  for (const double p : {1.0, 1.5, 2.0, 3.0}) {
    cases.push_back({"norm.Scalar", [p](D d) { return Args{in({2, 3}, d), p}; }, true});
    cases.push_back({"linalg_vector_norm", [p](D d) { return Args{in({2, 3}, d), p, {0}}; }, true});
  }
  cases.push_back({"norm.ScalarOpt_dtype",
                   [](D d) {
                     return Args{in({2, 3}, d), {}};
                   },
                   false,
                   {{"dtype", kDouble}}});
  cases.push_back({"norm.ScalarOpt_dim_dtype",
                   [](D d) {
                     return Args{in({2, 3}, d), 3, {1}, false};
                   },
                   false,
                   {{"dtype", kDouble}}});
  return cases;
}

}  // namespace lanewise::testing
