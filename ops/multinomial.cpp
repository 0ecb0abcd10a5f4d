#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/distributions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// Weights of categories, row by row.
struct Weights {
  const double* data;
  std::int64_t rows, categories;

  const double* row(std::int64_t r) const { return data + r * categories; }
};

/// f(begin, end) on ranges of rows, in parallel, with so many weights and samples in each row.
template <class F>
void share_rows(const Weights& weights, std::int64_t num_samples, F&& f) {
  constexpr std::int64_t kLeast = 8192;  // of both, for a thread
  parallel_for(0, weights.rows,
               divup(kLeast, std::min(weights.categories, kLeast) + std::min(num_samples, kLeast)), f);
}

void check_weights(const Weights& weights, std::int64_t num_samples, bool replacement) {
  const auto drawable = [](double x) { return x > 0; };
  share_rows(weights, num_samples, [&](std::int64_t first, std::int64_t end_row) {
    for (std::int64_t r = first; r < end_row; ++r) {
      const double *begin = weights.row(r), *end = begin + weights.categories;
      LANEWISE_CHECK(ValueError, std::all_of(begin, end, [](double x) { return x >= 0 && std::isfinite(x); }),
                     "multinomial: row ", r, " has weights that are negative, infinite or NaN");
      LANEWISE_CHECK(ValueError, std::any_of(begin, end, drawable), "multinomial: the weights of row ", r,
                     " sum to zero");
      LANEWISE_CHECK(ValueError, replacement || std::count_if(begin, end, drawable) >= num_samples,
                     "multinomial: row ", r, " has fewer than ", num_samples,
                     " categories with a weight above zero; draw with replacement, or fewer");
    }
  });
}

/// Each sample is the category in whose part of the sum of all weights a uniform number falls.
void draw_with_replacement(const Weights& weights, std::int64_t num_samples, std::int64_t* out) {
  const Tensor draws = unit_draws("multinomial", {weights.rows, num_samples});
  const auto* u = static_cast<const double*>(draws.data_ptr());
  share_rows(weights, num_samples, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> sums(static_cast<std::size_t>(weights.categories));
    for (std::int64_t r = begin; r < end; ++r) {
      std::partial_sum(weights.row(r), weights.row(r) + weights.categories, sums.begin());
      const auto category_at = [&](double x) {
        return std::upper_bound(sums.begin(), sums.end(), x) - sums.begin();
      };
      // The last category that can be drawn, should rounding reach the whole sum.
      const std::int64_t last = category_at(std::nextafter(sums.back(), 0.0));
      for (std::int64_t i = r * num_samples; i < (r + 1) * num_samples; ++i)
        out[i] = std::min<std::int64_t>(category_at(u[i] * sums.back()), last);
    }
  });
}

/// Arrival times at rates given by the weights: the first ones are a sample (Efraimidis and Spirakis, 2006).
void draw_without_replacement(const Weights& weights, const Tensor& rates, std::int64_t num_samples,
                              std::int64_t* out) {
  const Tensor times = unit_draws("multinomial", rates.sizes()).neg_().log1p_().neg_().div_(rates);
  share_rows(weights, num_samples, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(weights.categories));
    for (std::int64_t r = begin; r < end; ++r) {
      const auto* time = static_cast<const double*>(times.data_ptr()) + r * weights.categories;
      std::iota(order.begin(), order.end(), 0);
      // 0 / 0 is NaN: a weight of zero never arrives.
      const auto key = [&](std::int64_t i) {
        return weights.row(r)[i] > 0 ? time[i] : std::numeric_limits<double>::infinity();
      };
      std::partial_sort(order.begin(), order.begin() + num_samples, order.end(),
                        [&](std::int64_t a, std::int64_t b) {
                          const double x = key(a), y = key(b);
                          return x != y ? x < y : a < b;
                        });
      std::copy_n(order.begin(), num_samples, out + r * num_samples);
    }
  });
}

}  // namespace

Tensor multinomial(const Tensor& self, std::int64_t num_samples, bool replacement) {
  check_floating_self("multinomial", self);
  LANEWISE_CHECK(ShapeError, self.dim() == 1 || self.dim() == 2,
                 "multinomial: expects weights of 1 or 2 dimensions, but their shape is ", self.sizes());
  LANEWISE_CHECK(ValueError, num_samples > 0, "multinomial: expects at least one sample, but got ",
                 num_samples);
  const std::int64_t categories = self.size(-1), rows = self.dim() == 2 ? self.size(0) : 1;
  LANEWISE_CHECK(ValueError, replacement || num_samples <= categories,
                 "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement: ",
                 num_samples, " of ", categories, " categories");
  const Tensor rates = self.detach().to(kDouble).contiguous().view({rows, categories});
  const Weights weights{static_cast<const double*>(rates.data_ptr()), rows, categories};
  check_weights(weights, num_samples, replacement);
  Tensor result = lanewise::detail::empty_cpu(
      self.dim() == 2 ? DimVector{rows, num_samples} : DimVector{num_samples}, kLong);
  auto* out = static_cast<std::int64_t*>(result.data_ptr());
  replacement ? draw_with_replacement(weights, num_samples, out)
              : draw_without_replacement(weights, rates, num_samples, out);
  return result;
}

}  // namespace lanewise::ops
