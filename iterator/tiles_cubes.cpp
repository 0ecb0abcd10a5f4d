#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/outer_cursor.h>
#include <lanewise/iterator/detail/reordered_job.h>
#include <lanewise/iterator/detail/staging.h>
#include <lanewise/iterator/detail/tile_plan.h>

// Operands of three and more dimensions that disagree about the fastest one, which is short: a cube is so many rows of all its inner
// dimensions, cut along the dimension that is fastest in the other operand's memory, so that every operand uses whole cache lines.
namespace lanewise::detail {
namespace {

/// Of a job whose dimensions [0, inner) make up the rows of a cube and whose dimension `inner` counts them.
struct CubePlan {
  int inner = 1;
  std::int64_t piece = 1;  ///< of dimension inner - 1; dimension 0 is not cut
  std::int64_t rows = 1;
  std::int64_t pieces = 1, row_blocks = 1;
  std::array<RowFeed, kMaxTileOperands> feed{};
  std::array<std::int64_t, kMaxTileOperands> offset{};
  std::int64_t slice = 0, scratch = 0;  ///< where in the arena
  std::uint32_t broadcast = 0, moving = 0;
  double cost = 1;
};

/// Of fewer columns an element of each row at a time is taken.
constexpr std::int64_t kFewColumns = 8;

/// How an operand's rows of all inner dimensions reach the function.
RowFeed feed_of(const Plan& plan, const TileJob& job, int k, int inner) {
  const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
  if (plan.flat[static_cast<std::size_t>(k)].feed == Feed::Scalar) return RowFeed::Scalar;
  if (operand.memory != operand.tile) return RowFeed::Staged;
  bool repeats = k >= job.outputs, dense = true;
  std::int64_t stride = operand.memory_size();
  for (int d = 0; d < inner; stride *= job.shape[d++]) {
    repeats = repeats && operand.strides[d] == 0;
    dense = dense && operand.strides[d] == stride;
  }
  return repeats ? RowFeed::RowScalar : dense ? RowFeed::Direct : RowFeed::Staged;
}

/// The dimensions with `d` moved to place `inner`.
DimVector order_of(int ndim, int d, int inner) {
  DimVector order;
  for (int i = 0; i < ndim; ++i) order.push_back(i);
  std::rotate(order.begin() + inner, order.begin() + d, order.begin() + d + 1);
  return order;
}

CubePlan plan_cubes(const Plan& plan, int d) {
  const TileJob& job = *plan.job;
  CubePlan cubes;
  std::int64_t bytes_per_element = 0, widest = 1;
  int staged = 0;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
    if (feed_of(plan, job, k, d) != RowFeed::Staged) continue;
    ++staged;
    bytes_per_element += operand.tile_size();
    widest = std::max({widest, operand.tile_size(), operand.memory_size()});
  }
  cubes.cost = staged_cost(job, 2 * staged);
  // Four cache lines along the memory of what is staged, as of blocks.
  constexpr std::int64_t kTileBytes = 16 * 1024, kLines = 256;
  const std::int64_t elements = std::min(kTileBytes / widest, kArenaBytes / (bytes_per_element + 2 * widest));
  cubes.rows = even_piece(job.shape[d], std::clamp(elements / job.shape[0], std::int64_t{1},
                                                   std::max<std::int64_t>(16, kLines / widest)));
  std::int64_t width = cubes.piece = job.shape[0];
  while (cubes.inner < d && width * 2 * cubes.rows <= elements) {
    cubes.piece = even_piece(job.shape[cubes.inner], elements / (cubes.rows * width));
    width *= cubes.piece;
    if (cubes.piece < job.shape[cubes.inner++]) break;
  }
  cubes.pieces = divup(job.shape[cubes.inner - 1], cubes.piece);
  cubes.row_blocks = divup(job.shape[d], cubes.rows);
  std::int64_t at = 0;
  for (int k = 0; k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const TileOperand& operand = job.operand[i];
    cubes.feed[i] = feed_of(plan, job, k, cubes.inner);
    if (cubes.feed[i] == RowFeed::Staged) {
      cubes.offset[i] = at;
      at += divup(cubes.rows * width * operand.tile_size(), 64) * 64;
    } else if (cubes.feed[i] != RowFeed::Direct) {
      cubes.broadcast |= 1u << k;
      if (cubes.feed[i] == RowFeed::RowScalar && operand.strides[d] != 0) cubes.moving |= 1u << k;
    }
  }
  const bool lines = job.shape[0] < kFewColumns;
  const std::int64_t slice = divup(cubes.rows * (lines ? width : job.shape[0]) * widest, 64) * 64;
  cubes.slice = at;
  cubes.scratch = at + slice;
  return cubes;
}

/// One thread's part of the cubes.
class CubeRun {
 public:
  CubeRun(const Plan& plan, const TileJob& job, const CubePlan& cubes, char* arena)
      : job_(job), cubes_(cubes), arena_(arena), through_(job.identity && job.operands == 2) {
    for (int k = 0; k < job.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (cubes.feed[i] == RowFeed::Scalar) group_.data[i] = const_cast<char*>(plan.scalar(k));
      if (cubes.feed[i] == RowFeed::Staged) stagers_[i].emplace(*job.movers, job.operand[i]);
      group_.step[i] = 0;
    }
  }

