#include <algorithm>
#include <cstdlib>
#include <optional>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/outer_cursor.h>
#include <lanewise/iterator/detail/reordered_job.h>
#include <lanewise/iterator/detail/staging.h>
#include <lanewise/iterator/detail/tile_plan.h>

// 2-D blocks, for operands that disagree about the fastest dimension (a + b.t()): a block is wide enough
// along both dimensions that every operand uses whole cache lines.
namespace lanewise::detail {
namespace {

struct BlockPlan {
  std::array<RowFeed, kMaxTileOperands> feed{};
  std::array<std::int64_t, kMaxTileOperands> offset{};
  std::int64_t scratch = 0;
  std::int64_t rows = 0, cols = 0;  // of a block
  std::int64_t row_blocks = 0, col_blocks = 0;
  std::uint32_t broadcast = 0;
  int streamed =
      -1;  // an output so long that no cache holds it: its rows are copied past the caches, from a tile
  int streamed_tile = -1;  // the input whose tile it takes over, if any
  bool by_row = false;     // the function is called for each row of a block: some operand stays where it is
  double cost = 1;

  /// Whether nothing that the operand's memory holds is needed in a cache.
  bool past_caches(int k) const {
    return k == streamed || (k == 0 && (broadcast & kernels::kStreamOutput) != 0);
  }
};

/// An input that passes through a tile of output 0's type, so that the output's elements may replace its own.
/// -1: none.
int tile_to_take_over(const Plan& plan, const TileJob& job) {
  for (int k = job.outputs; k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const TileOperand& input = job.operand[i];
    if (plan.row_feed(job, k) == RowFeed::Staged && input.strides[1] != 0 &&
        input.tile == job.operand[0].tile) {
      return k;
    }
  }
  return -1;
}

/// Whether the rows of every block begin with a cache line.
bool streams_by_line(const TileOperand& output) {
  return (reinterpret_cast<std::uintptr_t>(output.data) | static_cast<std::uintptr_t>(output.strides[1])) %
             64 ==
         0;
}

/// Whether an operand needs memory of its own in the arena.
bool has_tile(const BlockPlan& blocks, int k) {
  const RowFeed feed = blocks.feed[static_cast<std::size_t>(k)];
  return feed == RowFeed::RowScalar ||
         (feed == RowFeed::Staged && (k != blocks.streamed || blocks.streamed_tile < 0));
}

/// Dimension 0 runs along the columns of a block, dimension 1 along its rows. `turned`: see lies_across().
BlockPlan plan_blocks(const Plan& plan, const TileJob& job, bool turned) {
  BlockPlan blocks;
  std::int64_t bytes_per_element = 0, widest = 1;
  int staged = 0;
  for (int k = 0; k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const TileOperand& operand = job.operand[i];
    blocks.feed[i] = plan.row_feed(job, k);
    if (k == 0 && blocks.feed[i] == RowFeed::Direct) {
      if (plan.streams && streams_by_line(operand)) {
        blocks.broadcast |= kernels::kStreamOutput;
      } else if (plan.numel * operand.memory_size() >= kStreamFrom) {
        blocks.feed[i] = RowFeed::Staged;
        blocks.streamed = k;
        blocks.streamed_tile = tile_to_take_over(plan, job);
      }
    }
    if (blocks.feed[i] == RowFeed::Scalar || blocks.feed[i] == RowFeed::RowScalar) {
      blocks.broadcast |= 1u << k;
    }
    blocks.by_row |= blocks.feed[i] == RowFeed::RowScalar || blocks.feed[i] == RowFeed::Direct;
    if (has_tile(blocks, k)) {
      staged += blocks.feed[i] == RowFeed::Staged;
      bytes_per_element += operand.tile_size();
      widest = std::max({widest, operand.tile_size(), operand.memory_size()});
    }
  }
  blocks.cost = staged_cost(job, 2 * staged);
  // Four whole cache lines along the rows, and as wide as that leaves room for: 64 x 64 of f32. Against two
  // lines and 32 x 128 a transposed copy of 2048 x 2048 takes two thirds of the time; eight lines gain
  // nothing more. Blocks that stand on their side write by columns, for which two lines are better: 0.9 of the time at 512 x 512.
  constexpr std::int64_t kTileBytes = 16 * 1024;
  const std::int64_t line_bytes = turned ? 128 : 256;
  const std::int64_t elements = std::min(kTileBytes / widest, kArenaBytes / (bytes_per_element + widest));
  const std::int64_t most_rows =
      std::min({std::max<std::int64_t>(16, line_bytes / widest), elements / 16, std::int64_t{64}});
  blocks.rows = even_piece(job.shape[1], most_rows);
  blocks.cols = even_piece(job.shape[0], std::min<std::int64_t>(elements / blocks.rows / 16 * 16, 1024), 16);
  blocks.row_blocks = divup(job.shape[1], blocks.rows);
  blocks.col_blocks = divup(job.shape[0], blocks.cols);
  std::int64_t at = 0;
  for (int k = 0; k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (has_tile(blocks, k)) {
      blocks.offset[i] = at;
      at += divup(blocks.rows * blocks.cols * job.operand[i].tile_size(), 64) * 64;
    }
  }
  if (blocks.streamed_tile >= 0) {
    blocks.offset[static_cast<std::size_t>(blocks.streamed)] =
        blocks.offset[static_cast<std::size_t>(blocks.streamed_tile)];
  }
  blocks.scratch = at;
  return blocks;
}

/// Fetches the memory of the coming block into the second-level cache, a part with every row of the present
/// one. The rows of a block lie a page or more apart, which no hardware prefetcher follows.
class Prefetcher {
 public:
  /// Adds the block of an operand that begins at `at`.
  void add(const TileOperand& operand, const char* at, std::int64_t rows, std::int64_t cols) {
    const std::int64_t along = operand.strides[0], across = operand.strides[1];
    const bool by_column = std::abs(across) < std::abs(along);
    const std::int64_t step = by_column ? along : across, inner = by_column ? across : along;
    const std::int64_t length = by_column ? rows : cols;
    if (std::abs(inner) > kLine) {
      return;
    }
    Stretches stretches{at + std::min<std::int64_t>(0, inner * (length - 1)), step, std::abs(inner) * length,
                        by_column ? cols : rows};
    if (std::abs(step) <= kLine) {  // they share lines
      const std::int64_t reach = step * (stretches.count - 1);
      const char* const low = stretches.at + std::min<std::int64_t>(0, reach);
      const auto in_line = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(low) % kLine);
      stretches = {low - in_line, kLine, kLine, divup(in_line + std::abs(reach) + stretches.bytes, kLine)};
    }
    stretches_[static_cast<std::size_t>(size_++)] = stretches;
  }

