#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/iterator/detail/batched_rows.h>
#include <lanewise/iterator/detail/stream.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/scanner.h>

namespace lanewise::ops {
namespace {

using detail::Scratch;
using detail::scratch;

/// Elements that make it worth waking another thread.
constexpr std::int64_t kParallelElements = 1 << 15;
/// Columns that one call of a kernel walks down; their carries stay in L1.
constexpr std::int64_t kColumns = 512;
/// Where they lie side by side, in the result too, a page of each row at a time: with half of one a cumsum over 4096 rows of as
/// many floats takes 1.2 times as long on a Zen 5. Less where threads would have none.
constexpr std::int64_t kPageBytes = 4096, kLeastColumns = 64;
/// What moves through tiles does so in parts of so many elements, which stay in L1; of so many sequences, where they lie side by
/// side only in the result, only in the input, or are gathered into rows.
constexpr std::int64_t kTileElements = 2048;
constexpr std::int64_t kSequences = 64;
constexpr std::int64_t kTurnedSequences = 32;
constexpr std::int64_t kGatheredRows = 16;
/// Shorter sequences are better taken as columns, if they are not rows on both sides.
constexpr std::int64_t kLeastInRows = 8;
/// So few sequences are better taken as rows where the input has them as such, so few where the result has.
constexpr std::int64_t kFewFromRows = 12;
constexpr std::int64_t kFewToRows = 64;
/// Fewer columns of several batches are taken together, up to so many in all: of [32768, 4, 2] a cumsum takes 0.25 of the time so.
constexpr std::int64_t kJoinedColumns = 256;
struct Joined {
  std::int64_t columns, longest;  ///< fewer than so many, of sequences up to a length

  /// Of eight bytes, which are carried as they are, more fill a register well enough, and the longer ones: of [640, 12, 5] f64 a cumsum
  /// takes 0.55 of the time where they lie, of [781, 64, 2] 0.23.
  Joined(bool converts, bool of_eight, std::int64_t n)
      : columns(converts && n <= kShortConverted ? 16
                : n <= kShortest                 ? 9
                : of_eight                       ? 5
                                                 : 8),
        longest(converts   ? 48
                : of_eight ? 16
                           : 32) {}

