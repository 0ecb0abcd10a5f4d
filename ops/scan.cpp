#include <algorithm>
#include <bit>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/stream.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/extent.h>
#include <lanewise/ops/scan.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

using detail::Scratch;
using detail::scratch;
using kernels::ScanTable;

/// Elements that make it worth waking another thread.
constexpr std::int64_t kParallelElements = 1 << 15;
/// Columns that one call of a kernel walks down; their carries stay in L1.
constexpr std::int64_t kColumns = 512;
/// Sequences that lie side by side are transposed so many at a time, in parts of so many elements: both in
/// L1.
constexpr std::int64_t kSequences = 16;
constexpr std::int64_t kPart = 128;
/// Shorter sequences are not worth a call each.
constexpr std::int64_t kLongAlone = 64;
/// Long results are copied past the caches from tiles of so many bytes, in stretches of at least so many.
constexpr std::int64_t kTileBytes = 16 << 10;
constexpr std::int64_t kStreamedBytes = 256;

class Scanner {
 public:
  Scanner(const kernels::ScanKernel& kernel, ScalarType compute, const Tensor& from, Tensor& to,
          const Extent& extent, bool reverse)
      : extent_(extent),
        reverse_(reverse),
        from_(static_cast<const char*>(from.const_data_ptr())),
        to_(static_cast<char*>(to.data_ptr())),
        from_size_(from.element_size()),
        to_size_(to.element_size()),
        size_(static_cast<std::int64_t>(element_size(compute))),
        widens_(from.scalar_type() != compute),
        narrows_(to.scalar_type() != compute),
        chains_(compute == kLong && &kernel == kernels::active_kernels().scans->sum),
        streams_(to.numel() * to.element_size() >= kernels::kStreamOutputFrom) {
    const auto type = static_cast<std::size_t>(compute);
    fn_ = kernel.fn[type];
    start_ = kernel.start[type];
    carry_size_ = kernel.carry_size[type];
    const kernels::Movers& movers = *kernels::active_kernels().movers;
    gather_ = movers.gather[static_cast<std::size_t>(std::countr_zero(from.itemsize()))];
    scatter_ = movers.scatter[static_cast<std::size_t>(std::countr_zero(to.itemsize()))];
    widen_ = movers.convert[static_cast<std::size_t>(from.scalar_type())][type];
    narrow_ = movers.convert[type][static_cast<std::size_t>(to.scalar_type())];
  }

