#include "cases.h"

namespace lanewise::testing {
namespace {

Value numbers(std::vector<std::int64_t> values, IntArrayRef sizes) {
  return std::get<Tensor>(ints(std::move(values)).content()).reshape(sizes);
}

Value mask(std::vector<std::int64_t> values, IntArrayRef sizes) {
  return std::get<Tensor>(numbers(std::move(values), sizes).content()).to(kBool);
}

}  // namespace

std::vector<Case> indexing_cases() {
  std::vector<Case> cases = {
      {"index.Tensor",
       [](D d) {
         return Args{in({3, 4}, d), list_of({ints({0, 2, 0, -1})})};
       },
       true},
      {"index.Tensor",
       [](D d) {
         return Args{in({3, 2, 4}, d), list_of({ints({0, 2}), {}, numbers({1, 1, 3}, {3, 1})})};
       },
       true},
      {"index.Tensor",
       [](D d) {
         return Args{in({3, 2}, d), list_of({mask({1, 0, 1, 1, 0, 1}, {3, 2})})};
       },
       true},
      {"index_put",
       [](D d) {
         return Args{in({3, 4}, d), list_of({ints({0, 2})}), in({2, 4}, d)};
       },
       true},
      {"index_put",
       [](D d) {
         return Args{in({3, 4}, d), list_of({{}, ints({0, 2, 0})}), in({3}, d), true};
       },
       true},
      {"index_put",
       [](D d) {
         return Args{in({3, 4}, d), list_of({mask({1, 0, 1}, {3})}), in({}, d)};
       },
       true},
      {"_index_backward",
       [](D d) {
         return Args{in({4, 2}, d), {3, 2}, list_of({ints({0, 2, 0, 1})})};
       },
       true},
      {"index_select",
       [](D d) {
         return Args{in({3, 4}, d), 1, ints({0, 3, 0})};
       },
       true},
      {"index_select",
       [](D d) {
         return Args{transposed({3, 4}, d), 0, ints({2, 2})};
       },
       true},
      {"index_select_backward",
       [](D d) {
         return Args{in({3, 2}, d), {3, 4}, 1, ints({0, 3})};
       },
       true},
      {"index_add",
       [](D d) {
         return Args{in({3, 4}, d), 1, ints({0, 3, 0}), in({3, 3}, d)};
       },
       true,
       {{"alpha", 1.5}}},
      {"index_copy",
       [](D d) {
         return Args{in({3, 4}, d), 0, ints({2, 0}), in({2, 4}, d)};
       },
       true},
      {"index_fill.int_Scalar",
       [](D d) {
         return Args{in({3, 4}, d), 0, ints({2, 0}), 2.5};
       },
       true},
      {"index_fill.int_Tensor",
       [](D d) {
         return Args{in({3, 4}, d), 1, ints({2, 0}), in({}, d)};
       },
       true},
      {"gather",
       [](D d) {
         return Args{in({3, 4}, d), 0, numbers({0, 2, 0, 1, 1, 2}, {2, 3})};
       },
       true},
      {"gather",
       [](D d) {
         return Args{in({3, 4}, d), -1, numbers({0, 2, 0, 1, 1, 2}, {3, 2})};
       },
       true},
      {"_gather_backward",
       [](D d) {
         return Args{in({2, 3}, d), {3, 4}, 0, numbers({0, 2, 0, 1, 1, 2}, {2, 3})};
       },
       true},
      {"scatter.src",
       [](D d) {
         return Args{in({3, 4}, d), 0, numbers({0, 2, 0, 1, 1, 2}, {2, 3}), in({2, 3}, d)};
       },
       true},
      {"scatter.value",
       [](D d) {
         return Args{in({3, 4}, d), 1, numbers({0, 2, 3, 1, 1, 2}, {3, 2}), 1.5};
       },
       true},
      {"scatter_add",
       [](D d) {
         return Args{in({3, 4}, d), 1, numbers({0, 0, 3, 1, 1, 1}, {3, 2}), in({3, 2}, d)};
       },
       true},
      {"take",
       [](D d) {
         return Args{in({3, 4}, d), numbers({0, 11, -2, 0}, {2, 2})};
       },
       true},
      {"put",
       [](D d) {
         return Args{in({3, 4}, d), numbers({0, 11, -2, 3}, {2, 2}), in({4}, d)};
       },
       true},
      {"put",
       [](D d) {
         return Args{in({3, 4}, d), numbers({0, 11, -2, 0}, {2, 2}), in({2, 2}, d), true};
       },
       true},
      {"take_along_dim",
       [](D d) {
         return Args{in({3, 4}, d), numbers({0, 2, 1}, {1, 3}), 1};
       },
       true},
      {"take_along_dim",
       [](D d) {
         return Args{in({3, 4}, d), ints({0, 2, 9})};
       },
       true},
      {"masked_select",
       [](D d) {
         return Args{in({3, 2}, d), mask({1, 0, 1, 1, 0, 1}, {3, 2})};
       },
       true},
      {"masked_select",
       [](D d) {
         return Args{in({2}, d), mask({1, 0, 1, 1, 0, 1}, {3, 2})};
       },
       true},
      {"masked_scatter",
       [](D d) {
         return Args{in({3, 2}, d), mask({1, 0, 1, 1, 0, 1}, {3, 2}), in({5}, d)};
       },
       true},
      {"embedding",
       [](D d) {
         return Args{in({5, 3}, d), numbers({1, 4, 1, 2}, {2, 2})};
       },
       true},
      {"embedding_dense_backward",
       [](D d) {
         return Args{in({2, 2, 3}, d), numbers({1, 4, 1, 2}, {2, 2}), 5, 2, true};
       },
       true},
  };
  for (const char* reduce : {"add", "multiply"}) {
    cases.push_back({"scatter.reduce",
                     [](D d) {
                       return Args{in({3, 4}, d), 0, numbers({0, 2, 0, 1, 1, 2}, {2, 3}), in({2, 3}, d)};
                     },
                     true,
                     {{"reduce", reduce}}});
    cases.push_back({"scatter.value_reduce",
                     [](D d) {
                       return Args{in({3, 4}, d), 0, numbers({0, 2, 0, 1, 1, 2}, {2, 3}), 1.5};
                     },
                     true,
                     {{"reduce", reduce}}});
  }
  for (const char* reduce : {"sum", "prod", "mean", "amax", "amin"}) {
    for (const bool include_self : {true, false}) {
      cases.push_back(
          {"scatter_reduce.two",
           [reduce](D d) {
             return Args{in({3, 4}, d), 0, numbers({0, 2, 0, 0, 1, 2}, {2, 3}), in({2, 3}, d), reduce};
           },
           reduce[0] != 'a',
           {{"include_self", include_self}}});
    }
  }
  // Products with a zero in them have slopes towards it, and so have two zeros in the second derivative.
  for (const auto& zeros_at : std::vector<std::vector<std::int64_t>>{{1}, {1, 4}, {0, 3, 5}}) {
    cases.push_back({"scatter_reduce.two",
                     [zeros_at](D d) {
                       const Tensor src = any({6}, d).index_fill(0, tensor(zeros_at), 0).requires_grad_();
                       return Args{in({2}, d), 0, numbers({0, 0, 0, 0, 0, 1}, {6}), src, "prod"};
                     },
                     true,
                     {}});
  }
  return cases;
}

}  // namespace lanewise::testing
