#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/kernels/kernel.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/loss.h>
#include <lanewise/ops/softmax.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>

#include "call.h"
#include "reduction_support.h"

namespace lanewise {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr ScalarType kFloating[] = {kFloat, kDouble, kHalf, kBFloat16};

/// Calls f with the positions, in logical order, of every sequence along `dim`.
template <class F>
void each_sequence(IntArrayRef sizes, std::int64_t dim, F f) {
  const auto d = static_cast<std::size_t>(dim);
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) (i < d ? outer : inner) *= i == d ? 1 : sizes[i];
  const std::int64_t n = sizes.empty() ? 1 : sizes[d];
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      std::vector<std::size_t> at;
      for (std::int64_t k = 0; k < n; ++k) at.push_back(static_cast<std::size_t>((o * n + k) * inner + i));
      f(at);
    }
  }
}

std::vector<Wide> softmax_reference(const std::vector<Wide>& x, IntArrayRef sizes, std::int64_t dim,
                                    bool log) {
  std::vector<Wide> y(x.size());
  each_sequence(sizes, dim, [&](const std::vector<std::size_t>& at) {
    long double max = -std::numeric_limits<long double>::infinity();
    for (const std::size_t i : at) max = std::max(max, x[i].real());
    long double sum = 0;
    for (const std::size_t i : at) sum += std::exp(x[i].real() - max);
    for (const std::size_t i : at) {
      y[i] = log ? x[i].real() - max - std::log(sum) : std::exp(x[i].real() - max) / sum;
    }
  });
  return y;
}

std::vector<Wide> backward_reference(const std::vector<Wide>& g, const std::vector<Wide>& y,
                                     IntArrayRef sizes, std::int64_t dim, bool log) {
  std::vector<Wide> out(g.size());
  each_sequence(sizes, dim, [&](const std::vector<std::size_t>& at) {
    long double sum = 0;
    for (const std::size_t i : at) sum += log ? g[i].real() : g[i].real() * y[i].real();
    for (const std::size_t i : at) {
      out[i] = log ? g[i].real() - std::exp(y[i].real()) * sum : (g[i].real() - sum) * y[i].real();
    }
  });
  return out;
}

void expect_near(const std::vector<Wide>& got, const std::vector<Wide>& expected, long double scale,
                 ScalarType t) {
  const long double eps = epsilon(t) + 8 * epsilon(is_reduced_floating_point(t) ? kFloat : t);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_LE(std::abs(got[i] - expected[i]), eps * (scale + 2 * std::abs(expected[i])))
        << i << ": " << static_cast<double>(got[i].real()) << " against "
        << static_cast<double>(expected[i].real());
  }
}

TEST(Softmax, MatchesTheFormulasInAnyLayout) {
  Rng rng(7);
  for (int i = 0; i < 600; ++i) {
    const ScalarType dtype = kFloating[pick(rng, 0, 3)];
    const DimVector shape = random_shape(rng, 4, 4000);
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t dim = rank == 0 ? 0 : pick(rng, 0, rank - 1);
    SCOPED_TRACE(::testing::Message() << dtype << " " << IntArrayRef(shape) << " over " << dim);
    const Tensor x = random_tensor(rng, shape, dtype);
    const Tensor elsewhere = scattered(rng, x);
    for (const bool log : {false, true}) {
      const Tensor y = log ? ops::log_softmax(x, dim) : ops::softmax(x, dim);
      ASSERT_EQ(y.scalar_type(), dtype);
      ASSERT_NO_FATAL_FAILURE(
          expect_near(values(y), softmax_reference(values(x), shape, dim, log), 1, dtype));
      ASSERT_EQ(bits(log ? ops::log_softmax(elsewhere, dim) : ops::softmax(elsewhere, dim)), bits(y));

      const Tensor g = random_tensor(rng, shape, dtype);
      const Tensor gx = log ? ops::log_softmax_backward_data(g, y, dim, dtype)
                            : ops::softmax_backward_data(g, y, dim, dtype);
      const long double n = rank == 0 ? 1 : static_cast<long double>(shape[static_cast<std::size_t>(dim)]);
      ASSERT_NO_FATAL_FAILURE(expect_near(
          values(gx), backward_reference(values(g), values(y), shape, dim, log), 4 + n / 4, dtype));
    }
  }
}

