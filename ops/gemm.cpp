#include <algorithm>
#include <cmath>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/topology.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/ops/gemm.h>

namespace lanewise::ops {
namespace {

using detail::Scratch;
using detail::scratch;
using kernels::kGemmDepth;

/// Rows of A packed at once: with kGemmDepth columns at most a quarter of the second-level cache, which leaves room for B
/// and C; whole groups of the micro-kernel's, in even blocks.
std::int64_t block_rows(std::int64_t rows, std::int64_t group, std::int64_t bytes) {
  const std::int64_t cache = topology().l2_bytes > 0 ? topology().l2_bytes : std::int64_t{1} << 20;
  const std::int64_t most =
      std::clamp<std::int64_t>(cache / 4 / (kGemmDepth * bytes), 64, 1024) / group * group;
  return rows <= most + group ? rows : divup(divup(rows, divup(rows, most)), group) * group;
}
/// Rows of a tile come in multiples of this: fewer at a time do not keep the multipliers busy.
constexpr std::int64_t kRowsTogether = 4;
/// Tiles for each thread: another process may hold a core for a while.
constexpr std::int64_t kTilesPerThread = 4, kFewTiles = 2;
/// Columns are not split further for more pieces of work: each tile packs its rows of A, with half as many panels for a
/// fifth of its time.
constexpr std::int64_t kPanelsPerTile = 4;
/// Panels of B packed at once for one block of rows of A: they stay in the second-level cache.
constexpr std::int64_t kPanelsPacked = 8;
/// Bytes of B packed at once for more of them: a share of the third-level cache. Packed for each block again, B would cost a
/// fifth of the time where the second-level cache has 512 KiB: 512^3 f64 10.9 ms, not 7.1.
constexpr std::int64_t kBytesOfPackedB = std::int64_t{1} << 20;
/// The depth is shared among threads if a block of it is this many times the number of rows: the partial products that have
/// to be added are then small beside B.
constexpr std::int64_t kDepthPerRow = 3;
/// Most bytes of partial products: half of a usual second-level cache.
constexpr std::int64_t kPartialBytes = std::int64_t{1} << 20;
/// Elements of partial products that make it worth waking another thread to add them.
constexpr std::int64_t kPartialElements = std::int64_t{1} << 13;

/// Rows of a product for which B is not packed though its columns do not fill registers.
constexpr std::int64_t kUnpackedRows = 32;

std::int64_t depth_block(std::int64_t depth) {
  const std::int64_t blocks = divup(depth, kGemmDepth);
  return blocks <= 1 ? depth : divup(depth, divup(blocks, 2) * 2);
}

/// Products with few columns run transposed: lanes over the rows. So do those whose columns are contiguous in
/// memory, where that keeps the bits: the imaginary part of a complex product depends on which factor is the
/// first.
bool runs_transposed(const Matrix& c, const Matrix& a) {
  if (c.rows == 1 || c.cols == 1) return c.cols != 1;
  if (!is_complex(c.type) && (c.row_stride == 1) != (c.col_stride == 1) && c.rows > 16 && c.cols > 16)
    return c.row_stride == 1;
  // Unless rows of A can be read where they lie: 1024 x 256 x 16 f32 0.65 of the time, 12 columns 0.8, 8 the same. Or are soon copied:
  // 8000 x 5 x 16, every second element of A, 0.4 of the time, 15 of them and 12 columns 0.65 to 0.96.
  const bool reads_rows = is_floating_point(c.type) && product_type(c.type) == c.type && a.type == c.type;
  const bool copies_rows = a.row_stride != 1 && (a.cols < 16 || c.cols == 16);
  if (c.cols > 8 && reads_rows && (a.col_stride == 1 || copies_rows)) return false;
  return c.cols <= 16 && c.rows >= 2 * c.cols;
}

}  // namespace

ScalarType product_type(ScalarType t) {
  return is_integral(t, true) && t != kLong ? kInt : kernels::compute_type(t);
}

Gemm::Gemm(const Matrix& c, const Matrix& a, const Matrix& b, const Matrix& s, const Scalar& beta,
           const Scalar& alpha)
    : c_(c),
      a_(a),
      b_(b),
      s_(s),
      alpha_(lanewise::detail::kernel_scalar(alpha)),
      beta_(lanewise::detail::kernel_scalar(beta)),
      has_epilogue_(!alpha.equal(1) || !beta.equal(0)),
      in_place_(s.data != nullptr && s.data == c.data && !beta.equal(0)),
      movers_(*kernels::active_kernels().movers),
      compute_(product_type(c.type)),
      bytes_(static_cast<std::int64_t>(element_size(compute_))),
      kernel_(*kernels::active_kernels().gemm->of[static_cast<std::size_t>(compute_)]),
      vector_(c.rows == 1 || c.cols == 1),
      transposed_(runs_transposed(c, a)),
      depth_block_(depth_block(a.cols)) {
  if (transposed_) {
    c_ = c.transposed();
    a_ = b.transposed();
    b_ = a.transposed();
    s_ = s.transposed();
  }
  if (a_.cols == 0)
    a_.row_stride = a_.col_stride = b_.row_stride = b_.col_stride = 0;  // no memory to step in
  block_rows_ = block_rows(c_.rows, kernel_.rows, bytes_);
  adds_to_c_ = !vector_ && alpha.equal(1) && beta.equal(1) && a_.cols <= kGemmDepth && s_.data == c_.data &&
               s_.row_stride == c_.row_stride && s_.col_stride == 1 && c_.col_stride == 1 &&
               c_.type == compute_;
}

void Gemm::run(const GemmBatch& batch) {
  lanewise::detail::note_path(lanewise::detail::Path::Product);
  if (c_.rows == 0 || c_.cols == 0) return;
  adds_to_c_ = adds_to_c_ && (batch.count == 1 || batch.s == batch.c);
  if (adds_to_c_) has_epilogue_ = in_place_ = false;
  if (vector_) return run_vectors(batch);
  if (const std::int64_t parts = depth_parts(batch.count); parts > 1) return run_depth_parts(parts);
  choose_tiles(batch.count);
  const std::int64_t down = divup(c_.rows, tile_rows_);
  const std::int64_t across = divup(c_.cols, tile_cols_);
  const std::int64_t products = c_.rows * c_.cols * std::max<std::int64_t>(a_.cols, 1);
  const std::int64_t per_tile = std::max<std::int64_t>(1, products / (down * across));
  const std::int64_t grain = std::max<std::int64_t>(1, kParallelProducts / per_tile);
  const std::int64_t bare = down * across == 1 ? bare_products(batch) : 0;
  parallel_for(0, batch.count * down * across, grain, [&](std::int64_t begin, std::int64_t end) {
    if (begin < bare) {
      run_bare(batch, begin, std::min(end, bare));
      begin = std::min(end, bare);
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t n = i / (down * across);
      const std::int64_t row = i / across % down * tile_rows_;
      const std::int64_t col = i % across * tile_cols_;
      run_tile(product(batch, n),
               {row, std::min(tile_rows_, c_.rows - row), col, std::min(tile_cols_, c_.cols - col)});
    }
  });
}

/// How many products of a batch, from the first on, are nothing but a kernel's block on memory as it lies: of 4 x 4 they take
/// half of the time then. Where columns do not fill registers, what is read behind a row must be there: the last ones are not
/// bare.
std::int64_t Gemm::bare_products(const GemmBatch& batch) const {
  if (batch.count == 1 || has_epilogue_ || adds_to_c_ || c_.cols > kernel_.cols || c_.rows > block_rows_ ||
      a_.cols == 0 || a_.cols > depth_block_ || !writes_in_place(c_) ||
      !reads_a_in_place(a_, c_.rows, c_.cols) || b_.type != compute_ || b_.col_stride != 1) {
    return 0;
  }
  if (reads_b_in_place(b_, c_.rows, c_.cols)) return batch.count;
  const std::int64_t behind = (divup(c_.cols, kernel_.lanes) * kernel_.lanes - c_.cols) * bytes_;
  const std::int64_t step = transposed_ ? batch.a : batch.b;
  if (step <= 0 || b_.row_stride < 0 || c_.rows > kUnpackedRows) return 0;
  return std::max<std::int64_t>(0, batch.count - divup(behind, step));
}

void Gemm::run_bare(const GemmBatch& batch, std::int64_t begin, std::int64_t end) const {
  const std::int64_t a = transposed_ ? batch.b : batch.a, b = transposed_ ? batch.a : batch.b;
  kernels::GemmBlock block{};
  block.a = a_.data + begin * a;
  block.a_row_stride = a_.row_stride;
  block.a_col_stride = a_.col_stride;
  block.b = b_.data + begin * b;
  block.b_stride = b_.row_stride;
  block.c = c_.data + begin * batch.c;
  block.c_stride = c_.row_stride;
  block.m = c_.rows;
  block.n = c_.cols;
  block.k = a_.cols;
  for (std::int64_t i = begin; i < end; ++i) {
    kernel_.block(block);
    block.a += a;
    block.b += b;
    block.c += batch.c;
  }
}

/// The n-th of a batch.
Gemm::Operands Gemm::product(const GemmBatch& batch, std::int64_t n) const {
  Operands o{c_, a_, b_, s_};
  o.c.data += n * batch.c;
  if (a_.cols > 0) {  // else there is no memory to step in
    o.a.data += n * (transposed_ ? batch.b : batch.a);
    o.b.data += n * (transposed_ ? batch.a : batch.b);
  }
  if (o.s.data != nullptr) o.s.data += n * batch.s;
  return o;
}

void Gemm::choose_tiles(std::int64_t batches) {
  const std::int64_t group = kernel_.rows;
  const std::int64_t panel = kernel_.cols;
  // A tile that is computed beside C is no larger than a block.
  tile_rows_ = writes_in_place(c_) ? c_.rows : block_rows_;
  tile_cols_ = c_.cols;
  const std::int64_t threads = get_num_threads();
  const std::int64_t products = batches * c_.rows * c_.cols * a_.cols;
  if (threads == 1 || products < 2 * kParallelProducts) return;
  const std::int64_t blocks = batches * divup(c_.rows, block_rows_);
  if (blocks >= kTilesPerThread * threads) return share_blocks(divup(kTilesPerThread * threads, batches));
  // Half as many where blocks are few: 1024^3 f32 with two threads takes 0.83 of the time of a tile for each block, 0.88 in eighths.
  if (blocks >= kFewTiles * threads) return share_blocks(divup(kFewTiles * threads, batches));
  tile_rows_ = block_rows_;
  const std::int64_t wanted = std::min(kFewTiles * threads, products / kParallelProducts);
  if (blocks >= wanted) return;
  const std::int64_t parts = divup(wanted, blocks);
  if (c_.rows >= 2 * parts * group && reads_b_in_place(b_, c_.rows, c_.cols)) {
    tile_rows_ = divup(divup(tile_rows_, parts), kRowsTogether) * kRowsTogether;
    return;
  }
  const std::int64_t wide = std::max(divup(threads, blocks), c_.cols / (kPanelsPerTile * panel));
  tile_cols_ = divup(divup(c_.cols, panel), std::min(parts, wide)) * panel;
}

/// Tiles of several blocks, about as high as wide: each packs its rows of A and its columns of B, so that this packs least.
void Gemm::share_blocks(std::int64_t tiles) {
  const double square =
      std::sqrt(static_cast<double>(tiles) * static_cast<double>(c_.rows) / static_cast<double>(c_.cols));
  std::int64_t down = std::clamp<std::int64_t>(static_cast<std::int64_t>(square), 1, tiles);
  while (tiles % down != 0) --down;
  tile_rows_ = std::min(tile_rows_, divup(divup(c_.rows, down), kernel_.rows) * kernel_.rows);
  const std::int64_t across = divup(tiles, divup(c_.rows, tile_rows_));
  tile_cols_ = divup(divup(c_.cols, kernel_.cols), across) * kernel_.cols;
  block_rows_ = block_rows(tile_rows_, kernel_.rows, bytes_);
}

void Gemm::run_tile(const Operands& o, const Tile& t) const {
  const bool direct = writes_in_place(o.c);
  char* out = direct ? o.c.at(t.row, t.col)
                     : scratch(Scratch::ProductTile, static_cast<std::size_t>(t.rows * t.cols * bytes_));
  const std::int64_t out_stride = direct ? o.c.row_stride : t.cols;
  std::int64_t k0 = 0;
  do {
    add_block(o.a, o.b, has_epilogue_ ? &o.s : nullptr, t, k0, adds_to_c_ || k0 > 0, out, out_stride);
    k0 += depth_block_;
  } while (k0 < o.a.cols);
  if (!direct) store_tile(out, o.c, t);
}

/// Whether the elements of C can be summed up where they belong.
bool Gemm::writes_in_place(const Matrix& c) const {
  return c.type == compute_ && c.col_stride == 1 && !in_place_;
}

/// The tile's product of the block of the depth that begins at k0: stored, or added to what is there. With the last block,
/// S (if there is one) is added to each panel while that is in the cache.
void Gemm::add_block(const Matrix& a, const Matrix& b, const Matrix* s, const Tile& t, std::int64_t k0,
                     bool accumulate, char* out, std::int64_t out_stride) const {
  const std::int64_t k = std::min(depth_block_, a.cols - k0);
  const std::int64_t panel = kernel_.cols;
  const std::int64_t block_rows = std::min(block_rows_, t.rows);
  const bool a_in_place = reads_a_in_place(a, block_rows, t.cols);
  const std::int64_t panels =
      block_rows == t.rows
          ? kPanelsPacked
          : std::max(kPanelsPacked, kBytesOfPackedB / (std::max<std::int64_t>(k, 1) * panel * bytes_));
  kernels::GemmBlock block{};
  block.c_stride = out_stride;
  block.k = k;
  block.accumulate = accumulate;
  const bool by_rows = !a_in_place && packs_rows(k, t.cols);
  if (by_rows) {
    block.a_row_stride = k;
    block.a_col_stride = 1;
  }
  std::int64_t packed_row = -1;
  for (std::int64_t first = 0; first < t.cols; first += panels * panel) {
    const std::int64_t width = std::min(panels * panel, t.cols - first);
    const char* packed_b = pack_b(b, t.col + first, width, k0, k, t.rows);
    for (std::int64_t row = 0; row < t.rows; row += block_rows) {
      block.m = std::min(block_rows, t.rows - row);
      if (a_in_place) {
        block.a = a.at(t.row + row, k0);
        block.a_row_stride = a.row_stride;
        block.a_col_stride = a.col_stride;
      } else if (row != packed_row) {
        block.a =
            by_rows ? pack_rows(a, t.row + row, block.m, k0, k) : pack_a(a, t.row + row, block.m, k0, k);
        packed_row = row;
      }
      for (std::int64_t j = first; j < first + width; j += panel) {
        block.n = std::min<std::int64_t>(panel, t.cols - j);
        block.b = packed_b == nullptr ? b.at(k0, t.col + j) : packed_b + (j - first) * k * bytes_;
        block.b_stride = packed_b == nullptr ? b.row_stride : block.n;
        block.c = out + (row * out_stride + j) * bytes_;
        kernel_.block(block);
        if (s != nullptr && k0 + k == a.cols)
          add_s(*s, block.c, out_stride, t.row + row, block.m, t.col + j, block.n);
      }
    }
  }
}

/// Into how many parts of the depth the product is split; 1: it is not. A thread's part of the depth are rows of B. Where B
/// are the weights of a layer, these are the rows whose gradients the thread computes and which its share of an
/// optimizer's step writes: they stay in the cache of one core. Parts of columns would send half of B from core to core.
std::int64_t Gemm::depth_parts(std::int64_t batches) const {
  const std::int64_t threads = get_num_threads();
  if (threads == 1 || batches > 1 || c_.rows * c_.cols * a_.cols < threads * kParallelProducts ||
      depth_block_ < kDepthPerRow * c_.rows || in_parallel_region())
    return 1;
  const std::int64_t blocks = divup(a_.cols, depth_block_);
  const bool even = blocks % threads == 0 || blocks >= 4 * threads;
  const bool rows_apart = b_.col_stride == 1 && b_.row_stride >= b_.cols;
  const std::int64_t partial = (blocks - blocks / threads) * c_.rows * c_.cols * bytes_;
  return even && rows_apart && writes_in_place(c_) && partial <= kPartialBytes ? threads : 1;
}

void Gemm::run_depth_parts(std::int64_t parts) const {
  const std::int64_t blocks = divup(a_.cols, depth_block_);
  const std::int64_t own = blocks / parts;  // of the first part, which adds up in C
  const std::int64_t size = c_.rows * c_.cols * bytes_;
  char* partial = scratch(Scratch::PartialProducts, static_cast<std::size_t>((blocks - own) * size));
  const Tile all{0, c_.rows, 0, c_.cols};
  parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * blocks / parts; i < end * blocks / parts; ++i) {
      const std::int64_t k0 = i * depth_block_;
      if (i < own) {
        add_block(a_, b_, nullptr, all, k0, i > 0, c_.data, c_.row_stride);
      } else {
        add_block(a_, b_, nullptr, all, k0, false, partial + (i - own) * size, c_.cols);
      }
    }
  });
  const std::int64_t grain = std::max<std::int64_t>(1, kPartialElements / (c_.cols * (blocks - own)));
  parallel_for(0, c_.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t skipped = begin * c_.cols * bytes_;
    kernels::GemmEpilogue e{c_.at(begin, 0), c_.row_stride, nullptr,   c_.cols,  1,
                            end - begin,     c_.cols,       {1, 1, 0}, {1, 1, 0}};
    for (std::int64_t i = 0; i < blocks - own; ++i) {
      e.s = partial + i * size + skipped;
      kernel_.epilogue(e);
    }
    if (has_epilogue_) add_s(s_, c_.at(begin, 0), c_.row_stride, begin, end - begin, 0, c_.cols);
  });
}

}  // namespace lanewise::ops