  void clear() { size_ = 0; }

  /// The next of `parts` parts. GCC takes a function that does nothing but prefetch for pure and drops the calls of it; this
  /// one counts. Of a.t() + b.t() it takes off a sixth of the time at 4 MiB an operand and a fifth at 64 MiB.
  void fetch(std::int64_t parts) {
    for (int k = 0; k < size_; ++k) {
      Stretches& s = stretches_[static_cast<std::size_t>(k)];
      // Exact shares would take divisions, which take as long as the rows themselves.
      for (s.owed += s.count; s.owed > 0; s.owed -= parts, s.at += s.step) {
        for (const char* line = s.at; line < s.at + s.bytes; line += kLine) {
          __builtin_prefetch(line, 0, 2);
        }
      }
    }
  }

 private:
  static constexpr std::int64_t kLine = 64;
  struct Stretches {
    const char* at;
    std::int64_t step, bytes, count;
    std::int64_t owed = 0;  // parts of a stretch
  };
  std::array<Stretches, kMaxTileOperands> stretches_{};
  int size_ = 0;
};

/// One thread's part of the blocks.
class BlockRun {
 public:
  BlockRun(const Plan& plan, const TileJob& job, const BlockPlan& blocks, char* arena)
      : job_(job), blocks_(blocks), arena_(arena) {
    for (int k = 0; k < job.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (blocks.feed[i] == RowFeed::Scalar) {
        base_[i] = const_cast<char*>(plan.scalar(k));
      } else {
        stagers_[i].emplace(*job.movers, job.operand[i]);
      }
    }
  }

