// What a layout costs: each op on a layout beside f32 add of contiguous tensors that moves as many bytes, or fill. A strided
// operand counts the cache lines that it touches, whole, and an output with gaps counts them twice, read and written: no
// loop can move less. Times are medians over turns.

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <lanewise/lanewise.h>

#include "median.h"
#include "turns.h"

using lanewise::Tensor;

namespace {

constexpr int kTurns = 9;
constexpr double kTurnSeconds = 0.01;
constexpr std::int64_t kLine = 64;

struct Case {
  std::string name;
  std::vector<Tensor> operands;  // all that is read or written, the output first
  std::function<void()> run;
};

/// Bytes of the cache lines that hold elements of `t`.
double line_bytes(const Tensor& t) {
  std::vector<std::int64_t> sizes, strides;  // bytes
  std::int64_t span = 0;
  for (std::int64_t d = 0; d < t.dim(); ++d) {
    if (t.stride(d) == 0 || t.size(d) == 1) continue;
    sizes.push_back(t.size(d));
    strides.push_back(t.stride(d) * t.element_size());
    span += (sizes.back() - 1) * strides.back();
  }
  const std::int64_t start =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(t.data_ptr()) % kLine);
  std::vector<bool> touched(static_cast<std::size_t>((start + span) / kLine + 1));
  std::vector<std::int64_t> index(sizes.size());
  std::int64_t at = start, lines = 0;
  while (true) {
    const auto line = static_cast<std::size_t>(at / kLine);
    lines += touched[line] ? 0 : 1;
    touched[line] = true;
    std::size_t d = 0;
    for (; d < sizes.size(); ++d) {
      at += strides[d];
      if (++index[d] < sizes[d]) break;
      at -= sizes[d] * strides[d];
      index[d] = 0;
    }
    if (d == sizes.size()) return static_cast<double>(lines * kLine);
  }
}

/// Prints the case beside its bound: f32 add of contiguous tensors, or fill where next to nothing is read.
void print(const Case& c) {
  const double out = line_bytes(c.operands[0]);
  const bool gaps = out > 1.5 * static_cast<double>(c.operands[0].nbytes());
  double bytes = gaps ? out : 0;
  for (const Tensor& t : c.operands) bytes += line_bytes(t);
  const bool only_writes = out > 0.9 * bytes;
  const auto elements = static_cast<std::int64_t>(bytes / (only_writes ? 4 : 12));
  const Tensor x = lanewise::rand({elements}), y = lanewise::rand({elements});
  Tensor bound = lanewise::empty({elements});
  const auto run_bound = [&] { only_writes ? void(bound.fill_(1)) : void(lanewise::add_out(bound, x, y)); };
  const auto samples = bench::seconds_in_turns({c.run, run_bound}, kTurns, kTurnSeconds);
  std::vector<double> ratios;
  for (int turn = 0; turn < kTurns; ++turn) ratios.push_back(samples[0][turn] / samples[1][turn]);
  std::printf("%-26s %9.2f MiB %10.1f us %6.1f GB/s %6.2f of %s\n", c.name.c_str(), bytes / (1 << 20),
              bench::median(samples[0]) * 1e6, bytes / bench::median(samples[0]) / 1e9, bench::median(ratios),
              only_writes ? "fill" : "add");
  std::fflush(stdout);
}

/// Prints the cases of n x n elements, one by one: all together they would not fit into the memory of most machines.
void print_cases(std::int64_t n) {
  const auto random = [](std::vector<std::int64_t> sizes) { return lanewise::rand(sizes) + 0.5; };
  const auto add = [](const std::string& name, Tensor out, const Tensor& a, const Tensor& b) {
    print({name, {out, a, b}, [=]() mutable { lanewise::add_out(out, a, b); }});
  };
  const auto empty = [](std::vector<std::int64_t> sizes) { return lanewise::empty(sizes); };
  const std::int64_t nn = n * n;
  const Tensor a = random({n, n}), b = random({n, n}), row = random({n}), column = random({n, 1});
  Tensor out = empty({n, n});
  add("contiguous", out, a, b);
  add("a + b.t()", out, a, b.t());
  add("a.t() + b.t()", out, a.t(), b.t());
  add("out.t() = a + b", out.t(), a, b);
  add("a + row", out, a, row);
  add("a + column", out, a, column);
  add("column + row (outer)", out, column, row);
  print({"where(column, a, row)", {out, column, a, row}, [=, c = column.gt(1)]() mutable {
           lanewise::where_out(out, c, a, row);
         }});
  print({"addcmul(column, row, row)", {out, column, row}, [=]() mutable {
           lanewise::addcmul_out(out, column, row, row);
         }});
  add("stride 2, inputs", empty({nn}), random({nn, 2}).select(1, 0), random({nn, 2}).select(1, 1));
  add("stride 2, output", empty({nn, 2}).select(1, 0), random({nn}), random({nn}));
  add("stride 3, inputs", empty({nn}), random({nn, 3}).select(1, 0), random({nn, 3}).select(1, 1));
  print({"flip", {out, a}, [=] { lanewise::flip(a, {1}); }});
  for (const std::int64_t k : {10, 64}) {
    add("rows of " + std::to_string(k) + " out of " + std::to_string(2 * k), empty({nn / k, k}),
        random({nn / k, 2 * k}).narrow(1, 0, k), random({nn / k, 2 * k}).narrow(1, k, k));
  }
  for (const std::int64_t k : {2, 3, 5, 7, 10}) {
    add("[n, " + std::to_string(k) + "] + row", empty({nn / k, k}), random({nn / k, k}), random({k}));
    add("[n, " + std::to_string(k) + "] + column", empty({nn / k, k}), random({nn / k, k}),
        random({nn / k, 1}));
  }
  add("[n, 5] + [5, n].t()", empty({nn / 5, 5}), random({nn / 5, 5}), random({5, nn / 5}).t());
  const auto typed = [&](lanewise::ScalarType type) { return (random({nn}) * 50).to(type); };
  for (const auto& [name, type] :
       {std::pair{"f32 + uint8", lanewise::kByte}, std::pair{"f32 + int32", lanewise::kInt},
        std::pair{"f32 + int64", lanewise::kLong}, std::pair{"f32 + bf16", lanewise::kBFloat16},
        std::pair{"f32 + f16", lanewise::kHalf}}) {
    add(name, empty({nn}), random({nn}), typed(type));
  }
  add("f32 + f64", lanewise::empty({nn}, lanewise::kDouble), random({nn}), typed(lanewise::kDouble));
  for (const auto& [name, type] : {std::pair{"bf16", lanewise::kBFloat16}, std::pair{"f16", lanewise::kHalf},
                                   std::pair{"f64", lanewise::kDouble}, std::pair{"int32", lanewise::kInt},
                                   std::pair{"uint8", lanewise::kByte}}) {
    add(name, lanewise::empty({nn}, type), typed(type), typed(type));
  }
}

}  // namespace

int main() {
  lanewise::set_num_threads(1);
  lanewise::manual_seed(1);
  for (const std::int64_t n : {512, 4096}) {
    std::printf("%lld x %lld, one thread\n%-26s %13s %13s %11s %6s\n", static_cast<long long>(n),
                static_cast<long long>(n), "layout", "lines", "time", "speed", "times");
    print_cases(n);
  }
  return 0;
}
