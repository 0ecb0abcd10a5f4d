// Halves that kernels take as they lie: every value, beside the same op in f32 with one rounding.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

constexpr std::int64_t kPatterns = 1 << 16;

/// All bit patterns, from `first` on, `step` apart.
Tensor patterns(ScalarType type, std::uint32_t first, std::uint32_t step) {
  Tensor t = empty({kPatterns}, type);
  auto* bits = static_cast<std::uint16_t*>(t.data_ptr());
  for (std::uint32_t i = 0; i < kPatterns; ++i) bits[i] = static_cast<std::uint16_t>(first + i * step);
  return t;
}

using Op = std::function<Tensor(const Tensor& x, const Tensor& y, const Tensor& z)>;
struct Case {
  std::string name;
  Op op;
};

std::vector<Case> cases() {
  using T = const Tensor&;
  return {
      {"add", [](T x, T y, T) { return add(x, y); }},
      {"add alpha", [](T x, T y, T) { return add(x, y, 0.3); }},
      {"add number", [](T x, T, T) { return add(x, 0.109375); }},
      {"sub", [](T x, T y, T) { return sub(x, y); }},
      {"mul", [](T x, T y, T) { return mul(x, y); }},
      {"mul number", [](T x, T, T) { return mul(x, 0.109375); }},
      {"div", [](T x, T y, T) { return div(x, y); }},
      {"number / x", [](T x, T, T) { return 0.703125 / x; }},
      {"maximum", [](T x, T y, T) { return maximum(x, y); }},
      {"minimum", [](T x, T y, T) { return minimum(x, y); }},
      {"neg", [](T x, T, T) { return neg(x); }},
      {"square", [](T x, T, T) { return square(x); }},
      {"relu", [](T x, T, T) { return relu(x); }},
      {"sqrt", [](T x, T, T) { return sqrt(x); }},
      {"rsqrt", [](T x, T, T) { return rsqrt(x); }},
      {"reciprocal", [](T x, T, T) { return reciprocal(x); }},
      {"copysign", [](T x, T y, T) { return copysign(x, y); }},
      {"addcmul", [](T x, T y, T z) { return addcmul(x, y, z, 0.3); }},
  };
}

/// The same bits; of NaNs the payload, which is one of the operands' (IEEE 754-2019, 6.2.3), is open.
testing::AssertionResult same(const Tensor& found, const Tensor& expected) {
  const auto* a = static_cast<const std::uint16_t*>(found.const_data_ptr());
  const auto* b = static_cast<const std::uint16_t*>(expected.const_data_ptr());
  const std::uint16_t infinity = expected.scalar_type() == kHalf ? 0x7c00 : 0x7f80;
  const auto is_nan = [infinity](std::uint16_t x) { return (x & 0x7fff) > infinity; };
  for (std::int64_t i = 0; i < expected.numel(); ++i) {
    if (a[i] != b[i] && !(is_nan(a[i]) && is_nan(b[i])))
      return testing::AssertionFailure() << "at " << i << " found " << a[i] << ", expected " << b[i];
  }
  return testing::AssertionSuccess();
}

class Halves : public testing::TestWithParam<ScalarType> {};

TEST_P(Halves, RoundOnce) {
  const ScalarType type = GetParam();
  const Tensor x = patterns(type, 0, 1), y = patterns(type, 12345, 40503), z = patterns(type, 777, 25173);
  for (const Isa isa : available_isas()) {
    const IsaGuard guard(isa);
    for (const Case& c : cases()) {
      for (const std::int64_t n :
           {std::int64_t{1}, std::int64_t{31}, std::int64_t{100}, kPatterns - 1, kPatterns}) {
        const auto part = [n](const Tensor& t) { return t.narrow(0, kPatterns - n, n); };
        const auto wide = [&](const Tensor& t) { return part(t).to(kFloat); };
        const Tensor found = c.op(part(x), part(y), part(z));
        const Tensor expected = c.op(wide(x), wide(y), wide(z)).to(type);
        ASSERT_EQ(found.scalar_type(), type);
        ASSERT_TRUE(same(found, expected)) << c.name << " of " << n << " on " << name(isa);
      }
    }
  }
}

