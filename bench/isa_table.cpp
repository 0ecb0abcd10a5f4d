// What the instruction sets are worth on this machine: a table op x tier with GB/s (or GFLOP/s) and the
// speed-up over the lowest tier. The tiers take turns within each case, so that a drift of the machine hits
// them alike; medians of several turns.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <lanewise/lanewise.h>

#include "median.h"
#include "turns.h"

using lanewise::Tensor;

namespace {

struct Case {
  std::string name;
  double work;       // bytes or floating-point operations of one run
  const char* unit;  // of work per ns
  std::function<void()> run;
};

constexpr std::int64_t kCount = 1 << 14;  // f32: 64 KiB an operand, in L2
constexpr int kTurns = 9;
constexpr double kTurnSeconds = 0.01;

/// Median seconds of one run, per tier, the tiers taking turns.
std::vector<double> measure(const Case& c) {
  std::vector<std::function<void()>> runs;
  for (const auto isa : lanewise::available_isas()) {
    runs.push_back([&c, isa] {
      const lanewise::IsaGuard guard(isa);
      c.run();
    });
  }
  std::vector<double> medians;
  for (const auto& samples : bench::seconds_in_turns(runs, kTurns, kTurnSeconds))
    medians.push_back(bench::median(samples));
  return medians;
}

std::vector<Case> make_cases() {
  const Tensor a = lanewise::rand({kCount}) + 0.5, b = lanewise::rand({kCount}) + 0.5;
  const Tensor h = a.to(lanewise::kBFloat16), g = b.to(lanewise::kBFloat16),
               bytes = (a * 100).to(lanewise::kByte);
  const Tensor square = lanewise::rand({512, 512}), columns = square.t();
  const Tensor mask = a.lt(1.0);
  Tensor out = lanewise::empty_like(a), out_h = lanewise::empty_like(h),
         out_square = lanewise::empty_like(square);
  const double n = kCount, nn = 512 * 512;
  return {
      {"add f32", 12 * n, "GB/s", [=]() mutable { lanewise::add_out(out, a, b); }},
      {"add bf16", 6 * n, "GB/s", [=]() mutable { lanewise::add_out(out_h, h, g); }},
      {"add f32 + u8", 9 * n, "GB/s", [=]() mutable { lanewise::add_out(out, a, bytes); }},
      {"a + b.t() f32", 12 * nn, "GB/s", [=]() mutable { lanewise::add_out(out_square, square, columns); }},
      {"where f32", 13 * n, "GB/s", [=] { lanewise::where(mask, a, b); }},
      {"lt f32", 9 * n, "GB/s", [=] { lanewise::lt(a, b); }},
      {"sqrt f32", 8 * n, "GB/s", [=]() mutable { lanewise::sqrt_out(out, a); }},
      {"exp f32", 8 * n, "GB/s", [=]() mutable { lanewise::exp_out(out, a); }},
      {"log f32", 8 * n, "GB/s", [=]() mutable { lanewise::log_out(out, a); }},
      {"sin f32", 8 * n, "GB/s", [=]() mutable { lanewise::sin_out(out, a); }},
      {"tanh f32", 8 * n, "GB/s", [=]() mutable { lanewise::tanh_out(out, a); }},
      {"pow(x, 2.5) f32", 8 * n, "GB/s", [=]() mutable { lanewise::pow_out(out, a, 2.5); }},
      {"sum f32", 4 * n, "GB/s", [=] { a.sum(); }},
      {"softmax rows of 512", 8 * nn, "GB/s", [=] { lanewise::softmax(square, 1); }},
      {"mm 512^3 f32", 2 * 512 * nn, "GFLOP/s", [=] { lanewise::mm(square, columns); }},
  };
}

}  // namespace

int main() {
  lanewise::set_num_threads(1);
  lanewise::manual_seed(1);
  const auto isas = lanewise::available_isas();
  std::printf("%-20s %-8s", "one thread", "");
  for (const auto isa : isas) std::printf(" %18s", lanewise::name(isa));
  std::printf("\n");
  for (const Case& c : make_cases()) {
    const std::vector<double> seconds = measure(c);
    std::printf("%-20s %-8s", c.name.c_str(), c.unit);
    for (const double s : seconds) std::printf("  %8.1f (%5.2fx)", c.work / s / 1e9, seconds[0] / s);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
