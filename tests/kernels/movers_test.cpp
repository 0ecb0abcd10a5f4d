#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "../vec/guarded_page.h"
#include "kernel_support.h"

// Movers against scalar references: all 144 conversions, gathers and scatters of any stride.

namespace lanewise::test {
namespace {

constexpr const char* kTypeNames[] = {"Bool", "Byte",     "Char",  "Short",  "Int",          "Long",
                                      "Half", "BFloat16", "Float", "Double", "ComplexFloat", "ComplexDouble"};

// Reference conversions, written for clarity: through wide types and std:: functions.

float half_to_float(std::uint16_t h) {
  const int exponent = h >> 10 & 31;
  const int fraction = h & 1023;
  const float sign = h & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

/// The nearest number with that many digits, ties to even.
float rounded_to(float x, int digits, int min_exponent, float max) {
  if (!std::isfinite(x) || x == 0) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int quantum = std::max(exponent - digits, min_exponent - digits);
  const double steps = std::nearbyint(std::ldexp(static_cast<double>(x), -quantum));
  const double y = std::ldexp(steps, quantum);
  if (std::abs(y) > static_cast<double>(max)) return std::copysign(INFINITY, x);
  return std::copysign(static_cast<float>(y), x);
}

float as_half(float x) { return rounded_to(x, 11, -13, 65504.0f); }
float as_bfloat16(float x) { return rounded_to(x, 8, -125, std::ldexp(255.0f, 120)); }

struct Number {
  bool integral = false;
  std::int64_t i = 0;
  double re = 0;
  double im = 0;
};

Number read(ScalarType t, const char* p) {
  const auto integer = [&]<class T>(T) {
    T x;
    std::memcpy(&x, p, sizeof x);
    return Number{true, static_cast<std::int64_t>(x), static_cast<double>(x), 0};
  };
  const auto floating = [](double re, double im = 0) { return Number{false, 0, re, im}; };
  std::uint16_t h = 0;
  float f[2] = {};
  double d[2] = {};
  std::memcpy(&h, p, std::min(element_size(t), sizeof h));
  std::memcpy(f, p, std::min(element_size(t), sizeof f));
  std::memcpy(d, p, std::min(element_size(t), sizeof d));
  switch (t) {
    case ScalarType::Bool: return Number{true, *p != 0, *p != 0 ? 1.0 : 0.0, 0};
    case ScalarType::Byte: return integer(std::uint8_t{});
    case ScalarType::Char: return integer(std::int8_t{});
    case ScalarType::Short: return integer(std::int16_t{});
    case ScalarType::Int: return integer(std::int32_t{});
    case ScalarType::Long: return integer(std::int64_t{});
    case ScalarType::Half: return floating(static_cast<double>(half_to_float(h)));
    case ScalarType::BFloat16: {
      const std::uint32_t bits = static_cast<std::uint32_t>(h) << 16;
      float x;
      std::memcpy(&x, &bits, sizeof x);
      return floating(static_cast<double>(x));
    }
    case ScalarType::Float: return floating(static_cast<double>(f[0]));
    case ScalarType::Double: return floating(d[0]);
    case ScalarType::ComplexFloat: return floating(static_cast<double>(f[0]), static_cast<double>(f[1]));
    default: return floating(d[0], d[1]);
  }
}

std::int64_t truncated(double x, bool to_long) {
  const double limit = to_long ? 0x1p63 : 0x1p31;
  if (!(x > -limit - 1 && x < limit)) {
    return to_long ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int32_t>::min();
  }
  return static_cast<std::int64_t>(x);
}

/// What converting `x` must give, as a number of type `t`.
Number expected(const Number& x, ScalarType t) {
  const auto to_float = [&] { return x.integral ? static_cast<float>(x.i) : static_cast<float>(x.re); };
  const auto floating = [](double re, double im = 0) { return Number{false, 0, re, im}; };
  const auto integral = [&](int bits) {
    std::int64_t i = x.integral ? x.i : truncated(x.re, bits == 64);
    if (bits < 64) i = static_cast<std::int64_t>(static_cast<std::uint64_t>(i) << (64 - bits)) >> (64 - bits);
    return Number{true, i, 0, 0};
  };
  switch (t) {
    case ScalarType::Bool: return Number{true, x.integral ? x.i != 0 : x.re != 0 || x.im != 0, 0, 0};
    case ScalarType::Byte: return Number{true, integral(8).i & 255, 0, 0};
    case ScalarType::Char: return integral(8);
    case ScalarType::Short: return integral(16);
    case ScalarType::Int: return integral(32);
    case ScalarType::Long: return integral(64);
    case ScalarType::Half: return floating(static_cast<double>(as_half(to_float())));
    case ScalarType::BFloat16: return floating(static_cast<double>(as_bfloat16(to_float())));
    case ScalarType::Float: return floating(static_cast<double>(to_float()));
    case ScalarType::Double: return floating(x.integral ? static_cast<double>(x.i) : x.re);
    case ScalarType::ComplexFloat:
      return floating(static_cast<double>(to_float()), static_cast<double>(static_cast<float>(x.im)));
    default: return floating(x.integral ? static_cast<double>(x.i) : x.re, x.im);
  }
}

bool equal(const Number& a, const Number& b) {
  if (a.integral != b.integral) return false;
  if (a.integral) return a.i == b.i;
  return same(a.re, b.re) && same(a.im, b.im);
}

/// n elements of any type: bit patterns at random, and values worth trying.
std::vector<char> elements(ScalarType t, std::size_t n, std::mt19937_64& random) {
  std::vector<char> bytes(n * element_size(t));
  for (char& b : bytes) b = static_cast<char>(random());
  const auto fill = [&]<class T>(T) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 4 == 0) continue;
      const T x = random_value<T>(random);
      std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof(T));
    }
  };
  switch (t) {
    case ScalarType::Short: fill(std::int16_t{}); break;
    case ScalarType::Int: fill(std::int32_t{}); break;
    case ScalarType::Long: fill(std::int64_t{}); break;
    case ScalarType::Float: fill(float{}); break;
    case ScalarType::Double: fill(double{}); break;
    case ScalarType::ComplexFloat: fill(std::complex<float>{}); break;
    case ScalarType::ComplexDouble: fill(std::complex<double>{}); break;
    default: break;
  }
  return bytes;
}

