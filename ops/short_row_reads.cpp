#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/arranged_units.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/short_row_reads.h>

namespace lanewise::ops {
namespace {

constexpr std::int64_t kGrainElements = 16384;
/// So many places are worth what is done once for all.
constexpr std::int64_t kLeastPlaces = 4;

char* base(const IndexedRows& rows, const Tensor& self, std::int64_t before) {
  const std::int64_t offset = rows.before_sizes.size() == 1
                                  ? before * rows.before_strides[0]
                                  : offset_of(before, rows.before_sizes, rows.before_strides);
  return static_cast<char*>(self.data_ptr()) + offset * self.element_size();
}

}  // namespace

bool read_contiguous_rows(const IndexedRows& rows, const Tensor& self, const Tensor& out) {
  constexpr std::int64_t kInL2 = 1 << 20, kAhead = 16, kFewRows = 4, kFewElements = 16, kMostBytes = 1024;
  // So few behind each other are read sooner by their places.
  if (rows.per_index() < kFewRows && rows.per_index() * rows.row < kFewElements) return false;
  const std::int64_t size = self.element_size(), bytes = rows.row * size, per_index = rows.per_index();
  if (rows.row < 2 || bytes > kMostBytes || rows.after_sizes.size() != 1 || rows.after_strides[0] != 1 ||
      row_step(rows, out).value_or(rows.row) != rows.row) {
    return false;
  }
  const kernels::CopyRowsFn copy = kernels::active_kernels().movers->copy_rows;
  const std::int64_t ahead = self.numel() * size > kInL2 ? kAhead : 0;
  const bool in_step = rows.before_sizes.size() == 1;
  const std::int64_t place_step = in_step ? rows.before_strides[0] * size : 0;
  parallel_for(0, rows.before_count * per_index, std::max<std::int64_t>(1, kGrainElements / rows.row),
               [&](std::int64_t begin, std::int64_t end) {
                 char* to = static_cast<char*>(out.data_ptr()) + begin * bytes;
                 // Rows of one place, or of all that are left of as many whole ones as lie in step.
                 for (std::int64_t r = begin; r < end;) {
                   const std::int64_t first = r % per_index;
                   const bool whole = in_step && first == 0 && end - r >= per_index;
                   const std::int64_t places = whole ? (end - r) / per_index : 1,
                                      count = whole ? per_index : std::min(end - r, per_index - first);
                   copy({base(rows, self, r / per_index), place_step, rows.offsets_data() + first,
                         rows.scale * size, count, bytes, ahead},
                        places, to);
                   r += places * count;
                   to += places * count * bytes;
                 }
               });
  return true;
}

bool read_arranged(const IndexedRows& rows, const Tensor& self, const Tensor& out) {
  const std::int64_t per_index = rows.per_index(), size = self.element_size(), count = rows.before_count;
  if (rows.row != 1 || per_index == 0 || rows.before_sizes.size() != 1 || rows.before_strides[0] <= 0 ||
      count < kLeastPlaces) {
    return false;
  }
  const lanewise::detail::ArrangedUnits units(*kernels::active_kernels().movers, size);
  const std::int64_t row_bytes = per_index * size, step = rows.before_strides[0] * size;
  if (row_bytes > units.room) return false;
  const std::int64_t* const offsets = rows.offsets_data();
  const auto [least, most] = std::minmax_element(offsets, offsets + per_index);
  const std::int64_t low = std::min(*least * rows.scale, *most * rows.scale) * size,
                     reach = (std::abs((*most - *least) * rows.scale) + 1) * size;
  if (reach > units.room) return false;
  const std::int64_t together = std::min({units.room / row_bytes, (units.room - reach) / step + 1, count});
  const auto pattern_of = [&](std::int64_t places) {
    kernels::BlockPattern pattern{};
    for (std::int64_t place = 0; place < places; ++place) {
      for (std::int64_t i = 0; i < per_index; ++i)
        pattern.written =
            units.put(pattern, pattern.written, place * step + offsets[i] * rows.scale * size - low, size);
    }
    pattern.read = static_cast<int>(((places - 1) * step + reach) / units.bytes);
    return pattern;
  };
  const kernels::BlockPattern whole = pattern_of(together), one = pattern_of(1);
  const char* const from = static_cast<const char*>(self.const_data_ptr()) + low;
  parallel_for(0, count, std::max<std::int64_t>(together, kGrainElements / per_index),
               [&](std::int64_t begin, std::int64_t end) {
                 const std::int64_t blocks = (end - begin) / together, done = begin + blocks * together;
                 char* const to = static_cast<char*>(out.data_ptr());
                 units.arrange(from + begin * step, together * step, to + begin * row_bytes, blocks, whole);
                 units.arrange(from + done * step, step, to + done * row_bytes, end - done, one);
               });
  return true;
}

/// Places `step` bytes apart, to read and to write, whose lines stay in L1: of a power of two few sets are in use.
std::int64_t places_in_l1(std::int64_t step) {
  constexpr std::int64_t kSets = 64, kWays = 8, kMost = 128, kLine = 64;
  const std::int64_t lines = std::max<std::int64_t>(std::abs(step) / kLine, 1);
  return std::min(kSets / std::gcd(lines, kSets) * kWays / 2, kMost);
}

// One index after the other: a loop over so few for each place costs as much again.
bool read_few_elements(const IndexedRows& rows, const Tensor& self, const Tensor& out) {
  constexpr std::int64_t kFewIndices = 8;
  const std::int64_t per_index = rows.per_index();
  if (rows.row != 1 || per_index > kFewIndices || rows.before_strides.size() != 1 ||
      rows.before_count < kLeastPlaces) {
    return false;
  }
  visit_size(self.itemsize(), [&]<class T>() {
    const std::int64_t step = rows.before_strides[0];
    const std::int64_t most = places_in_l1(step * self.element_size());
    parallel_for(0, divup(rows.before_count, most),
                 std::max<std::int64_t>(1, kGrainElements / (most * std::max<std::int64_t>(per_index, 1))),
                 [&](std::int64_t begin, std::int64_t end) {
                   const std::int64_t last = std::min(end * most, rows.before_count);
                   const std::int64_t down = step,
                                      across = per_index;  // which no element that is written can be
                   for (std::int64_t before = begin * most; before < last; before += most) {
                     const std::int64_t together = std::min(most, last - before);
                     for (std::int64_t i = 0; i < per_index; ++i) {
                       const T* from = reinterpret_cast<const T*>(base(rows, self, before)) +
                                       rows.offsets_data()[i] * rows.scale;
                       T* to = static_cast<T*>(out.data_ptr()) + before * per_index + i;
#pragma GCC unroll 4
                       for (std::int64_t b = 0; b < together; ++b, from += down, to += across) *to = *from;
                     }
                   }
                 });
  });
  return true;
}

}  // namespace lanewise::ops
