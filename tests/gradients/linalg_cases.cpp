#include "cases.h"

namespace lanewise::testing {
std::vector<Case> linalg_cases() {
  const std::vector<NamedValue> scaled = {{"beta", 0.5}, {"alpha", -2}};
  std::vector<Case> cases = {
      {"baddbmm",
       [](D d) {
         return Args{in({2, 2, 2}, d), in({2, 2, 3}, d), in({2, 3, 2}, d)};
       },
       true, scaled},
      {"baddbmm",
       [](D d) {
         return Args{in({2}, d), in({2, 2, 3}, d), in({2, 3, 2}, d)};
       },
       true},
      {"addbmm",
       [](D d) {
         return Args{in({2, 2}, d), in({2, 2, 3}, d), in({2, 3, 2}, d)};
       },
       true, scaled},
      {"addmv",
       [](D d) {
         return Args{in({2}, d), transposed({3, 2}, d), in({3}, d)};
       },
       true, scaled},
      {"addmv",
       [](D d) {
         return Args{in({}, d), in({2, 3}, d), in({3}, d)};
       },
       true,
       {{"beta", 0}}},
      {"addmm",
       [](D d) {
         return Args{in({2, 2}, d), transposed({3, 2}, d), in({3, 2}, d)};
       },
       true, scaled},
      {"addr",
       [](D d) {
         return Args{in({2, 3}, d), in({2}, d), in({3}, d)};
       },
       true, scaled},
      {"addr",
       [](D d) {
         return Args{in({3}, d), in({2}, d), in({3}, d)};
       },
       true,
       {{"beta", 0}}},
      {"vdot",
       [](D d) {
         return Args{in({3}, d), in({3}, d)};
       },
       true},
      {"outer",
       [](D d) {
         return Args{in({3}, d), in({2}, d)};
       },
       true},
      {"ger",
       [](D d) {
         return Args{in({3}, d), in({2}, d)};
       },
       true},
      {"inner",
       [](D d) {
         return Args{in({2, 3}, d), in({2, 2, 3}, d)};
       },
       true},
      {"inner",
       [](D d) {
         return Args{in({}, d), in({2, 3}, d)};
       },
       true},
      {"linalg_matmul",
       [](D d) {
         return Args{in({2, 2, 3}, d), in({3}, d)};
       },
       true},
      {"linear",
       [](D d) {
         return Args{in({2, 2, 3}, d), in({4, 3}, d), in({4}, d)};
       },
       true},
      {"linear",
       [](D d) {
         return Args{in({3}, d), in({4, 3}, d), in({4}, d)};
       },
       true},
      {"bilinear",
       [](D d) {
         return Args{in({2, 3}, d), in({2, 2}, d), in({4, 3, 2}, d), in({4}, d)};
       },
       true},
      {"tensordot",
       [](D d) {
         return Args{in({2, 3, 4}, d), in({4, 2, 2}, d), {2, 0}, {0, 1}};
       },
       true},
      {"tensordot",
       [](D d) {
         return Args{in({2, 3}, d), in({1, 2}, d), {1}, {0}};
       },
       true},
      {"kron",
       [](D d) {
         return Args{in({2, 2}, d), in({3}, d)};
       },
       true},
      {"linalg_multi_dot",
       [](D d) {
         return Args{list_of({in({3}, d), in({3, 2}, d), in({2, 2}, d)})};
       },
       true},
      {"chain_matmul",
       [](D d) {
         return Args{list_of({in({2, 3}, d), in({3, 1}, d), in({1, 2}, d)})};
       },
       true},
      {"linalg_cross",
       [](D d) {
         return Args{in({2, 3}, d), in({1, 3}, d)};
       },
       true},
      {"linalg_cross",
       [](D d) {
         return Args{in({3, 2}, d), in({3, 2}, d)};
       },
       true,
       {{"dim", 0}}},
      {"cross",
       [](D d) {
         return Args{in({2, 3}, d), in({2, 3}, d)};
       },
       true},
      {"linalg_vecdot",
       [](D d) {
         return Args{in({2, 3}, d), in({3}, d)};
       },
       true},
      {"linalg_det", [](D d) { return Args{in({3, 3}, d)}; }, true},
      {"det", [](D d) { return Args{in({2, 2, 2}, d)}; }, true},
      {"linalg_inv", [](D d) { return Args{in({2, 3, 3}, d)}; }, true},
      {"inverse", [](D d) { return Args{in({2, 2}, d)}; }, true},
      {"_linalg_solve", [](D d) { return Args{in({3, 3}, d), in({3, 2}, d)}; }, true},
      {"linalg_solve", [](D d) { return Args{in({3, 3}, d), in({3}, d)}; }, true},
      {"linalg_solve", [](D d) { return Args{in({2, 2, 2}, d), in({2, 2}, d)}; }, true},
      {"linalg_solve", [](D d) { return Args{in({2, 2}, d), in({3, 2}, d)}; }, true, {{"left", false}}},
      {"trace",
       [](D d) {
         return Args{in({3, 2}, d)};
       },
       true},
  };
  for (const std::int64_t n : {-2, 1, 2, 3, 5}) {
    cases.push_back({n == 2 ? "linalg_matrix_power" : "matrix_power",
                     [n](D d) {
                       return Args{in({2, 2}, d), n};
                     },
                     true});
  }
  for (const char* equation : {"ij,jk->ki", "ij,ij->", "...ij,...jk", "ij,k->k"}) {
    cases.push_back({"einsum",
                     [equation](D d) {
                       const bool apart = std::string(equation) == "ij,k->k";
                       return Args{equation, list_of({in({2, 2}, d), apart ? in({3}, d) : in({2, 2}, d)})};
                     },
                     true});
  }
  cases.push_back({"einsum", [](D d) { return Args{"iij->j", list_of({in({2, 2, 3}, d)})}; }, true});
  cases.push_back({"einsum",
                   [](D d) {
                     return Args{"ai,bi,bj->aj", list_of({in({2, 2}, d), in({3, 2}, d), in({3, 2}, d)})};
                   },
                   true,
                   {{"path", {1, 2, 0, 1}}}});
  return cases;
}

}  // namespace lanewise::testing