TEST(Convert, AgreesWithTheReferenceForEveryPair) {
  for_each_isa([](const KernelTable& table) {
    std::mt19937_64 random(3);
    for (int f = 0; f < kNumScalarTypes; ++f) {
      for (int t = 0; t < kNumScalarTypes; ++t) {
        SCOPED_TRACE(std::string(kTypeNames[f]) + " to " + kTypeNames[t]);
        const auto from_type = static_cast<ScalarType>(f);
        const auto to_type = static_cast<ScalarType>(t);
        const kernels::ConvertFn convert =
            table.movers->convert[static_cast<std::size_t>(f)][static_cast<std::size_t>(t)];
        ASSERT_NE(convert, nullptr);
        for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 15, 17, 31, 33, 63, 65, 130, 1100}) {
          const std::vector<char> from = elements(from_type, n, random);
          std::vector<char> to(n * element_size(to_type) + 64, 0x5b);
          convert(from.data(), to.data(), static_cast<std::int64_t>(n));
          for (std::size_t i = 0; i < n; ++i) {
            const Number x = read(from_type, from.data() + i * element_size(from_type));
            const Number got = read(to_type, to.data() + i * element_size(to_type));
            ASSERT_TRUE(equal(got, expected(x, to_type)))
                << "element " << i << " of " << n << ": " << x.i << " " << x.re << " " << x.im << " gave "
                << got.i << " " << got.re << " " << got.im;
          }
          ASSERT_TRUE(std::all_of(to.end() - 64, to.end(), [](char c) { return c == 0x5b; }))
              << "wrote past " << n;
        }
      }
    }
  });
}

