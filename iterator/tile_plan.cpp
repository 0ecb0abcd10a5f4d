#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/iterator/detail/tile_plan.h>
#include <lanewise/iterator/detail/walk_record.h>

namespace lanewise::detail {
namespace {

/// Elements of a row from which on rows are handed to the function one by one, where they lie if that can be. Shorter ones that are
/// `staged` go through tiles of many, which beyond L3, where rows ask for memory ahead, pays only for copies: flip of rows of 64 to 512
/// bytes takes 0.2 to 0.8 of the time, `t[:, ::2] + row` 0.1 to 0.8, copies into rows with gaps 0.1 to 0.9 (Zen 4, in L2).
std::int64_t least_row(const Plan& plan, std::int64_t widest, bool staged) {
  constexpr std::int64_t kLeast = 64, kToMemory = 1024, kToGaps = 512;  // the latter in bytes
  const TileJob& job = *plan.job;
  const bool direct = plan.flat[0].feed == Feed::Direct;
  if (!staged || job.in_order || (bytes_at_all(job) > kBeyondL3 && !(job.identity && direct))) return kLeast;
  return std::max(kLeast, (direct ? kToMemory : kToGaps) / widest + 1);
}

/// Blocks are at least this wide: narrower ones take longer than tiles of whole rows (16 columns of 256K f32: 104 against 34 us, Zen 4),
/// beyond L2, where rows that lie apart in memory are to be used as whole lines, only below 32 (48 of 4M f32: 1.7 against 3.6 ms).
std::int64_t least_block_columns(const Plan& plan) {
  // Half of it, for what is read is as much as what is written.
  const bool beyond_l2 = plan.numel * plan.job->operand[0].memory_size() > kBeyondL2 / 2;
  return beyond_l2 ? 32 : 64;
}

FlatOperand classify(const TileJob& job, int k) {
  const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
  std::int64_t dense = operand.memory_size();  // the stride that continues the stretch so far
  int d = 0;
  for (; d < job.ndim && operand.strides[d] == dense; ++d) {
    dense *= job.shape[d];
  }
  if (d == job.ndim) {
    return {operand.memory == operand.tile ? Feed::Direct : Feed::Convert, 0};
  }
  // What repeats: everything inside the last dimension that moves.
  int moving = job.ndim;
  while (moving > 0 && operand.strides[moving - 1] == 0) {
    --moving;
  }
  if (moving == 0) {
    return {k < job.outputs ? Feed::Gather : Feed::Scalar, 0};
  }
  std::int64_t period = 1;
  for (int j = 0; j < moving; ++j) {
    period *= job.shape[j];
  }
  if (moving < job.ndim && period <= kMaxPeriod && k >= job.outputs) {
    return {Feed::Periodic, period};
  }
  return {Feed::Gather, 0};
}

/// The dimension along which a gathered operand is contiguous, or nearest to it, if that is not dimension 0;
/// else 0.
int disagreeing_dimension(const Plan& plan) {
  const TileJob& job = *plan.job;
  for (int k = 0; k < job.operands; ++k) {
    const std::int64_t* strides = job.operand[static_cast<std::size_t>(k)].strides;
    if (plan.flat[static_cast<std::size_t>(k)].feed != Feed::Gather || strides[0] == 0) {
      continue;
    }
    int best = 0;
    for (int d = 1; d < job.ndim; ++d) {
      if (strides[d] != 0 && std::abs(strides[d]) < std::abs(strides[best])) {
        best = d;
      }
    }
    if (best != 0) {
      return best;
    }
  }
  return 0;
}

void load_scalars(Plan& plan) {
  const TileJob& job = *plan.job;
  for (int k = job.outputs; k < job.operands; ++k) {
    const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
    if (plan.flat[static_cast<std::size_t>(k)].feed != Feed::Scalar) {
      continue;
    }
    plan.scalar_bits |= 1u << k;
    if (operand.memory == operand.tile) {
      std::memcpy(plan.scalar(k), operand.data, static_cast<std::size_t>(operand.memory_size()));
    } else {
      job.movers->convert[static_cast<std::size_t>(operand.memory)][static_cast<std::size_t>(operand.tile)](
          operand.data, plan.scalar(k), 1);
    }
  }
}

std::int64_t grain_of(const TileJob& job, std::int64_t elements, double cost) {
  if (job.serial) return INT64_MAX;
  if (job.grain > 0) return std::max<std::int64_t>(1, job.grain / elements);
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(kGrainCost / (cost * static_cast<double>(elements))));
}

/// Whether rows go to the function where they lie, rather than through tiles.
bool takes_rows(const Plan& plan) {
  const TileJob& job = *plan.job;
  std::int64_t widest = 1;
  int moving = 0, gathered = 0, numbers = 0;
  bool by_pointer = takes_many_rows(job), staged = false;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
    const RowFeed feed = plan.row_feed(job, k);
    by_pointer = by_pointer && feed != RowFeed::Staged && operand.memory == operand.tile;
    staged = staged || feed == RowFeed::Staged;
    widest = std::max(widest, operand.tile_size());
    moving += feed != RowFeed::Scalar;
    gathered += plan.flat[static_cast<std::size_t>(k)].feed == Feed::Gather;
    numbers += feed == RowFeed::RowScalar;
  }
  // What is written in order has one path on every tier: elements that several places share show it.
  if (!by_pointer || job.in_order) return job.shape[0] >= least_row(plan, widest, staged);
  // Many in a call. The more would pass through tiles, the sooner; a copy passes through one as it is, and one number again and
  // again is soon written (rows of 50 f32 and a number each take 0.6 to 0.7 of the time through tiles).
  const std::int64_t bytes = job.shape[0] * widest, least = job.movers->least_row;
  if (gathered < 2 && numbers != 0) return bytes > 4 * least;
  if (job.identity) return bytes > 2 * least;
  if (gathered < 2) return bytes >= 2 * least;
  return bytes > least || (bytes == least && moving > 2 && plan.flat[0].feed == Feed::Gather);
}

