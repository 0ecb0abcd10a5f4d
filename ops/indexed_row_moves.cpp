#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/accumulate.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/indexed_rows.h>
#include <lanewise/ops/row_places.h>
#include <lanewise/ops/short_row_reads.h>

namespace lanewise::ops {
namespace {

constexpr std::int64_t kGrainElements = 16384;

/// Where memory runs across the rows, so many rows of so many columns at a time: their lines stay in L1. 2048 x 2048 f32
/// transposed: index_select over dimension 0 21 -> 11 ms, over dimension 1 30 -> 8. Of columns that are written to, half as many,
/// whose lines fall into few sets where they are a power of two apart.
constexpr std::int64_t kFewColumns = 32;
constexpr std::int64_t kFewRows = 16;
/// Tensors of up to so many bytes are in L2.
constexpr std::int64_t kInL2 = 1 << 20;
/// Runs of so many elements apart are worth the call of a kernel.
constexpr std::int64_t kMovedRun = 64;

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

Before::Before(const IndexedRows& rows, std::int64_t first)
    : sizes_(rows.before_sizes),
      strides_(rows.before_strides),
      at_(offset_of(first, rows.before_sizes, rows.before_strides)) {
  index_.resize(sizes_.size());
  for (std::size_t d = sizes_.size(); d-- > 0; first /= sizes_[d]) index_[d] = first % sizes_[d];
}

[[gnu::noinline]] std::int64_t Before::next_of_several() {
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
      // What is written is none of these, which the compiler cannot know of bytes.
      const std::int32_t* __restrict const place = places.place;
      T* const self = self_ + at;
      T* const value = values_ + first;
      if constexpr (unrolled) {
#pragma GCC unroll 4
        for (std::int64_t i = 0; i < n; ++i) run(self + place[i], 1, value + i, 1);
      } else {
        for (std::int64_t i = 0; i < n; ++i) run(self + place[i], 1, value + i, 1);
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
    // Copies: the compiler must take it that what is written changes members.
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
      for (; p < last; ++p, value += value_step) run(self + offsets[p] * scale, 1, value, 1);
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

/// memcpy that does not call for a line or less; its last bytes may be copied twice.
inline void copy_row(char* to, const char* from, std::size_t n) {
  const auto copied = [&]<std::size_t kPart>() {
    for (std::size_t at = 0; at + kPart < n; at += kPart) std::memcpy(to + at, from + at, kPart);
    std::memcpy(to + n - kPart, from + n - kPart, kPart);
  };
  if (n > 64 || n < 4) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
    copied.template operator()<16>();
  } else if (n >= 8) {
    copied.template operator()<8>();
  } else {
    copied.template operator()<4>();
  }
}

/// Elements side by side behind one index; 0 where their neighbours lie apart.
std::int64_t run_of(const IndexedRows& rows) {
  return !rows.after_sizes.empty() && rows.after_strides.back() == 1 ? rows.after_sizes.back() : 0;
}

/// Rows of floating-point numbers, complex ones as pairs, by a kernel that takes many; false if they are not such.
bool add_contiguous(const IndexedRows& rows, const Tensor& self, const Tensor& values) {
  const ScalarType type = self.scalar_type(), part = toRealValueType(type);
  const bool fits = rows.after_sizes.size() == 1 && run_of(rows) > 1 && (part == kFloat || part == kDouble);
  // A row of many takes what one or two elements take whose places are written down, a batch what ten take.
  constexpr std::int64_t kFewInRow = 4, kFewInBatch = 16;
  const bool is_few = rows.row < kFewInRow || rows.per_index() * rows.row < kFewInBatch;
  if (!fits || (is_few && RowPlaces::pays(rows, rows.row))) return false;
  const kernels::AddRowsTable& table = *kernels::active_kernels().add_rows;
  visit_size(self.itemsize(), [&]<class T>() {
    if constexpr (sizeof(T) >= sizeof(float))
      RowWalk<T>(rows, self, values).add(part == kFloat ? table.f32 : table.f64, is_complex(type) ? 2 : 1);
  });
  return true;
}

std::int64_t step_of(const Tensor& values) { return values.numel() == 1 ? 0 : 1; }

}  // namespace

std::optional<std::int64_t> row_step(const IndexedRows& rows, const Tensor& values) noexcept {
  const IntArrayRef sizes = values.sizes(), strides = values.strides();
  std::size_t d = sizes.size();
  std::int64_t inner = 1;
  for (; d > 0 && inner < rows.row; --d) {
    if (sizes[d - 1] != 1 && strides[d - 1] != inner) return std::nullopt;
    inner *= sizes[d - 1];
  }
  std::optional<std::int64_t> step;
  for (std::int64_t next = 0; d > 0; --d) {
    if (sizes[d - 1] == 1) continue;
    if (step && strides[d - 1] != next) return std::nullopt;
    if (!step) step = strides[d - 1];
    next = strides[d - 1] * sizes[d - 1];
  }
  return step.value_or(inner);
}

bool runs_along_indices(const IndexedRows& rows, const Tensor& self) noexcept {
  return rows.row > 1 && std::abs(rows.scale) == 1 &&
         std::abs(rows.after_strides.back()) * self.element_size() >= 64;
}

bool wants_dense(const IndexedRows& rows, const Tensor& self) noexcept {
  if (rows.row <= 1) return false;
  const std::int64_t wanted = rows.before_count * rows.per_index() * rows.row;
  if (runs_along_indices(rows, self)) return 2 * wanted >= self.numel();
  return std::abs(rows.after_strides.back()) > 1 && rows.after_sizes.back() < kMovedRun &&
         wanted >= self.numel();
}

void read_rows(const IndexedRows& rows, const Tensor& self, const Tensor& out) {
  if (read_contiguous_rows(rows, self, out) || read_arranged(rows, self, out) ||
      read_few_elements(rows, self, out))
    return;
  visit_size(self.itemsize(), [&]<class T>() {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const kernels::GatherFn gather =
        kernels::active_kernels().movers->gather[static_cast<std::size_t>(std::countr_zero(sizeof(T)))];
    RowWalk<T>(rows, self, out).read([gather](const T* x, std::int64_t stride, T* y, std::int64_t n) {
      if (n == 1) {
        *y = *x;
      } else if (n < kMovedRun && stride != 1) {
#pragma GCC unroll 4  // a loop of one element that lies across two lines of code takes 1.5 times as long
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i * stride];
      } else if (stride == 1) {
        copy_row(reinterpret_cast<char*>(y), reinterpret_cast<const char*>(x),
                 static_cast<std::size_t>(n) * sizeof(T));
      } else {
        gather(reinterpret_cast<const char*>(x), 0, stride * kSize, 1, n, reinterpret_cast<char*>(y));
      }
    });
  });
}

void write_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values) {
  const std::int64_t step = step_of(values);
  visit_size(self.itemsize(), [&]<class T>() {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const kernels::ScatterFn scatter =
        kernels::active_kernels().movers->scatter[static_cast<std::size_t>(std::countr_zero(sizeof(T)))];
    RowWalk<T>(rows, self, values, step).write([=](T* x, std::int64_t stride, const T* y, std::int64_t n) {
      if (n == 1) {
        *x = *y;
      } else if (step == 0) {
        const T value = *y;  // what is written might be it, as far as the compiler knows
        if (stride == 1) {
          std::fill_n(x, n, value);
        } else {
#pragma GCC unroll 4  // as of reads
          for (std::int64_t i = 0; i < n; ++i, x += stride) *x = value;
        }
      } else if (stride == 1) {
        std::memcpy(static_cast<void*>(x), y, static_cast<std::size_t>(n) * sizeof(T));
      } else if (n >= kMovedRun) {
        scatter(reinterpret_cast<const char*>(y), reinterpret_cast<char*>(x), 0, stride * kSize, 1, n,
                kernels::scatter_ahead);
      } else {
        for (std::int64_t i = 0; i < n; ++i) x[i * stride] = y[i];
      }
    });
  });
}