  /// Says which block comes after the next step(); announce_none(): none.
  void announce_none() { ahead_.clear(); }
  void announce(const OuterCursor& cursor, std::int64_t row, std::int64_t rows, std::int64_t col,
                std::int64_t cols) {
    ahead_.clear();
    for (int k = 0; k < job_.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const TileOperand& operand = job_.operand[i];
      if (!blocks_.past_caches(k) &&
          (blocks_.feed[i] == RowFeed::Direct || blocks_.feed[i] == RowFeed::Staged)) {
        ahead_.add(operand, cursor.at(k) + row * operand.strides[1] + col * operand.strides[0], rows, cols);
      }
    }
  }

  void step(const OuterCursor& cursor, std::int64_t row, std::int64_t rows, std::int64_t col,
            std::int64_t cols) {
    char* scratch = arena_ + blocks_.scratch;
    for (int k = 0; k < job_.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const TileOperand& operand = job_.operand[i];
      const std::int64_t along = operand.strides[0], across = operand.strides[1];
      char* at = cursor.at(k) + row * across + col * along;
      char* tile = arena_ + blocks_.offset[i];
      switch (blocks_.feed[i]) {
        case RowFeed::Scalar: break;
        case RowFeed::Direct:
          base_[i] = at;
          row_step_[i] = across;
          break;
        case RowFeed::RowScalar:
          if (operand.memory == operand.tile) {
            base_[i] = at;
            row_step_[i] = across;
          } else {
            stagers_[i]->load({at, 0, across, 1, rows}, tile, scratch);
            base_[i] = tile;
            row_step_[i] = operand.tile_size();
          }
          break;
        case RowFeed::Staged: {
          base_[i] = tile;
          // A row that repeats is staged once, if rows are handed over one by one.
          const bool repeats = blocks_.by_row && across == 0 && k >= job_.outputs;
          row_step_[i] = repeats ? 0 : cols * operand.tile_size();
          if (k >= job_.outputs) {
            stagers_[i]->load({at, across, along, repeats ? 1 : rows, cols}, tile, scratch);
          }
          break;
        }
      }
    }
    call(rows, cols);
    for (int k = 0; k < job_.outputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (blocks_.feed[i] == RowFeed::Staged) {
        const std::int64_t along = job_.operand[i].strides[0], across = job_.operand[i].strides[1];
        char* at = cursor.at(k) + row * across + col * along;
        if (k == blocks_.streamed) {
          for (std::int64_t r = 0; r < rows; ++r) {
            stream_copy(at + r * across, base_[i] + r * cols * along, cols * along);
          }
        } else {
          stagers_[i]->store(base_[i], {at, across, along, rows, cols}, scratch);
        }
      }
    }
  }

 private:
  void call(std::int64_t rows, std::int64_t cols) {
    if (!blocks_.by_row) {
      ahead_.fetch(1);
      if (job_.identity && job_.operands == 2 && blocks_.feed[1] == RowFeed::Staged) {
        base_[0] = base_[1];
        return;
      }
      job_.fn(base_.data(), blocks_.broadcast, rows * cols, job_.context);
      return;
    }
    std::array<char*, kMaxTileOperands> data = base_;
    for (std::int64_t r = 0; r < rows; ++r) {
      ahead_.fetch(rows);
      job_.fn(data.data(), blocks_.broadcast, cols, job_.context);
      for (int k = 0; k < job_.operands; ++k) {
        data[static_cast<std::size_t>(k)] += row_step_[static_cast<std::size_t>(k)];
      }
    }
  }

