#include <algorithm>
#include <bit>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/batched_rows.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/softmax.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using detail::Scratch;
using detail::scratch;
using kernels::SoftmaxFn;
using kernels::SoftmaxFns;

/// Elements that make it worth waking another thread; an exponential each.
constexpr std::int64_t kParallelElements = 8192;
/// Shorter rows are transposed, so that lanes run over rows. Gradients of f64 only in shorter ones: of 2000 rows of 24 0.64 of the time.
constexpr std::int64_t kShortRow = 32, kShortGradientRow = 24;
/// The same forward in f32, where each row by itself waits for its maximum, its sum and a logarithm: log_softmax of rows of 33 takes
/// a third of the time so, of 64 0.6; gradients of rows of 48 would take 1.5 times as long.
constexpr std::int64_t kShortForwardRow = 65;
/// Elements of a row of halves that is worth a call.
constexpr std::int64_t kConvertedRow = 128;
/// Elements of a tile that is copied.
constexpr std::int64_t kTileElements = 4096;
/// Columns too long for that are copied into tiles that stay in the second-level cache with their results:
/// rows of some lines, read once. In place three passes would each fetch a line a row.
constexpr std::int64_t kTallTileElements = 131072;
constexpr std::int64_t kNarrow = 64;
/// Fewer columns of several batches are taken together, or turned into rows if they are so long.
constexpr std::int64_t kLongColumn = 128;
constexpr std::int64_t kFewJoined = 16;
/// Gradients of few columns are taken where they lie, by registers of several rows, from so many rows and bytes of a batch on: over 100
/// rows of 3 f32 in a quarter of the time.
constexpr std::int64_t kRowsWhereTheyLie = 32, kBytesWhereTheyLie = 384;
/// Bytes of a column from which on the same holds without loads under a mask, which sums of fewer rows than they have lanes need.
constexpr std::int64_t kColumnWithoutMasks = 256;
/// The forward functions take rows of a page or more as they are, a page at a time.
constexpr std::int64_t kPageBytes = 4096;
/// Batches of up to so many bytes are taken as they are: what comes from memory once is in the second-level cache for the later
/// visits.
constexpr std::int64_t kPlaneBytes = 2 << 20;

/// A contiguous operand seen as [batches, n, columns], and the tile that stands for a part of it in the
/// compute type.
class Side {
 public:
  Side(const Tensor& t, ScalarType compute, Scratch tile)
      : data_(static_cast<char*>(t.data_ptr())),
        size_(t.element_size()),
        compute_size_(static_cast<std::int64_t>(element_size(compute))),
        converts_(t.scalar_type() != compute),
        tile_(tile) {
    const kernels::Movers& m = *kernels::active_kernels().movers;
    const auto log2 = static_cast<std::size_t>(std::countr_zero(t.itemsize()));
    gather_ = m.gather[log2];
    scatter_ = m.scatter[log2];
    widen_ = m.convert[static_cast<std::size_t>(t.scalar_type())][static_cast<std::size_t>(compute)];
    narrow_ = m.convert[static_cast<std::size_t>(compute)][static_cast<std::size_t>(t.scalar_type())];
  }
  bool converts() const { return converts_; }
  char* at(std::int64_t element) const { return data_ + element * size_; }
  std::int64_t size() const { return size_; }

