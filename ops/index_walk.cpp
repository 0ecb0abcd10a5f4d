#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/index_walk.h>

namespace lanewise::ops {

void walk_index(IntArrayRef sizes, std::int64_t dim, const std::array<DimVector, kWalked>& strides,
                bool apart, FunctionRef<void(const IndexRun&)> f) {
  constexpr std::int64_t kGrain = 16384;
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  const auto size = [&](std::int64_t d) { return sizes[static_cast<std::size_t>(d)]; };
  const auto stride = [&](std::size_t k, std::int64_t d) { return strides[k][static_cast<std::size_t>(d)]; };
  const bool along = dim == rank - 1;
  // The loop over `dim` is innermost if it is the last dimension, else just outside of the last.
  std::int64_t outer = 1;
  for (std::int64_t d = 0; d < rank - 1; ++d) {
    if (d != dim) outer *= size(d);
  }
  const auto start_of = [&](std::int64_t position) {
    std::array<std::int64_t, kWalked> at{};
    for (std::int64_t d = rank - 2; d >= 0; --d) {
      if (d == dim) continue;
      const std::int64_t i = position % size(d);
      position /= size(d);
      for (std::size_t k = 0; k < kWalked; ++k) at[k] += i * stride(k, d);
    }
    return at;
  };
  const std::int64_t last = rank - 1;
  const auto run_from = [&](std::array<std::int64_t, kWalked> at, std::int64_t from, std::int64_t to) {
    IndexRun run{at, {}, to - from};
    for (std::size_t k = 0; k < kWalked; ++k) {
      run.step[k] = stride(k, last);
      run.at[k] += from * run.step[k];
    }
    f(run);
  };
  const std::int64_t chosen = size(dim), inner = size(last);
  if (along) {
    if (!apart && outer == 1) {
      parallel_for(0, inner, kGrain, [&](std::int64_t from, std::int64_t to) { run_from({}, from, to); });
      return;
    }
    parallel_for(0, outer, std::max<std::int64_t>(1, kGrain / inner),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t o = begin; o < end; ++o) run_from(start_of(o), 0, inner);
                 });
    return;
  }
  const auto plane = [&](std::int64_t o, std::int64_t from_row, std::int64_t to_row, std::int64_t from,
                         std::int64_t to) {
    const std::array<std::int64_t, kWalked> start = start_of(o);
    for (std::int64_t i = from_row; i < to_row; ++i) {
      std::array<std::int64_t, kWalked> at = start;
      for (std::size_t k = 0; k < kWalked; ++k) at[k] += i * stride(k, dim);
      run_from(at, from, to);
    }
  };
  if (!apart) {
    parallel_for(0, outer * chosen, std::max<std::int64_t>(1, kGrain / inner),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t r = begin; r < end;) {
                     const std::int64_t o = r / chosen, to = std::min(end - o * chosen, chosen);
                     plane(o, r - o * chosen, to, 0, inner);
                     r = o * chosen + to;
                   }
                 });
    return;
  }
  if (outer == 1) {
    parallel_for(0, inner, std::max<std::int64_t>(256, kGrain / chosen),
                 [&](std::int64_t from, std::int64_t to) { plane(0, 0, chosen, from, to); });
    return;
  }
  parallel_for(0, outer, std::max<std::int64_t>(1, kGrain / (chosen * inner)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t o = begin; o < end; ++o) plane(o, 0, chosen, 0, inner);
               });
}

}  // namespace lanewise::ops
