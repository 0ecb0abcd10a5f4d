#include <algorithm>
#include <cstdint>

#include <lanewise/iterator/detail/outer_cursor.h>
#include <lanewise/iterator/detail/reordered_job.h>
#include <lanewise/iterator/detail/staging.h>
#include <lanewise/iterator/detail/tile_plan.h>

// Copies whose source is contiguous along a dimension of few elements and goes on along others, none of which is dimension 0 (the
// transposition of three and more dimensions), with or without a gap behind the few: those are folded into one, whose elements are the rows of blocks as wide as cache lines.
namespace lanewise::detail {
namespace {

/// Dimension 0, the folded ones and the others.
struct Folding {
  DimVector order;
  int dims = 0;
  std::int64_t rows = 1;  ///< elements of the folded ones, and of the gaps between them
  /// So many of each `pitch` rows belong to the job: few of the elements that lie side by side, such as two channels of three.
  std::int64_t used = 1, pitch = 1;

  std::int64_t all_used() const { return divup(rows, pitch) * used; }
};

constexpr std::int64_t kFewBytes = 32;

/// The dimension whose elements lie `bytes` apart, or up to `most`; `ndim` if there is none.
int next_in_memory(const TileJob& job, std::int64_t bytes, std::int64_t most) {
  int found = job.ndim;
  for (int d = 1; d < job.ndim; ++d) {
    const std::int64_t stride = job.operand[1].strides[d];
    if (stride >= bytes && stride <= most && (found == job.ndim || stride < job.operand[1].strides[found]))
      found = d;
  }
  return found;
}

Folding fold(const TileJob& job, int across) {
  const TileOperand& from = job.operand[1];
  const std::int64_t size = from.memory_size(), near = job.shape[across];
  Folding folding{{0, across}, 1, near};
  int d = next_in_memory(job, near * size, std::min(2 * near * size, kFewBytes));
  if (d != job.ndim && from.strides[d] != near * size) {
    folding.used = near;
    folding.rows = folding.pitch = from.strides[d] / size;
  }
  for (; d != job.ndim; ++folding.dims) {
    folding.order.push_back(d);
    folding.rows *= job.shape[d];
    d = next_in_memory(job, folding.rows * size, folding.rows * size);
  }
  folding.rows -= folding.pitch - folding.used;  // no gap behind the last
  for (d = 1; d < job.ndim; ++d) {
    if (std::find(folding.order.begin(), folding.order.end(), d) == folding.order.end())
      folding.order.push_back(d);
  }
  return folding;
}

}  // namespace

// `x.permute({0, 3, 2, 1}).contiguous()` of 4 x 64 x 64 x 8 elements: f32 62 -> 28 us, bytes 60 -> 16; of two of three channels,
// 2 x 3 x 224 x 224 bf16, 147 -> 41. Where the dimension nearest in
// memory has more than half a cache line, or rows have fewer columns, blocks and cubes take as long or less (Zen 4).
bool run_folded(const Plan& plan, int across) {
  constexpr std::int64_t kLine = 64, kTileBytes = 16 * 1024, kLeastColumns = 32;
  const std::int64_t size = plan.job->operand[0].memory_size();
  if (!plan.job->identity || plan.job->operands != 2 || plan.job->operand[0].strides[0] != size ||
      plan.job->operand[0].memory != plan.job->operand[0].tile ||
      plan.job->operand[1].memory != plan.job->operand[1].tile ||
      plan.job->operand[1].strides[across] != size || plan.job->shape[across] * size > kFewBytes ||
      plan.job->shape[0] < kLeastColumns) {
    return false;
  }
  const Folding folding = fold(*plan.job, across);
  if (folding.dims < 2) return false;
  const ReorderedJob reordered(*plan.job, folding.order);
  const TileJob& job = reordered.job;
  // Four lines of the source; one where rows go past the caches, which long ones do sooner.
  const std::int64_t lines = (plan.streams ? 1 : 4) * kLine / size;
  const std::int64_t pitch = folding.pitch;
  const std::int64_t rows =
      even_piece(folding.rows, std::clamp<std::int64_t>(lines, 16, 64) / pitch * pitch, pitch);
  const std::int64_t length = job.shape[0], cols = even_piece(length, kTileBytes / (rows * size));
  const std::int64_t row_blocks = divup(folding.rows, rows), col_blocks = divup(length, cols);
  const std::int64_t planes = plan.numel / (length * folding.all_used()), along = job.operand[1].strides[0];
  const kernels::GatherFn gather = job.movers->gather[size_index(size)];
  walk(plan, planes * row_blocks * col_blocks, rows * cols,
       grain_items(job, rows * cols, staged_cost(job, 2)), [&](std::int64_t begin, std::int64_t end) {
         alignas(64) char tile[kTileBytes];
         OuterCursor cursor(job, 1);
         for (std::int64_t item = begin; item < end; ++item) {
           const std::int64_t col = item % col_blocks * cols, block = item / col_blocks;
           const std::int64_t row = block % row_blocks * rows, plane = block / row_blocks;
           const std::int64_t high = std::min(rows, folding.rows - row), wide = std::min(cols, length - col);
           cursor.seek(plane * folding.all_used() + row / pitch * folding.used);
           gather(cursor.at(1) + col * along, size, along, high, wide, tile);
           for (std::int64_t r = 0, in_group = 0; r < high; ++r) {
             const bool is_used = in_group < folding.used;
             if (++in_group == pitch) in_group = 0;
             if (!is_used) continue;
             char* const to = cursor.at(0) + col * size;
             const char* const from = tile + r * wide * size;
             plan.streams ? stream_copy(to, from, wide * size)
                          : copy_bytes(to, from, static_cast<std::size_t>(wide * size));
             cursor.next();
           }
         }
       });
  return true;
}

}  // namespace lanewise::detail
