#include "made_up_arguments.h"

#include <functional>
#include <map>
#include <optional>

namespace lanewise::testing {

Tensor made_up_numbers(IntArrayRef sizes, ScalarType dtype, std::uint64_t seed) {
  const Tensor wide = empty(sizes, kDouble);
  std::uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
  for (std::int64_t e = 0; e < wide.numel(); ++e) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    wide.data_ptr<double>()[e] = static_cast<double>(state >> 40) / (1 << 24) * 1.8 - 0.85;
  }
  if (isIntegralType(dtype, true)) return (wide * 9).abs().add(1).to(dtype);
  if (dtype == kComplexFloat || dtype == kComplexDouble) {
    return view_as_complex(stack({wide, (wide * wide - 0.5) * 0.75}, -1)).to(dtype);
  }
  return wide.to(dtype);
}

namespace {

using Dims = std::vector<std::int64_t>;

/// Operands of one call.
class Operands {
 public:
  explicit Operands(ScalarType dtype) : dtype_(dtype) {}

  Tensor operator()(IntArrayRef sizes) { return made_up_numbers(sizes, dtype_, seed_++); }
  /// From 0 to 1.
  Tensor share(IntArrayRef sizes) {
    return made_up_numbers(sizes, kDouble, seed_++).abs().clamp(0.01, 0.95).to(dtype_);
  }
  Tensor index(IntArrayRef sizes, std::int64_t limit) {
    return made_up_numbers(sizes, kLong, seed_++).mul(7).fmod(limit);
  }
  Tensor mask(IntArrayRef sizes) { return made_up_numbers(sizes, kDouble, seed_++) > 0.1; }
  Tensor signs(IntArrayRef sizes) { return mask(sizes).to(dtype_).mul(2).sub(1); }

