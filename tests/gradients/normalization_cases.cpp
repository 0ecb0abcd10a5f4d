#include <limits>

#include "cases.h"

namespace lanewise::testing {
namespace {

/// No two alike, so that small steps do not change which is largest.
Value distinct(IntArrayRef sizes, D dtype) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return (((arange(count, kDouble) * 0.7 + 0.3).sin() * 2).reshape(sizes)).to(dtype).requires_grad_();
}
Value classes_of(IntArrayRef sizes, std::vector<std::int64_t> values) {
  return ints(std::move(values)).get_if<Tensor>()->reshape(sizes);
}

}  // namespace

std::vector<Case> normalization_cases() {
  std::vector<Case> cases = {
      {"cummax",
       [](D d) {
         return Args{distinct({2, 5}, d), -1};
       }},
      {"cummin",
       [](D d) {
         return Args{distinct({4, 3}, d), 0};
       }},
      {"special_softmax",
       [](D d) {
         return Args{in({2, 4}, d), 1};
       }},
      {"special_log_softmax",
       [](D d) {
         return Args{in({2, 4}, d), -1};
       }},
      {"softmin",
       [](D d) {
         return Args{in({2, 4}, d), 0};
       }},
      {"native_layer_norm",
       [](D d) {
         return Args{in({2, 3, 4}, d), {3, 4}, in({3, 4}, d), in({3, 4}, d), 1e-5};
       }},
      {"layer_norm",
       [](D d) {
         return Args{in({3, 4}, d), {4}};
       }},
      {"layer_norm",
       [](D d) {
         return Args{in({5}, d), {5}, in({5}, d)};
       }},
      {"rms_norm",
       [](D d) {
         return Args{in({2, 3, 4}, d), {4}, in({4}, d)};
       }},
      {"native_batch_norm",
       [](D d) {
         return Args{in({4, 3}, d), in({3}, d), in({3}, d), {}, {}, true, 0.1, 1e-5};
       }},
      {"native_batch_norm",
       [](D d) {
         return Args{in({2, 3, 2}, d),
                     in({3}, d),
                     in({3}, d),
                     constant({3}, d),
                     (rand({3}, kDouble) + 0.5).to(d),
                     false,
                     0.1,
                     1e-5};
       }},
      {"batch_norm",
       [](D d) {
         return Args{in({2, 3, 2}, d), {}, in({3}, d), {}, {}, true, 0.1, 1e-5};
       }},
      {"native_group_norm",
       [](D d) {
         return Args{in({2, 4, 3}, d), in({4}, d), in({4}, d), 2, 4, 3, 2, 1e-5};
       }},
      {"group_norm",
       [](D d) {
         return Args{in({2, 4}, d), 2, {}, in({4}, d)};
       }},
      {"instance_norm",
       [](D d) {
         return Args{in({2, 3, 4}, d), in({3}, d), in({3}, d), {}, {}, true, 0.1, 1e-5};
       }},
      {"normalize",
       [](D d) {
         return Args{in({2, 3}, d)};
       }},
      {"normalize",
       [](D d) {
         return Args{in({2, 3}, d), 3.0, 0};
       }},
      {"cosine_similarity",
       [](D d) {
         return Args{in({2, 3}, d), in({3}, d)};
       }},
      {"pairwise_distance",
       [](D d) {
         return Args{in({2, 3}, d), in({2, 3}, d)};
       }},
      {"pairwise_distance",
       [](D d) {
         return Args{in({2, 3}, d), in({3}, d), 3.0, 1e-6, true};
       }},
      {"cdist",
       [](D d) {
         return Args{in({2, 3, 2}, d), in({4, 2}, d)};
       }},
      {"pdist",
       [](D d) {
         return Args{in({4, 3}, d)};
       }},
      {"nll_loss2d_forward",
       [](D d) {
         return Args{in({2, 3, 1, 2}, d), classes_of({2, 1, 2}, {0, 2, 1, -100}), constant({3}, d), 1, -100};
       }},
      {"nll_loss2d",
       [](D d) {
         return Args{in({2, 3, 1, 2}, d), classes_of({2, 1, 2}, {0, 2, 1, 1}), {}, 0};
       }},
      {"nll_loss_nd",
       [](D d) {
         return Args{in({2, 3, 2}, d), classes_of({2, 2}, {0, 2, 1, 1})};
       }},
      {"cross_entropy_loss",
       [](D d) {
         return Args{in({2, 3, 2}, d), classes_of({2, 2}, {0, 2, -100, 1}), constant({3}, d)};
       }},
      {"cross_entropy_loss",
       [](D d) {
         return Args{in({3, 4}, d), in({3, 4}, d), constant({4}, d)};
       }},
  };
  for (const std::int64_t reduction : {0, 1, 2}) {
    for (const double smoothing : {0.0, 0.2}) {
      cases.push_back(
          {"cross_entropy_loss", [=](D d) {
             return Args{
                 in({3, 4}, d), ints({1, 0, 3}), constant({4}, d).get_if<Tensor>()->abs(), reduction, 0,
                 smoothing};
           }});
      cases.push_back({"cross_entropy_loss", [=](D d) {
                         return Args{in({3, 4}, d), in({3, 4}, d), {}, reduction, -100, smoothing};
                       }});
    }
    cases.push_back({"gaussian_nll_loss", [=](D d) {
                       return Args{in({3, 2}, d), in({3, 2}, d), positive({3, 2}, d), true, 1e-6, reduction};
                     }});
    cases.push_back({"triplet_margin_loss", [=](D d) {
                       return Args{in({3, 4}, d), in({3, 4}, d), in({3, 4}, d),  1.5,
                                   2.0,           1e-6,          reduction != 1, reduction};
                     }});
    for (const std::int64_t p : {1, 2}) {
      cases.push_back({"multi_margin_loss", [=](D d) {
                         return Args{distinct({3, 4}, d),
                                     ints({1, 0, 3}),
                                     p,
                                     0.8,
                                     constant({4}, d).get_if<Tensor>()->abs(),
                                     reduction};
                       }});
    }
    cases.push_back(
        {"multilabel_margin_loss", [=](D d) {
           return Args{distinct({2, 4}, d), classes_of({2, 4}, {3, 0, -1, 1, 2, -1, 0, 0}), reduction};
         }});
    cases.push_back(
        {"multilabel_margin_loss_forward", [=](D d) {
           return Args{distinct({2, 4}, d), classes_of({2, 4}, {3, 0, -1, 1, 2, -1, 0, 0}), reduction};
         }});
    cases.push_back({"multilabel_soft_margin_loss", [=](D d) {
                       return Args{in({3, 4}, d), in({3, 4}, d), constant({4}, d), reduction};
                     }});
  }
  for (const double p : {0.0, 1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    cases.push_back({"_cdist_forward",
                     [=](D d) {
                       return Args{in({3, 2}, d), in({2, 2}, d), p, {}};
                     },
                     false,
                     {},
                     p != 0});
    cases.push_back({"_pdist_forward", [=](D d) { return Args{in({3, 2}, d), p}; }, false, {}, p != 0});
  }
  for (const char* op : {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"}) {
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), 0.0, true}; }, true});
    cases.push_back({op, [](D d) { return Args{in({2, 3}, d), 0.5, false}; }, true});
  }
  cases.push_back({"native_dropout", [](D d) { return Args{in({2, 3}, d), 0.0, true}; }});
  return cases;
}

}  // namespace lanewise::testing
