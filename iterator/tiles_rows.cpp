#include <algorithm>
#include <cstdlib>
#include <optional>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/outer_cursor.h>
#include <lanewise/iterator/detail/staging.h>
#include <lanewise/iterator/detail/tile_plan.h>

// Row by row, where rows (dimension 0) are long: operands whose rows are contiguous go by pointer, and one
// that is constant along the row is a broadcast scalar.
namespace lanewise::detail {
namespace {

struct RowPlan {
  std::array<RowFeed, kMaxTileOperands> feed{};
  std::uint32_t kept = 0;  // staged inputs that are one row for all: once is enough
  std::array<std::int64_t, kMaxTileOperands> offset{};
  std::int64_t scratch = 0;
  std::int64_t piece = 0;  // elements of a row handled at once
  std::int64_t pieces = 0;
  std::uint32_t broadcast = 0;
  bool plain = false;    // whole rows, nothing staged or converted
  bool many = false;     // in a call
  std::int64_t turns = 1;
  std::int64_t fetched = 0;  // bytes that are asked for at once, ahead of the rows
  double cost = 1;
};

/// Bytes of rows, up to which one that waits for another takes far longer.
constexpr std::int64_t kShortRow = 512;

/// In how many turns to do rows in place, the first of which takes every so manieth, where kernels mask the ends of rows: a
/// processor takes a masked access for a whole register, so that the first load of a row waits for the store at the end of
/// the row before if their registers overlap. Rows of 40 int8 out of 41 take 0.3 of the time so (Zen 5), but of 16M f32 twice
/// the time: memory rests while the second turn is in L1.
std::int64_t turns_of(const TileJob& job) {
  constexpr std::int64_t kMostTurns = 8;
  const std::int64_t masked = job.movers->masked_bytes;
  const TileOperand& out = job.operand[0];
  const std::int64_t bytes = job.shape[0] * out.memory_size(), stride = std::abs(out.strides[1]);
  const bool in_place = std::any_of(job.operand.begin() + job.outputs, job.operand.begin() + job.operands,
                                    [&](const TileOperand& input) { return input.data == out.data; });
  if (masked == 0 || stride == 0 || !in_place || job.in_order || bytes >= kShortRow) return 1;
  return std::min(divup(divup(bytes, masked) * masked, stride), kMostTurns);
}

RowPlan plan_rows(const Plan& plan) {
  const TileJob& job = *plan.job;
  RowPlan rows;
  std::int64_t bytes_per_element = 0, widest = 1;
  int staged = 0;
  rows.plain = true;
  rows.broadcast = plan.broadcast();
  for (int k = 0; k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const TileOperand& operand = job.operand[i];
    rows.feed[i] = plan.row_feed(job, k);
    switch (rows.feed[i]) {
      case RowFeed::Scalar: rows.broadcast |= 1u << k; break;
      case RowFeed::RowScalar:
        rows.broadcast |= 1u << k;
        rows.plain = rows.plain && operand.memory == operand.tile;
        break;
      case RowFeed::Direct: break;
      case RowFeed::Staged:
        ++staged;
        bytes_per_element += operand.tile_size();
        widest = std::max({widest, operand.tile_size(), operand.memory_size()});
        break;
    }
  }
  rows.cost = staged_cost(job, staged);
  // Near L2 it costs more than it gains: 2 ns a row of 512 bytes, a quarter of what clamp_min_ of int8 takes. In L3 by 2 KiB,
  // beyond it a row at a time: of 1M f32 in rows of 64 out of 128 a product in place takes 146 and 198 us, of 16M 8.3 and 7.4 ms
  // (Zen 5).
  constexpr std::int64_t kNearL2 = 4 << 20;
  const std::int64_t all = bytes_at_all(job);
  rows.fetched = all < kNearL2 ? 0 : all <= kBeyondL3 ? 2048 : 256;
  rows.many = takes_many_rows(job);
  if (rows.many && all <= kBeyondL3) rows.turns = turns_of(job);
  // Pieces of nearly equal length; rows that need no tile are only cut so that threads can share a long one.
  constexpr std::int64_t kUnstagedPiece = 32 * 1024;
  constexpr std::int64_t kBackwardBytes = 4 * 1024;  // twice as many take a third longer
  const std::int64_t room = staged == 0
                                ? kUnstagedPiece
                                : std::min({kMaxRun, (plan.backward ? kBackwardBytes : kRunBytes) / widest,
                                            kArenaBytes / (bytes_per_element + widest) - 64});
  rows.pieces = divup(job.shape[0], room);
  rows.piece = divup(divup(job.shape[0], rows.pieces), 16) * 16;
  rows.pieces = divup(job.shape[0], rows.piece);
  rows.plain = rows.plain && staged == 0 && rows.pieces == 1;
  for (int k = job.outputs; rows.pieces == 1 && !job.identity && k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (rows.feed[i] == RowFeed::Staged && job.repeats_from(1, job.operand[i])) rows.kept |= 1u << k;
  }
  std::int64_t at = 0;
  for (int k = 0; k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (rows.feed[i] == RowFeed::Staged) {
      rows.offset[i] = at;
      at += divup(rows.piece * job.operand[i].tile_size(), 64) * 64;
    }
  }
  rows.scratch = at;
  return rows;
}

/// How far ahead of a row of n elements to ask for memory, in bytes: some 2 KiB of rows, where they are short
/// and lie apart, which the hardware does not foresee. Else 0. Short ones with gaps of less than a line are a stream: rows of 33
/// out of 34 of 16M f32 take 0.7 of the time if nothing is asked for.
std::int64_t rows_ahead(const TileOperand& operand, std::int64_t n) {
  constexpr std::int64_t kAhead = 2048;
  const std::int64_t bytes = n * operand.memory_size(), stride = operand.strides[1];
  const std::int64_t gap = stride - bytes;
  const bool follows = gap == 0 || (gap > 0 && gap < 64 && bytes < kShortRow);
  return bytes >= kAhead || follows ? 0 : kAhead / bytes * stride;
}

/// Inlined, as what calls it: gcc takes functions that only prefetch for ones without effect, and leaves their calls out.
[[gnu::always_inline]] inline void prefetch(const char* row, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64) {
    __builtin_prefetch(row + at);
  }
}

/// One thread's part of the rows.
class RowRun {
 public:
  RowRun(const Plan& plan, const RowPlan& rows, char* arena) : plan_(plan), rows_(rows), arena_(arena) {
    const TileJob& job = *plan.job;
    for (int k = 0; k < job.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const TileOperand& operand = job.operand[i];
      if (operand.memory != operand.tile || rows.feed[i] == RowFeed::Staged) {
        stagers_[i].emplace(*job.movers, operand);
      }
      if (rows.feed[i] == RowFeed::Scalar) {
        data_[i] = const_cast<char*>(plan.scalar(k));
      }
    }
    through_ = job.identity && job.operands == 2;
  }