TEST(Convert, BoolsAreZeroOrOne) {
  for_each_isa([](const KernelTable& table) {
    const std::array<unsigned char, 5> from = {0, 1, 2, 128, 255};
    std::array<unsigned char, 5> to{};
    table.movers->convert[0][0](reinterpret_cast<const char*>(from.data()),
                                reinterpret_cast<char*>(to.data()), 5);
    EXPECT_EQ(to, (std::array<unsigned char, 5>{0, 1, 1, 1, 1}));
  });
}

TEST(Convert, WorksInPlaceWhereTheSizeStays) {
  for_each_isa([](const KernelTable& table) {
    std::mt19937_64 random(4);
    for (int f = 0; f < kNumScalarTypes; ++f) {
      for (int t = 0; t < kNumScalarTypes; ++t) {
        const auto from_type = static_cast<ScalarType>(f);
        const auto to_type = static_cast<ScalarType>(t);
        if (element_size(from_type) != element_size(to_type)) continue;
        const kernels::ConvertFn convert =
            table.movers->convert[static_cast<std::size_t>(f)][static_cast<std::size_t>(t)];
        std::vector<char> from = elements(from_type, 333, random);
        std::vector<char> to(from.size());
        convert(from.data(), to.data(), 333);
        convert(from.data(), from.data(), 333);
        EXPECT_EQ(from, to) << kTypeNames[f] << " to " << kTypeNames[t];
      }
    }
  });
}

TEST(Convert, HalvesHaveTheSameBitsOnEveryTier) {
  // Every half there is, and floats at and around every rounding boundary.
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<std::uint32_t> floats;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    for (const std::uint32_t low :
         {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      floats.push_back(i << 16 | low);
    }
  }
  std::vector<std::vector<std::uint16_t>> narrowed;
  std::vector<std::vector<std::uint32_t>> widened;
  for_each_isa([&](const KernelTable& table) {
    for (const ScalarType half : {ScalarType::Half, ScalarType::BFloat16}) {
      const auto h = static_cast<std::size_t>(half);
      const auto f = static_cast<std::size_t>(ScalarType::Float);
      widened.emplace_back(halves.size());
      table.movers->convert[h][f](reinterpret_cast<const char*>(halves.data()),
                                  reinterpret_cast<char*>(widened.back().data()), 65536);
      narrowed.emplace_back(floats.size());
      table.movers->convert[f][h](reinterpret_cast<const char*>(floats.data()),
                                  reinterpret_cast<char*>(narrowed.back().data()),
                                  static_cast<std::int64_t>(floats.size()));
      for (std::size_t i = 0; i < floats.size(); ++i) {
        if ((floats[i] & 0x7fffffff) <= 0x7f800000) continue;
        const std::uint16_t quiet = half == ScalarType::Half ? 0x7e00 : 0x7fc0;
        ASSERT_EQ(narrowed.back()[i] & quiet, quiet) << "NaN " << std::hex << floats[i];
      }
    }
  });
  for (std::size_t k = 2; k < widened.size(); ++k) {
    EXPECT_EQ(widened[k], widened[k % 2]);
    EXPECT_EQ(narrowed[k], narrowed[k % 2]);
  }
}

struct Block {
  std::int64_t row_stride, col_stride, rows, cols;
};

/// Strided blocks of every shape that movers treat specially, and others.
std::vector<Block> blocks(std::int64_t size, std::mt19937_64& random) {
  std::vector<Block> list;
  const std::int64_t lengths[] = {1, 2, 3, 7, 8, 15, 16, 17, 32, 33, 64, 65, 70};
  const auto length = [&] { return lengths[random() % std::size(lengths)]; };
  for (int i = 0; i < 400; ++i) {
    Block b{0, 0, length(), length()};
    const std::int64_t gap = size * static_cast<std::int64_t>(random() % 5) + (random() % 4 == 0 ? 1 : 0);
    switch (random() % 8) {
      case 0: b.col_stride = size, b.row_stride = b.cols * size + gap; break;
      case 1: b.row_stride = size, b.col_stride = b.rows * size + gap; break;
      case 2: b.col_stride = -size, b.row_stride = b.cols * size + gap; break;
      case 3: b.col_stride = 2 * size, b.row_stride = -(2 * b.cols * size + gap); break;
      case 4: b.row_stride = 3 * size, b.col_stride = b.rows * 3 * size + gap; break;
      case 5: b.row_stride = -size, b.col_stride = -(b.rows * size + gap); break;
      case 6: b.col_stride = 3 * size, b.row_stride = b.cols * 3 * size + gap; break;
      default: b.row_stride = size, b.col_stride = -(b.rows * size + gap); break;
    }
    list.push_back(b);
  }
  return list;
}

