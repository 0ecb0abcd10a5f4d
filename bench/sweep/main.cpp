// Every op once for a type and a layout: prints a line a call, `op <tab> nanoseconds <tab> sum of the answer's elements`.
//
//   <program> <type> <layout> [n]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "sweep_op.h"

namespace {

using lib::Tensor;
using sweep::Op;
using sweep::Operands;
using Clock = std::chrono::steady_clock;

/// The best of so many calls, or as many as fit into a time.
constexpr int kCalls = 9;
constexpr double kSeconds = 0.3;

struct Type {
  const char* name;
  lib::ScalarType type;
  char kind;  // see Op::types
};
constexpr Type kTypes[] = {
    {"f32", lib::kFloat, 'f'},     {"f64", lib::kDouble, 'f'},       {"f16", lib::kHalf, 'h'},
    {"bf16", lib::kBFloat16, 'h'}, {"i8", lib::kChar, 'i'},          {"u8", lib::kByte, 'i'},
    {"i16", lib::kShort, 'i'},     {"i32", lib::kInt, 'i'},          {"i64", lib::kLong, 'i'},
    {"bool", lib::kBool, 'b'},     {"c64", lib::kComplexFloat, 'c'}, {"c128", lib::kComplexDouble, 'c'}};

/// n x n numbers from 0 to 1 that look like any others and need no generator.
Tensor scattered(std::int64_t n, std::int64_t factor) {
  const Tensor count = lib::arange(0, n * n, lib::TensorOptions().dtype(lib::kLong));
  return lib::remainder(count * factor, 8191).to(lib::kDouble).div(8190).view({n, n});
}

Tensor laid_out(const Tensor& t, std::string_view layout) {
  const std::int64_t n = t.size(0);
  if (layout == "transposed") return t.t().contiguous().t();
  if (layout == "rows") return lib::cat({t, t}, 1).narrow(1, 0, n);
  if (layout == "every_second") return lib::stack({t, t}, 2).select(2, 0);
  return t;
}

Operands operands(const Type& type, std::string_view layout, std::int64_t n) {
  const Tensor x = scattered(n, 2731) * 3, y = scattered(n, 1543) * 3;
  const auto typed = [&](const Tensor& t) { return laid_out(t.to(type.type), layout); };
  return {typed(x + 0.5),
          typed(y + 1.5),
          typed(x - 1.5),
          scattered(n, 3571) > 0.5,
          lib::remainder(lib::arange(0, n, lib::TensorOptions().dtype(lib::kLong)) * 77 + 5, n),
          (scattered(n, 4447) * static_cast<double>(n - 1)).to(lib::kLong)};
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// NaN and infinity left out; complex numbers as the sum of their parts.
double sum_of(Tensor t) {
  if (t.is_complex()) t = lib::view_as_real(t.contiguous());
  const Tensor wide = t.to(lib::kDouble);
  return lib::where(lib::isfinite(wide), wide, lib::zeros_like(wide)).sum().item<double>();
}

void run(const Op& op, const Operands& o) {
  const Tensor answer = op.run(o);
  const double sum = std::strchr(op.types, '?') != nullptr ? 0 : sum_of(answer);
  double best = 1e30;
  const auto start = Clock::now();
  for (int i = 0; i < kCalls && (i == 0 || seconds_since(start) < kSeconds); ++i) {
    const auto begin = Clock::now();
    const Tensor again = op.run(o);
    best = std::min(best, seconds_since(begin));
  }
  std::printf("%s\t%.1f\t%.9g\n", op.name, best * 1e9, sum);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "", layout = argc > 2 ? argv[2] : "contiguous";
  const std::int64_t n = argc > 3 ? std::atol(argv[3]) : 512;
  const Type* const type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& t) { return name == t.name; });
  if (type == std::end(kTypes)) {
    std::fprintf(stderr, "usage: %s <type> [contiguous|transposed|rows|every_second] [n]\n", argv[0]);
    return 2;
  }
  lib::set_num_threads(1);
  lib::manual_seed(1);
  const lib::NoGradGuard no_grad;
  const Operands o = operands(*type, layout, n);
  for (const auto& table :
       {sweep::pointwise_ops(), sweep::reduction_ops(), sweep::moving_ops(), sweep::product_ops()}) {
    for (const Op& op : table) {
      if (std::strchr(op.types, type->kind) == nullptr) continue;
      try {
        run(op, o);
      } catch (const std::exception&) {  // one library may not have it for this type
        std::printf("%s\terror\t0\n", op.name);
      }
    }
  }
}
