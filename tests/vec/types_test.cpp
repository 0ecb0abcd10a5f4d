#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <lanewise/vec/vec.h>

#include "guarded_page.h"

namespace lanewise::test {
namespace {

using vec::Mask;
using vec::Vec;

template <class T>
T random_element(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return (random() & 1) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random());
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-60);
  } else {
    using R = typename T::value_type;
    const R re = random_element<R>(random);
    return T(re, random_element<R>(random));
  }
}
template <class T>
std::array<T, Vec<T>::size> random_lanes(std::mt19937_64& random) {
  std::array<T, Vec<T>::size> a;
  for (T& x : a) x = random_element<T>(random);
  return a;
}
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
class Types : public testing::Test {};
using AllTypes = testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bool,
                                std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Types, AllTypes);

template <class T>
class Numbers : public testing::Test {};
using NumberTypes = testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Numbers, NumberTypes);

TYPED_TEST(Types, LoadsAndStoresWholeRegisters) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  const auto a = random_lanes<T>(random);
  std::array<T, Vec<T>::size> b{};
  const Vec<T> v = Vec<T>::load(a.data());
  v.store(b.data());
  for (int i = 0; i < Vec<T>::size; ++i) {
    EXPECT_TRUE(same_bits(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)])) << i;
    EXPECT_EQ(v.extract(i), a[static_cast<std::size_t>(i)]) << i;
  }
}

TYPED_TEST(Types, PartialLoadsStopAtThePageEndAndFillWithZeros) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  GuardedPage page;
  for (int n = 0; n < Vec<T>::size; ++n) {
    const auto a = random_lanes<T>(random);
    T* p = page.last<T>(n);
    std::copy_n(a.data(), n, p);
    std::array<T, Vec<T>::size> b;
    Vec<T>::load_partial(p, n).store(b.data());
    for (int i = 0; i < Vec<T>::size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_TRUE(same_bits(b[k], i < n ? a[k] : T{})) << n << " " << i;
    }
  }
}

TYPED_TEST(Types, PartialStoresStopAtThePageEnd) {
  using T = TypeParam;
  std::mt19937_64 random(3);
  GuardedPage page;
  for (int n = 0; n < Vec<T>::size; ++n) {
    const auto a = random_lanes<T>(random);
    T* p = page.last<T>(n);
    Vec<T>::load(a.data()).store_partial(p, n);
    EXPECT_EQ(std::memcmp(p, a.data(), static_cast<std::size_t>(n) * sizeof(T)), 0) << n;
    // And in the middle of memory it leaves what follows alone.
    std::array<T, Vec<T>::size> b = random_lanes<T>(random);
    const auto before = b;
    Vec<T>::load(a.data()).store_partial(b.data(), n);
    for (int i = 0; i < Vec<T>::size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_TRUE(same_bits(b[k], i < n ? a[k] : before[k])) << n << " " << i;
    }
  }
}

TYPED_TEST(Types, BroadcastsKeepEveryBit) {
  using T = TypeParam;
  std::mt19937_64 random(4);
  const T x = random_element<T>(random);
  const Vec<T> v(x);
  for (int i = 0; i < Vec<T>::size; ++i) EXPECT_EQ(v.extract(i), x);
  if constexpr (std::is_floating_point_v<T>) {
    EXPECT_TRUE(std::signbit(Vec<T>(T(-0.0)).extract(Vec<T>::size - 1)));
  }
}

TYPED_TEST(Types, MasksAsBytes) {
  using T = TypeParam;
  constexpr int kLanes = Mask<T>::size;
  std::mt19937_64 random(5);
  GuardedPage page;
  for (int n = 0; n < kLanes; ++n) {
    std::array<std::uint8_t, kLanes> bytes;
    for (auto& b : bytes)
      b = (random() & 1) != 0 ? static_cast<std::uint8_t>(random() % 255 + 1) : std::uint8_t{0};
    std::array<std::uint8_t, kLanes> out;
    const Mask<T> whole = Mask<T>::load_bool(bytes.data());
    whole.store_bool(out.data());
    bool any = false;
    bool all = true;
    for (int i = 0; i < kLanes; ++i) {
      const bool expected = bytes[static_cast<std::size_t>(i)] != 0;
      any |= expected;
      all &= expected;
      EXPECT_EQ(out[static_cast<std::size_t>(i)], expected ? 1 : 0);
    }
    EXPECT_EQ(whole.any(), any);
    EXPECT_EQ(whole.all(), all);
    EXPECT_TRUE((whole | ~whole).all());
    EXPECT_TRUE((whole & ~whole).none());
    EXPECT_TRUE((whole ^ ~whole).all());

    auto* p = page.last<std::uint8_t>(n);
    std::copy_n(bytes.data(), n, p);
    Mask<T>::load_bool_partial(p, n).store_bool(out.data());
    for (int i = 0; i < kLanes; ++i) {
      EXPECT_EQ(out[static_cast<std::size_t>(i)], i < n && bytes[static_cast<std::size_t>(i)] != 0 ? 1 : 0);
    }
    Mask<T>::splat(true).store_bool_partial(p, n);
    for (int i = 0; i < n; ++i) EXPECT_EQ(p[i], 1);
    Mask<T>::first(n).store_bool(out.data());
    for (int i = 0; i < kLanes; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i < n ? 1 : 0);
  }
}