  const TileJob& job_;
  const BlockPlan& blocks_;
  Prefetcher ahead_;
  char* arena_;
  std::array<char*, kMaxTileOperands> base_{};
  std::array<std::int64_t, kMaxTileOperands> row_step_{};
  std::array<std::optional<Stager>, kMaxTileOperands> stagers_;
};

/// Position of a block in the plane of blocks.
struct BlockIndex {
  std::int64_t row, col;
};

/// The order in which blocks come: patches of 1024 x 1024 elements of f32, block by block. Both sides of a
/// transposition step over a page per row, or more; within a patch they step over the same pages again while
/// their translations are still known.
BlockIndex block_at(const BlockPlan& blocks, std::int64_t in_plane) {
  constexpr std::int64_t kHigh = 16, kWide = 16;
  const std::int64_t first_row = in_plane / (kHigh * blocks.col_blocks) * kHigh;
  const std::int64_t height = std::min(kHigh, blocks.row_blocks - first_row);
  const std::int64_t in_strip = in_plane - first_row * blocks.col_blocks;
  const std::int64_t first_col = in_strip / (height * kWide) * kWide;
  const std::int64_t width = std::min(kWide, blocks.col_blocks - first_col);
  const std::int64_t in_patch = in_strip - first_col * height;
  return {first_row + in_patch / width, first_col + in_patch % width};
}

/// Whether blocks had better stand on their side: more operands need no tile if dimension d takes the place of dimension 0.
/// a.t() + b.t() and a sum into a transposed tensor then take one transposition in place of two, 0.7 to 0.8 of the time while
/// memory is in L2 and 0.95 at 1 MiB an operand; at 4 MiB writing by columns takes 1.1 times as long.
bool lies_across(const Plan& plan, int d) {
  constexpr std::int64_t kMostBytes = 2 << 20, kFewestColumns = 16;
  const TileJob& job = *plan.job;
  if (job.serial || job.shape[d] < kFewestColumns || plan.numel * job.operand[0].memory_size() > kMostBytes)
    return false;
  int more = 0;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
    if (operand.memory != operand.tile) continue;
    more += (operand.strides[d] == operand.memory_size()) - (operand.strides[0] == operand.memory_size());
  }
  return more > 0;
}

/// The dimensions with `d` next to dimension 0, or, `turned`, in its place.
DimVector order_of(int ndim, int d, bool turned) {
  DimVector order;
  for (int i = 0; i < ndim; ++i) order.push_back(i);
  std::swap(order[1], order[static_cast<std::size_t>(d)]);
  if (turned) std::swap(order[0], order[1]);
  return order;
}

}  // namespace

void run_blocks(const Plan& plan, int row_dimension) {
  const bool turned = lies_across(plan, row_dimension);
  const ReorderedJob reordered(*plan.job, order_of(plan.job->ndim, row_dimension, turned));
  const TileJob& job = reordered.job;
  const BlockPlan blocks = plan_blocks(plan, job, turned);
  const std::int64_t per_plane = blocks.row_blocks * blocks.col_blocks;
  const std::int64_t items = plan.numel / (job.shape[0] * job.shape[1]) * per_plane;
  const std::int64_t grain = grain_items(job, blocks.rows * blocks.cols, blocks.cost);
  const auto height = [&](const BlockIndex& at) {
    return std::min(blocks.rows, job.shape[1] - at.row * blocks.rows);
  };
  const auto width = [&](const BlockIndex& at) {
    return std::min(blocks.cols, job.shape[0] - at.col * blocks.cols);
  };
  constexpr std::int64_t kNearBytes = 1
                                      << 20;  // less than this is in the second-level cache, or soon will be
  const bool far = plan.numel * job.operand[0].memory_size() > kNearBytes;
  walk(plan, items, blocks.rows * blocks.cols, grain, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) char arena[kArenaBytes + 64 * kMaxTileOperands];
    BlockRun run(plan, job, blocks, arena);
    OuterCursor cursor(job, 2);
    cursor.seek(begin / per_plane);
    std::int64_t in_plane = begin % per_plane;
    for (std::int64_t item = begin; item < end; ++item) {
      const BlockIndex at = block_at(blocks, in_plane);
      if (far && in_plane + 1 < per_plane && item + 1 < end) {
        const BlockIndex next = block_at(blocks, in_plane + 1);
        run.announce(cursor, next.row * blocks.rows, height(next), next.col * blocks.cols, width(next));
      } else {
        run.announce_none();
      }
      run.step(cursor, at.row * blocks.rows, height(at), at.col * blocks.cols, width(at));
      if (++in_plane == per_plane) {
        in_plane = 0;
        cursor.next();
      }
    }
    if (blocks.streamed >= 0) {
      stream_fence();
    }
  });
}

}  // namespace lanewise::detail