TEST(Strided, GatherAndScatterAgreeWithLoops) {
  for_each_isa([](const KernelTable& table) {
    std::mt19937_64 random(5);
    for (int log = 0; log < 5; ++log) {
      const std::int64_t size = std::int64_t{1} << log;
      std::vector<Block> cases = blocks(size, random);
      for (const std::int64_t n : {1, 5, 64}) {
        cases.push_back({0, size, n, 3});
        cases.push_back({size, 0, n, 5});
        cases.push_back({0, 0, n, 4});
        cases.push_back({0, -2 * size, n, 33});
        cases.push_back({-size, 0, n, 17});
      }
      cases.push_back({size, size, 0, 5});
      cases.push_back({size, size, 5, 0});
      for (const Block& b : cases) {
        SCOPED_TRACE("size " + std::to_string(size) + ", strides " + std::to_string(b.row_stride) + " " +
                     std::to_string(b.col_stride) + ", shape " + std::to_string(b.rows) + " " +
                     std::to_string(b.cols));
        const std::int64_t row_reach = b.row_stride * std::max<std::int64_t>(b.rows - 1, 0);
        const std::int64_t col_reach = b.col_stride * std::max<std::int64_t>(b.cols - 1, 0);
        const std::int64_t low = std::min<std::int64_t>(row_reach, 0) + std::min<std::int64_t>(col_reach, 0);
        const std::int64_t high =
            std::max<std::int64_t>(row_reach, 0) + std::max<std::int64_t>(col_reach, 0) + size;
        std::vector<char> memory(
            static_cast<std::size_t>(high - low));  // exact: reading beside it is for sanitizers
        for (char& c : memory) c = static_cast<char>(random());
        const std::size_t tile_bytes = static_cast<std::size_t>(b.rows * b.cols * size);
        std::vector<char> tile(tile_bytes + 64, 0x5b);
        std::vector<char> expected(tile_bytes + 64, 0x5b);
        for (std::int64_t r = 0; r < b.rows; ++r) {
          for (std::int64_t c = 0; c < b.cols; ++c) {
            std::memcpy(expected.data() + (r * b.cols + c) * size,
                        memory.data() - low + r * b.row_stride + c * b.col_stride,
                        static_cast<std::size_t>(size));
          }
        }
        const auto index = static_cast<std::size_t>(log);
        table.movers->gather[index](memory.data() - low, b.row_stride, b.col_stride, b.rows, b.cols,
                                    tile.data());
        ASSERT_EQ(tile, expected);

        for (char& c : tile) c = static_cast<char>(random());
        std::vector<char> scattered = memory;
        std::vector<char> looped = memory;
        table.movers->scatter[index](tile.data(), scattered.data() - low, b.row_stride, b.col_stride, b.rows,
                                     b.cols, size * 64);
        for (std::int64_t r = 0; r < b.rows; ++r) {
          for (std::int64_t c = 0; c < b.cols; ++c) {
            std::memcpy(looped.data() - low + r * b.row_stride + c * b.col_stride,
                        tile.data() + (r * b.cols + c) * size, static_cast<std::size_t>(size));
          }
        }
        ASSERT_EQ(scattered, looped);
      }
    }
  });
}