  void run() const {
    // Sequences side by side are columns; sequences one after the other become columns of a tile.
    const bool side_by_side = extent_.columns > 1;
    const std::int64_t lines = side_by_side ? extent_.columns : extent_.batches;
    const bool alone = lines < 4 || (chains_ && !widens_ && !narrows_ && extent_.n >= kLongAlone);
    const std::int64_t width = side_by_side ? kColumns : alone ? 1 : kSequences;
    const std::int64_t blocks = (lines + width - 1) / width;
    const std::int64_t batches = side_by_side ? extent_.batches : 1;
    const std::int64_t step = side_by_side ? 1 : extent_.n;
    const std::int64_t grain =
        std::max<std::int64_t>(1, kParallelElements / (extent_.n * std::min(width, lines)));
    parallel_for(0, batches * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t line = i % blocks * width;
        block(i / blocks * extent_.n * extent_.columns + line * step, step, std::min(width, lines - line));
      }
      if (streams_) detail::stream_fence();
    });
  }

 private:
  /// `width` sequences whose first elements are `step` apart.
  void block(std::int64_t first, std::int64_t step, std::int64_t width) const {
    char* carry = scratch(Scratch::Accumulators, static_cast<std::size_t>(width) * carry_size_);
    start_(carry, width);
    const std::int64_t n = extent_.n;
    const std::int64_t row = extent_.columns;
    if (!widens_ && !narrows_ && (step == 1 || width == 1)) return columns(first, width, carry);
    const std::int64_t part =
        width == 1 ? kPart * kSequences : std::max<std::int64_t>(1, kPart * kSequences / width);
    const std::int64_t parts = (n + part - 1) / part;
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t begin = (reverse_ ? parts - 1 - i : i) * part;
      tile(first + begin * row, step, std::min(part, n - begin), width, carry);
    }
  }

  /// `width` columns side by side that need no conversion.
  void columns(std::int64_t first, std::int64_t width, char* carry) const {
    const std::int64_t bytes = width * size_;
    const std::int64_t at = (reverse_ ? first + (extent_.n - 1) * extent_.columns : first) * size_;
    const std::int64_t stride = (reverse_ ? -1 : 1) * extent_.columns * size_;
    if (!streams_ || bytes < kStreamedBytes) {
      fn_(from_ + at, stride, to_ + at, stride, extent_.n, width, carry);
      return;
    }
    const std::int64_t rows = kTileBytes / bytes;
    char* tile = scratch(Scratch::Tile, static_cast<std::size_t>(kTileBytes));
    for (std::int64_t r = 0; r < extent_.n; r += rows) {
      const std::int64_t some = std::min(rows, extent_.n - r);
      fn_(from_ + at + r * stride, stride, tile, bytes, some, width, carry);
      for (std::int64_t i = 0; i < some; ++i) {
        detail::stream_copy(to_ + at + (r + i) * stride, tile + i * bytes, bytes);
      }
    }
  }

  void tile(std::int64_t first, std::int64_t step, std::int64_t rows, std::int64_t width, char* carry) const {
    const std::int64_t count = rows * width;
    char* values = scratch(Scratch::Tile, static_cast<std::size_t>(count * size_));
    char* raw = widens_ ? scratch(Scratch::RawTile, static_cast<std::size_t>(count * from_size_)) : values;
    gather_(from_ + first * from_size_, extent_.columns * from_size_, step * from_size_, rows, width, raw);
    if (widens_) widen_(raw, values, count);
    const std::int64_t stride = (reverse_ ? -width : width) * size_;
    char* top = values + (reverse_ ? (rows - 1) * width * size_ : 0);
    fn_(top, stride, top, stride, rows, width, carry);
    if (narrows_) {
      char* narrow = scratch(Scratch::RawTile, static_cast<std::size_t>(count * to_size_));
      narrow_(values, narrow, count);
      values = narrow;
    }
    const std::int64_t bytes = rows * to_size_;
    if (streams_ && extent_.columns == 1 && bytes >= kStreamedBytes) {
      char* lines =
          scratch(narrows_ ? Scratch::Tile : Scratch::RawTile, static_cast<std::size_t>(width * bytes));
      scatter_(values, lines, to_size_, bytes, rows, width);
      for (std::int64_t i = 0; i < width; ++i) {
        detail::stream_copy(to_ + (first + i * step) * to_size_, lines + i * bytes, bytes);
      }
      return;
    }
    scatter_(values, to_ + first * to_size_, extent_.columns * to_size_, step * to_size_, rows, width);
  }

  Extent extent_;
  bool reverse_;
  const char* from_;
  char* to_;
  std::int64_t from_size_, to_size_, size_;
  bool widens_, narrows_;
  bool chains_;   // a step takes one cycle, so that one sequence keeps a core busy
  bool streams_;  // whether the result goes past the caches
  kernels::ScanFn fn_;
  void (*start_)(char*, std::int64_t) noexcept;
  std::size_t carry_size_;
  kernels::GatherFn gather_;
  kernels::ScatterFn scatter_;
  kernels::ConvertFn widen_, narrow_;
};

Tensor scan(const char* op, const kernels::ScanKernel* ScanTable::*field, const Tensor& self,
            std::int64_t dim, ScalarType result, bool reverse = false) {
  const Extent extent(op, self, dim);
  const kernels::ScanKernel& kernel = *(kernels::active_kernels().scans->*field);
  const ScalarType compute = is_integral(result, true) ? kLong : kernels::compute_type(result);
  LANEWISE_CHECK(DtypeError, kernel.fn[static_cast<std::size_t>(compute)] != nullptr, op,
                 ": not defined for ", result, " elements");
  Tensor out = detail::empty_cpu(self.sizes(), result);
  if (out.numel() == 0) return out;
  Scanner(kernel, compute, dense(self), out, extent, reverse).run();
  return out;
}

ScalarType accumulated(const Tensor& self, std::optional<ScalarType> dtype) {
  return dtype.value_or(is_integral(self.scalar_type(), true) ? kLong : self.scalar_type());
}

void check_floating(const char* op, const Tensor& self) {
  LANEWISE_CHECK(DtypeError, self.is_floating_point(), op, ": not defined for ", self.scalar_type(),
                 " elements; convert to a floating type");
}

}  // namespace

Tensor cumsum(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return scan("cumsum", &ScanTable::sum, self, dim, accumulated(self, dtype));
}
Tensor cumprod(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return scan("cumprod", &ScanTable::product, self, dim, accumulated(self, dtype));
}
Tensor logcumsumexp(const Tensor& self, std::int64_t dim) {
  check_floating("logcumsumexp", self);
  return scan("logcumsumexp", &ScanTable::logsumexp, self, dim, self.scalar_type());
}
Tensor reverse_cumsum(const Tensor& self, std::int64_t dim) {
  return scan("cumsum", &ScanTable::sum, self, dim, accumulated(self, std::nullopt), true);
}
Tensor reverse_logcumsumexp(const Tensor& self, std::int64_t dim) {
  check_floating("logcumsumexp", self);
  return scan("logcumsumexp", &ScanTable::logsumexp, self, dim, self.scalar_type(), true);
}

}  // namespace lanewise::ops