 private:
  ScalarType dtype_;
  std::uint64_t seed_ = 0;
};

using Make = std::function<Arguments(Operands& x)>;

const std::map<std::string, Make>& table() {
  const Value none;
  static const std::map<std::string, Make> makers = {
      // Products.
      {"addbmm",
       [](Operands& x) {
         return Arguments{{x({7, 9}), x({4, 7, 33}), x({4, 33, 9})}, {}};
       }},
      {"addmv",
       [](Operands& x) {
         return Arguments{{x({19}), x({19, 37}), x({37})}, {}};
       }},
      {"mv",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x({37})}, {}};
       }},
      {"linalg_cross",
       [](Operands& x) {
         return Arguments{{x({19, 3}), x({19, 3})}, {}};
       }},
      {"einsum",
       [](Operands& x) {
         return Arguments{{"bij,bjk->ik", std::vector<Tensor>{x({3, 7, 9}), x({3, 9, 5})}}, {}};
       }},
      // Limits and numbers.
      {"clamp",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 0.25, 3}, {}};
       }},
      {"clamp.Tensor",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x({37}), x({19, 1})}, {}};
       }},
      {"fill.Tensor",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x({})}, {}};
       }},
      {"masked_fill.Tensor",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.mask({19, 37}), x({})}, {}};
       }},
      {"round.decimals",
       [](Operands& x) {
         return Arguments{{x({19, 37})}, {{"decimals", 2}}};
       }},
      {"prelu",
       [](Operands& x) {
         return Arguments{{x({5, 7, 9}), x({7})}, {}};
       }},
      {"prelu_backward",
       [](Operands& x) {
         return Arguments{{x({5, 7, 9}), x({5, 7, 9}), x({7})}, {}};
       }},
      {"glu",
       [](Operands& x) {
         return Arguments{{x({19, 38})}, {}};
       }},
      {"glu_backward",
       [](Operands& x) {
         return Arguments{{x({19, 19}), x({19, 38}), 1}, {}};
       }},
      {"glu_jvp",
       [](Operands& x) {
         return Arguments{{x({19, 19}), x({19, 38}), x({19, 38}), 1}, {}};
       }},
      // Norms, quantiles, an order.
      {"linalg_matrix_norm",
       [](Operands& x) {
         return Arguments{{x({4, 19, 37}), 1}, {}};
       }},
      {"linalg_norm.ord_str",
       [](Operands& x) {
         return Arguments{{x({19, 37}), "fro"}, {}};
       }},
      {"norm.ScalarOpt_dtype",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 3}, {{"dtype", kDouble}}};
       }},
      {"norm.ScalarOpt_dim_dtype",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 3, Dims{0}, false}, {{"dtype", kDouble}}};
       }},
      {"quantile",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.share({4}), 1}, {}};
       }},
      {"nanquantile",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.share({4}), 0}, {}};
       }},
      {"argsort.stable",
       [](Operands& x) {
         return Arguments{{x({19, 37})}, {{"stable", true}}};
       }},
      // Indices.
      {"index_add",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 0, x.index({8}, 19), x({8, 37})}, {}};
       }},
      {"index_copy",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 1, arange(0, 36, 4).to(kLong), x({19, 9})}, {}};
       }},
      {"index_fill.int_Scalar",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 1, x.index({8}, 37), 2}, {}};
       }},
      {"index_fill.int_Tensor",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 1, x.index({8}, 37), x({})}, {}};
       }},
      {"index_reduce",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 0, x.index({8}, 19), x({8, 37}), "prod"}, {}};
       }},
      {"index_select",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 1, x.index({50}, 37)}, {}};
       }},
      {"index_select_backward",
       [](Operands& x) {
         return Arguments{{x({19, 50}), Dims{19, 37}, 1, x.index({50}, 37)}, {}};
       }},
      {"embedding_dense_backward",
       [](Operands& x) {
         return Arguments{{x({50, 9}), x.index({50}, 12), 12, 3, true}, {}};
       }},
      {"scatter_reduce.two",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 0, x.index({19, 37}, 19), x({19, 37}), "mean"}, {}};
       }},
      {"scatter.reduce",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 0, x.index({19, 37}, 19), x({19, 37})}, {{"reduce", "add"}}};
       }},
      {"scatter.value_reduce",
       [](Operands& x) {
         return Arguments{{x({19, 37}), 0, x.index({19, 37}, 19), 2}, {{"reduce", "multiply"}}};
       }},
      {"one_hot",
       [](Operands& x) {
         return Arguments{{x.index({19, 3}, 11), 11}, {}};
       }},
      // Parts.
      {"constant_pad_nd",
       [](Operands& x) {
         return Arguments{{x({19, 37}), Dims{1, 2, 3, -4}, 5}, {}};
       }},
      {"pad",
       [](Operands& x) {
         return Arguments{{x({3, 19, 37}), Dims{3, 2}, "reflect"}, {}};
       }},
      {"diagonal_scatter",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x({19})}, {}};
       }},
      {"diagonal_backward",
       [](Operands& x) {
         return Arguments{{x({19}), Dims{19, 37}, 0, 0, 1}, {}};
       }},
      {"select_scatter",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x({19}), 1, 5}, {}};
       }},
      {"select_backward",
       [](Operands& x) {
         return Arguments{{x({19}), Dims{19, 37}, 1, 5}, {}};
       }},
      {"slice_backward",
       [](Operands& x) {
         return Arguments{{x({19, 6}), Dims{19, 37}, 1, 3, 20, 3}, {}};
       }},
      {"unfold_backward",
       [](Operands& x) {
         return Arguments{{x({19, 11, 7}), Dims{19, 37}, 1, 7, 3}, {}};
       }},
      {"sum_to_size",
       [](Operands& x) {
         return Arguments{{x({5, 19, 37}), Dims{19, 1}}, {}};
       }},
      {"unsafe_split_with_sizes",
       [](Operands& x) {
         return Arguments{{x({19, 37}), Dims{3, 16}}, {}};
       }},
      // Normalisations.
      {"batch_norm",
       [none](Operands& x) {
         return Arguments{{x({5, 7, 9}), x({7}), x({7}), none, none, true, 0.1, 1e-5}, {}};
       }},
      {"native_batch_norm",
       [none](Operands& x) {
         return Arguments{{x({5, 7, 9}), x({7}), x({7}), none, none, true, 0.1, 1e-5}, {}};
       }},
      {"instance_norm",
       [none](Operands& x) {
         return Arguments{{x({5, 7, 39}), x({7}), x({7}), none, none, true, 0.1, 1e-5}, {}};
       }},
      {"native_group_norm",
       [](Operands& x) {
         return Arguments{{x({5, 8, 39}), x({8}), x({8}), 5, 8, 39, 4, 1e-5}, {}};
       }},
      {"layer_norm",
       [](Operands& x) {
         return Arguments{{x({19, 37}), Dims{37}, x({37}), x({37})}, {}};
       }},
      {"native_layer_norm",
       [](Operands& x) {
         return Arguments{{x({19, 37}), Dims{37}, x({37}), x({37}), 1e-5}, {}};
       }},
      {"rms_norm",
       [](Operands& x) {
         return Arguments{{x({19, 37}), Dims{37}, x({37})}, {}};
       }},
      // Losses.
      {"binary_cross_entropy",
       [](Operands& x) {
         return Arguments{{x.share({19, 37}), x.share({19, 37})}, {}};
       }},
      {"binary_cross_entropy_with_logits",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.share({19, 37}), x({37}), x({37})}, {}};
       }},
      {"cosine_embedding_loss",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x({19, 37}), x.signs({19}), 0.25}, {}};
       }},
      {"cross_entropy_loss",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.index({19}, 37), x.share({37}), 1, 4, 0.25}, {}};
       }},
      {"kl_div",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.share({19, 37})}, {}};
       }},
      {"multi_margin_loss",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.index({19}, 37), 2}, {}};
       }},
      {"nll_loss",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.index({19}, 37), x.share({37})}, {}};
       }},
      {"nll_loss2d",
       [](Operands& x) {
         return Arguments{{x({3, 5, 7, 9}), x.index({3, 7, 9}, 5), x.share({5})}, {}};
       }},
      // Numbers by chance.
      {"bernoulli",
       [](Operands& x) {
         return Arguments{{x.share({19, 37})}, {}};
       }},
      {"multinomial",
       [](Operands& x) {
         return Arguments{{x.share({19, 37}), 50, true}, {}};
       }},
      {"normal.Tensor_Tensor",
       [](Operands& x) {
         return Arguments{{x({19, 37}), x.share({19, 37})}, {}};
       }},
      {"normal.float_Tensor",
       [](Operands& x) {
         return Arguments{{0.5, x.share({19, 37})}, {}};
       }},
      {"poisson",
       [](Operands& x) {
         return Arguments{{x.share({19, 37})}, {}};
       }},
      {"randint",
       [](Operands&) {
         return Arguments{{1000, Dims{19, 37}}, {}};
       }},
      {"rand",
       [](Operands&) {
         return Arguments{{Dims{19, 37}}, {}};
       }},
      {"randn",
       [](Operands&) {
         return Arguments{{Dims{19, 37}}, {}};
       }},
      {"randperm",
       [](Operands&) {
         return Arguments{{703}, {}};
       }},
      // Sequences.
      {"arange.start_step",
       [](Operands&) {
         return Arguments{{-3.5, 70, 0.1}, {}};
       }},
      {"linspace",
       [](Operands&) {
         return Arguments{{-3.5, 70, 703}, {}};
       }},
      {"logspace",
       [](Operands&) {
         return Arguments{{-3.5, 7, 703}, {}};
       }},
      {"bartlett_window",
       [](Operands&) {
         return Arguments{{703}, {}};
       }},
      {"bartlett_window.periodic",
       [](Operands&) {
         return Arguments{{703, false}, {}};
       }},
      {"blackman_window",
       [](Operands&) {
         return Arguments{{703}, {}};
       }},
      {"blackman_window.periodic",
       [](Operands&) {
         return Arguments{{703, false}, {}};
       }},
      {"hann_window",
       [](Operands&) {
         return Arguments{{703}, {}};
       }},
      {"hann_window.periodic",
       [](Operands&) {
         return Arguments{{703, false}, {}};
       }},
      {"hamming_window",
       [](Operands&) {
         return Arguments{{703}, {}};
       }},
      {"hamming_window.periodic",
       [](Operands&) {
         return Arguments{{703, false}, {}};
       }},
      {"hamming_window.periodic_alpha",
       [](Operands&) {
         return Arguments{{703, false, 0.6}, {}};
       }},
      {"hamming_window.periodic_alpha_beta",
       [](Operands&) {
         return Arguments{{703, true, 0.6, 0.3}, {}};
       }},
      {"kaiser_window",
       [](Operands&) {
         return Arguments{{703}, {}};
       }},
      {"kaiser_window.periodic",
       [](Operands&) {
         return Arguments{{703, false}, {}};
       }},
      {"kaiser_window.beta",
       [](Operands&) {
         return Arguments{{703, true, 2.5}, {}};
       }},
  };
  return makers;
}

}  // namespace

Arguments own_arguments(const std::string& op, ScalarType dtype) {
  const auto found = table().find(op);
  if (found == table().end()) return {};
  Operands operands(dtype);
  return found->second(operands);
}

}  // namespace lanewise::testing
