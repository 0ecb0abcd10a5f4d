#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/row_places.h>

namespace lanewise::ops {

bool RowPlaces::pays(const IndexedRows& rows, std::int64_t run) {
  constexpr std::int64_t kLongRun = 12, kFewElements = 4096;
  const std::int64_t in_step = rows.per_index() * rows.row;
  return in_step != 0 && !rows.before_sizes.empty() && run < kLongRun && in_step <= kMost / 2 &&
         rows.before_count * in_step >= kFewElements;
}

RowPlaces::RowPlaces(const IndexedRows& rows, std::int64_t run, const std::vector<std::int64_t>& starts,
                     std::int64_t stride) {
  if (!pays(rows, run)) return;
  in_step = rows.per_index() * rows.row;
  next = rows.before_sizes.size();
  while (next > 0 && in_step * rows.before_sizes[next - 1] <= kMost) in_step *= rows.before_sizes[--next];
  if (next == 0) return;
  const std::int64_t size = rows.before_sizes[--next];
  steps = std::min(kMost / in_step, size);
  pieces = divup(size, steps);
  std::int32_t* to = place;
  const std::int64_t known = steps * in_step / (rows.per_index() * rows.row);
  for (std::int64_t b = 0; b < known; ++b) {
    const std::int64_t before = offset_of(b, rows.before_sizes, rows.before_strides);
    for (std::int64_t p = 0; p < rows.per_index(); ++p) {
      const std::int64_t row = before + rows.offsets_data()[p] * rows.scale;
      for (const std::int64_t start : starts) {
        for (std::int64_t i = 0; i < run; ++i) {
          const std::int64_t at = row + start + i * stride;
          if (at != static_cast<std::int32_t>(at)) return;
          *to++ = static_cast<std::int32_t>(at);
        }
      }
    }
  }
  blocks = rows.before_count / (known / steps * size) * pieces;
}

void RowPlaces::each_block(const IndexedRows& rows,
                           FunctionRef<void(std::int64_t, std::int64_t, std::int64_t)> f) const {
  constexpr std::int64_t kGrain = 16384;  // elements
  const std::int64_t block = rows.per_index() * rows.row, size = rows.before_sizes[next];
  parallel_for(0, blocks, std::max<std::int64_t>(1, kGrain / (steps * in_step)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t b = begin; b < end; ++b) {
                   const std::int64_t step = b % pieces * steps;
                   const std::int64_t before = (b / pieces * size + step) * (in_step / block);
                   f(offset_of(before, rows.before_sizes, rows.before_strides), before * block,
                     std::min(steps, size - step) * in_step);
                 }
               });
}

}  // namespace lanewise::ops
