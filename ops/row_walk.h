#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/indexed_rows.h>
#include <lanewise/ops/row_places.h>

/// How rows that an index chooses are gone through, in an order that memory likes, by threads that do not meet.
namespace lanewise::ops {

/// Goes through what stands before the indices without a division for each.
class Before {
 public:
  Before(const IndexedRows& rows, std::int64_t first);
  /// Elements from the first one of all.
  std::int64_t offset() const { return at_; }
  std::int64_t next() { return sizes_.size() == 1 ? at_ += strides_[0] : next_of_several(); }

 private:
  std::int64_t next_of_several();

  const DimVector &sizes_, &strides_;
  DimVector index_;
  std::int64_t at_;
};

inline Before::Before(const IndexedRows& rows, std::int64_t first)
    : sizes_(rows.before_sizes),
      strides_(rows.before_strides),
      at_(offset_of(first, rows.before_sizes, rows.before_strides)) {
  index_.resize(sizes_.size());
  for (std::size_t d = sizes_.size(); d-- > 0; first /= sizes_[d]) index_[d] = first % sizes_[d];
}

[[gnu::noinline]] inline std::int64_t Before::next_of_several() {
  for (std::size_t d = sizes_.size(); d-- > 0;) {
    at_ += strides_[d];
    if (++index_[d] < sizes_[d]) break;
    at_ -= sizes_[d] * strides_[d];
    index_[d] = 0;
  }
  return at_;
}

/// Goes over the rows of `self` and the values that belong to them, `value_step` elements apart; 0 is one value for all.
template <class T>
class RowWalk {
 public:
  RowWalk(const IndexedRows& rows, const Tensor& self, const Tensor& values, std::int64_t value_step = 1)
      : rows_(rows),
        self_(static_cast<T*>(self.data_ptr())),
        values_(static_cast<T*>(values.data_ptr())),
        value_step_(value_step),
        value_row_(value_step == 0 ? 0 : row_step(rows, values).value_or(rows.row)),
        is_large_(self.numel() * static_cast<std::int64_t>(sizeof(T)) > kInL2),
        per_index_(rows.per_index()),
        all_(rows.row == 0 ? 0 : rows.before_count * per_index_) {
    if (all_ == 0 || rows.after_sizes.empty()) return;
    DimVector sizes = rows.after_sizes, strides = rows.after_strides;
    n_ = sizes.back();
    stride_ = strides.back();
    sizes.pop_back();
    strides.pop_back();
    starts_.clear();
    for (std::int64_t i = 0; i < rows.row / n_; ++i) starts_.push_back(offset_of(i, sizes, strides));
  }

  /// run(element of self, its stride, element of the values, n) for runs of all rows, in parallel.
  template <class Run>
  void read(const Run& run) const {
    if (all_ == 0 || by_places<true>(run)) return;
    parallel_for(0, all_, std::max<std::int64_t>(1, kGrainElements / rows_.row),
                 [&](std::int64_t begin, std::int64_t end) { part(begin, end, 0, n_, kFewColumns, run); });
  }

  /// The same in their order, in parallel as far as no two threads meet at one place: by what stands before the indices, or by
  /// columns. `long_runs`: has_long_runs().
  template <bool long_runs = false, class Run>
  void write(const Run& run) const {
    if (all_ == 0) return;
    if constexpr (!long_runs) {
      if (by_places<false>(run)) return;
    }
    share([&](std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to) {
      part(begin, end, from, to, kFewColumns / 2, run);
    });
  }

  /// The same of rows of contiguous elements, of `parts` numbers each, by a kernel that takes many.
  void add(kernels::AddRowsFn kernel, std::int64_t parts) const {
    if (all_ == 0) return;
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const bool in_one_step = rows_.before_sizes.size() <= 1;
    const std::int64_t batch_step = rows_.before_sizes.size() == 1 ? rows_.before_strides[0] * kSize : 0;
    share([&](std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to) {
      Before before(rows_, begin / per_index_);
      const std::int64_t rows = in_one_step ? end - begin : per_index_;
      for (std::int64_t r = begin; r < end; r += rows) {
        kernel({.to = reinterpret_cast<char*>(self_ + before.offset() + from),
                .offsets = rows_.offsets_data(),
                .scale = rows_.scale * kSize,
                .from = reinterpret_cast<const char*>(values_ + r * value_row_ + from),
                .step = value_row_ * kSize,
                .n = (to - from) * parts,
                .count = per_index_,
                .batches = rows / per_index_,
                .batch_step = batch_step,
                .asks = is_large_});
        if (!in_one_step) before.next();
      }
    });
  }

