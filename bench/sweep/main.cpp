// Every op once for a type and a layout: prints a line a call, `op <tab> nanoseconds <tab> sum of the answer's elements`;
// with `backward` the backward pass alone of those that have one, each on a new graph, and the sums of their gradients; with
// `copied` the same as without, but that each operand which the op reads is first made contiguous, which counts.
//
//   <program> <type> <layout> [rows x columns[@threads]] [forward|backward|copied] [op...]   such as 512x512, or 1024x1024@2

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

struct Shape {
  std::int64_t rows = 512, columns = 512;
};

/// Numbers from 0 to 1 without an order that a CPU could foresee, the same in both libraries: squares modulo the prime 2^31 - 1.
Tensor scattered(Shape shape, std::int64_t factor) {
  constexpr std::int64_t kPrime = 2147483647;
  const Tensor count = lib::arange(0, shape.rows * shape.columns, lib::TensorOptions().dtype(lib::kLong));
  Tensor x = lib::remainder(count * factor + 1, kPrime);
  for (int i = 0; i < 3; ++i) x = lib::remainder(x * x + factor, kPrime);
  return lib::remainder(x, 8191).to(lib::kDouble).div(8190).view({shape.rows, shape.columns});
}

Tensor laid_out(const Tensor& t, std::string_view layout) {
  if (layout == "transposed") return t.t().contiguous().t();
  if (layout == "rows") return lib::cat({t, t}, 1).narrow(1, 0, t.size(1));
  if (layout == "every_second") return lib::stack({t, t}, 2).select(2, 0);
  return t;
}

Operands operands(const Type& type, std::string_view layout, Shape shape) {
  const std::int64_t n = std::min(shape.rows, shape.columns);
  const Tensor x = scattered(shape, 2731) * 3, y = scattered(shape, 1543) * 3;
  const auto typed = [&](const Tensor& t) { return laid_out(t.to(type.type), layout); };
  return {typed(x + 0.5),
          typed(y + 1.5),
          typed(x - 1.5),
          scattered(shape, 3571) > 0.5,
          lib::remainder(lib::arange(0, n, lib::TensorOptions().dtype(lib::kLong)) * 77 + 5, n),
          (scattered(shape, 4447) * static_cast<double>(n - 1)).to(lib::kLong),
          (y + 1.5).to(type.type).to(lib::kFloat),
          typed(x + 0.5)};
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

/// The shortest of kCalls times that `call` says it took.
template <class F>
double best_of(F call) {
  double best = 1e30;
  const auto start = Clock::now();
  for (int i = 0; i < kCalls && (i == 0 || seconds_since(start) < kSeconds); ++i)
    best = std::min(best, call());
  return best;
}

void print(const Op& op, const char* pass, double seconds, double sum) {
  std::printf("%s%s\t%.1f\t%.9g\n", op.name, pass, seconds * 1e9,
              std::strchr(op.types, '?') != nullptr ? 0 : sum);
  std::fflush(stdout);
}

/// Those operands of one layout without which the op fails.
std::vector<Tensor Operands::*> read_by(const Op& op, const Operands& o) {
  std::vector<Tensor Operands::*> found;
  for (Tensor Operands::*const operand : {&Operands::x, &Operands::y, &Operands::s}) {
    Operands without = o;
    without.*operand = Tensor();
    try {
      op.run(without);
    } catch (const std::exception&) {
      found.push_back(operand);
    }
  }
  return found;
}

void run_copied(const Op& op, const Operands& o) {
  const lib::NoGradGuard no_grad;
  const std::vector<Tensor Operands::*> read = read_by(op, o);
  Operands dense = o;
  double sum = 0;
  const double seconds = best_of([&] {
    const auto begin = Clock::now();
    for (Tensor Operands::*const operand : read) dense.*operand = (o.*operand).contiguous();
    const Tensor answer = op.run(dense);
    const double taken = seconds_since(begin);
    if (sum == 0) sum = sum_of(answer);
    return taken;
  });
  print(op, "", seconds, sum);
}

void run(const Op& op, const Operands& o, bool writes) {
  const lib::NoGradGuard no_grad;
  const auto restore = [&] {
    if (writes) o.w.copy_(o.x);
  };
  restore();
  const double sum = sum_of(op.run(o));
  print(op, "", best_of([&] {
          restore();
          const auto begin = Clock::now();
          const Tensor again = op.run(o);
          return seconds_since(begin);
        }),
        sum);
}

void run_backward(const Op& op, const Operands& o) {
  const Tensor answer = op.run(o).detach();
  const Tensor count = lib::arange(0, answer.numel(), lib::TensorOptions().dtype(lib::kLong));
  const Tensor grad =
      lib::remainder(count * 37, 127).to(answer.scalar_type()).div(63).sub(0.4).view(answer.sizes());
  std::vector<Tensor> gradients;
  const double seconds = best_of([&] {
    const Tensor again = op.run(o);
    const auto begin = Clock::now();
    gradients = lib::autograd::grad({again}, {o.x, o.y, o.s}, {grad}, {}, false, true);
    return seconds_since(begin);
  });
  const lib::NoGradGuard no_grad;
  double sum = 0;
  for (const Tensor& g : gradients) {
    if (g.defined()) sum += sum_of(g);
  }
  print(op, " backward", seconds, sum);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "", layout = argc > 2 ? argv[2] : "contiguous";
  Shape shape;
  int threads = 1;
  const bool has_shape =
      argc <= 3 || (std::sscanf(argv[3], "%ldx%ld@%d", &shape.rows, &shape.columns, &threads) >= 2 &&
                    shape.rows > 0 && shape.columns > 0 && threads > 0);
  const std::string_view pass = argc > 4 ? argv[4] : "forward";
  const bool backward = pass == "backward", copied = pass == "copied";
  const Type* const type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& t) { return name == t.name; });
  if (type == std::end(kTypes) || !has_shape) {
    std::fprintf(stderr,
                 "usage: %s <type> [contiguous|transposed|rows|every_second] [<rows>x<columns>[@<threads>]] "
                 "[forward|backward|copied] [op...]\n",
                 argv[0]);
    return 2;
  }
  lib::set_num_threads(threads);
  lib::manual_seed(1);
  const Operands o = operands(*type, layout, shape);
  if (backward) {
    for (const Tensor& t : {o.x, o.y, o.s}) t.set_requires_grad(true);
  }
  const std::vector<std::string_view> chosen(argv + std::min(argc, 5), argv + argc);
  const auto all = [&](const std::vector<Op>& table, bool writes) {
    for (const Op& op : table) {
      if (std::strchr(op.types, type->kind) == nullptr) continue;
      if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), op.name) == chosen.end()) continue;
      try {
        backward ? run_backward(op, o) : copied ? run_copied(op, o) : run(op, o, writes);
      } catch (const std::exception&) {  // one library may not have it for this type
        std::printf("%s\terror\t0\n", op.name);
      }
    }
  };
  for (const auto& table :
       {sweep::pointwise_ops(), sweep::reduction_ops(), sweep::moving_ops(), sweep::product_ops()})
    all(table, false);
  if (!backward && !copied) all(sweep::inplace_ops(), true);
}