 private:
  static constexpr std::int64_t kShortest = 4, kShortConverted = 12;
};
/// Rows that take turns in a kernel.
constexpr std::int64_t kFewRows = 4;
/// Long results are copied past the caches from tiles of so many bytes, in stretches of at least so many.
constexpr std::int64_t kTileBytes = 8 << 10;
static_assert(kTileBytes >= kPageBytes);
constexpr std::int64_t kStreamedBytes = 256;

/// The stride of dims [begin, end) of `t` as one; nothing if they have none. In elements.
std::optional<std::int64_t> joint_stride(const Tensor& t, std::size_t begin, std::size_t end) {
  std::int64_t stride = 0, next = 0;
  for (std::size_t d = end; d-- > begin;) {
    if (t.sizes()[d] == 1) continue;
    if (next == 0) {
      stride = t.strides()[d];
    } else if (t.strides()[d] != next) {
      return std::nullopt;
    }
    next = t.strides()[d] * t.sizes()[d];
    if (next == 0) return std::nullopt;  // expanded
  }
  return stride;
}

/// Bytes from a batch, from a sequence and from an element to the next.
struct Steps {
  std::int64_t batch, line, next;
};

/// Those of `t` as [batches, n, columns], the columns being the sequences; nothing if it has no one stride along each.
std::optional<Steps> steps_of(const Tensor& t, std::int64_t dim) {
  const auto axis = static_cast<std::size_t>(dim);
  const auto dims = static_cast<std::size_t>(t.dim());
  const std::int64_t size = t.element_size();
  if (dims == 0) return Steps{size, size, size};
  const auto outer = joint_stride(t, 0, axis);
  const auto inner = joint_stride(t, axis + 1, dims);
  if (!outer || !inner) return std::nullopt;
  return Steps{*outer * size, *inner * size, t.strides()[axis] * size};
}

class Scanner {
 public:
  Scanner(const kernels::ScanKernel& kernel, ScalarType compute, const Tensor& from, const Steps& in,
          const Tensor& to, const Steps& out, const Extent& extent, bool reverse)
      : n_(extent.n),
        in_(in),
        out_(out),
        reverse_(reverse),
        from_(static_cast<const char*>(from.const_data_ptr())),
        to_(static_cast<char*>(to.data_ptr())),
        from_size_(from.element_size()),
        to_size_(to.element_size()),
        size_(static_cast<std::int64_t>(element_size(compute))),
        widens_(from.scalar_type() != compute),
        narrows_(to.scalar_type() != compute),
        streams_(from_ != to_ &&
                 detail::passes_caches(to.numel() * to_size_, to.numel() * (from_size_ + to_size_))) {
    const auto type = static_cast<std::size_t>(compute);
    fn_ = kernel.fn[type];
    start_ = kernel.start[type];
    carry_size_ = kernel.carry_size[type];
    const kernels::Movers& movers = *kernels::active_kernels().movers;
    gather_ = movers.gather[static_cast<std::size_t>(std::countr_zero(from.itemsize()))];
    scatter_ = movers.scatter[static_cast<std::size_t>(std::countr_zero(to.itemsize()))];
    widen_ = movers.convert[static_cast<std::size_t>(from.scalar_type())][type];
    narrow_ = movers.convert[type][static_cast<std::size_t>(to.scalar_type())];

    // Columns are taken together, or batches where there is one column or those lie closer.
    const bool of_columns = extent.columns > 1 && (extent.batches == 1 || out.line <= out.batch);
    lines_ = of_columns ? extent.columns : extent.batches;
    batches_ = of_columns ? extent.batches : extent.columns;
    if (!of_columns) {
      std::swap(in_.batch, in_.line);
      std::swap(out_.batch, out_.line);
    }
    // Columns turned into rows only as they are written are quick, but do not go past the caches; 16 bytes are quicker as rows.
    const bool from_columns = in_.line == from_size_ || in_.line < in_.next, to_rows = out_.next < out_.line;
    const bool turns = from_columns && to_rows && lines_ >= kFewToRows && size_ < 16 && !streams_;
    const bool by_rows = lines_ == 1 || (lines_ <= kernel.most_rows &&
                                         (to_rows ? !turns : !from_columns && lines_ < kFewFromRows));
    if (by_rows && (n_ >= kLeastInRows || (in_rows() && out_in_rows()))) rows_ = kernel.rows[type];
    width_ = rows_ != nullptr              ? std::clamp(kTileElements / n_, least_rows(), kColumns)
             : turns && n_ >= kLeastInRows ? kTurnedSequences
             : side_by_side()              ? columns_of_page()
             : from_columns                ? kColumns
             : lines_ < kFewRows && kernel.most_rows == INT64_MAX ? 1
                                                                  : kSequences;
    width_ = std::min(width_, lines_);
    const Joined joined(widens_ || narrows_, size_ == 8 && carry_size_ == 8, n_);
    if (of_columns && rows_ == nullptr && lines_ < joined.columns && n_ <= joined.longest &&
        in_.line == from_size_ && out_.line == to_size_ && !streams_)
      together_ = std::min(kJoinedColumns / lines_, divup(batches_, get_num_threads()));
  }

  void run() const {
    if (together_ > 1) return run_batches();
    const std::int64_t blocks = divup(lines_, width_);
    const std::int64_t grain = std::max<std::int64_t>(1, kParallelElements / (n_ * width_));
    parallel_for(0, batches_ * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t line = i % blocks * width_;
        block(from_ + i / blocks * in_.batch + line * in_.line,
              to_ + i / blocks * out_.batch + line * out_.line, std::min(width_, lines_ - line));
      }
      if (streams_) detail::stream_fence();
    });
  }

 private:
  /// Whether elements of a sequence lie side by side.
  bool in_rows() const { return in_.next == from_size_; }
  bool out_in_rows() const { return out_.next == to_size_; }
  /// Whether sequences are columns, side by side on both sides, that need no conversion.
  bool side_by_side() const { return !widens_ && !narrows_ && in_.line == size_ && out_.line == size_; }
  std::int64_t columns_of_page() const {
    const std::int64_t share = divup(lines_ * batches_, get_num_threads());
    return std::clamp(divup(share, kLeastColumns) * kLeastColumns, kLeastColumns, kPageBytes / size_);
  }
  std::int64_t least_rows() const { return in_rows() ? kFewRows : kGatheredRows; }

