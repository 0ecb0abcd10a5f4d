#pragma once

#include <algorithm>

#include <lanewise/iterator/detail/sawtooth.h>
#include <lanewise/iterator/detail/stream.h>
#include <lanewise/iterator/detail/tile_job.h>

/// How a job is walked. Every way computes the same values; they differ in what is copied.
namespace lanewise::detail {

/// How an operand reaches the function when the job is one long run (flat tiles).
enum class Feed : std::uint8_t {
  Scalar,    ///< one element for all: converted once
  Direct,    ///< contiguous and of the right type: by pointer
  Convert,   ///< contiguous, of another type
  Periodic,  ///< a short stretch that repeats: its tile is built once
  Gather,    ///< anything else
};

struct FlatOperand {
  Feed feed;
  std::int64_t period;  ///< elements, if Periodic
};

/// How an operand reaches the function where that is called for each row of a job.
enum class RowFeed : std::uint8_t {
  Scalar,     ///< one element for all
  RowScalar,  ///< one element for a row
  Direct,     ///< rows are contiguous and of the right type: by pointer
  Staged,     ///< through a tile
};

struct Plan {
  const TileJob* job = nullptr;
  std::int64_t numel = 0;
  std::array<FlatOperand, kMaxTileOperands> flat;
  /// One element of each Scalar operand in its tile type, at 16 bytes each.
  alignas(16) std::array<char, 16 * kMaxTileOperands> scalars;
  std::uint32_t scalar_bits = 0;
  bool streams = false;   ///< whether output 0, which is contiguous, goes past the caches
  bool backward = false;  ///< whether the last piece of a row is copied first

  /// For the job's function.
  std::uint32_t broadcast() const {
    return scalar_bits | (streams && job->streams ? kernels::kStreamOutput : 0);
  }
  /// Of operand k of a job whose dimension 0 runs along the rows: this plan's, or that with its dimensions in another order.
  RowFeed row_feed(const TileJob& rows, int k) const {
    const auto i = static_cast<std::size_t>(k);
    const TileOperand& operand = rows.operand[i];
    const std::int64_t along = operand.strides[0];
    if (flat[i].feed == Feed::Scalar) return RowFeed::Scalar;
    if (along == 0 && k >= rows.outputs) return RowFeed::RowScalar;
    return along == operand.memory_size() && operand.memory == operand.tile ? RowFeed::Direct
                                                                            : RowFeed::Staged;
  }
  char* scalar(int k) { return scalars.data() + 16 * k; }
  const char* scalar(int k) const { return scalars.data() + 16 * k; }
};

/// Bytes of stack that tiles of one thread take, all operands together. Half of a usual L1 and a bit: a
/// thread's tiles live there beside the cache lines that they come from.
inline constexpr std::int64_t kArenaBytes = 40 * 1024;
/// Most bytes of one operand's tile in a linear walk.
inline constexpr std::int64_t kRunBytes = 8 * 1024;
inline constexpr std::int64_t kMaxRun = 2048;
/// Most bytes that a step of a linear walk touches, tiles and the cache lines of all operands together: the tiles must
/// still be in L1 when the next step writes them. Where the operands come from beyond L2 and L1 is small, shorter steps let
/// the hardware fetch ahead for all of them at once: every second of two tensors of 2M f64 is added in 4.4 ms by 14 KiB and in 3.8
/// to 3.9 by 10 or 8, of 256K in 0.19 and 0.19 to 0.20 (Zen 4, L1 of 32 KiB). With an L1 of 48 KiB (Zen 5) 28 KiB take 0.84 to 0.89 of the time of 14.
inline constexpr std::int64_t kTouchedBytes = 28 * 1024;
inline constexpr std::int64_t kTouchedBytesBeyondL2 = 10 * 1024;
inline constexpr std::int64_t kBeyondL2 = 8 << 20;
/// Operands of so many bytes in all are taken for ones that come from memory.
inline constexpr std::int64_t kBeyondL3 = 16 << 20;
inline constexpr std::int64_t kLargeL1 = 48 * 1024;
/// Steps are no shorter than so many elements for it, nor than a period.
inline constexpr std::int64_t kMinRun = 64;
/// Threads share contiguous runs in multiples of so many elements, so that no two write to one cache line.
inline constexpr std::int64_t kChunk = 1024;
/// Longest period that is built into a tile.
inline constexpr std::int64_t kMaxPeriod = 512;

/// Elements of work (in units of one f32 addition) below which another thread costs more than it gains:
/// measured, a second thread speeds up contiguous f32 additions from about 128K elements on.
inline constexpr double kGrainCost = 131072 / 2;

/// Cost of an element in f32 additions: the arithmetic and the conversions, or what the memory takes if that
/// is more.
inline double element_cost(double arithmetic, int staged, std::int64_t bytes) {
  constexpr double kBytesPerAddition = 12;  // two read, one written
  const double memory = static_cast<double>(bytes) / kBytesPerAddition;
  return (arithmetic > 1.5 ? std::max(arithmetic, memory) : memory) + staged;
}

/// Cuts `size` into pieces of nearly equal length, at most `limit`, multiples of `unit`.
inline std::int64_t even_piece(std::int64_t size, std::int64_t limit, std::int64_t unit = 1) {
  const std::int64_t piece = divup(size, divup(size, limit));
  return std::min(limit, divup(piece, unit) * unit);
}

/// Items of `elements` elements each that a thread should get at least.
std::int64_t grain_items(const TileJob& job, std::int64_t elements, double cost);

/// Cost per element of a job of which `staged` operands pass through tiles.
double staged_cost(const TileJob& job, int staged);

/// Bytes of all elements that a job reads and writes, those that it reads again and again counted once.
std::int64_t bytes_at_all(const TileJob& job);

/// Whether the function gets many rows in a call. Copies from beyond L3 are quicker one by one.
bool takes_many_rows(const TileJob& job);

/// Bytes of an element of all operands but those that are repeated from a cache.
std::int64_t moving_bytes(const Plan& plan);

/// f(begin, end) over all items of so many elements each, in parallel where that pays, in any order of blocks unless the
/// job has one.
template <class F>
void walk(const Plan& plan, std::int64_t items, std::int64_t elements, std::int64_t grain, F&& part) {
  const TileJob& job = *plan.job;
  const auto f = [&](std::int64_t begin, std::int64_t end) {
    part(begin, end);
    if (plan.streams) stream_fence();
  };
  if (job.in_order || job.serial) {
    lanewise::parallel_for(0, items, grain, f);
    return;
  }
  parallel_walk(items, elements * moving_bytes(plan), grain, f);
}

/// So few elements take one tile for everything.
inline constexpr std::int64_t kSmallElements = 256;
inline constexpr int kSmallDims = 16;

void run_small(const Plan& plan);       // up to kSmallElements
void run_whole(const Plan& plan);       // every operand Scalar or Direct
void run_conversion(const Plan& plan);  // one contiguous stretch to another, of another type
bool run_arranged(const Plan& plan);    // copies of short stretches in another order; false: not these
void run_flat(const Plan& plan);        // tiles of the linear index
void run_rows(const Plan& plan);        // pieces of rows (dimension 0)
void run_blocks(const Plan& plan, int row_dimension);  // 2-D blocks of dimension 0 and another
bool run_folded(const Plan& plan, int across);         // copies across several dimensions; false: not these
bool run_records(const Plan& plan,
                 int near);  // copies of short dimensions in another order; false: not these
void run_cubes(const Plan& plan, int row_dimension);   // dimension 0 short, others between

}  // namespace lanewise::detail
