#include <algorithm>
#include <cstdlib>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/ops/gemm.h>

// Products with one row or one column of C: the matrix is read once, so that nothing is worth packing.

namespace lanewise::ops {
namespace {

using detail::Scratch;
using detail::scratch;

/// Multiplications that make it worth waking another thread.
constexpr std::int64_t kParallelVectorProducts = std::int64_t{1} << 17;
/// More columns than this are turned into rows before they are summed (the kernel has room for so many
/// partial sums).
constexpr std::int64_t kMostColumns = kernels::kVectorDepth << 12;
/// Converted rows of a matrix at a time, which stay in the first-level cache: 512 x 512 bfloat16 take a third of the time that
/// they take by 256 KiB. Strided ones share lines, so that more are taken, for the second-level cache.
constexpr std::int64_t kRowBytes = std::int64_t{1} << 13;
constexpr std::int64_t kStridedRowBytes = std::int64_t{1} << 18;
/// A register's worth of rows is not turned into columns where it has more bytes.
constexpr std::int64_t kMostTurnedBytes = std::int64_t{1} << 22;

}  // namespace

/// Whether each product of a batch is one element, of rows that kernels read where they lie: then they are rows of one product,
/// each with a vector of its own.
bool Gemm::is_batch_of_dots(const GemmBatch& batch) const {
  const auto lies_dense = [&](const Matrix& m, std::int64_t step) {
    return m.type == compute_ && (step == 1 || a_.cols <= 1);
  };
  return batch.count > 1 && c_.rows == 1 && !has_epilogue_ && !in_place_ && c_.type == compute_ &&
         batch.c == bytes_ && lies_dense(a_, a_.col_stride) && lies_dense(b_, b_.row_stride);
}

void Gemm::run_vectors(const GemmBatch& batch) {
  const std::int64_t depth = std::max<std::int64_t>(a_.cols, 1);
  const std::int64_t grain = std::max<std::int64_t>(1, kParallelVectorProducts / depth);  // rows
  if (is_batch_of_dots(batch)) {
    parallel_for(0, batch.count, grain, [&](std::int64_t begin, std::int64_t end) {
      const Operands o = product(batch, begin);
      kernel_.row_products(
          {o.a.data, batch.a / bytes_, o.b.data, o.c.data, end - begin, a_.cols, false, batch.b / bytes_});
    });
    return;
  }
  if (batch.count > 1 && !has_epilogue_ && reads_vectors_in_place()) {
    parallel_for(0, batch.count, std::max<std::int64_t>(1, grain / c_.rows),
                 [&](std::int64_t begin, std::int64_t end) { run_bare_vectors(batch, begin, end); });
    return;
  }
  const auto run = [&](std::int64_t n, std::int64_t row, std::int64_t rows) {
    run_vector(product(batch, n), row, rows);
  };
  if (batch.count == 1) {
    parallel_for(0, c_.rows, grain,
                 [&](std::int64_t begin, std::int64_t end) { run(0, begin, end - begin); });
  } else {
    parallel_for(0, batch.count, std::max<std::int64_t>(1, grain / c_.rows),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t n = begin; n < end; ++n) run(n, 0, c_.rows);
                 });
  }
}

/// Whether kernels take the matrix and the vector, and write the result, where they lie.
bool Gemm::reads_vectors_in_place() const {
  const bool x = b_.type == compute_ && (b_.row_stride == 1 || a_.cols <= 1);
  const bool y = c_.type == compute_ && (c_.row_stride == 1 || c_.rows == 1) && !in_place_;
  return x && y && a_.type == compute_ && (a_.col_stride == 1 || a_.row_stride == 1 || a_.cols <= 1) &&
         a_.cols <= kMostColumns;
}

/// Products [begin, end) of a batch, with nothing around each but the call of the kernel.
void Gemm::run_bare_vectors(const GemmBatch& batch, std::int64_t begin, std::int64_t end) const {
  const std::int64_t a = transposed_ ? batch.b : batch.a, x = transposed_ ? batch.a : batch.b;
  const bool by_rows = a_.col_stride == 1 || a_.cols <= 1;
  const auto products = by_rows ? kernel_.row_products : kernel_.column_products;
  kernels::VectorProduct p{a_.data + begin * a,
                           by_rows ? a_.row_stride : a_.col_stride,
                           b_.data + begin * x,
                           c_.data + begin * batch.c,
                           c_.rows,
                           a_.cols,
                           false};
  for (; begin < end; ++begin, p.a += a, p.x += x, p.y += batch.c) products(p);
}

void Gemm::run_vector(const Operands& o, std::int64_t row, std::int64_t rows) const {
  const Matrix &c = o.c, &a = o.a, &x = o.b;
  const bool direct = c.type == compute_ && (c.row_stride == 1 || rows == 1) && !in_place_;
  char* y = direct ? c.at(row, 0) : scratch(Scratch::ProductTile, static_cast<std::size_t>(rows * bytes_));
  kernels::VectorProduct p{a.at(row, 0), a.row_stride, x.data, y, rows, a.cols, false};
  if (x.type != compute_ || (x.row_stride != 1 && a.cols > 1)) {
    char* dense = scratch(Scratch::PanelB, static_cast<std::size_t>(a.cols * bytes_));
    load(x, dense, a.cols);
    p.x = dense;
  }
  if (a.type == compute_ && (a.col_stride == 1 || a.cols <= 1)) {
    kernel_.row_products(p);
  } else if (a.type == compute_ && a.row_stride == 1 && a.cols <= kMostColumns) {
    p.a_stride = a.col_stride;
    kernel_.column_products(p);
  } else {
    const bool by_columns = std::abs(a.row_stride) < std::abs(a.col_stride) &&
                            kernel_.lanes * a.cols * bytes_ <= kMostTurnedBytes;
    const std::int64_t bytes_at_once = a.col_stride == 1 ? kRowBytes : kStridedRowBytes;
    const std::int64_t least = by_columns ? std::min<std::int64_t>(rows, kernel_.lanes) : 1;
    const std::int64_t most =
        std::clamp<std::int64_t>(bytes_at_once / std::max<std::int64_t>(a.cols * bytes_, 1), least, rows);
    char* tile = scratch(Scratch::PanelA, static_cast<std::size_t>(most * a.cols * bytes_));
    p.a = tile;
    for (std::int64_t r = 0; r < rows; r += most, p.y += most * bytes_) {
      p.m = std::min(most, rows - r);
      p.a_stride = by_columns ? p.m : a.cols;
      const Matrix some{a.at(row + r, 0), a.type, p.m, a.cols, a.row_stride, a.col_stride};
      load(by_columns ? some.transposed() : some, tile, p.m * a.cols);
      (by_columns ? kernel_.column_products : kernel_.row_products)(p);
    }
  }
  if (has_epilogue_) add_s(o.s.transposed(), y, rows, 0, 1, row, rows);
  if (!direct) store_tile(y, c, {row, rows, 0, 1});
}

}  // namespace lanewise::ops
