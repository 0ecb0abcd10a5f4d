#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>

#include <lanewise/autograd/detail/cost_model.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/generated/functions.h>
#include <lanewise/iterator/detail/tile_plan.h>
#include <lanewise/ops/factories.h>

namespace lanewise::detail {
namespace {

/// The shortest of several runs of `calls` calls, per call.
template <class F>
double best_ns(int calls, F&& f) {
  double best = 1e18;
  for (int run = 0; run < 7; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) f();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / calls);
  }
  return best;
}

}  // namespace

CostModel::CostModel() {
  const NoGradGuard no_grad;
  constexpr std::int64_t kSide = 96;  // so few that one thread has them all
  const Tensor one = ones({1}), matrix = ones({kSide, kSide});
  Tensor out_one = ones({1}), out_matrix = ones({kSide, kSide});
  call_ns_ = best_ns(200, [&] { add_out(out_one, one, one); });
  const double flops = 2.0 * kSide * kSide * static_cast<double>(kSide);
  flop_ns_ = best_ns(4, [&] { mm_out(out_matrix, matrix, matrix); }) / flops;
}

double CostModel::addition_ns(std::int64_t bytes) {
  constexpr std::int64_t kFewest = 2048, kMost = std::int64_t{1} << 22;
  const auto elements = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(
          std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes / 12, 1)))),
      kFewest, kMost);
  const auto [entry, fresh] = additions_.try_emplace(elements, 0);
  if (!fresh) return entry->second;
  const NoGradGuard no_grad;
  const Tensor a = ones({elements}), b = ones({elements});
  Tensor out = ones({elements});
  const double ns =
      best_ns(static_cast<int>(std::max<std::int64_t>(1, (1 << 17) / elements)), [&] { add_out(out, a, b); });
  // As many threads as the grain of an addition gave it.
  const double threads =
      std::clamp(static_cast<double>(elements) / kGrainCost, 1.0, double(get_num_threads()));
  return entry->second = std::max(ns - call_ns_, 1.0) * std::floor(threads) / static_cast<double>(elements);
}

double CostModel::predict(const profiler::Event& op, const std::vector<const WalkRecord*>& walks) {
  if (op.path == "product") return call_ns_ + op.flops * flop_ns_ / op.threads;
  double additions = 0;
  for (const WalkRecord* walk : walks) {
    double elements = 1;
    for (const std::int64_t size : walk->shape) elements *= static_cast<double>(size);
    additions += elements * walk->cost;
  }
  // Without a walk: one call of the kernel, or a reduction. Twelve bytes are an addition's.
  if (walks.empty()) {
    if (op.path != "contiguous" && op.path != "reduction") return 0;
    additions = std::max(static_cast<double>(op.bytes) / 12, op.path == "contiguous" ? op.flops : 0);
  }
  return call_ns_ + additions * addition_ns(op.bytes) / op.threads;
}

}  // namespace lanewise::detail