TEST(Softmax, SameBitsOnTiersThreadsAndPaths) {
  Rng rng(11);
  for (const auto& [rows, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {5000, 10}, {700, 31}, {300, 257}, {1043, 70}, {1030, 300}, {40, 5000}, {1, 1}}) {
    for (const ScalarType dtype : kFloating) {
      const Tensor x = random_tensor(rng, {rows, n}, dtype);
      const Tensor g = random_tensor(rng, {rows, n}, dtype);
      // The same sequences as columns: another kernel.
      const auto as_columns = [rows = rows, n = n, dtype](const Tensor& t) {
        const Tensor to = detail::empty_cpu({n, rows}, dtype);
        set_values(detail::make_view(to, {rows, n}, {1, rows}, 0), values(t));
        return to;
      };
      const Tensor columns = as_columns(x), g_columns = as_columns(g);
      std::string first;
      std::string first_sse;
      for (const Isa isa : available_isas()) {
        const IsaGuard tier(isa);
        std::string& expected =
            isa == Isa::sse4_2 ? first_sse : first;  // exp has no fused multiply-add there
        for (const int threads : {1, 2, 3, 7}) {
          const ThreadCount guard(threads);
          const Tensor y = ops::log_softmax(x, 1);
          const std::string all = bits(y) + bits(ops::softmax(x, 1)) +
                                  bits(ops::log_softmax_backward_data(g, y, 1, dtype)) +
                                  bits(ops::softmax_backward_data(g, y, 1, dtype));
          if (expected.empty()) expected = all;
          ASSERT_EQ(all, expected) << name(isa) << " " << threads << " threads, " << rows << " x " << n << " "
                                   << dtype;
          const Tensor s = ops::softmax(x, 1), log_columns = ops::log_softmax(columns, 0),
                       s_columns = ops::softmax(columns, 0);
          for (const auto& [by_columns, by_rows] :
               {std::pair(log_columns, y), std::pair(s_columns, s),
                std::pair(ops::log_softmax_backward_data(g_columns, log_columns, 0, dtype),
                          ops::log_softmax_backward_data(g, y, 1, dtype)),
                std::pair(ops::softmax_backward_data(g_columns, s_columns, 0, dtype),
                          ops::softmax_backward_data(g, s, 1, dtype))})
            ASSERT_EQ(bits(detail::make_view(by_columns, {rows, n}, {1, rows}, 0)), bits(by_rows))
                << name(isa) << n << dtype;
        }
      }
    }
  }
}

// Where they lie end to end, registers hold several rows; turned, each sequence is a row.
TEST(Softmax, SameBitsOfGradientsOfFewColumns) {
  Rng rng(13);
  for (const std::int64_t columns : {2, 3, 5, 8, 12, 16, 17, 28, 31, 32, 33}) {
    for (const std::int64_t n : {31, 32, 33, 48, 70, 257, 1030}) {
      for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
        const DimVector shape{5, n, columns};
        const Tensor y = random_tensor(rng, shape, dtype), g = random_tensor(rng, shape, dtype);
        const auto turned = [](const Tensor& t) { return ops::dense(ops::transpose(t, 1, 2)); };
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          for (const int threads : {1, 3, 7}) {
            const ThreadCount guard(threads);
            const auto what = ::testing::Message() << name(isa) << " " << threads << " threads, " << n
                                                   << " x " << columns << " " << dtype;
            ASSERT_EQ(bits(turned(ops::softmax_backward_data(g, y, 1, dtype))),
                      bits(ops::softmax_backward_data(turned(g), turned(y), 2, dtype)))
                << what;
            ASSERT_EQ(bits(turned(ops::log_softmax_backward_data(g, y, 1, dtype))),
                      bits(ops::log_softmax_backward_data(turned(g), turned(y), 2, dtype)))
                << what;
          }
        }
      }
    }
  }
}

