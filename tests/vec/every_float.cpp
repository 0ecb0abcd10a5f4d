// Every f32 through every function of one argument; not a part of ./test. In minutes a function:
//
//   vec_every_float_<tier> [name...]
//
// References are those of math_rows.h in long double. The functions that only MPFR can judge are compared
// with their own f64 version, which vec_math_test holds against MPFR, and with MPFR at one f32 of 2^16.

#include <cstdio>
#include <cstring>
#include <string_view>

#include "special_rows.h"
#include "ulp.h"

namespace lanewise::test {
namespace {

constexpr std::size_t kBlock = 4096;

struct Worst {
  double error = 0;
  float at = 0;
  void take(double e, float x) {
    if (e > error) {
      error = e;
      at = x;
    }
  }
};

double scaled_error(const Row& row, float found, float x, Wide exact) {
  double error = ulp_error(found, exact);
  if (row.scale != nullptr && error < kWrongClass) {
    const Wide scale = row.scale(x);
    if (std::fabs(exact) < scale) error *= static_cast<double>(std::fabs(exact) / scale);
  }
  return error;
}

Wide by_mpfr(const Row& row, float x) {
  mpfr_t a, r;
  mpfr_inits2(150, a, r, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_flt(a, x, MPFR_RNDN);
  (void)row.mpfr(r, a, a);
  const Wide exact = mpfr_get_ld(r, MPFR_RNDN);
  mpfr_clears(a, r, static_cast<mpfr_ptr>(nullptr));
  return exact;
}

/// True if the function keeps its bound.
bool check(const Row& row) {
  Worst worst;
  float x[kBlock];
  float found[kBlock];
  double wide[kBlock];
  double reference[kBlock];
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      x[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(first + i));
      wide[i] = static_cast<double>(x[i]);
    }
    row.f32(x, x, found, kBlock);
    if (row.reference == nullptr) row.f64(wide, wide, reference, kBlock);
    for (std::size_t i = 0; i < kBlock; ++i) {
      const Wide exact = row.reference != nullptr ? row.reference(x[i], 0) : reference[i];
      worst.take(scaled_error(row, found[i], x[i], exact), x[i]);
    }
    if (row.reference == nullptr && first % (std::uint64_t{1} << 16) == 0) {
      worst.take(scaled_error(row, found[7], x[7], by_mpfr(row, x[7])), x[7]);
    }
  }
  const double bound = (vec::kFusedFma ? row.bound : row.unfused).f32;
  const bool holds = worst.error <= bound + 0x1p-10;
  std::printf("%-12s %8.4f ULP at %-15.9g bound %g%s\n", row.name, worst.error, static_cast<double>(worst.at),
              bound, holds ? "" : "  EXCEEDED");
  std::fflush(stdout);
  return holds;
}

int run(int argc, char** argv) {
  bool holds = true;
  const auto take = [&](const Row& row) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::string_view(argv[i]) == row.name;
    if (wanted && !row.second) holds = check(row) && holds;
  };
  for (const Row& row : kRows) take(row);
  for (const Row& row : kSpecialRows) take(row);
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace lanewise::test

int main(int argc, char** argv) { return lanewise::test::run(argc, argv); }