  void step(const OuterCursor& cursor, std::int64_t first, std::int64_t n) {
    const TileJob& job = *plan_.job;
    for (int k = 0; k < job.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const TileOperand& operand = job.operand[i];
      switch (rows_.feed[i]) {
        case RowFeed::Scalar: break;
        case RowFeed::RowScalar:
          data_[i] = cursor.at(k);
          if (operand.memory != operand.tile) {
            char* slot = slots_ + 16 * k;
            stagers_[i]->load({cursor.at(k), 0, 0, 1, 1}, slot, slot);
            data_[i] = slot;
          }
          break;
        case RowFeed::Direct:
          data_[i] = cursor.at(k) + first * operand.strides[0];
          if (const std::int64_t ahead = rows_.fetched != 0 && k >= job.outputs ? rows_ahead(operand, n) : 0;
              ahead != 0) {
            prefetch(data_[i] + ahead, n * operand.memory_size());
          }
          break;
        case RowFeed::Staged:
          data_[i] = arena_ + rows_.offset[i];
          if (k >= job.outputs && (staged_ >> k & 1) == 0) {
            staged_ |= rows_.kept & 1u << k;
            if (through_ && rows_.feed[0] == RowFeed::Direct && plan_.streams) {
              stagers_[i]->load(block(cursor, k, first, n), data_[i], arena_ + rows_.scratch);
              stream_copy(data_[0], data_[i], n * operand.tile_size());
              return;
            }
            if (through_ && rows_.feed[0] == RowFeed::Direct) {
              stagers_[i]->load(block(cursor, k, first, n), data_[0], arena_ + rows_.scratch);
              return;
            }
            stagers_[i]->load(block(cursor, k, first, n), data_[i], arena_ + rows_.scratch);
          }
          break;
      }
    }
    if (through_ && rows_.feed[1] == RowFeed::Direct && rows_.feed[0] == RowFeed::Staged) {
      stagers_[0]->store(data_[1], block(cursor, 0, first, n), arena_ + rows_.scratch);
      return;
    }
    job.fn(data_.data(), rows_.broadcast, n, job.context);
    for (int k = 0; k < job.outputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (rows_.feed[i] == RowFeed::Staged) {
        stagers_[i]->store(data_[i], block(cursor, k, first, n), arena_ + rows_.scratch);
      }
    }
  }

 private:
  Block block(const OuterCursor& cursor, int k, std::int64_t first, std::int64_t n) const {
    const std::int64_t stride = plan_.job->operand[static_cast<std::size_t>(k)].strides[0];
    return {cursor.at(k) + first * stride, 0, stride, 1, n};
  }