TEST(Softmax, SameBitsPastTheCaches) {
  const ThreadCount guard(1);
  for (const ScalarType dtype : {kFloat, kDouble}) {
    constexpr std::int64_t kRows = 2056, kPart = 257;
    const std::int64_t n = dtype == kFloat ? 4096 : 2048;
    static_assert(kRows * 4096 * 4 > kernels::kStreamOutputFrom && kRows % kPart == 0);
    Rng rng(12);
    const Tensor x = random_tensor(rng, {kPart, n}, dtype);
    const Tensor repeated = ops::dense(ops::expand(ops::unsqueeze(x, 0), {kRows / kPart, kPart, n}));
    for (const Isa isa : available_isas()) {
      const IsaGuard tier(isa);
      const std::pair<Tensor, Tensor> few(ops::softmax(x, 1), ops::log_softmax(x, 1));
      const std::pair<Tensor, Tensor> all(ops::softmax(repeated, 2), ops::log_softmax(repeated, 2));
      const Tensor few_back = ops::softmax_backward_data(x, few.first, 1, dtype),
                   all_back = ops::softmax_backward_data(repeated, all.first, 2, dtype);
      for (const auto& [part, whole] : {std::pair(few.first, all.first), std::pair(few.second, all.second),
                                        std::pair(few_back, all_back)}) {
        for (std::int64_t i = 0; i < kRows / kPart; ++i)
          ASSERT_EQ(
              std::memcmp(ops::select(whole, 0, i).const_data_ptr(), part.const_data_ptr(), part.nbytes()), 0)
              << name(isa) << " " << dtype << " " << i;
      }
    }
  }
}

TEST(Softmax, Specials) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor y = ops::softmax(make({2, 3}, kDouble, {1e300, Wide(-inf), 1e300, 0, Wide(inf), 0}), 1);
  const auto v = values(y);
  EXPECT_EQ(v[0], Wide(0.5));
  EXPECT_EQ(v[1], Wide(0));
  EXPECT_TRUE(std::isnan(static_cast<double>(v[4].real())));
  EXPECT_EQ(ops::softmax(make({0, 3}, kFloat, {}), 0).sizes(), IntArrayRef({0, 3}));
  EXPECT_EQ(ops::softmax(make({}, kFloat, {4}), -1).item<float>(), 1);
  EXPECT_THAT(Call([] {
                ops::softmax(make({2}, kInt, {1, 2}), 0);
              }),
              ThrowsMessage<DtypeError>(HasSubstr("softmax: not defined for")));
  EXPECT_THAT(Call([] {
                ops::log_softmax(make({2}, kFloat, {1, 2}), 1);
              }),
              ThrowsMessage<IndexError>(HasSubstr("out of range")));
}