TYPED_TEST(Types, SelectsAndReverses) {
  using T = TypeParam;
  constexpr int kLanes = Vec<T>::size;
  std::mt19937_64 random(6);
  const auto a = random_lanes<T>(random);
  const auto b = random_lanes<T>(random);
  std::array<std::uint8_t, kLanes> bytes;
  for (auto& x : bytes) x = random() & 1;
  const Vec<T> s = select(Mask<T>::load_bool(bytes.data()), Vec<T>::load(a.data()), Vec<T>::load(b.data()));
  const Vec<T> r = reverse(Vec<T>::load(a.data()));
  for (int i = 0; i < kLanes; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(s.extract(i), bytes[k] != 0 ? a[k] : b[k]);
    EXPECT_EQ(r.extract(i), a[static_cast<std::size_t>(kLanes - 1 - i)]);
  }
}

TYPED_TEST(Types, EqualityAndTruth) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  auto a = random_lanes<T>(random);
  auto b = a;
  b[0] = random_element<T>(random);
  a[1] = T{};
  const Vec<T> x = Vec<T>::load(a.data());
  const Vec<T> y = Vec<T>::load(b.data());
  std::array<std::uint8_t, Vec<T>::size> equal, different, truth;
  (x == y).store_bool(equal.data());
  (x != y).store_bool(different.data());
  to_mask(x).store_bool(truth.data());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(equal[i] != 0, a[i] == b[i]);
    EXPECT_EQ(different[i] != 0, a[i] != b[i]);
    EXPECT_EQ(truth[i] != 0, a[i] != T{});
  }
}

TYPED_TEST(Numbers, ArithmeticAndOrder) {
  using T = TypeParam;
  std::mt19937_64 random(8);
  for (int round = 0; round < 200; ++round) {
    auto a = random_lanes<T>(random);
    auto b = random_lanes<T>(random);
    a[0] = std::numeric_limits<T>::max();
    b[0] = std::numeric_limits<T>::lowest();
    b[1] = a[1];
    const Vec<T> x = Vec<T>::load(a.data());
    const Vec<T> y = Vec<T>::load(b.data());
    std::array<std::uint8_t, Vec<T>::size> lt, le, gt, ge;
    (x < y).store_bool(lt.data());
    (x <= y).store_bool(le.data());
    (x > y).store_bool(gt.data());
    (x >= y).store_bool(ge.data());
    for (int i = 0; i < Vec<T>::size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      // Integers wrap, as unsigned numbers do.
      using W = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
      const W p = static_cast<W>(a[k]);
      const W q = static_cast<W>(b[k]);
      EXPECT_EQ((x + y).extract(i), static_cast<T>(p + q));
      EXPECT_EQ((x - y).extract(i), static_cast<T>(p - q));
      EXPECT_EQ((x * y).extract(i), static_cast<T>(p * q));
      EXPECT_EQ((-x).extract(i), static_cast<T>(W(0) - p));
      EXPECT_EQ(lt[k] != 0, a[k] < b[k]);
      EXPECT_EQ(le[k] != 0, a[k] <= b[k]);
      EXPECT_EQ(gt[k] != 0, a[k] > b[k]);
      EXPECT_EQ(ge[k] != 0, a[k] >= b[k]);
      EXPECT_EQ(minimum(x, y).extract(i), std::min(a[k], b[k]));
      EXPECT_EQ(maximum(x, y).extract(i), std::max(a[k], b[k]));
      EXPECT_EQ(abs(x).extract(i), a[k] < T(0) ? static_cast<T>(W(0) - p) : a[k]);
      if constexpr (std::is_floating_point_v<T>) {
        EXPECT_EQ((x / y).extract(i), a[k] / b[k]);
      } else {
        const int shift = static_cast<int>(random() % (8 * sizeof(T)));
        EXPECT_EQ((x & y).extract(i), static_cast<T>(p & q));
        EXPECT_EQ((x | y).extract(i), static_cast<T>(p | q));
        EXPECT_EQ((x ^ y).extract(i), static_cast<T>(p ^ q));
        EXPECT_EQ((~x).extract(i), static_cast<T>(~p));
        EXPECT_EQ((x << shift).extract(i), static_cast<T>(p << shift));
        EXPECT_EQ((x >> shift).extract(i), static_cast<T>(a[k] >> shift));
        using U = std::make_unsigned_t<T>;
        EXPECT_EQ(x.shift_right_logical(shift).extract(i),
                  static_cast<T>(static_cast<U>(static_cast<U>(a[k]) >> shift)));
        EXPECT_EQ((x << Vec<T>(static_cast<T>(shift))).extract(i), static_cast<T>(p << shift));
        EXPECT_EQ((x >> Vec<T>(static_cast<T>(shift))).extract(i), static_cast<T>(a[k] >> shift));
      }
    }
  }
}

TEST(Bool, AnyByteButZeroIsTrue) {
  std::array<std::uint8_t, Vec<bool>::size> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(i * 37 % 5 == 0 ? 0 : i * 71 | 1);
  const auto v = Vec<bool>::load(reinterpret_cast<const bool*>(bytes.data()));
  std::array<std::uint8_t, Vec<bool>::size> out;
  v.store(reinterpret_cast<bool*>(out.data()));
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(out[i], bytes[i] != 0 ? 1 : 0);
  (~v).store(reinterpret_cast<bool*>(out.data()));
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(out[i], bytes[i] != 0 ? 0 : 1);
  Vec<bool>(v.mask()).store(reinterpret_cast<bool*>(out.data()));
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(out[i], bytes[i] != 0 ? 1 : 0);
}

}  // namespace
}  // namespace lanewise::test
