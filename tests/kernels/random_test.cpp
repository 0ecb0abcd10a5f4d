#include <algorithm>
#include <array>
#include <numeric>

#include "kernel_support.h"

// Values made from positions: known answers, independence of splits and tiers, distributions.

namespace lanewise::test {
namespace {

using kernels::IndexedKernel;
using IndexedField = const IndexedKernel* KernelTable::*;

template <class T>
std::vector<T> drawn(const KernelTable& table, IndexedField field, std::int64_t first, std::int64_t n,
                     std::array<KernelScalar, 4> params) {
  std::vector<T> out(static_cast<std::size_t>(n));
  (table.*field)->fn[type_index<T>()](reinterpret_cast<char*>(out.data()), first, n, params.data());
  return out;
}

/// Seed and draw, then what the kernel takes.
std::array<KernelScalar, 4> draw_params(std::int64_t seed, std::int64_t draw, KernelScalar a = {},
                                        KernelScalar b = {}) {
  return {param_int(seed), param_int(draw), a, b};
}

TEST(Philox, KnownAnswers) {
  // The first of the reference implementation's test vectors (Random123, kat_vectors); the test below has
  // another.
  for_each_isa([&](const KernelTable& table) {
    const auto words = drawn<std::int64_t>(table, &KernelTable::random_int, 0, 2, draw_params(0, 0));
    EXPECT_EQ(static_cast<std::uint64_t>(words[0]), 0xe169c58d6627e8d5u);
    EXPECT_EQ(static_cast<std::uint64_t>(words[1]), 0x9b00dbd8bc57ac4cu);
  });
}

/// Philox 4x32-10 in plain arithmetic.
std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint64_t draw, std::uint64_t block) {
  std::array<std::uint32_t, 4> c = {static_cast<std::uint32_t>(block),
                                    static_cast<std::uint32_t>(block >> 32), static_cast<std::uint32_t>(draw),
                                    static_cast<std::uint32_t>(draw >> 32)};
  std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int i = 0; i < 10; ++i, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
    const std::uint64_t p0 = std::uint64_t{0xd2511f53} * c[0], p1 = std::uint64_t{0xcd9e8d57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
  }
  return c;
}

TEST(Philox, TheReferenceOfThisTestKnowsTheAnswers) {
  EXPECT_EQ(philox(0, 0, 0), (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, ElementsComeFromTheirBlocks) {
  for_each_isa([](const KernelTable& table) {
    for (const std::int64_t first :
         {std::int64_t{0}, std::int64_t{3}, std::int64_t{1001}, (std::int64_t{1} << 40) + 5}) {
      const std::int64_t seed = 0x123456789abcdef, draw = -77;
      const auto f =
          drawn<float>(table, &KernelTable::uniform, first, 700, draw_params(seed, draw, param(0), param(1)));
      const auto d = drawn<double>(table, &KernelTable::uniform, first, 700,
                                   draw_params(seed, draw, param(0), param(1)));
      for (std::int64_t i = 0; i < 700; ++i) {
        const std::uint64_t at = static_cast<std::uint64_t>(first + i);
        const auto key = static_cast<std::uint64_t>(seed), number = static_cast<std::uint64_t>(draw);
        const std::uint32_t w = philox(key, number, at / 4)[at % 4];
        ASSERT_EQ(f[static_cast<std::size_t>(i)], std::ldexp(static_cast<float>(w >> 8), -24)) << i;
        const auto block = philox(key, number, at / 2);
        const std::uint64_t w64 = block[at % 2 * 2] | static_cast<std::uint64_t>(block[at % 2 * 2 + 1]) << 32;
        ASSERT_EQ(d[static_cast<std::size_t>(i)], std::ldexp(static_cast<double>(w64 >> 11), -53)) << i;
      }
    }
  });
}

struct Kind {
  const char* name;
  IndexedField field;
  KernelScalar a, b;
};
const Kind kKinds[] = {
    {"uniform", &KernelTable::uniform, param(-2), param(3)},
    {"normal", &KernelTable::normal, param(1), param(2)},
    {"random_int", &KernelTable::random_int, param_int(-5), param_int(90)},
    {"bernoulli", &KernelTable::bernoulli, param(0.3), {}},
    {"arange", &KernelTable::arange, param(0), param(1)},
    {"linspace", &KernelTable::linspace, param(0), param(1)},
};

TEST(Indexed, DependsOnNeitherSplitsNorTier) {
  for (const Kind& kind : kKinds) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(kNumScalarTypes); ++t) {
      SCOPED_TRACE(std::string(kind.name) + " type " + std::to_string(t));
      std::vector<char> first_result;
      const std::size_t size = element_size(static_cast<ScalarType>(t));
      for_each_isa([&](const KernelTable& table) {
        const kernels::IndexedFn fn = (table.*kind.field)->fn[t];
        if (fn == nullptr) return;
        std::array<KernelScalar, 4> params = {param_int(5), param_int(6), kind.a, kind.b};
        if (std::string(kind.name) == "arange") params = {param(-3), param(2), {}, {}};
        if (std::string(kind.name) == "linspace") params = {param(-3), param(60), param_int(2000), {}};
        std::vector<char> whole(2000 * size);
        fn(whole.data(), 0, 2000, params.data());
        std::vector<char> parts(2000 * size);
        std::mt19937_64 random(9);
        for (std::int64_t i = 0; i < 2000;) {
          const std::int64_t n = std::min<std::int64_t>(2000 - i, static_cast<std::int64_t>(random() % 90));
          fn(parts.data() + static_cast<std::size_t>(i) * size, i, n, params.data());
          i += n;
        }
        EXPECT_EQ(whole, parts);
        // Logarithm, sine and cosine differ in the last place without fused multiply-add.
        const bool fused = !is_available(Isa::sse4_2) || &table != &kernels::kernels_of(Isa::sse4_2);
        if (std::string(kind.name) == "normal" && !fused) return;
        if (first_result.empty()) first_result = whole;
        EXPECT_EQ(whole, first_result);
      });
    }
  }
}

TEST(Indexed, Distributions) {
  for_each_isa([](const KernelTable& table) {
    const std::int64_t n = 200000;
    const auto moments = [](const auto& x) {
      double mean = 0, square = 0;
      for (const auto v : x) mean += static_cast<double>(v);
      mean /= static_cast<double>(x.size());
      for (const auto v : x) square += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
      return std::pair(mean, square / static_cast<double>(x.size()));
    };
    const auto u = drawn<float>(table, &KernelTable::uniform, 0, n, draw_params(1, 0, param(2), param(5)));
    EXPECT_GE(*std::min_element(u.begin(), u.end()), 2);
    EXPECT_LT(*std::max_element(u.begin(), u.end()), 5);
    EXPECT_NEAR(moments(u).first, 3.5, 0.01);
    EXPECT_NEAR(moments(u).second, 0.75, 0.01);
    const auto z = drawn<float>(table, &KernelTable::normal, 0, n, draw_params(1, 1, param(1), param(2)));
    EXPECT_NEAR(moments(z).first, 1, 0.02);
    EXPECT_NEAR(moments(z).second, 4, 0.06);
    const auto zd = drawn<double>(table, &KernelTable::normal, 0, n, draw_params(2, 1, param(0), param(1)));
    EXPECT_NEAR(moments(zd).first, 0, 0.01);
    EXPECT_NEAR(moments(zd).second, 1, 0.015);
    const double beyond =
        static_cast<double>(std::count_if(zd.begin(), zd.end(), [](double v) { return v > 1.96; }));
    EXPECT_NEAR(beyond / static_cast<double>(n), 0.025, 0.002);
    const auto r = drawn<std::int32_t>(table, &KernelTable::random_int, 0, n,
                                       draw_params(3, 0, param_int(-3), param_int(4)));
    std::array<int, 7> counts{};
    for (const std::int32_t v : r) {
      ASSERT_TRUE(v >= -3 && v < 4);
      ++counts[static_cast<std::size_t>(v + 3)];
    }
    for (const int c : counts) EXPECT_NEAR(c, n / 7.0, 800);
    const auto bf = drawn<float>(table, &KernelTable::bernoulli, 0, n, draw_params(4, 0, param(0.25)));
    EXPECT_NEAR(moments(bf).first, 0.25, 0.005);
    const auto never = drawn<float>(table, &KernelTable::bernoulli, 0, 1000, draw_params(4, 0, param(0)));
    const auto always = drawn<float>(table, &KernelTable::bernoulli, 0, 1000, draw_params(4, 0, param(1)));
    EXPECT_EQ(std::count(never.begin(), never.end(), 0.0f), 1000);
    EXPECT_EQ(std::count(always.begin(), always.end(), 1.0f), 1000);
  });
}

TEST(Indexed, ArangeAndLinspace) {
  for_each_isa([](const KernelTable& table) {
    const auto bytes =
        drawn<std::uint8_t>(table, &KernelTable::arange, 250, 10, {param_int(0), param_int(1), {}, {}});
    EXPECT_EQ(bytes, (std::vector<std::uint8_t>{250, 251, 252, 253, 254, 255, 0, 1, 2, 3}));
    const auto longs = drawn<std::int64_t>(table, &KernelTable::arange, 2, 3,
                                           {param_int((std::int64_t{1} << 60) + 1), param_int(-3), {}, {}});
    EXPECT_EQ(longs[0], (std::int64_t{1} << 60) - 5);
    const auto floats = drawn<float>(table, &KernelTable::arange, 0, 3000, {param(0.1), param(0.1), {}, {}});
    for (int i = 0; i < 3000; ++i)
      ASSERT_EQ(floats[static_cast<std::size_t>(i)], static_cast<float>(0.1 + i * 0.1)) << i;

    const auto line =
        drawn<float>(table, &KernelTable::linspace, 0, 11, {param(-1), param(1), param_int(11), {}});
    for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(line[i], -line[10 - i]) << i;
    EXPECT_EQ(line[0], -1);
    EXPECT_EQ(line[10], 1);
    const auto one =
        drawn<double>(table, &KernelTable::linspace, 0, 1, {param(3), param(8), param_int(1), {}});
    EXPECT_EQ(one[0], 3);
    const KernelScalar start{1, 1, -1}, end{2, 2, 1};
    const auto z =
        drawn<std::complex<double>>(table, &KernelTable::linspace, 0, 3, {start, end, param_int(3), {}});
    EXPECT_EQ(z[0], std::complex<double>(1, -1));
    EXPECT_EQ(z[1], std::complex<double>(1.5, 0));
    EXPECT_EQ(z[2], std::complex<double>(2, 1));
  });
}

}  // namespace
}  // namespace lanewise::test
