#include <algorithm>
#include <chrono>
#include <cstdint>

#include <lanewise/autograd/detail/cost_model.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/generated/functions.h>
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

CostModel CostModel::measure() {
  const NoGradGuard no_grad;
  constexpr std::int64_t kElements = 2048, kSide = 96;  // so few that one thread has them all
  CostModel model;
  const Tensor one = ones({1}), some = ones({kElements}), matrix = ones({kSide, kSide});
  Tensor out_one = ones({1}), out_some = ones({kElements}), out_matrix = ones({kSide, kSide});
  model.call_ns = best_ns(200, [&] { add_out(out_one, one, one); });
  const double sum = best_ns(50, [&] { add_out(out_some, some, some); });
  model.addition_ns = std::max(sum - model.call_ns, 1.0) / static_cast<double>(kElements);
  model.flop_ns = best_ns(4, [&] { mm_out(out_matrix, matrix, matrix); }) /
                  (2.0 * kSide * kSide * static_cast<double>(kSide));
  return model;
}

double CostModel::predict(const profiler::Event& op, const std::vector<const WalkRecord*>& walks) const {
  if (op.path == "product") return call_ns + op.flops * flop_ns / op.threads;
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
  return call_ns + additions * addition_ns / op.threads;
}

}  // namespace lanewise::detail
