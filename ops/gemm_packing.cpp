#include <bit>
#include <cstring>

#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/ops/gemm.h>

// What the micro-kernels read and write, between its place in memory and theirs.

namespace lanewise::ops {
namespace {

using detail::Scratch;
using detail::scratch;

constexpr std::int64_t kRowsAtOnce = 32;
/// Up to this many groups of rows B is read where it lies, if its rows are contiguous: so few passes are not
/// worth a copy.
constexpr std::int64_t kUnpackedGroups = 6;
/// So it is where a panel has no more bytes than this, a third of a usual first-level cache,
constexpr std::int64_t kUnpackedPanel = std::int64_t{1} << 14;
/// and its rows are not a multiple of this many bytes apart, which would send them to too few sets of that cache.
constexpr std::int64_t kConflictingPanel = 128;
/// Up to this many panels of columns A is read where it lies, if its rows are contiguous: packing it takes as long as
/// 16 to 40 columns.
constexpr std::int64_t kPanelsOfUnpackedA = 8;
/// With fewer columns of A than this, only for one panel: for each its rows have to be found again.
constexpr std::int64_t kUnpackedDepth = 16;
/// It is also read where it lies if its columns are contiguous, in a block with no more bytes than this: as many as the
/// first-level TLB has pages for.
constexpr std::int64_t kBytesOfUnpackedA = std::int64_t{1} << 18;

std::size_t log2_size(ScalarType t) { return static_cast<std::size_t>(std::countr_zero(element_size(t))); }

}  // namespace

/// A block as a contiguous row-major tile of the compute type.
void Gemm::load(const Matrix& from, char* to, std::int64_t count) const {
  const bool converts = from.type != compute_;
  const std::int64_t size = from.element_bytes();
  char* raw = converts ? scratch(Scratch::RawTile, static_cast<std::size_t>(count * size)) : to;
  movers_.gather[log2_size(from.type)](from.data, from.row_stride * size, from.col_stride * size, from.rows,
                                       from.cols, raw);
  if (converts)
    movers_.convert[static_cast<std::size_t>(from.type)][static_cast<std::size_t>(compute_)](raw, to, count);
}

/// In a product with so many rows and columns of C.
bool Gemm::reads_a_in_place(const Matrix& a, std::int64_t rows, std::int64_t cols) const {
  const std::int64_t panels = depth_block_ < kUnpackedDepth ? 1 : kPanelsOfUnpackedA;
  if (a.type != compute_ || cols > panels * kernel_.cols) return false;
  if (a.col_stride == 1) return kernel_.reads_rows_apart;
  return a.row_stride == 1 && a.col_stride != 0 && rows * depth_block_ * bytes_ <= kBytesOfUnpackedA;
}

/// In a product with so many rows of C.
bool Gemm::reads_b_in_place(const Matrix& b, std::int64_t rows, std::int64_t cols) const {
  if (b.type != compute_ || b.col_stride != 1 || cols % kernel_.lanes != 0) return false;
  return rows <= kUnpackedGroups * kernel_.rows || (depth_block_ * kernel_.cols * bytes_ <= kUnpackedPanel &&
                                                    b.row_stride * bytes_ % kConflictingPanel != 0);
}

const char* Gemm::pack_a(const Matrix& a, std::int64_t row, std::int64_t rows, std::int64_t k0,
                         std::int64_t k) const {
  char* panel = scratch(Scratch::PanelA, static_cast<std::size_t>(rows * k * bytes_));
  for (std::int64_t r = 0; r < rows; r += kernel_.rows) {
    const std::int64_t n = std::min<std::int64_t>(kernel_.rows, rows - r);
    load({a.at(row + r, k0), a.type, k, n, a.col_stride, a.row_stride}, panel + r * k * bytes_, k * n);
  }
  return panel;
}

/// Whether a copy of so few columns of A keeps them in rows, for one panel: copies of single groups take longer. Every second element
/// of 7680 x 5 f32, and 16 columns: 54 -> 27 us.
bool Gemm::packs_rows(std::int64_t k, std::int64_t cols) const {
  return kernel_.reads_rows_apart && k < kUnpackedDepth && cols <= kernel_.cols;
}

const char* Gemm::pack_rows(const Matrix& a, std::int64_t row, std::int64_t rows, std::int64_t k0,
                            std::int64_t k) const {
  char* panel = scratch(Scratch::PanelA, static_cast<std::size_t>(rows * k * bytes_));
  load({a.at(row, k0), a.type, rows, k, a.row_stride, a.col_stride}, panel, rows * k);
  return panel;
}

/// Panels of kernel_.cols columns, one after the other, each [k][columns]; null where the rows are read in
/// place.
const char* Gemm::pack_b(const Matrix& b, std::int64_t col, std::int64_t cols, std::int64_t k0,
                         std::int64_t k, std::int64_t m) const {
  if (reads_b_in_place(b, m, cols)) return nullptr;
  char* panels = scratch(Scratch::PanelB, static_cast<std::size_t>((k * cols + kernel_.cols) * bytes_));
  // What whole vectors read behind the last row is not used, but denormal numbers there would slow the kernel down.
  std::memset(panels + k * cols * bytes_, 0, static_cast<std::size_t>(kernel_.cols * bytes_));
  // Few rows of all panels before the next rows: neighbours in memory come soon after each other.
  const std::int64_t step = b.row_stride == 1 ? k : kRowsAtOnce;
  for (std::int64_t r = 0; r < k; r += step) {
    const std::int64_t rows = std::min(step, k - r);
    for (std::int64_t j = 0; j < cols; j += kernel_.cols) {
      const std::int64_t n = std::min<std::int64_t>(kernel_.cols, cols - j);
      load({b.at(k0 + r, col + j), b.type, rows, n, b.row_stride, b.col_stride},
           panels + (j * k + r * n) * bytes_, rows * n);
    }
  }
  return panels;
}

void Gemm::add_s(const Matrix& s, char* c, std::int64_t c_stride, std::int64_t row, std::int64_t rows,
                 std::int64_t col, std::int64_t cols) const {
  kernels::GemmEpilogue e{c, c_stride, nullptr, 0, 0, rows, cols, alpha_, beta_};
  if (s.data != nullptr && s.type == compute_) {
    e.s = s.at(row, col);
    e.s_row_stride = s.row_stride;
    e.s_col_stride = s.col_stride;
  } else if (s.data != nullptr) {
    char* tile = scratch(Scratch::Values, static_cast<std::size_t>(rows * cols * bytes_));
    load({s.at(row, col), s.type, rows, cols, s.row_stride, s.col_stride}, tile, rows * cols);
    e.s = tile;
    e.s_row_stride = cols;
    e.s_col_stride = 1;
  }
  kernel_.epilogue(e);
}

/// A contiguous tile of the compute type into its place in C.
void Gemm::store_tile(char* tile, const Matrix& c, const Tile& t) const {
  if (c.type != compute_) {
    char* narrow = scratch(Scratch::RawTile, static_cast<std::size_t>(t.rows * t.cols * c.element_bytes()));
    movers_.convert[static_cast<std::size_t>(compute_)][static_cast<std::size_t>(c.type)](tile, narrow,
                                                                                          t.rows * t.cols);
    tile = narrow;
  }
  const std::int64_t size = c.element_bytes();
  movers_.scatter[log2_size(c.type)](tile, c.at(t.row, t.col), c.row_stride * size, c.col_stride * size,
                                     t.rows, t.cols, kernels::scatter_ahead);
}

}  // namespace lanewise::ops