 private:
  static constexpr std::int64_t kGrainElements = 16384;

  /// Where memory runs across the rows, so many rows of so many columns at a time: their lines stay in L1. 2048 x 2048 f32
  /// transposed: index_select over dimension 0 21 -> 11 ms, over dimension 1 30 -> 8. Of columns that are written to, half as many,
  /// whose lines fall into few sets where they are a power of two apart.
  static constexpr std::int64_t kFewColumns = 32;
  static constexpr std::int64_t kFewRows = 16;
  /// Tensors of up to so many bytes are in L2.
  static constexpr std::int64_t kInL2 = 1 << 20;

  /// share(first row, behind the last one, first column, behind the last one).
  template <class Part>
  void share(const Part& part) const {
    if (rows_.before_count == 1 && n_ >= 1024) {
      const std::int64_t grain = std::max<std::int64_t>(
          512, kGrainElements / (per_index_ * static_cast<std::int64_t>(starts_.size())));
      parallel_for(0, n_, grain, [&](std::int64_t from, std::int64_t to) { part(0, all_, from, to); });
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, kGrainElements / (per_index_ * rows_.row));
    parallel_for(0, rows_.before_count, grain, [&](std::int64_t begin, std::int64_t end) {
      part(begin * per_index_, end * per_index_, 0, n_);
    });
  }

  template <bool unrolled, class Run>
  [[gnu::noinline]] bool by_places(const Run& run) const {
    if (value_step_ == 0 || value_row_ != rows_.row) return false;
    const RowPlaces places(rows_, n_, starts_, stride_);
    if (places.blocks == 0) return false;
    places.each_block(rows_, [&](std::int64_t at, std::int64_t first, std::int64_t n) {
      // What is written is none of these, which the compiler cannot know.
      const Run each = run;
      const std::int32_t* __restrict const place = places.place;
      T* const self = self_ + at;
      T* const value = values_ + first;
      if constexpr (unrolled) {
#pragma GCC unroll 4
        for (std::int64_t i = 0; i < n; ++i) each(self + place[i], 1, value + i, 1);
      } else {
        for (std::int64_t i = 0; i < n; ++i) each(self + place[i], 1, value + i, 1);
      }
    });
    return true;
  }

  /// Whether elements lie in lines of their own.
  static bool are_apart(std::int64_t stride) noexcept {
    return std::abs(stride) * static_cast<std::int64_t>(sizeof(T)) >= 64;
  }
  T* base(std::int64_t before) const {
    return rows_.before_sizes.size() == 1
               ? self_ + before * rows_.before_strides[0]
               : self_ + offset_of(before, rows_.before_sizes, rows_.before_strides);
  }

  /// Columns [from, to) of the rows [begin, end); `few` at a time where they are lines apart: the lines of one row serve the
  /// next ones too.
  template <class Run>
  void part(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to, std::int64_t few,
            const Run& run) const {
    if (rows_.row == 1) return elements(begin, end, run);
    const std::int64_t width = are_apart(stride_) ? few : to - from;
    for (; from < to; from += width) columns(begin, end, from, std::min(from + width, to), run);
  }

