#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/batched_rows.h>
#include <lanewise/iterator/detail/part_reducer.h>
#include <lanewise/iterator/detail/reduction_counter.h>
#include <lanewise/iterator/detail/stream_prefetch.h>
#include <lanewise/iterator/scratch.h>

namespace lanewise::detail {
namespace {

using kernels::kReductionBlock;

/// Fewer columns, in contiguous rows, fill no registers: as many rows as have so many are taken for one, where no order matters.
constexpr std::int64_t kJoinedColumns = 64;
constexpr std::size_t kMostAccBytes = 16;
/// Rows of a sequence whose accumulators are in L1 beside what is read.
constexpr std::int64_t kRowsAtOnce = 512;
constexpr std::size_t kLine = 64;

}  // namespace

PartReducer::PartReducer(const ReductionPlan& plan, const ReductionFunctions& functions,
                         std::size_t acc_bytes)
    : plan_(plan), f_(functions), acc_bytes_(acc_bytes), movers_(*kernels::active_kernels().movers) {
  convert_ = movers_.convert[static_cast<std::size_t>(plan.from)][static_cast<std::size_t>(plan.element)];
  gather_ = movers_.gather[static_cast<std::size_t>(std::countr_zero(element_size(plan.from)))];
}

void PartReducer::reduce(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                         char* acc) const {
  switch (plan_.path) {
    case ReductionPath::Inner: return reduce_rows(data + first * plan_.strides[0], width, first, n, acc);
    case ReductionPath::Outer:
      if (has_few_columns(width, n) && plan_.strides[0] == width * plan_.from_size())
        return reduce_few_columns(data + first * plan_.strides[0], width, n, acc);
      return f_.outer(data + first * plan_.strides[0], n, plan_.strides[0], width, first,
                      kernels::row_prefetch, acc);
    case ReductionPath::Rows: return reduce_each_row(data, width, first, n, acc);
    case ReductionPath::Sequence:
    case ReductionPath::Apart:
    case ReductionPath::Tile: break;
  }
  reduce_in_parts(data, width, first, n, acc);
}

void PartReducer::reduce_rows(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                              char* acc) const {
  const auto size = static_cast<std::int64_t>(element_size(plan_.element));
  std::int64_t stride = plan_.column.stride;
  if (plan_.packs) {
    data = packed_rows(data, width, n);
    stride = n * plan_.from_size();
  }
  if (plan_.converts()) {
    data = converted_rows(data, stride, width, n);
    stride = n * size;
  }
  const std::int64_t bytes = plan_.length * size;
  const std::int64_t ahead = stream_prefetch(bytes, plan_.column.size > 1 ? stride : bytes);
  f_.reduce_runs(data, n, stride, width, first, ahead, acc);
}

const char* PartReducer::packed_rows(const char* data, std::int64_t count, std::int64_t n) const {
  const std::int64_t step = plan_.strides.back(), row_bytes = n * plan_.from_size();
  char* tile = scratch(plan_.converts() ? Scratch::RawTile : Scratch::Tile,
                       static_cast<std::size_t>(count * row_bytes));
  if (plan_.sizes.size() == 1) {
    gather_(data, plan_.column.stride, step, count, n, tile);
  } else if (plan_.lies_in_pieces()) {
    std::int64_t pieces[kMostPieces];
    std::iota(pieces, pieces + plan_.sizes[0], std::int64_t{0});
    movers_.copy_rows({data, plan_.column.stride, pieces, plan_.strides[0], plan_.sizes[0],
                       plan_.sizes[1] * plan_.from_size(), 0},
                      count, tile);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      gather_(data + i * plan_.column.stride, plan_.strides[0], step, plan_.sizes[0], plan_.sizes[1],
              tile + i * row_bytes);
  }
  return tile;
}

const char* PartReducer::converted_rows(const char* data, std::int64_t stride, std::int64_t count,
                                        std::int64_t n) const {
  const auto size = static_cast<std::int64_t>(element_size(plan_.element));
  char* tile = scratch(Scratch::Tile, static_cast<std::size_t>(count * n * size));
  if (stride == n * plan_.from_size()) {
    convert_(data, tile, count * n);
  } else {
    for (std::int64_t i = 0; i < count; ++i) convert_(data + i * stride, tile + i * n * size, n);
  }
  return tile;
}

bool PartReducer::has_few_columns(std::int64_t width, std::int64_t n) const {
  return f_.order_free && f_.side_by_side && f_.acc_size <= kMostAccBytes && 2 * width <= kJoinedColumns &&
         n >= 2 * kJoinedColumns;
}

void PartReducer::reduce_few_columns(const char* data, std::int64_t width, std::int64_t n, char* acc) const {
  const std::int64_t together = kJoinedColumns / width, joined = together * width, rows = n / together;
  const auto size = static_cast<std::int64_t>(element_size(plan_.element));
  const std::int64_t stride = joined * size;
  alignas(64) char columns[kJoinedColumns * kMostAccBytes];
  f_.outer(data, rows, stride, joined, 0, kernels::row_prefetch, columns);
  const std::size_t step = static_cast<std::size_t>(width) * f_.acc_size;
  std::memcpy(acc, columns, step);
  for (std::int64_t i = 1; i < together; ++i)
    f_.combine(acc, columns + static_cast<std::size_t>(i) * step, width);
  if (const std::int64_t rest = n % together; rest > 0) {
    f_.outer(data + rows * stride, rest, width * size, width, 0, kernels::row_prefetch, columns);
    f_.combine(acc, columns, width);
  }
}

// Out of line: its frame would cost reduce() of a few elements some nanoseconds.
[[gnu::noinline]] void PartReducer::reduce_each_row(const char* data, std::int64_t width, std::int64_t first,
                                                    std::int64_t n, char* acc) const {
  const std::size_t outer = plan_.sizes.size() - 2;
  const std::int64_t length = plan_.sizes.back(), bytes = length * plan_.from_size();
  const std::int64_t step = plan_.strides[outer], at_once = std::max<std::int64_t>(1, kRowsAtOnce / width);
  const auto acc_bytes = static_cast<std::int64_t>(f_.acc_size) * width;
  const bool dense = width == 1 || step == width * plan_.column.stride;
  const std::int64_t stride = width == 1 ? step : plan_.column.stride, ahead = stream_prefetch(bytes, stride);
  char* each = scratch(Scratch::Values,
                       static_cast<std::size_t>(at_once * acc_bytes) + kLine);  // kernels write whole lines
  for (bool is_first = true; n > 0; is_first = false) {
    const std::int64_t in_row = first % length,
                       left = plan_.sizes[outer] - first / length % plan_.sizes[outer];
    const bool whole = in_row == 0 && n >= length;
    const std::int64_t count = whole ? length : std::min(n, length - in_row);
    const std::int64_t steps = whole ? std::min({n / length, left, at_once}) : 1;
    const char* from = data + plan_.sequence_offset(first);
    if (dense) {
      f_.reduce_runs(from, count, stride, steps * width, first, ahead, each);
    } else {
      for (std::int64_t i = 0; i < steps; ++i)
        f_.reduce_runs(from + i * step, count, stride, width, first, ahead, each + i * acc_bytes);
    }
    for (std::int64_t left_over = steps; left_over > 1; left_over -= left_over / 2)
      f_.combine(each, each + (left_over - left_over / 2) * acc_bytes, left_over / 2 * width);
    if (is_first) {
      std::memcpy(acc, each, static_cast<std::size_t>(acc_bytes));
    } else {
      f_.combine(acc, each, width);
    }
    first += steps * count;
    n -= steps * count;
  }
}

void PartReducer::reduce_in_parts(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                                  char* acc) const {
  const std::int64_t parts = divup(n, plan_.part);
  if (parts == 1) return reduce_one_part(data, width, first, n, acc);
  // Split runs keep their accumulators on the heap, so that this scratch is free.
  ReductionCounter counter(f_, width, acc_bytes_,
                           scratch(Scratch::Values, ReductionCounter::bytes(acc_bytes_, parts)));
  for (std::int64_t i = 0; i < n; i += plan_.part) {
    reduce_one_part(data, width, first + i, std::min(plan_.part, n - i), counter.current());
    counter.push();
  }
  std::memcpy(acc, counter.finish(), acc_bytes_);
}

void PartReducer::reduce_one_part(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                                  char* acc) const {
  if (plan_.path != ReductionPath::Apart) return reduce_copied(data, width, first, n, acc);
  const std::int64_t count = plan_.sizes[1];
  f_.outer_apart(data + plan_.sequence_offset(first),
                 {count, plan_.strides[1], plan_.strides[0], first % count}, n, width, acc);
}

void PartReducer::reduce_copied(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                                char* acc) const {
  const bool columns = plan_.path == ReductionPath::Tile;
  const std::int64_t count = columns ? n * width : n;
  const auto size = static_cast<std::int64_t>(element_size(plan_.element));
  char* tile = scratch(Scratch::Tile, static_cast<std::size_t>(count * size));
  char* raw = plan_.converts()
                  ? scratch(Scratch::RawTile, static_cast<std::size_t>(count * plan_.from_size()))
                  : tile;
  const char* filled = tile;
  const bool rows = columns && plan_.converts() && plan_.column.stride == plan_.from_size();
  if (rows && plan_.sizes.size() == 1 && plan_.strides[0] == width * plan_.from_size()) {
    convert_(data + first * plan_.strides[0], tile, count);
  } else if (rows && width * plan_.from_size() > kShortRowBytes) {
    for (std::int64_t i = 0; i < n; ++i)
      convert_(data + plan_.sequence_offset(first + i), tile + i * width * size, width);
  } else {
    filled = columns ? copy_columns(data, width, first, n, raw) : copy_sequence(data, first, n, raw);
    if (plan_.converts()) {
      convert_(filled, tile, count);
      filled = tile;
    }
  }
  if (columns && has_few_columns(width, n)) {
    reduce_few_columns(filled, width, n, acc);
  } else if (columns) {
    f_.outer(filled, n, width * size, width, first, kernels::row_prefetch, acc);
  } else {
    f_.inner(filled, n, first, kernels::kPrefetchBytes, acc);
  }
}

const char* PartReducer::copy_sequence(const char* data, std::int64_t first, std::int64_t n, char* to) const {
  const std::size_t dims = plan_.sizes.size();
  const std::int64_t inner = plan_.sizes.back();
  const std::int64_t step = plan_.strides.back();
  const std::int64_t bytes = plan_.from_size();
  if (step == bytes && first % inner + n <= inner) return data + plan_.sequence_offset(first);
  for (char* next = to; n > 0;) {
    const char* from = data + plan_.sequence_offset(first);
    const std::int64_t column = first % inner;
    std::int64_t count = std::min(inner - column, n);
    if (dims > 1 && column == 0 && n >= inner) {
      const std::int64_t left = plan_.sizes[dims - 2] - first / inner % plan_.sizes[dims - 2];
      const std::int64_t rows = std::min(n / inner, left);
      gather_(from, plan_.strides[dims - 2], step, rows, inner, next);
      count = rows * inner;
    } else {
      gather_(from, 0, step, 1, count, next);
    }
    next += count * bytes;
    first += count;
    n -= count;
  }
  return to;
}

const char* PartReducer::copy_columns(const char* data, std::int64_t width, std::int64_t first,
                                      std::int64_t n, char* to) const {
  if (plan_.run > 1) {
    const BatchedRows rows{plan_.strides[0], plan_.column.stride, plan_.from_size(), n, width / plan_.run,
                           plan_.run};
    rows.load(gather_, data + plan_.sequence_offset(first), to);
    return to;
  }
  const std::int64_t inner = plan_.sizes.back(), step = plan_.strides.back(), bytes = plan_.from_size();
  const bool rows_apart = step != bytes ? plan_.column.stride != bytes
                                        : n * bytes <= kShortRowBytes && plan_.column.stride != n * bytes;
  if (plan_.sizes.size() == 1 && rows_apart && std::abs(step) < std::abs(plan_.column.stride)) {
    // Gathered as rows and then turned: 150K int32 with steps of two take 0.12 of the time of elements one by one.
    char* rows = scratch(Scratch::PanelA, static_cast<std::size_t>(n * width * bytes));
    gather_(data + first * step, plan_.column.stride, step, width, n, rows);
    gather_(rows, bytes, n * bytes, n, width, to);
    return to;
  }
  for (char* next = to; n > 0;) {
    const std::int64_t rows = std::min(inner - first % inner, n);
    gather_(data + plan_.sequence_offset(first), step, plan_.column.stride, rows, width, next);
    next += rows * width * bytes;
    first += rows;
    n -= rows;
  }
  return to;
}

}  // namespace lanewise::detail
