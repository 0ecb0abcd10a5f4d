#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/index_walk.h>

namespace lanewise::ops {
namespace {

constexpr std::int64_t kGrain = 16384;

/// Whether one step goes through dimension d and the next one, for every operand.
bool go_on(IntArrayRef sizes, const std::array<DimVector, kWalked>& strides, std::size_t d) {
  return std::all_of(strides.begin(), strides.end(),
                     [&](const DimVector& s) { return s[d] == sizes[d + 1] * s[d + 1]; });
}

}  // namespace

bool walk_short_dims(IntArrayRef sizes, std::int64_t dim, const std::array<DimVector, kWalked>& strides,
                     bool apart, FunctionRef<void(const IndexPlaces&)> f) {
  // Gather over blocks of 60 elements takes as long either way, of 36 half; noting places takes as long as some fifty blocks.
  constexpr std::int64_t kPlaces = 256, kLongRun = 12, kManyInBlock = 56, kFewBlocks = 256,
                         kFewElements = 2048;
  const auto rank = sizes.size();
  if (rank < 3 || sizes[rank - 1] >= kLongRun) return false;
  std::int64_t total = 1;
  for (const std::int64_t size : sizes) total *= size;
  if (total < kFewElements) return false;
  // Elements of a block of walk_index().
  const auto along = static_cast<std::size_t>(dim);
  std::int64_t in_block = sizes[rank - 1] * sizes[std::min(along, rank - 2)];
  if (along == rank - 1) {
    for (std::size_t d = rank - 2; d > 0 && go_on(sizes, strides, d - 1); --d) in_block *= sizes[d - 1];
  }
  if (in_block >= kManyInBlock || total < kFewBlocks * in_block) return false;
  // Whole dimensions from `first` on, and some steps along the one before them.
  std::size_t first = rank;
  std::int64_t inner = 1;
  while (first > 0 && inner * sizes[first - 1] <= kPlaces) inner *= sizes[--first];
  if (first == 0) return false;
  const std::size_t next = first - 1;
  const std::int64_t steps = kPlaces / inner, known = steps * inner, pieces = divup(sizes[next], steps);
  std::int64_t places[kWalked][kPlaces];
  for (std::size_t k = 0; k < kWalked; ++k) {
    DimVector at;
    at.resize(rank);
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < known; ++i) {
      places[k][i] = offset;
      for (std::size_t d = rank; d-- > next;) {
        offset += strides[k][d];
        if (d == next || ++at[d] < sizes[d]) break;
        offset -= at[d] * strides[k][d];
        at[d] = 0;
      }
    }
  }
  // Blocks that one thread does in order follow each other: positions along `dim`, or the pieces if those are.
  const bool in_turn = apart && along < first;
  const std::int64_t turns = in_turn && along < next ? sizes[along] : 1;
  const std::int64_t together = in_turn ? (along == next ? pieces : turns) : 1;
  const std::int64_t blocks = total / (sizes[next] * inner) * pieces;
  const auto run = [&](std::int64_t i) {
    const std::int64_t step = i / turns % pieces * steps;
    IndexPlaces p{{}, {places[0], places[1], places[2]}, std::min(steps, sizes[next] - step) * inner};
    const auto go = [&](std::size_t d, std::int64_t n) {
      for (std::size_t k = 0; k < kWalked; ++k) p.at[k] += n * strides[k][d];
    };
    go(next, step);
    if (turns > 1) go(along, i % turns);
    std::int64_t position = i / (turns * pieces);
    for (std::size_t d = next; d-- > 0;) {
      if (turns > 1 && d == along) continue;
      go(d, position % sizes[d]);
      position /= sizes[d];
    }
    f(p);
  };
  parallel_for(0, blocks / together, std::max<std::int64_t>(1, kGrain / (known * together)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin * together; i < end * together; ++i) run(i);
               });
  return true;
}

void walk_index(IntArrayRef sizes, std::int64_t dim, const std::array<DimVector, kWalked>& strides,
                bool apart, FunctionRef<void(const IndexBlock&)> f) {
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
  while (along && first > 0 && go_on(sizes, strides, static_cast<std::size_t>(first - 1)))
    rows *= size(--first);
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