  template <class Run>
  [[gnu::noinline]] void columns(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to,
                                 const Run& run) const {
    // Rows in random order are asked for early, where L2 does not hold them all: of 3M rows of 32 f32 in memory it takes half of the
    // time to ask 16 rows ahead that it takes to ask 4, in L2 not to ask takes 0.8 of it.
    constexpr std::int64_t kAhead = 16;
    const auto lines = std::min<std::int64_t>(n_ * static_cast<std::int64_t>(sizeof(T)) / 64 + 1, 4);
    const std::int64_t scale = rows_.scale, value_step = value_step_, stride = stride_,
                       value_row = value_row_;
    const std::int64_t *offsets = rows_.offsets_data(), *start = starts_.data();
    const std::size_t runs = starts_.size();
    std::int64_t p = begin % per_index_;
    Before before(rows_, begin / per_index_);
    T* self = self_ + before.offset();
    for (std::int64_t r = begin; r < end; ++r) {
      T* row = self + offsets[p] * scale;
      if (is_large_ && p + kAhead < per_index_) {
        const auto* next = reinterpret_cast<const char*>(self + offsets[p + kAhead] * scale);
        for (std::int64_t line = 0; line < lines; ++line) __builtin_prefetch(next + 64 * line);
      }
      T* value = values_ + r * value_row;
      for (std::size_t k = 0; k < runs; ++k) {
        run(row + start[k] + from * stride, stride, value + from * value_step, to - from);
        value += n_ * value_step;
      }
      if (++p == per_index_) {
        p = 0;
        self = self_ + before.next();
      }
    }
  }

  /// Rows of one element: nothing but the loop.
  template <class Run>
  [[gnu::noinline]] void elements(std::int64_t begin, std::int64_t end, const Run& run) const {
    // Memory runs along what stands before the indices: neighbours there together.
    if (are_apart(rows_.scale) && !rows_.before_strides.empty() && rows_.before_strides.back() == 1)
      return neighbours(begin, end, run);
    // Copies: the compiler must take it that what is written changes members and what `run` holds.
    const Run each = run;
    const std::int64_t scale = rows_.scale, value_step = value_step_, per_index = per_index_;
    const std::int64_t* const offsets = rows_.offsets_data();
    std::int64_t p = begin % per_index;
    T* const all = self_;
    Before before(rows_, begin / per_index);
    T *self = all + before.offset(), *value = values_ + begin * value_step;
    for (std::int64_t left = end - begin;;) {
      const std::int64_t last = std::min(p + left, per_index);
      left -= last - p;
#pragma GCC unroll 4
      for (; p < last; ++p, value += value_step) each(self + offsets[p] * scale, 1, value, 1);
      if (left == 0) return;
      self = all + before.next();
      p = 0;
    }
  }

  /// The same for several neighbours at a time, all of whose lines stay in L1.
  template <class Run>
  void neighbours(std::int64_t begin, std::int64_t end, const Run& run) const {
    for (std::int64_t r = begin; r < end;) {
      const std::int64_t p = r % per_index_, before = r / per_index_;
      std::int64_t together = 1;
      if (p == 0) {
        const std::int64_t size = rows_.before_sizes.back();
        together =
            std::clamp<std::int64_t>((end - r) / per_index_, 1, std::min(kFewColumns, size - before % size));
      }
      const std::int64_t n = together > 1 ? per_index_ : std::min(end - r, per_index_ - p);
      block(r, base(before), rows_.offsets_data() + p, n, together, run);
      r += together * n;
    }
  }
  /// n indices for each of `together` neighbours, the first of which begins with row r.
  template <class Run>
  void block(std::int64_t r, T* self, const std::int64_t* offsets, std::int64_t n, std::int64_t together,
             const Run& run) const {
    const std::int64_t scale = rows_.scale, value_step = value_step_, per_index = per_index_;
    T* const values = values_ + r * value_step;
    const std::int64_t step = together > 1 ? kFewRows : n;
    for (std::int64_t first = 0; first < n; first += step) {
      const std::int64_t last = std::min(first + step, n);
      for (std::int64_t j = 0; j < together; ++j) {
        T* const value = values + j * per_index * value_step;
        for (std::int64_t i = first; i < last; ++i)
          run(self + j + offsets[i] * scale, 1, value + i * value_step, 1);
      }
    }
  }

  const IndexedRows& rows_;
  T* self_;
  T* values_;
  std::int64_t value_step_, value_row_;
  bool is_large_;
  std::int64_t per_index_, all_;
  // Runs of elements behind one offset: inner ones with one stride, and where each begins.
  std::int64_t n_ = 1, stride_ = 1;
  std::vector<std::int64_t> starts_{0};
};

}  // namespace lanewise::ops
