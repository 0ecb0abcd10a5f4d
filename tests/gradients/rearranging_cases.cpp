#include "cases.h"

namespace lanewise::testing {

std::vector<Case> rearranging_cases() {
  std::vector<Case> cases = {
      {"numpy_T", [](D d) { return Args{in({2, 3, 2}, d)}; }, true},
      {"mH", [](D d) { return Args{in({2, 3}, d)}; }, true},
      {"matrix_H", [](D d) { return Args{in({2, 3}, d)}; }, true},
      {"resolve_conj", [](D d) { return Args{in({2, 3}, d)}; }, true},
      {"resolve_neg", [](D d) { return Args{in({2, 3}, d)}; }, true},
      {"adjoint", [](D d) { return Args{in({2, 3}, d)}; }, true},
      {"narrow_copy", [](D d) { return Args{in({2, 3}, d), 1, 1, 2}; }, true},
      {"index_reduce", [](D d) { return Args{in({3, 4}, d), 0, ints({0, 2, 0}), in({3, 4}, d), "prod"}; }, true},
      {"index_reduce", [](D d) { return Args{in({3, 4}, d), 1, ints({0, 2}), in({3, 2}, d), "amax"}; }},
      {"flip",
       [](D d) {
         return Args{in({2, 3}, d), {1}};
       },
       true},
      {"fliplr",
       [](D d) {
         return Args{in({2, 3}, d)};
       },
       true},
      {"flipud",
       [](D d) {
         return Args{in({2, 3}, d)};
       },
       true},
      {"roll",
       [](D d) {
         return Args{in({2, 3}, d), {1, -1}, {0, 1}};
       },
       true},
      {"rot90",
       [](D d) {
         return Args{in({2, 3}, d)};
       },
       true},
      {"repeat",
       [](D d) {
         return Args{in({2, 3}, d), {2, 1, 3}};
       },
       true},
      {"tile",
       [](D d) {
         return Args{in({2, 3}, d), {2}};
       },
       true},
      {"repeat_interleave.self_Tensor",
       [](D d) {
         return Args{in({2, 3}, d), ints({2, 0, 1}), 1};
       },
       true},
      {"repeat_interleave.self_int",
       [](D d) {
         return Args{in({2, 3}, d), 2};
       },
       true},
      {"constant_pad_nd",
       [](D d) {
         return Args{in({2, 3}, d), {1, -1, 0, 2}, 1.5};
       },
       true},
      {"pixel_shuffle",
       [](D d) {
         return Args{in({4, 2, 1}, d), 2};
       },
       true},
      {"pixel_unshuffle",
       [](D d) {
         return Args{in({1, 2, 4}, d), 2};
       },
       true},
      {"channel_shuffle",
       [](D d) {
         return Args{in({1, 4, 2}, d), 2};
       },
       true},
      {"tril",
       [](D d) {
         return Args{in({2, 3, 3}, d), 1};
       },
       true},
      {"triu",
       [](D d) {
         return Args{in({3, 4}, d), -1};
       },
       true},
      {"diag",
       [](D d) {
         return Args{in({3}, d), 1};
       },
       true},
      {"diag",
       [](D d) {
         return Args{in({3, 4}, d), -1};
       },
       true},
      {"diag_embed",
       [](D d) {
         return Args{in({2, 3}, d), 1};
       },
       true},
      {"diagflat",
       [](D d) {
         return Args{in({2, 2}, d), -1};
       },
       true},
      {"block_diag",
       [](D d) {
         return Args{list_of({in({2, 2}, d), in({3}, d)})};
       },
       true},
      {"select_scatter",
       [](D d) {
         return Args{in({3, 4}, d), in({3}, d), 1, 2};
       },
       true},
      {"slice_scatter",
       [](D d) {
         return Args{in({3, 4}, d), in({3, 2}, d), 1, 0, 4, 2};
       },
       true},
      {"diagonal_scatter",
       [](D d) {
         return Args{in({3, 4}, d), in({3}, d), 1};
       },
       true},
      {"as_strided_scatter",
       [](D d) {
         return Args{in({3, 4}, d), in({2, 2}, d), {2, 2}, {4, 1}, 1};
       },
       true},
      {"unfold",
       [](D d) {
         return Args{in({2, 5}, d), 1, 3, 1};
       },
       true},
      {"unfold_backward",
       [](D d) {
         return Args{in({2, 3, 3}, d), {2, 5}, 1, 3, 1};
       },
       true},
      {"vander",
       [](D d) {
         return Args{in({3}, d), 3};
       }},
      {"stack",
       [](D d) {
         return Args{list_of({in({2, 3}, d), in({2, 3}, d)}), -1};
       },
       true},
      {"concat",
       [](D d) {
         return Args{list_of({in({2, 3}, d), in({1, 3}, d)})};
       },
       true},
      {"concatenate",
       [](D d) {
         return Args{list_of({in({2, 3}, d), in({2, 1}, d)}), 1};
       },
       true},
      {"column_stack",
       [](D d) {
         return Args{list_of({in({2}, d), in({2, 1}, d)})};
       },
       true},
      {"atleast_1d", [](D d) { return Args{in({}, d)}; }, true},
      {"atleast_2d", [](D d) { return Args{in({3}, d)}; }, true},
      {"atleast_3d",
       [](D d) {
         return Args{in({2, 2}, d)};
       },
       true},
      {"broadcast_tensors",
       [](D d) {
         return Args{list_of({in({2, 1}, d), in({3}, d)})};
       },
       true},
      {"meshgrid",
       [](D d) {
         return Args{list_of({in({2}, d), in({3}, d)})};
       },
       true},
      {"meshgrid.indexing",
       [](D d) {
         return Args{list_of({in({2}, d), in({3}, d)})};
       },
       true,
       {{"indexing", "xy"}}},
      {"pad_sequence",
       [](D d) {
         return Args{list_of({in({2, 3}, d), in({4, 3}, d)}), true, 0.5};
       },
       true},
      {"cartesian_prod",
       [](D d) {
         return Args{list_of({in({2}, d), in({3}, d)})};
       },
       true},
      {"combinations", [](D d) { return Args{in({4}, d)}; }, true},
      {"split.sizes",
       [](D d) {
         return Args{in({5, 2}, d), {2, 3}};
       },
       true},
      {"tensor_split.sections",
       [](D d) {
         return Args{in({5, 2}, d), 2};
       },
       true},
      {"tensor_split.indices",
       [](D d) {
         return Args{in({5, 2}, d), {1, 3}};
       },
       true},
      {"tensor_split.tensor_indices_or_sections",
       [](D d) {
         return Args{in({5, 2}, d), ints({1, 3})};
       },
       true},
      {"hsplit.int",
       [](D d) {
         return Args{in({2, 4}, d), 2};
       },
       true},
      {"hsplit.array",
       [](D d) {
         return Args{in({2, 4}, d), {1}};
       },
       true},
      {"vsplit.int",
       [](D d) {
         return Args{in({4, 2}, d), 2};
       },
       true},
      {"vsplit.array",
       [](D d) {
         return Args{in({4, 2}, d), {1}};
       },
       true},
      {"dsplit.int",
       [](D d) {
         return Args{in({1, 2, 4}, d), 2};
       },
       true},
      {"dsplit.array",
       [](D d) {
         return Args{in({1, 2, 4}, d), {1}};
       },
       true},
      {"movedim.intlist",
       [](D d) {
         return Args{in({2, 3, 2}, d), {0, 2}, {1, 0}};
       },
       true},
      {"moveaxis.intlist",
       [](D d) {
         return Args{in({2, 3, 2}, d), {0, 2}, {1, 0}};
       },
       true},
      {"moveaxis.int",
       [](D d) {
         return Args{in({2, 3, 2}, d), 0, 2};
       },
       true},
      {"swapdims",
       [](D d) {
         return Args{in({2, 3, 2}, d), 0, 2};
       },
       true},
      {"unflatten.int",
       [](D d) {
         return Args{in({2, 6}, d), 1, {2, -1}};
       },
       true},
      {"reshape_as",
       [](D d) {
         return Args{in({2, 6}, d), zeros({3, 4})};
       },
       true},
      {"ravel",
       [](D d) {
         return Args{in({2, 3}, d)};
       },
       true},
      {"alias",
       [](D d) {
         return Args{in({2, 3}, d)};
       },
       true},
      {"type_as",
       [](D d) {
         return Args{in({2, 3}, d), zeros({}, kComplexDouble)};
       },
       true},
      {"sort",
       [](D d) {
         return Args{in({3, 4}, d), 0, true};
       }},
      {"sort.stable",
       [](D d) {
         return Args{in({3, 4}, d)};
       },
       false,
       {{"stable", true}}},
      {"msort",
       [](D d) {
         return Args{in({3, 4}, d)};
       }},
      {"topk",
       [](D d) {
         return Args{in({3, 4}, d), 2};
       }},
      {"kthvalue",
       [](D d) {
         return Args{in({3, 4}, d), 2, 0};
       }},
      {"quantile",
       [](D d) {
         return Args{in({3, 4}, d), tensor({0.2, 0.7}, d), 1};
       }},
      {"nanquantile",
       [](D d) {
         return Args{in({3, 4}, d), tensor({0.45, 0.6}, d), {}, true};
       }},
      {"quantile.scalar",
       [](D d) {
         return Args{in({3, 4}, d), 0.3, 1};
       }},
      {"quantile.scalar",
       [](D d) {
         return Args{in({3, 4}, d), 0.8, {}, true};
       },
       false,
       {{"interpolation", "midpoint"}}},
      {"nanquantile.scalar",
       [](D d) {
         return Args{in({3, 4}, d), 0.5, 0};
       }},
  };
  for (const char* op : {"hstack", "vstack", "row_stack", "dstack", "atleast_1d.Sequence",
                         "atleast_2d.Sequence", "atleast_3d.Sequence"}) {
    cases.push_back({op, [](D d) { return Args{list_of({in({2, 3}, d), in({2, 3}, d)})}; }, true});
  }
  for (const char* mode : {"reflect", "replicate", "circular"}) {
    cases.push_back({"pad", [mode](D d) { return Args{in({1, 2, 4}, d), {2, 1}, mode}; }, true});
  }
  return cases;
}

}  // namespace lanewise::testing
