#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/short_row_reads.h>

namespace lanewise::ops {
namespace {

constexpr std::int64_t kGrainElements = 16384;

/// Rows by their offsets, `step` bytes each, side by side: by two copies of kPart bytes, which may overlap, or one. Of rows in random
/// order the ones `ahead` are asked for, unless 0.
template <std::size_t kPart, bool kTwo>
void copy_rows(const char* self, std::int64_t step, const std::int64_t* offsets, std::int64_t n,
               std::int64_t ahead, char* to, std::int64_t bytes) {
  const std::int64_t second = bytes - static_cast<std::int64_t>(kPart);
  for (std::int64_t i = 0; i < n; ++i, to += bytes) {
    const char* const row = self + offsets[i] * step;
    if (ahead != 0) __builtin_prefetch(self + offsets[i + ahead < n ? i + ahead : i] * step);
    std::memcpy(to, row, kPart);
    if constexpr (kTwo) std::memcpy(to + second, row + second, kPart);
  }
}

using CopyRows = decltype(&copy_rows<4, false>);

/// Null for rows longer than a line.
CopyRows copy_rows_of(std::int64_t bytes) {
  switch (bytes) {
    case 2: return copy_rows<2, false>;
    case 3: return copy_rows<2, true>;
    case 4: return copy_rows<4, false>;
    case 8: return copy_rows<8, false>;
    case 16: return copy_rows<16, false>;
    default: break;
  }
  return bytes < 8    ? copy_rows<4, true>
         : bytes < 16 ? copy_rows<8, true>
         : bytes < 32 ? copy_rows<16, true>
         : bytes < 65 ? copy_rows<32, true>
                      : nullptr;
}

char* base(const IndexedRows& rows, const Tensor& self, std::int64_t before) {
  const std::int64_t offset = rows.before_sizes.size() == 1
                                  ? before * rows.before_strides[0]
                                  : offset_of(before, rows.before_sizes, rows.before_strides);
  return static_cast<char*>(self.data_ptr()) + offset * self.element_size();
}

}  // namespace

bool read_short_rows(const IndexedRows& rows, const Tensor& self, const Tensor& out) {
  constexpr std::int64_t kInL2 = 1 << 20, kAhead = 16, kFewRows = 4, kFewElements = 16;
  // So few behind each other are read sooner by their places.
  if (rows.per_index() < kFewRows && rows.per_index() * rows.row < kFewElements) return false;
  if (rows.row < 2 || rows.after_sizes.size() != 1 || rows.after_strides[0] != 1 ||
      row_step(rows, out).value_or(rows.row) != rows.row) {
    return false;
  }
  const std::int64_t size = self.element_size(), bytes = rows.row * size, per_index = rows.per_index();
  const CopyRows copy = copy_rows_of(bytes);
  if (copy == nullptr) return false;
  const std::int64_t ahead = self.numel() * size > kInL2 ? kAhead : 0;
  parallel_for(0, rows.before_count * per_index, std::max<std::int64_t>(1, kGrainElements / rows.row),
               [&](std::int64_t begin, std::int64_t end) {
                 char* to = static_cast<char*>(out.data_ptr()) + begin * bytes;
                 for (std::int64_t r = begin, n = 0; r < end; r += n, to += n * bytes) {
                   const std::int64_t p = r % per_index;
                   n = std::min(end - r, per_index - p);
                   copy(base(rows, self, r / per_index), rows.scale * size, rows.offsets_data() + p, n, ahead,
                        to, bytes);
                 }
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
  constexpr std::int64_t kFewIndices = 64, kLeastPlaces = 4;
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