TEST_P(Halves, InPlaceAndOut) {
  const ScalarType type = GetParam();
  const Tensor x = patterns(type, 5, 3), y = patterns(type, 12345, 40503), sum = add(x, y);
  Tensor in_place = x.clone(), out = empty({kPatterns}, type);
  in_place.add_(y);
  add_out(out, x, y);
  EXPECT_TRUE(same(in_place, sum));
  EXPECT_TRUE(same(out, sum));
}

TEST_P(Halves, SumsAreThoseOfFloatsRoundedOnce) {
  const ScalarType type = GetParam();
  const int threads = get_num_threads();
  const std::vector<std::vector<std::int64_t>> all_dims = {{0}, {1}, {0, 1}};
  manual_seed(8);
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                   {1, 5000},
                                   {5000, 1},
                                   {3000, 2},
                                   {2000, 3},
                                   {17, 700},
                                   {16, 64},
                                   {40, 2051},
                                   {1500, 33},
                                   {200, 15}}) {
    const Tensor x = randn({rows, cols}).to(type), turned = x.t().contiguous().t();
    const Tensor wide = x.to(kFloat), spread = cat({x, x}, 1).slice(1, 0, cols);
    for (const Isa isa : available_isas()) {
      const IsaGuard guard(isa);
      for (const int count : {1, 3}) {
        set_num_threads(count);
        for (const Tensor* t : {&x, &turned, &spread}) {
          for (const std::vector<std::int64_t>& dims : all_dims) {
            EXPECT_TRUE(same(t->sum(dims), wide.sum(dims).to(type)))
                << rows << " x " << cols << " on " << name(isa);
            EXPECT_TRUE(same(t->mean(dims), wide.mean(dims).to(type))) << rows << " x " << cols;
          }
        }
      }
    }
  }
  set_num_threads(threads);
}

TEST_P(Halves, InAnyLayoutHaveTheBitsOfDenseOnes) {
  const auto matrix = [&](std::uint32_t first) {
    return patterns(GetParam(), first, 40503).view({256, 256});
  };
  const auto layouts = [](const Tensor& t) {
    return std::vector<Tensor>{cat({t, t}, 1).narrow(1, 0, 256), stack({t, t}, -1).select(-1, 0),
                               t.t().contiguous().t(), cat({t, t}, 0).slice(0, 0, 256)};
  };
  const Tensor x = matrix(1), y = matrix(7), z = matrix(9);
  // All elements of their own, a row for all, a column for all, one element for all.
  const auto shapes = [](const Tensor& t) {
    return std::vector<Tensor>{t, t.narrow(0, 3, 1), t.narrow(1, 5, 1), t[2][2]};
  };
  for (const Case& c : cases()) {
    for (const Tensor& b : shapes(y)) {
      const Tensor expected = c.op(x, b.contiguous(), z);
      const auto firsts = layouts(x), lasts = layouts(z), alike = layouts(y);
      for (std::size_t i = 0; i < firsts.size(); ++i) {
        const std::vector<Tensor> seconds = shapes(alike[i]);
        for (const Tensor& second : seconds) {
          if (!second.sizes().equals(b.sizes())) continue;
          EXPECT_TRUE(same(c.op(firsts[i], second, lasts[i]).contiguous(), expected)) << c.name << " " << i;
        }
        Tensor out = layouts(zeros_like(x))[i];
        out.copy_(x);
        EXPECT_TRUE(same(out.add_(b).contiguous(), x.add(b))) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Halves, testing::Values(kHalf, kBFloat16),
                         [](const auto& type) { return std::string(to_string(type.param)); });

}  // namespace
}  // namespace lanewise