/// Bytes of the elements of an operand, those that are read again and again counted once.
std::int64_t bytes_of(const TileJob& job, const TileOperand& operand) {
  std::int64_t bytes = operand.memory_size();
  for (int d = 0; d < job.ndim; ++d) {
    if (operand.strides[d] != 0) bytes *= job.shape[d];
  }
  return bytes;
}

/// Whether rows along dimension d, which others lie within, are to be transposed in cubes: their elements share cache lines, those of
/// dimension 0 do not, and L1 does not hold them all. Where dimension 0 has few elements lines along the rows are put side by side
/// and turned together, which is worth it for copies with long rows (turned bf16 of 64 x 16 x 12 x 7 0.5 of the time, of
/// 64 x 10 x 12 x 5 1.6); into results with gaps dimension 0 has to be longer.
bool is_worth_cubes(const Plan& plan, int d) {
  constexpr std::int64_t kNear = 16, kLine = 64, kFewest = 8, kFewestToGaps = 16, kLongRow = 16,
                         kInL1 = 32 << 10, kWidest = 8;
  const TileJob& job = *plan.job;
  const bool few = job.shape[0] < kFewest;
  if (job.ndim > kSmallDims || job.shape[d] < (few ? kLongRow : kFewest) || (few && !job.identity))
    return false;
  bool shares = false;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
    const Feed feed = plan.flat[static_cast<std::size_t>(k)].feed;
    if (k < job.outputs && feed != Feed::Direct && job.shape[0] < kFewestToGaps) return false;
    const std::int64_t along = std::abs(operand.strides[d]);
    shares =
        shares || (feed == Feed::Gather && along != 0 && along <= kNear && operand.memory_size() <= kWidest &&
                   std::abs(operand.strides[0]) >= kLine && bytes_of(job, operand) > kInL1);
  }
  return shares;
}

/// Output 0 alone, contiguous, so long that no cache holds it, and no input.
bool streams(const Plan& plan) {
  const TileJob& job = *plan.job;
  const TileOperand& out = job.operand[0];
  const std::int64_t bytes = plan.numel * out.memory_size();
  if (bytes < kLeastStreamed || !(job.streams || job.identity) || job.outputs != 1 ||
      plan.flat[0].feed != Feed::Direct || !passes_caches(bytes, bytes_at_all(job))) {
    return false;
  }
  return std::none_of(job.operand.begin() + 1, job.operand.begin() + job.operands,
                      [&](const TileOperand& input) { return input.data == out.data; });
}