  char* tile(std::int64_t count) const {
    return scratch(tile_, static_cast<std::size_t>(count * compute_size_));
  }
  /// A strided block as a contiguous tile of the compute type.
  char* load(std::int64_t first, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows,
             std::int64_t cols) const {
    char* to = tile(rows * cols);
    if (converts_whole(row_stride, col_stride, cols)) {
      widen_(at(first), to, rows * cols);
      return to;
    }
    if (converts_by_rows(col_stride, cols)) {
      for (std::int64_t r = 0; r < rows; ++r)
        widen_(at(first + r * row_stride), to + r * cols * compute_size_, cols);
      return to;
    }
    char* raw = converts_ ? raw_tile(rows * cols) : to;
    gather_(at(first), row_stride * size_, col_stride * size_, rows, cols, raw);
    if (converts_) widen_(raw, to, rows * cols);
    return to;
  }
  void store(const char* from, std::int64_t first, std::int64_t row_stride, std::int64_t col_stride,
             std::int64_t rows, std::int64_t cols) const {
    if (converts_by_rows(col_stride, cols)) {
      for (std::int64_t r = 0; r < rows; ++r)
        narrow_(from + r * cols * compute_size_, at(first + r * row_stride), cols);
      return;
    }
    if (converts_) {
      char* raw = raw_tile(rows * cols);
      narrow_(from, raw, rows * cols);
      from = raw;
    }
    scatter_(from, at(first), row_stride * size_, col_stride * size_, rows, cols, kernels::scatter_ahead);
  }
  /// Few columns of `count` batches, which then lie side by side in each row of the tile.
  char* load_batches(std::int64_t first, std::int64_t n, std::int64_t columns, std::int64_t count) const {
    const std::int64_t elements = n * columns * count;
    char* to = tile(elements);
    char* raw = converts_ ? raw_tile(elements) : to;
    batched(n, columns, count).load(gather_, at(first), raw);
    if (converts_) widen_(raw, to, elements);
    return to;
  }
  void store_batches(const char* from, std::int64_t first, std::int64_t n, std::int64_t columns,
                     std::int64_t count) const {
    const std::int64_t elements = n * columns * count;
    if (converts_) {
      char* raw = raw_tile(elements);
      narrow_(from, raw, elements);
      from = raw;
    }
    batched(n, columns, count).store(scatter_, from, at(first));
  }
  const char* load_run(std::int64_t first, std::int64_t n) const {
    if (!converts_) return at(first);
    char* to = tile(n);
    widen_(at(first), to, n);
    return to;
  }
  void store_run(const char* from, std::int64_t first, std::int64_t n) const {
    if (converts_) narrow_(from, at(first), n);
  }

 private:
  /// Rows that follow one another.
  bool converts_whole(std::int64_t row_stride, std::int64_t col_stride, std::int64_t cols) const {
    return converts_ && col_stride == 1 && row_stride == cols;
  }
  /// Rows that are long enough to be converted where they lie.
  bool converts_by_rows(std::int64_t col_stride, std::int64_t cols) const {
    return converts_ && col_stride == 1 && cols >= kConvertedRow;
  }
  lanewise::detail::BatchedRows batched(std::int64_t n, std::int64_t columns, std::int64_t count) const {
    return {columns * size_, n * columns * size_, size_, n, count, columns};
  }
  char* raw_tile(std::int64_t count) const {
    return scratch(Scratch::RawTile, static_cast<std::size_t>(count * size_));
  }

  char* data_;
  std::int64_t size_;
  std::int64_t compute_size_;
  bool converts_;
  Scratch tile_;
  kernels::GatherFn gather_;
  kernels::ScatterFn scatter_;
  kernels::ConvertFn widen_;
  kernels::ConvertFn narrow_;
};

struct Call {
  Side a;
  Side b;  ///< a again for the forward functions, which do not read it
  Side out;
  bool two_inputs;
  std::int64_t n;
  std::int64_t columns;

  bool converts() const { return a.converts() || b.converts() || out.converts(); }

  /// Rows [begin, end), each contiguous.
  void rows(SoftmaxFn fn, std::int64_t begin, std::int64_t end) const {
    const std::int64_t step = converts() ? std::max<std::int64_t>(1, kTileElements / n) : end - begin;
    for (std::int64_t r = begin; r < end; r += step) {
      const std::int64_t count = std::min(step, end - r);
      const char* x = a.load_run(r * n, count * n);
      const char* y = two_inputs ? b.load_run(r * n, count * n) : nullptr;
      char* z = out.converts() ? out.tile(count * n) : out.at(r * n);
      fn(x, y, z, count, n, n);
      out.store_run(z, r * n, count * n);
    }
  }

  /// `count` sequences whose first elements are `first`, first + col_stride, ... and whose elements are
  /// row_stride apart.
  void tile(SoftmaxFn fn, std::int64_t first, std::int64_t row_stride, std::int64_t col_stride,
            std::int64_t count) const {
    const char* x = a.load(first, row_stride, col_stride, n, count);
    const char* y = two_inputs ? b.load(first, row_stride, col_stride, n, count) : nullptr;
    char* z = out.tile(n * count);
    fn(x, y, z, count, n, count);
    out.store(z, first, row_stride, col_stride, n, count);
  }