  void step(const OuterCursor& cursor, std::int64_t first, std::int64_t length, std::int64_t row,
            std::int64_t rows) {
    width_ = length;
    for (int d = 0; d < cubes_.inner - 1; ++d) width_ *= job_.shape[d];
    rows_ = rows;
    const auto begin_of = [&](int k) {
      const std::int64_t* strides = job_.operand[static_cast<std::size_t>(k)].strides;
      return cursor.at(k) + row * strides[cubes_.inner] + first * strides[cubes_.inner - 1];
    };
    for (int k = 0; k < job_.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (cubes_.feed[i] == RowFeed::Scalar) continue;
      const bool staged = cubes_.feed[i] == RowFeed::Staged;
      group_.data[i] = staged ? arena_ + cubes_.offset[i] : begin_of(k);
      group_.step[i] = staged ? width_ * job_.operand[i].tile_size() : job_.operand[i].strides[cubes_.inner];
      if (!staged || k < job_.outputs) continue;
      // One slice goes where it belongs; rows of several are first put together in L1, for those of the output often lie a multiple of a
      // page apart.
      if (through_ && cubes_.feed[0] == RowFeed::Direct && cubes_.inner == 1) {
        return load(k, begin_of(k), length, group_.data[0], group_.step[0]);
      }
      load(k, begin_of(k), length, group_.data[i], group_.step[i]);
    }
    call();
    for (int k = 0; k < job_.outputs; ++k) {
      if (cubes_.feed[static_cast<std::size_t>(k)] == RowFeed::Staged) store(k, begin_of(k), length);
    }
  }