// Records of some elements, the first of which become rows: what lies behind the last is not read.
TEST(Strided, RowsOfRecordsAreReadUpToAPageEnd) {
  GuardedPage page;
  for_each_isa([&](const KernelTable& table) {
    std::mt19937_64 random(11);
    for (int log = 0; log < 5; ++log) {
      const std::int64_t size = std::int64_t{1} << log;
      for (std::int64_t step = 2; step <= 17; ++step) {
        for (std::int64_t rows = 2; rows <= step; ++rows) {
          for (const std::int64_t cols : {15, 16, 17, 31, 40, 63, 64, 100, 129}) {
            const std::int64_t bytes = ((cols - 1) * step + rows) * size;
            if (bytes > 4096) continue;
            char* const from = page.last<char>(static_cast<int>(bytes));
            for (std::int64_t i = 0; i < bytes; ++i) from[i] = static_cast<char>(random());
            const auto tile_bytes = static_cast<std::size_t>(rows * cols * size);
            std::vector<char> tile(tile_bytes + 64, 0x5b);
            std::vector<char> expected(tile_bytes + 64, 0x5b);
            for (std::int64_t r = 0; r < rows; ++r) {
              for (std::int64_t c = 0; c < cols; ++c)
                std::memcpy(expected.data() + (r * cols + c) * size, from + (c * step + r) * size,
                            static_cast<std::size_t>(size));
            }
            table.movers->gather[log](from, size, step * size, rows, cols, tile.data());
            ASSERT_EQ(tile, expected)
                << rows << " of " << step << " elements of " << size << " bytes, " << cols << " records";
          }
        }
      }
    }
  });
}

// In several places, of which the last row ends where memory does.
TEST(IndexedRows, OfAnyLengthAreCopiedUpToAPageEnd) {
  GuardedPage page;
  for_each_isa([&](const KernelTable& table) {
    std::mt19937_64 random(13);
    std::vector<std::int64_t> lengths{300, 511, 512, 513, 700, 1024};
    for (std::int64_t bytes = 2; bytes <= 260; ++bytes) lengths.push_back(bytes);
    for (const std::int64_t bytes : lengths) {
      const std::int64_t rows = std::max<std::int64_t>(1, 1024 / bytes), places = 3,
                         all = (places * rows - 1) * bytes + bytes;
      char* const from = page.last<char>(static_cast<int>(all));
      for (std::int64_t i = 0; i < all; ++i) from[i] = static_cast<char>(random());
      std::vector<std::int64_t> offsets;
      for (std::int64_t i = 0; i < rows + 3; ++i)
        offsets.push_back(static_cast<std::int64_t>(random() % rows));
      offsets.back() = rows - 1;
      const auto count = static_cast<std::int64_t>(offsets.size());
      std::vector<char> expected;
      for (std::int64_t p = 0; p < places; ++p) {
        for (const std::int64_t row : offsets) {
          const char* const at = from + (p * rows + row) * bytes;
          expected.insert(expected.end(), at, at + bytes);
        }
      }
      expected.push_back(0x5b);
      for (const std::int64_t ahead : {0, 2}) {
        std::vector<char> to(expected.size(), 0x5b);
        table.movers->copy_rows({from, rows * bytes, offsets.data(), bytes, count, bytes, ahead}, places,
                                to.data());
        ASSERT_EQ(to, expected) << bytes << " bytes";
      }
    }
  });
}

TEST(Indices, OneThatIsOutOfBoundsIsFoundWhereverItLies) {
  for_each_isa([](const KernelTable& table) {
    for (std::int64_t n = 0; n < 70; ++n) {
      std::vector<std::int64_t> values(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = i % 5;
      ASSERT_TRUE(table.in_bounds(values.data(), n, 5));
      for (std::int64_t& value : values) {
        for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{5}, INT64_MIN, INT64_MAX}) {
          const std::int64_t kept = std::exchange(value, wrong);
          ASSERT_FALSE(table.in_bounds(values.data(), n, 5)) << wrong;
          value = kept;
        }
      }
    }
  });
}

}  // namespace
}  // namespace lanewise::test