  /// Batches [first, first + count) of few columns.
  void batches_of(SoftmaxFn fn, std::int64_t first, std::int64_t count) const {
    const std::int64_t start = first * n * columns, width = columns * count;
    const char* x = a.load_batches(start, n, columns, count);
    const char* y = two_inputs ? b.load_batches(start, n, columns, count) : nullptr;
    char* z = out.tile(n * width);
    fn(x, y, z, width, n, width);
    out.store_batches(z, start, n, columns, count);
  }

  /// Columns [first, first + count) of a batch, where they lie or in a tile.
  void columns_of(SoftmaxFn fn, std::int64_t batch, std::int64_t first, std::int64_t count,
                  bool copies) const {
    const std::int64_t start = batch * n * columns + first;
    if (copies || converts()) {
      tile(fn, start, columns, 1, count);
    } else {
      fn(a.at(start), two_inputs ? b.at(start) : nullptr, out.at(start), count, n, columns);
    }
  }
};

void check(const char* op, const Tensor& t) {
  LANEWISE_CHECK(DtypeError, t.is_floating_point(), op, ": not defined for ", t.scalar_type(),
                 " elements; convert to a floating type");
}

Tensor run(const char* op, SoftmaxFn SoftmaxFns::*rows, SoftmaxFn SoftmaxFns::*cols, const Tensor& a,
           const Tensor* b, std::int64_t dim, ScalarType result_dtype) {
  const std::int64_t d = wrap_dim(op, dim, a.dim());
  Tensor out = detail::empty_cpu(a.sizes(), result_dtype);
  if (out.numel() == 0) return out;
  std::int64_t batches = 1;
  std::int64_t columns = 1;
  const auto axis = static_cast<std::size_t>(d);
  const IntArrayRef sizes = a.sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i < axis) batches *= sizes[i];
    if (i > axis) columns *= sizes[i];
  }
  const std::int64_t n = sizes.empty() ? 1 : sizes[axis];

  const ScalarType compute = kernels::compute_type(a.scalar_type());
  const kernels::SoftmaxTable& table = *kernels::active_kernels().softmax;
  const SoftmaxFns& fns = compute == kDouble ? table.f64 : table.f32;
  const Tensor dense_a = dense(a);
  const Tensor dense_b = b != nullptr ? dense(*b) : dense_a;
  const Call call{Side(dense_a, compute, Scratch::Tile),
                  Side(dense_b, compute, Scratch::PanelB),
                  Side(out, compute, Scratch::ProductTile),
                  b != nullptr,
                  n,
                  columns};
  const auto grain = [&](std::int64_t elements) {
    return std::max<std::int64_t>(1, kParallelElements / elements);
  };

  const bool is_forward_f32 = b == nullptr && compute == kFloat;
  const bool is_backward_f64 = b != nullptr && compute == kDouble;
  const std::int64_t short_row = is_forward_f32    ? kShortForwardRow
                                 : is_backward_f64 ? kShortGradientRow
                                                   : kShortRow;
  if (columns == 1 && (n >= short_row || batches < 4)) {
    parallel_for(0, batches, grain(n),
                 [&](std::int64_t begin, std::int64_t end) { call.rows(fns.*rows, begin, end); });
    return out;
  }
  const std::int64_t width = std::clamp<std::int64_t>(kTileElements / n / 16 * 16, 16, 1024);
  if (columns == 1) {
    const std::int64_t tiles = divup(batches, width);
    parallel_for(0, tiles, grain(n * width), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = begin; t < end; ++t) {
        call.tile(fns.*cols, t * width * n, 1, n, std::min(width, batches - t * width));
      }
    });
    return out;
  }
  // Few columns fill no registers: those of some batches together do. Of [8192, 16, 2] it takes 0.14 of the time.
  const std::int64_t together = std::min(width / columns, divup(batches, get_num_threads()));
  const bool has_masks = active_isa() == Isa::avx2 || active_isa() == Isa::avx512;
  const auto size = static_cast<std::int64_t>(element_size(compute));
  const bool stays = b != nullptr && n >= kRowsWhereTheyLie && batches >= get_num_threads() &&
                     n * columns * size >= kBytesWhereTheyLie &&
                     (has_masks || n * size >= kColumnWithoutMasks);
  const bool joins = columns < kFewJoined && !stays;
  if (joins && together >= 4 && n * columns * together <= kTallTileElements) {
    parallel_for(0, divup(batches, together), grain(n * columns * together),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t first = i * together;
                     call.batches_of(fns.*cols, first, std::min(together, batches - first));
                   }
                 });
    return out;
  }
  if (joins && n >= kLongColumn) {
    const DimVector rows_of_columns{batches, n, columns};
    const auto turned = [&](const Tensor& t) { return dense(transpose(view(t, rows_of_columns), 1, 2)); };
    const Tensor y = b != nullptr ? turned(dense_b) : Tensor();
    const Tensor result = run(op, rows, cols, turned(dense_a), b != nullptr ? &y : nullptr, 2, result_dtype);
    Tensor columns_of_out = view(out, rows_of_columns);
    copy_(columns_of_out, transpose(result, 1, 2));
    return out;
  }
  const bool narrow = width < kNarrow && columns > width;
  std::int64_t block = width;
  bool copies = false;
  const std::int64_t plane = n * columns * call.a.size();
  const bool as_it_is = !call.converts();
  if (as_it_is && plane <= kPlaneBytes && batches >= 2 * get_num_threads()) {
    block = columns;
  } else if (narrow && as_it_is && columns > kNarrow) {
    // A block a thread: twice as many, half as wide, took 1.4 to 2 times as long over 300 columns.
    const std::int64_t share = divup(batches * columns / get_num_threads(), kNarrow) * kNarrow;
    block = std::clamp(share, kNarrow, kPageBytes / call.a.size());
  } else if (narrow && kTallTileElements / n >= 16) {
    block = std::min<std::int64_t>(kTallTileElements / n / 16 * 16, 256);
    copies = true;
  }
  const std::int64_t blocks = divup(columns, block);
  parallel_for(0, batches * blocks, grain(n * std::min(block, columns)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t first = i % blocks * block;
                   call.columns_of(fns.*cols, i / blocks, first, std::min(block, columns - first), copies);
                 }
               });
  return out;
}