 private:
  /// f(block, position in a row) for the slices of a cube, of dimension 0 and its rows, or, where that is so short that an element of
  /// each row at a time is quicker, of its rows alone.
  template <class F>
  void each_slice(int k, char* at, std::int64_t length, F&& f) const {
    const std::int64_t* strides = job_.operand[static_cast<std::size_t>(k)].strides;
    const int last = cubes_.inner - 1;
    std::array<std::int64_t, kSmallDims> index{};
    const std::int64_t across = last == 0 ? length : job_.shape[0];
    const bool lines = across < kFewColumns;
    const std::int64_t columns = lines ? 1 : across;
    for (std::int64_t position = 0; position < width_; position += columns) {
      f(Block{at, strides[cubes_.inner], strides[0], rows_, columns}, position);
      for (int d = lines ? 0 : 1; d <= last; ++d) {
        at += strides[d];
        if (++index[static_cast<std::size_t>(d)] < (d == last ? length : job_.shape[d])) break;
        at -= index[static_cast<std::size_t>(d)] * strides[d];
        index[static_cast<std::size_t>(d)] = 0;
      }
    }
  }
  /// Whether the rows of an operand are an element each of contiguous lines.
  bool takes_lines(int k) const {
    const auto i = static_cast<std::size_t>(k);
    return job_.shape[0] < kFewColumns && !stagers_[i]->converts() &&
           job_.operand[i].strides[cubes_.inner] == job_.operand[i].tile_size();
  }
  /// The lines side by side, and then turned as one block.
  void load_lines(int k, char* at, std::int64_t length, char* to) const {
    const std::int64_t size = job_.operand[static_cast<std::size_t>(k)].tile_size(), bytes = rows_ * size;
    char* const lines = arena_ + cubes_.slice;
    each_slice(k, at, length, [&](const Block& block, std::int64_t position) {
      copy_bytes(lines + position * bytes, block.data, static_cast<std::size_t>(bytes));
    });
    job_.movers->gather[size_index(size)](lines, size, bytes, rows_, width_, to);
  }
  void load(int k, char* at, std::int64_t length, char* to, std::int64_t step) const {
    const auto i = static_cast<std::size_t>(k);
    const std::int64_t size = job_.operand[i].tile_size();
    if (takes_lines(k) && step == width_ * size) return load_lines(k, at, length, to);
    each_slice(k, at, length, [&](const Block& block, std::int64_t position) {
      const std::int64_t bytes = block.cols * size;
      if (bytes == step) return stagers_[i]->load(block, to, arena_ + cubes_.scratch);
      const char* slice = block.data;
      if (block.cols != 1 || block.row_stride != size || stagers_[i]->converts()) {
        slice = arena_ + cubes_.slice;
        stagers_[i]->load(block, arena_ + cubes_.slice, arena_ + cubes_.scratch);
      }
      job_.movers->scatter[size_index(size)](slice, to + position * size, step, size, block.rows, block.cols,
                                             0);
    });
  }
  void store(int k, char* at, std::int64_t length) const {
    const auto i = static_cast<std::size_t>(k);
    const std::int64_t size = job_.operand[i].tile_size();
    each_slice(k, at, length, [&](const Block& block, std::int64_t position) {
      const std::int64_t bytes = block.cols * size;
      if (bytes == group_.step[i]) return stagers_[i]->store(group_.data[i], block, arena_ + cubes_.scratch);
      job_.movers->gather[size_index(size)](group_.data[i] + position * size, group_.step[i], size,
                                            block.rows, block.cols, arena_ + cubes_.slice);
      stagers_[i]->store(arena_ + cubes_.slice, block, arena_ + cubes_.scratch);
    });
  }
  void call() {
    group_.count = rows_;
    group_.moving = cubes_.moving;
    if (job_.rows) {
      return job_.fn(group_.data.data(), cubes_.broadcast | kernels::kManyRows, width_, job_.context);
    }
    std::array<char*, kMaxTileOperands> data = group_.data;
    for (std::int64_t r = 0; r < rows_; ++r) {
      job_.fn(data.data(), cubes_.broadcast, width_, job_.context);
      for (std::size_t i = 0; i < static_cast<std::size_t>(job_.operands); ++i) data[i] += group_.step[i];
    }
  }

  const TileJob& job_;
  const CubePlan& cubes_;
  char* arena_;
  bool through_;
  std::int64_t width_ = 0, rows_ = 0;
  kernels::ElementwiseRows group_{};
  std::array<std::optional<Stager>, kMaxTileOperands> stagers_;
};

}  // namespace

void run_cubes(const Plan& plan, int row_dimension) {
  const CubePlan cubes = plan_cubes(plan, row_dimension);
  const ReorderedJob reordered(*plan.job, order_of(plan.job->ndim, row_dimension, cubes.inner));
  const TileJob& job = reordered.job;
  const std::int64_t length = job.shape[cubes.inner - 1], piece = cubes.piece;
  const std::int64_t per_row = cubes.pieces * cubes.row_blocks;
  std::int64_t elements = cubes.rows * piece, outer = plan.numel;
  for (int d = 0; d <= cubes.inner; ++d) outer /= job.shape[d];
  for (int d = 0; d < cubes.inner - 1; ++d) elements *= job.shape[d];
  walk(plan, outer * per_row, elements, grain_items(job, elements, cubes.cost),
       [&](std::int64_t begin, std::int64_t end) {
         alignas(64) char arena[kArenaBytes + 64 * (kMaxTileOperands + 2)];
         CubeRun run(plan, job, cubes, arena);
         OuterCursor cursor(job, cubes.inner + 1);
         cursor.seek(begin / per_row);
         std::int64_t within = begin % per_row;
         for (std::int64_t item = begin; item < end; ++item) {
           const std::int64_t first = within % cubes.pieces * piece, row = within / cubes.pieces * cubes.rows;
           run.step(cursor, first, std::min(piece, length - first), row,
                    std::min(cubes.rows, job.shape[cubes.inner] - row));
           if (++within == per_row) {
             within = 0;
             cursor.next();
           }
         }
       });
}

}  // namespace lanewise::detail