bool has_long_runs(const IndexedRows& rows) {
  constexpr std::int64_t kLeastRun = 16;
  return run_of(rows) >= kLeastRun;
}

void combine_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values,
                  kernels::ElementwiseFn kernel) {
  visit_size(self.itemsize(), [&]<class T>() {
    RowWalk<T>(rows, self, values).template write<true>([kernel](T* x, std::int64_t, T* y, std::int64_t n) {
      constexpr kernels::KernelScalar kAlpha{1, 1, 0};
      auto* const to = reinterpret_cast<char*>(x);
      char* const operands[] = {to, reinterpret_cast<char*>(y), to};
      kernel(operands, 0, n, &kAlpha);
    });
  });
}

void add_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values, const Scalar& alpha) {
  const std::int64_t step = step_of(values);
  const bool plain = alpha.equal(1);
  const kernels::ElementwiseFn kernel =
      kernels::active_kernels().add->fn[static_cast<std::size_t>(self.scalar_type())];
  if (plain && step == 1 && add_contiguous(rows, self, values)) return;
  if (plain && step == 1 && kernel != nullptr && has_long_runs(rows))
    return combine_rows(rows, self, values, kernel);
  visit_dtype(self.scalar_type(), [&]<class T>() {
    const auto factor = alpha.to_unchecked<SumType<T>>();
    RowWalk<T>(rows, self, values, step).write([=](T* x, std::int64_t stride, const T* y, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        T& a = x[i * stride];
        const T b = y[i * step];
        if constexpr (!std::is_same_v<T, SumType<T>>) {
          a = static_cast<T>(static_cast<float>(a) + factor * static_cast<float>(b));
        } else if constexpr (is_complex(scalar_type_of<T>)) {
          a = add_elements(a,
                           plain ? b : multiply_elements(factor, b));  // a complex 1 makes NaN of infinities
        } else {
          a = add_elements(a, multiply_elements(factor, b));
        }
      }
    });
  });
}

}  // namespace lanewise::ops