/// Rows turned round, from memory to memory (`flip`): read in the order of memory and written against it, 16M f32 take 0.4 of the time
/// (Zen 4).
bool runs_backward(const Plan& plan) {
  const TileJob& job = *plan.job;
  const TileOperand& from = job.operand[1];
  return plan.streams && job.identity && job.operands == 2 && from.strides[0] == -from.memory_size() &&
         job.shape[0] >= least_row(plan, from.memory_size(), true);
}

}  // namespace

std::int64_t bytes_at_all(const TileJob& job) {
  std::int64_t bytes = 0;
  for (int k = 0; k < job.operands; ++k) bytes += bytes_of(job, job.operand[static_cast<std::size_t>(k)]);
  return bytes;
}

bool takes_many_rows(const TileJob& job) {
  return job.rows && (!job.identity || bytes_at_all(job) <= kBeyondL3);
}

std::int64_t moving_bytes(const Plan& plan) {
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(plan.job->operands); ++k) {
    const Feed feed = plan.flat[k].feed;
    if (feed != Feed::Scalar && feed != Feed::Periodic) bytes += plan.job->operand[k].memory_size();
  }
  return bytes;
}

std::int64_t grain_items(const TileJob& job, std::int64_t elements, double cost) {
  elements = std::max<std::int64_t>(elements, 1);
  const std::int64_t grain = grain_of(job, elements, cost);
  if (records_walks()) [[unlikely]]
    record_walk(job, cost, elements, grain);
  return grain;
}

double staged_cost(const TileJob& job, int staged) {
  std::int64_t bytes = 0;
  for (int k = 0; k < job.operands; ++k) {
    bytes += job.operand[static_cast<std::size_t>(k)].memory_size();
  }
  return element_cost(job.cost, staged, bytes);
}

void run_tiles(const TileJob& job) {
  Plan plan;
  plan.job = &job;
  plan.numel = job.numel();
  if (plan.numel == 0) {
    return;
  }
  bool any_gather = false, any_staged = false;
  for (int k = 0; k < job.operands; ++k) {
    const FlatOperand flat = plan.flat[static_cast<std::size_t>(k)] = classify(job, k);
    any_gather |= flat.feed == Feed::Gather;
    any_staged |= flat.feed != Feed::Scalar && flat.feed != Feed::Direct;
  }
  load_scalars(plan);
  plan.streams = streams(plan);
  plan.backward = runs_backward(plan);
  if (!any_staged) {
    note_path(Path::Contiguous);
    return run_whole(plan);
  }
  if (job.identity && job.operands == 2 && plan.flat[0].feed == Feed::Direct &&
      plan.flat[1].feed == Feed::Convert) {
    note_path(Path::Staged);
    return run_conversion(plan);
  }
  if (plan.numel <= kSmallElements && job.ndim <= kSmallDims) {
    note_path(Path::Small);
    if (records_walks()) [[unlikely]]
      record_walk(job, job.cost, plan.numel, INT64_MAX);
    return run_small(plan);
  }
  if (any_gather && run_arranged(plan)) return note_path(Path::Rows);
  if (any_gather) {
    const bool wide = job.shape[0] >= least_block_columns(plan);
    const int across = job.in_order || (!wide && job.ndim < 3) ? 0 : disagreeing_dimension(plan);
    if (across != 0 && run_folded(plan, across)) return note_path(Path::Blocked);
    if (across != 0 && wide) {
      note_path(Path::Blocked);
      return run_blocks(plan, across);
    }
    if (across > 1 && !job.in_order && run_records(plan, across)) return note_path(Path::Blocked);
    if (across > 1 && is_worth_cubes(plan, across)) {
      note_path(Path::Blocked);
      return run_cubes(plan, across);
    }
    if (plan.backward || (job.ndim > 1 && takes_rows(plan))) {
      note_path(Path::Rows);
      return run_rows(plan);
    }
  }
  note_path(Path::Staged);
  run_flat(plan);
}

}  // namespace lanewise::detail
