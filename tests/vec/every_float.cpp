// Every f32 through every function of one argument; not a part of ./test.
//
//   vec_every_float_<tier> [--digest] [name...]
//
// Each result is compared with the function's own f64 version, which vec_math_test holds against MPFR and whose
// error of an ULP or so is 2^-28 of what is measured; at one f32 of 64 with the C library's f64 function too, and
// at one of 2^18 with MPFR. The digest of all results is equal on tiers with the same bits; --digest prints it
// alone, in seconds a function.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "special_rows.h"
#include "ulp.h"

namespace lanewise::test {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kAll = std::uint64_t{1} << 32;

/// ulp_error in f64 for numbers other than 0: the exponent from the bits.
double error_of_numbers(float found, double exact) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000;
  constexpr std::uint64_t kSmallest = std::uint64_t{1023 - 126} << 52;
  constexpr std::uint64_t kInverse = std::uint64_t{2 * 1023 + 23} << 52;
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, exact) & kExponent;
  const std::uint64_t exponent = bits > kSmallest ? bits : kSmallest;
  const double inverse_ulp = __builtin_bit_cast(double, kInverse - exponent);
  return std::fabs(static_cast<double>(found) - exact) * inverse_ulp;
}

/// False where the error is certainly not above the limit. Without branches, for the compiler to vectorise.
bool may_exceed(float found, double exact, double limit) {
  const double magnitude = std::fabs(exact);
  const float found_magnitude = std::fabs(found);
  const bool numbers =
      (magnitude > 0x1p-149) & (magnitude < 0x1p127) & (found_magnitude > 0) & (found_magnitude < 0x1p127f);
  const bool same = __builtin_bit_cast(std::uint32_t, static_cast<float>(exact)) ==
                    __builtin_bit_cast(std::uint32_t, found);
  const bool right_class = same & ((found == 0) | (found_magnitude > std::numeric_limits<float>::max()));
  const bool nan = (found != found) & (exact != exact);
  const bool above = error_of_numbers(found, exact) > limit;
  return (numbers & above) | !(numbers | right_class | nan);
}

struct Worst {
  double error = 0;
  float at = 0;

  void take(const Row& row, double e, float x, Wide exact) {
    if (e <= error) return;
    if (row.scale != nullptr && e < kWrongClass) {
      const Wide scale = row.scale(x);
      if (std::fabs(exact) < scale) e *= static_cast<double>(std::fabs(exact) / scale);
      if (e <= error) return;
    }
    error = e;
    at = x;
  }
};

Wide by_mpfr(const Row& row, float x) {
  mpfr_t a, r;
  mpfr_inits2(150, a, r, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_flt(a, x, MPFR_RNDN);
  (void)row.mpfr(r, a, a);
  const Wide exact = mpfr_get_ld(r, MPFR_RNDN);
  mpfr_clears(a, r, static_cast<mpfr_ptr>(nullptr));
  return exact;
}

void compare(const Row& row, const float* x, const float* found, Worst& worst) {
  double wide[kBlock];
  double reference[kBlock];
  for (std::size_t i = 0; i < kBlock; ++i) wide[i] = static_cast<double>(x[i]);
  row.f64(wide, wide, reference, kBlock);
  std::uint64_t candidates = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    candidates += may_exceed(found[i], reference[i], worst.error) ? 1u : 0u;
  }
  if (candidates != 0) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      if (!may_exceed(found[i], reference[i], worst.error)) continue;
      worst.take(row, ulp_error(found[i], reference[i]), x[i], reference[i]);
    }
  }
  if (row.in_double == nullptr) return;
  for (std::size_t i = 3; i < kBlock; i += 64) {
    const double exact = row.in_double(wide[i]);
    if (may_exceed(found[i], exact, worst.error)) worst.take(row, ulp_error(found[i], exact), x[i], exact);
  }
}

/// FNV-1a in eight lanes; NaN counts as one value.
struct Digest {
  std::uint64_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};

  void take(const float* found) {
    for (std::size_t i = 0; i < kBlock; i += 8) {
      for (std::size_t j = 0; j < 8; ++j) {
        const float value = found[i + j];
        const std::uint32_t bits = value != value ? 1 : __builtin_bit_cast(std::uint32_t, value);
        lanes[j] = (lanes[j] ^ bits) * 0x100000001b3u;
      }
    }
  }
  std::uint64_t value() const {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint64_t lane : lanes) hash = (hash ^ lane) * 0x100000001b3u;
    return hash;
  }
};

/// True if the function keeps its bound.
bool check(const Row& row, bool digest_only) {
  const auto begin = std::chrono::steady_clock::now();
  Worst worst;
  Digest digest;
  float x[kBlock];
  float found[kBlock];
  for (std::uint64_t first = 0; first < kAll; first += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      x[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(first + i));
    }
    row.f32(x, x, found, kBlock);
    digest.take(found);
    if (digest_only) continue;
    compare(row, x, found, worst);
    if (first % (std::uint64_t{1} << 18) == 0) {
      const Wide exact = by_mpfr(row, x[7]);
      worst.take(row, ulp_error(found[7], exact), x[7], exact);
    }
  }
  const double bound = (vec::kFusedFma ? row.bound : row.unfused).f32;
  const bool holds = worst.error <= bound + 0x1p-10;
  std::printf("%-12s %016llx", row.name, static_cast<unsigned long long>(digest.value()));
  if (!digest_only) {
    std::printf(" %8.4f ULP at %-15.9g bound %-4g%s", worst.error, static_cast<double>(worst.at), bound,
                holds ? "" : "  EXCEEDED");
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf(" %4.0f s\n", seconds.count());
  std::fflush(stdout);
  return holds;
}

int run(int argc, char** argv) {
  const bool digest_only = argc > 1 && std::string_view(argv[1]) == "--digest";
  const int first_name = digest_only ? 2 : 1;
  bool holds = true;
  const auto take = [&](const Row& row) {
    // Rows for a part of the range repeat a function.
    bool wanted = argc == first_name && std::string_view(row.name).find("_near_") == std::string_view::npos;
    for (int i = first_name; i < argc; ++i) wanted = wanted || std::string_view(argv[i]) == row.name;
    if (wanted && !row.second) holds = check(row, digest_only) && holds;
  };
  for (const Row& row : kRows) take(row);
  for (const Row& row : kSpecialRows) take(row);
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace lanewise::test

int main(int argc, char** argv) { return lanewise::test::run(argc, argv); }
