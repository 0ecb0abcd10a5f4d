#include <cmath>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

#include "special_rows.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace lanewise::test {
namespace {

// An operation on a denormal number, or one that makes one, takes a processor some hundred cycles. A function
// does none of that unless its argument or its result is denormal; the processor's flags tell.
//
// Left out: functions of f32 that end in a conversion from f64, which may underflow at no cost, and those that
// are products or quotients of tiny results.

#if defined(__x86_64__)

constexpr unsigned kFlags = 0x3f;
constexpr unsigned kDenormalOperand = 0x02;
constexpr unsigned kUnderflow = 0x10;

template <class T>
unsigned flags_of(Apply<T> f, T x, T& result) {
  constexpr std::size_t kLanes = vec::Vec<T>::size;
  T in[kLanes];
  T out[kLanes];
  std::fill_n(in, kLanes, x);
  _mm_setcsr(_mm_getcsr() & ~kFlags);
  f(in, in, out, kLanes);
  const unsigned flags = _mm_getcsr() & (kDenormalOperand | kUnderflow);
  result = out[0];
  return flags;
}

template <class T>
void makes_no_denormals(const Row& row, Apply<T> f) {
  constexpr bool kSingle = sizeof(T) == 4;
  const double inf = std::numeric_limits<double>::infinity();
  const double magnitudes[] = {0,     kSingle ? 1e-37 : 1e-70,
                               1e-30, 1e-20,
                               1e-10, 0.3,
                               3,     15,
                               30,    60,
                               80,    95,
                               100,   200,
                               300,   720,
                               800,   2000,
                               1e5,   1e10,
                               1e30,  kSingle ? 1e37 : 1e100,
                               inf};
  for (const double magnitude : magnitudes) {
    for (const double sign : {1.0, -1.0}) {
      const T x = static_cast<T>(sign * magnitude);
      T result = 0;
      const unsigned flags = flags_of(f, x, result);
      if (std::fpclassify(result) == FP_SUBNORMAL) continue;
      EXPECT_EQ(flags, 0u) << row.name << (kSingle ? " f32 " : " f64 ") << x << " gives " << result;
    }
  }
}

/// Of f32 from f64.
bool ends_in_conversion(std::string_view name) {
  for (const std::string_view other :
       {"erfc", "erfc_near_half", "cbrt", "ndtr", "log_ndtr", "bessel_k0", "bessel_k1", "airy_ai"}) {
    if (name == other) return true;
  }
  return false;
}

class Denormals : public testing::TestWithParam<Row> {};

TEST_P(Denormals, AreNotMadeOnTheWay) {
  const Row& row = GetParam();
  if (!vec::kFusedFma) GTEST_SKIP() << "a product that fma would not round may be denormal";
  if (!ends_in_conversion(row.name)) makes_no_denormals<float>(row, row.f32);
  makes_no_denormals<double>(row, row.f64);
}

std::vector<Row> rows() {
  std::vector<Row> found;
  const auto take = [&found](const Row& row) {
    for (const std::string_view name : {"pow", "half_power_1", "half_power_2", "xlog1py", "fmod", "remainder",
                                        "zeta", "polygamma_3", "digamma", "trigamma"}) {
      if (row.name == name) return;
    }
    found.push_back(row);
  };
  for (const Row& row : kRows) take(row);
  for (const Row& row : kSpecialRows) take(row);
  return found;
}
INSTANTIATE_TEST_SUITE_P(Functions, Denormals, testing::ValuesIn(rows()),
                         [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });

#endif

}  // namespace
}  // namespace lanewise::test