  const Plan& plan_;
  const RowPlan& rows_;
  char* arena_;
  bool through_ = false;
  std::uint32_t staged_ = 0;  // of those that are kept
  alignas(16) char slots_[16 * kMaxTileOperands];
  std::array<char*, kMaxTileOperands> data_{};
  std::array<std::optional<Stager>, kMaxTileOperands> stagers_;
};

/// Rows that are handed over whole as they lie: pointers step from row to row, and nothing else happens
/// between two calls. Kernels that can do so take many at once.
class PlainRows {
 public:
  PlainRows(const Plan& plan, const RowPlan& rows) : job_(*plan.job), plan_(plan), rows_(rows) {
    group_.moving = 0;
    for (int k = 0; k < job_.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const bool scalar = rows.feed[i] == RowFeed::Scalar;
      group_.step[i] = scalar ? 0 : job_.operand[i].strides[1];
      if (rows.feed[i] == RowFeed::RowScalar && group_.step[i] != 0) group_.moving |= 1u << k;
      ahead_[i] = rows.fetched != 0 && rows.feed[i] == RowFeed::Direct && k >= job_.outputs
                      ? rows_ahead(job_.operand[i], job_.shape[0])
                      : 0;
      if (ahead_[i] != 0) fetched_ = job_.shape[0] * job_.operand[i].memory_size();
    }
  }

  void run(std::int64_t begin, std::int64_t end) {
    OuterCursor cursor(job_, 2);
    cursor.seek(begin / job_.shape[1]);
    std::int64_t row = begin % job_.shape[1];
    for (std::int64_t left = end - begin; left > 0; row = 0, cursor.next()) {
      for (int k = 0; k < job_.operands; ++k) {
        const auto i = static_cast<std::size_t>(k);
        group_.data[i] = rows_.feed[i] == RowFeed::Scalar ? const_cast<char*>(plan_.scalar(k))
                                                          : cursor.at(k) + row * group_.step[i];
      }
      const std::int64_t count = std::min(left, job_.shape[1] - row);
      run_part(count);
      left -= count;
    }
  }

 private:
  void run_part(std::int64_t count) {
    const std::int64_t most = rows_at_once(count);
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t next = std::min(most, count - done);
      if (fetched_ != 0) fetch(next);
      rows_.turns > 1 && next > 2 * rows_.turns ? call_in_turns(next) : call(next);
      advance(next);
      done += next;
    }
  }
  std::int64_t rows_at_once(std::int64_t count) const {
    // Rows done in turns are few enough for L1 to hold them meanwhile.
    constexpr std::int64_t kInTurns = 16 << 10;
    if (!rows_.many) return 1;
    if (rows_.turns > 1) return std::max(kInTurns / std::abs(group_.step[0]), 8 * rows_.turns);
    return fetched_ == 0 ? count : std::max<std::int64_t>(rows_.fetched / fetched_, 1);
  }
  void call(std::int64_t rows) {
    group_.count = rows;
    const std::uint32_t broadcast = rows_.broadcast | (rows_.many ? kernels::kManyRows : 0);
    job_.fn(group_.data.data(), broadcast, job_.shape[0], job_.context);
  }
  void call_in_turns(std::int64_t rows) {
    const kernels::ElementwiseRows all = group_;
    for (std::int64_t first = 0; first < rows_.turns; ++first) {
      for (int k = 0; k < job_.operands; ++k) {
        const auto i = static_cast<std::size_t>(k);
        group_.data[i] = all.data[i] + first * all.step[i];
        group_.step[i] = rows_.turns * all.step[i];
      }
      call(divup(rows - first, rows_.turns));
    }
    group_ = all;
  }
  void advance(std::int64_t rows) {
    for (int k = 0; k < job_.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      group_.data[i] += rows * group_.step[i];
    }
  }
  [[gnu::always_inline]] void fetch(std::int64_t rows) const {
    for (int k = job_.outputs; k < job_.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (ahead_[i] == 0) continue;
      for (std::int64_t r = 0; r < rows; ++r)
        prefetch(group_.data[i] + ahead_[i] + r * group_.step[i],
                 job_.shape[0] * job_.operand[i].memory_size());
    }
  }

  const TileJob& job_;
  const Plan& plan_;
  const RowPlan& rows_;
  kernels::ElementwiseRows group_;
  std::array<std::int64_t, kMaxTileOperands> ahead_;
  std::int64_t fetched_ = 0;  ///< bytes of a row that are asked for; 0 if nothing is
};

}  // namespace

void run_rows(const Plan& plan) {
  const TileJob& job = *plan.job;
  const RowPlan rows = plan_rows(plan);
  if (rows.plain) {
    return walk(plan, plan.numel / job.shape[0], job.shape[0], grain_items(job, job.shape[0], rows.cost),
                [&](std::int64_t begin, std::int64_t end) { PlainRows(plan, rows).run(begin, end); });
  }
  const std::int64_t items = plan.numel / job.shape[0] * rows.pieces;
  walk(plan, items, rows.piece, grain_items(job, rows.piece, rows.cost),
       [&](std::int64_t begin, std::int64_t end) {
         alignas(64) char arena[kArenaBytes + 64 * kMaxTileOperands];
         RowRun run(plan, rows, arena);
         OuterCursor cursor(job, 1);
         cursor.seek(begin / rows.pieces);
         std::int64_t piece = begin % rows.pieces;
         for (std::int64_t item = begin; item < end; ++item) {
           const std::int64_t first = (plan.backward ? rows.pieces - 1 - piece : piece) * rows.piece;
           run.step(cursor, first, std::min(rows.piece, job.shape[0] - first));
           if (++piece == rows.pieces) {
             piece = 0;
             cursor.next();
           }
         }
       });
}

}  // namespace lanewise::detail