Tensor run_backward(const char* op, SoftmaxFn SoftmaxFns::*rows, SoftmaxFn SoftmaxFns::*cols,
                    const Tensor& grad, const Tensor& output, std::int64_t dim, ScalarType input_dtype) {
  check(op, grad);
  check(op, output);
  LANEWISE_CHECK(ShapeError, grad.sizes() == output.sizes(), op, ": grad_output has shape ", grad.sizes(),
                 ", output has shape ", output.sizes());
  LANEWISE_CHECK(DtypeError, is_floating_point(input_dtype), op,
                 ": input_dtype must be a floating type, found ", input_dtype);
  LANEWISE_CHECK(DtypeError,
                 kernels::compute_type(grad.scalar_type()) == kernels::compute_type(output.scalar_type()), op,
                 ": grad_output is ", grad.scalar_type(), " and output is ", output.scalar_type());
  return run(op, rows, cols, grad, &output, dim, input_dtype);
}

}  // namespace

Tensor softmax(const Tensor& self, std::int64_t dim) {
  check("softmax", self);
  return run("softmax", &SoftmaxFns::softmax_rows, &SoftmaxFns::softmax_cols, self, nullptr, dim,
             self.scalar_type());
}
Tensor log_softmax(const Tensor& self, std::int64_t dim) {
  check("log_softmax", self);
  return run("log_softmax", &SoftmaxFns::log_softmax_rows, &SoftmaxFns::log_softmax_cols, self, nullptr, dim,
             self.scalar_type());
}
Tensor softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                             ScalarType input_dtype) {
  return run_backward("_softmax_backward_data", &SoftmaxFns::softmax_backward_rows,
                      &SoftmaxFns::softmax_backward_cols, grad_output, output, dim, input_dtype);
}
Tensor log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                                 ScalarType input_dtype) {
  return run_backward("_log_softmax_backward_data", &SoftmaxFns::log_softmax_backward_rows,
                      &SoftmaxFns::log_softmax_backward_cols, grad_output, output, dim, input_dtype);
}

}  // namespace lanewise::ops