  /// `width` sequences.
  void block(const char* from, char* to, std::int64_t width) const {
    char* carry =
        scratch(Scratch::Accumulators, static_cast<std::size_t>(width + kernels::kScanPadding) * carry_size_);
    start_(carry, width);
    if (rows_ != nullptr) return rows(from, to, width, carry);
    if (side_by_side() || (!widens_ && !narrows_ && width == 1)) return columns(from, to, width, carry);
    each_part(std::max<std::int64_t>(1, kTileElements / width), [&](std::int64_t begin, std::int64_t count) {
      tile(from + begin * in_.next, to + begin * out_.next, count, width, 1, carry);
    });
  }

  /// Few columns fill no registers: those of some batches are brought together.
  void run_batches() const {
    const std::int64_t grain = std::max<std::int64_t>(1, kParallelElements / (n_ * lines_ * together_));
    parallel_for(0, divup(batches_, together_), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i * together_, batches = std::min(together_, batches_ - first);
        const std::int64_t width = batches * lines_;
        char* carry = scratch(Scratch::Accumulators,
                              static_cast<std::size_t>(width + kernels::kScanPadding) * carry_size_);
        start_(carry, width);
        const char* from = from_ + first * in_.batch;
        char* to = to_ + first * out_.batch;
        each_part(kTileElements / width, [&](std::int64_t begin_row, std::int64_t count) {
          tile(from + begin_row * in_.next, to + begin_row * out_.next, count, width, batches, carry);
        });
      }
    });
  }

  /// f(first, count) for parts of sequences in the order of the scan.
  template <class F>
  void each_part(std::int64_t part, F f) const {
    const std::int64_t parts = divup(n_, part);
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t begin = (reverse_ ? parts - 1 - i : i) * part;
      f(begin, std::min(part, n_ - begin));
    }
  }

  /// f(from, to, elements) for each row, or once where rows lie end to end on both sides.
  template <class F>
  static void each_row(const char* from, std::int64_t from_stride, std::int64_t from_size, char* to,
                       std::int64_t to_stride, std::int64_t to_size, std::int64_t rows, std::int64_t n, F f) {
    if (from_stride == n * from_size && to_stride == n * to_size) {
      n *= rows;
      rows = 1;
    }
    for (std::int64_t r = 0; r < rows; ++r) f(from + r * from_stride, to + r * to_stride, n);
  }

  /// Sequences whose results are rows, or lie closer along them than across.
  void rows(const char* from, char* to, std::int64_t width, char* carry) const {
    const std::int64_t part = std::min(n_, std::max<std::int64_t>(1, kTileElements / width));
    const bool scatters = !out_in_rows();
    const bool streams =
        streams_ && !scatters && (part == n_ ? width * n_ : part) * to_size_ >= kStreamedBytes;
    if (in_rows() && !widens_ && !narrows_ && !streams && !scatters)
      return rows_(from, in_.line, to, out_.line, n_, width, reverse_, carry);
    const auto tile_of = [&](Scratch use, std::int64_t size) {
      return scratch(use, static_cast<std::size_t>(part * width * size));
    };
    char* values = tile_of(Scratch::Tile, size_);
    char* raw = widens_ || narrows_ ? tile_of(Scratch::RawTile, std::max(from_size_, to_size_)) : values;
    each_part(part, [&](std::int64_t begin, std::int64_t count) {
      const char* x = from + begin * in_.next;
      std::int64_t stride = in_.line;
      if (!in_rows()) {
        gather_(x, in_.line, in_.next, width, count, raw);
        x = raw;
        stride = count * from_size_;
      }
      if (widens_) {
        each_row(x, stride, from_size_, values, count * size_, size_, width, count, widen_);
        x = values;
        stride = count * size_;
      }
      char* result = to + begin * out_.next;
      if (!narrows_ && !streams && !scatters) {
        rows_(x, stride, result, out_.line, count, width, reverse_, carry);
        return;
      }
      rows_(x, stride, values, count * size_, count, width, reverse_, carry);
      if (narrows_) {
        const bool beside = streams || scatters;
        each_row(values, count * size_, size_, beside ? raw : result, beside ? count * to_size_ : out_.line,
                 to_size_, width, count, narrow_);
      }
      if (scatters)
        scatter_(narrows_ ? raw : values, result, out_.line, out_.next, width, count, kernels::scatter_ahead);
      if (streams) {
        each_row(narrows_ ? raw : values, count * to_size_, to_size_, result, out_.line, to_size_, width,
                 count,
                 [&](const char* a, char* b, std::int64_t n) { detail::stream_copy(b, a, n * to_size_); });
      }
    });
  }

  /// `width` columns side by side that need no conversion, or one.
  void columns(const char* from, char* to, std::int64_t width, char* carry) const {
    const std::int64_t bytes = width * size_, last = reverse_ ? n_ - 1 : 0, sign = reverse_ ? -1 : 1;
    from += last * in_.next;
    to += last * out_.next;
    const std::int64_t in = sign * in_.next, out = sign * out_.next;
    if (!streams_ || bytes < kStreamedBytes) {
      fn_(from, in, to, out, n_, width, carry);
      return;
    }
    const std::int64_t rows = kTileBytes / bytes;
    char* tile = scratch(Scratch::Tile, static_cast<std::size_t>(kTileBytes));
    for (std::int64_t r = 0; r < n_; r += rows) {
      const std::int64_t some = std::min(rows, n_ - r);
      fn_(from + r * in, in, tile, bytes, some, width, carry);
      for (std::int64_t i = 0; i < some; ++i)
        detail::stream_copy(to + (r + i) * out, tile + i * bytes, bytes);
    }
  }

  /// `rows` elements of `width` sequences, those of so many batches, turned into columns side by side.
  [[gnu::noinline]] void tile(const char* from, char* to, std::int64_t rows, std::int64_t width,
                              std::int64_t batches, char* carry) const {
    const std::int64_t count = rows * width;
    char* values = scratch(Scratch::Tile, static_cast<std::size_t>(count * size_));
    char* raw = widens_ ? scratch(Scratch::RawTile, static_cast<std::size_t>(count * from_size_)) : values;
    if (batches == 1) {
      gather_(from, in_.next, in_.line, rows, width, raw);
    } else {
      detail::BatchedRows{in_.next, in_.batch, from_size_, rows, batches, lines_}.load(gather_, from, raw);
    }
    if (widens_) widen_(raw, values, count);
    const std::int64_t stride = (reverse_ ? -width : width) * size_;
    const std::int64_t top = reverse_ ? (rows - 1) * width * size_ : 0;
    // Ends of rows are accessed under masks: in place each row would wait for the one before it.
    char* sums =
        width * size_ % 64 == 0 ? values : scratch(Scratch::Values, static_cast<std::size_t>(count * size_));
    fn_(values + top, stride, sums + top, stride, rows, width, carry);
    values = sums;
    if (narrows_) {
      char* narrow = scratch(Scratch::RawTile, static_cast<std::size_t>(count * to_size_));
      narrow_(values, narrow, count);
      values = narrow;
    }
    if (batches == 1) return scatter_(values, to, out_.next, out_.line, rows, width, kernels::scatter_ahead);
    detail::BatchedRows{out_.next, out_.batch, to_size_, rows, batches, lines_}.store(scatter_, values, to);
  }

  std::int64_t n_, lines_, batches_;
  std::int64_t width_;         // sequences taken together
  std::int64_t together_ = 1;  // batches taken together
  Steps in_, out_;
  bool reverse_;
  const char* from_;
  char* to_;
  std::int64_t from_size_, to_size_, size_;
  bool widens_, narrows_;
  bool streams_;  // whether the result goes past the caches
  kernels::ScanFn fn_;
  kernels::ScanRowsFn rows_ = nullptr;  // if results are rows and there is a kernel for that
  void (*start_)(char*, std::int64_t) noexcept;
  std::size_t carry_size_;
  kernels::GatherFn gather_;
  kernels::ScatterFn scatter_;
  kernels::ConvertFn widen_, narrow_;
};

}  // namespace

bool has_steps(const Tensor& t, std::int64_t dim) { return steps_of(t, dim).has_value(); }

void run_scan(const kernels::ScanKernel& kernel, ScalarType compute, Tensor from, const Tensor& out,
              std::int64_t dim, const Extent& extent, bool reverse) {
  auto in = steps_of(from, dim);
  constexpr std::int64_t kFewApart = 8, kLongestApart = 32;
  // Where elements are next to neither those of their sequence nor those of the next one, short sequences, or few of them, are many
  // small tiles: a copy is quicker, of more than some thousand elements.
  const bool short_ones = extent.n < kLeastInRows ||
                          (extent.columns > 1 && extent.columns < kFewApart && extent.n <= kLongestApart);
  const bool apart = in && in->next != from.element_size() && in->line != from.element_size();
  if (!in || (apart && short_ones && from.numel() >= kTileElements)) {
    from = dense(from);
    in = steps_of(from, dim);
  }
  Scanner(kernel, compute, from, *in, out, *steps_of(out, dim), extent, reverse).run();
}

}  // namespace lanewise::ops