TEST(NllLoss, MatchesTheDefinition) {
  Rng rng(13);
  for (int i = 0; i < 300; ++i) {
    const ScalarType dtype = kFloating[pick(rng, 0, 3)];
    const std::int64_t classes = pick(rng, 1, 12);
    DimVector target_shape = pick(rng, 0, 4) == 0 ? DimVector() : DimVector{pick(rng, 1, 70)};
    DimVector shape = target_shape;
    shape.push_back(classes);
    if (!target_shape.empty() && pick(rng, 0, 2) == 0) {
      const std::int64_t extra = pick(rng, 1, 5);
      target_shape.push_back(extra);
      shape.push_back(extra);
    }
    const std::int64_t inner = shape.size() == 3 ? shape[2] : 1;
    const Tensor x = scattered(rng, random_tensor(rng, shape, dtype, -2));
    const Tensor w = pick(rng, 0, 1) ? random_tensor(rng, {classes}, dtype, 2) : Tensor();
    std::int64_t samples = 1;
    for (const std::int64_t s : target_shape) samples *= s;
    std::vector<Wide> target;
    constexpr std::int64_t kIgnore = -7;
    for (std::int64_t k = 0; k < samples; ++k)
      target.emplace_back(pick(rng, 0, 5) == 0 ? kIgnore : pick(rng, 0, classes - 1));
    const Tensor t = make(target_shape, kLong, target);
    const auto xs = values(x);
    const auto ws = w.defined() ? values(w) : std::vector<Wide>(static_cast<std::size_t>(classes), Wide(1));
    for (const std::int64_t reduction : {0, 1, 2}) {
      std::vector<Wide> losses(static_cast<std::size_t>(samples));
      std::vector<Wide> slope(xs.size());
      Wide sum = 0;
      Wide total = 0;
      for (std::int64_t k = 0; k < samples; ++k) {
        const auto c = static_cast<std::int64_t>(target[static_cast<std::size_t>(k)].real());
        if (c == kIgnore) continue;
        const auto at = static_cast<std::size_t>((k / inner * classes + c) * inner + k % inner);
        losses[static_cast<std::size_t>(k)] = -ws[static_cast<std::size_t>(c)] * xs[at];
        slope[at] = -ws[static_cast<std::size_t>(c)];
        sum += losses[static_cast<std::size_t>(k)];
        total += ws[static_cast<std::size_t>(c)];
      }
      if (reduction == 1 && total == Wide(0)) continue;
      const auto [out, total_weight] = ops::nll_loss_forward(x, t, w, reduction, kIgnore);
      const std::vector<Wide> expected =
          reduction == 0 ? losses : std::vector<Wide>{reduction == 1 ? sum / total : sum};
      ASSERT_NO_FATAL_FAILURE(expect_near(values(out), expected, 4, dtype));
      const Tensor g = random_tensor(rng, out.sizes(), dtype, 1);
      const auto gs = values(g);
      for (std::int64_t k = 0; k < static_cast<std::int64_t>(slope.size()); ++k) {
        const std::int64_t sample = k / (classes * inner) * inner + k % inner;
        slope[static_cast<std::size_t>(k)] *= gs[reduction == 0 ? static_cast<std::size_t>(sample) : 0];
        if (reduction == 1) slope[static_cast<std::size_t>(k)] /= values(total_weight)[0];
      }
      ASSERT_NO_FATAL_FAILURE(expect_near(
          values(ops::nll_loss_backward(g, x, t, w, reduction, kIgnore, total_weight)), slope, 1, dtype));
    }
  }
}

TEST(NllLoss, Errors) {
  const Tensor x = make({2, 3}, kFloat, {1, 2, 3, 4, 5, 6});
  const auto loss = [&](const Tensor& input, const Tensor& target, const Tensor& weight = {},
                        std::int64_t reduction = 1) {
    return ops::nll_loss_forward(input, target, weight, reduction, -100);
  };
  EXPECT_THAT(Call([&] {
                loss(x, make({2}, kLong, {0, 3}));
              }),
              ThrowsMessage<IndexError>(HasSubstr("Target 3 is out of bounds")));
  EXPECT_THAT(Call([&] {
                loss(x, make({2}, kLong, {0, -1}));
              }),
              ThrowsMessage<IndexError>(HasSubstr("Target -1")));
  EXPECT_THAT(Call([&] {
                loss(x, make({2}, kInt, {0, 1}));
              }),
              ThrowsMessage<DtypeError>(HasSubstr("target of int64 or uint8")));
  EXPECT_THAT(Call([&] {
                loss(x, make({3}, kLong, {0, 1, 2}));
              }),
              ThrowsMessage<ShapeError>(HasSubstr("size mismatch")));
  EXPECT_THAT(Call([&] {
                loss(x, make({2}, kLong, {0, 1}), make({2}, kFloat, {1, 1}));
              }),
              ThrowsMessage<ShapeError>(HasSubstr("all 3 classes")));
  EXPECT_THAT(Call([&] {
                loss(x, make({2}, kLong, {0, 1}), {}, 3);
              }),
              ThrowsMessage<ValueError>(HasSubstr("reduction must be")));
  EXPECT_TRUE(std::isnan(std::get<0>(loss(x, make({2}, kLong, {-100, -100}))).item<float>()));
}

}  // namespace
}  // namespace lanewise
