#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/index_walk.h>

namespace lanewise::ops {

void walk_index(IntArrayRef sizes, std::int64_t dim, const std::array<DimVector, kWalked>& strides,
                bool apart, FunctionRef<void(const IndexBlock&)> f) {
  constexpr std::int64_t kGrain = 16384;
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  const auto size = [&](std::int64_t d) { return sizes[static_cast<std::size_t>(d)]; };
  const auto stride = [&](std::size_t k, std::int64_t d) { return strides[k][static_cast<std::size_t>(d)]; };
  const std::int64_t last = rank - 1;
  // The runs of a block follow each other along `dim`, or along the dimension before it where `dim` is the last, and along dimensions
  // further out that one step goes through.
  const bool along = dim == last;
  const std::int64_t row_dim = along ? last - 1 : dim;
  std::int64_t first = std::max<std::int64_t>(row_dim, 0), rows = row_dim < 0 ? 1 : size(row_dim);
  const auto goes_on = [&](std::int64_t d) {
    for (std::size_t k = 0; k < kWalked; ++k) {
      if (stride(k, d) != size(d + 1) * stride(k, d + 1)) return false;
    }
    return true;
  };
  while (along && first > 0 && goes_on(first - 1)) rows *= size(--first);
  const auto is_outer = [&](std::int64_t d) { return d < first || (d > row_dim && d < last); };
  std::int64_t outer = 1;
  for (std::int64_t d = 0; d < last; ++d) {
    if (is_outer(d)) outer *= size(d);
  }
  const auto block = [&](std::int64_t position, std::int64_t from_row, std::int64_t to_row, std::int64_t from,
                         std::int64_t to) {
    IndexBlock b{{}, {}, {}, to_row - from_row, to - from};
    for (std::size_t k = 0; k < kWalked; ++k) {
      b.step[k] = stride(k, last);
      b.row_step[k] = row_dim < 0 ? 0 : stride(k, row_dim);
      b.at[k] = from_row * b.row_step[k] + from * b.step[k];
    }
    for (std::int64_t d = last - 1; d >= 0; --d) {
      if (!is_outer(d)) continue;
      for (std::size_t k = 0; k < kWalked; ++k) b.at[k] += position % size(d) * stride(k, d);
      position /= size(d);
    }
    f(b);
  };
  const std::int64_t n = size(last);
  if (along && row_dim >= 0 && n == 1 && outer == 1 && stride(kIndex, row_dim) == 1) {
    // One element each, whose indices lie side by side: a run of them all.
    return parallel_for(0, rows, kGrain, [&](std::int64_t from, std::int64_t to) {
      IndexBlock b{{}, {}, {}, 1, to - from};
      for (std::size_t k = 0; k < kWalked; ++k) {
        b.step[k] = stride(k, row_dim);
        b.at[k] = from * b.step[k];
      }
      f(b);
    });
  }
  if (apart && !along) {
    if (outer == 1) {
      return parallel_for(0, n, std::max<std::int64_t>(256, kGrain / rows),
                          [&](std::int64_t from, std::int64_t to) { block(0, 0, rows, from, to); });
    }
    return parallel_for(0, outer, std::max<std::int64_t>(1, kGrain / (rows * n)),
                        [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t o = begin; o < end; ++o) block(o, 0, rows, 0, n);
                        });
  }
  if (!apart && outer * rows == 1)
    return parallel_for(0, n, kGrain, [&](std::int64_t from, std::int64_t to) { block(0, 0, 1, from, to); });
  parallel_for(0, outer * rows, std::max<std::int64_t>(1, kGrain / n),
               [&](std::int64_t begin, std::int64_t end) {
                 while (begin < end) {
                   const std::int64_t o = begin / rows, to = std::min(end - o * rows, rows);
                   block(o, begin - o * rows, to, 0, n);
                   begin = o * rows + to;
                 }
               });
}

}  // namespace lanewise::ops
