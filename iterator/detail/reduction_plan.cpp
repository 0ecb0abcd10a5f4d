#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/reduction_plan.h>

namespace lanewise::detail {
namespace {

/// Bytes of a copied tile: within the second-level cache of every CPU in use.
constexpr std::int64_t kTileBytes = std::int64_t{1} << 18;
/// Rows shorter than this are reduced side by side, lanes running over rows.
constexpr std::int64_t kShortSequence = 64;
/// So many elements of a batch of few columns are worth a call, or a conversion, if the kernel takes those; others are taken together with those of
/// other batches, sequences of up to so many elements for each column.
constexpr std::int64_t kWorthACall = 256, kJoinedPerColumn = 32;
/// Few columns of batches so far apart, by multiples of so many bytes, share few sets of L1, which their lines leave before the next rows come:
/// sums over the middle of [781, 64, 2] int64 took 3.4 times as long together.
constexpr std::int64_t kFewInSets = 4, kFarBatches = 512, kSetBytes = 256;
/// Bytes of a row of a sequence that is worth an accumulator of its own, where a kernel takes many rows in a call: sums of [300, 5, 100]
/// int64 over the first and last take 0.5 of the time of a copy.
constexpr std::int64_t kLeastOfRow = 128;
/// The same where each is a call: counts of rows of 20 f32 would take 2.6 times as long.
constexpr std::int64_t kLeastOfCall = 512;
/// So many of them make a call worth while.
constexpr std::int64_t kManyRows = 32;
/// As many columns at once have their accumulators and values in L2.
constexpr std::int64_t kMostColumns = 4096;
/// What threads share is cut into so many units for each, but not into shorter pieces of rows.
constexpr std::int64_t kUnitsPerThread = 2, kLeastRowBytes = 512;
/// Elements of short sequences that are taken at once: with 8K of them what comes with each call, 45 ns, was an eighth of a sum. Fewer where
/// threads share them, or where they are converted and stay in L1; and bytes of those that are gathered first.
constexpr std::int64_t kTogether = std::int64_t{1} << 16, kSharedTogether = std::int64_t{1} << 13,
                       kConvertedTogether = std::int64_t{1} << 12, kGatheredBytes = std::int64_t{1} << 14;

/// Elements of joined batches: sums over the middle of [32, 64, 8] and [128, 90, 7] f32 take 0.88 and 0.83 of the time so.
constexpr std::int64_t kJoinedBatches = std::int64_t{1} << 14;

}  // namespace

ReductionPlan::ReductionPlan(const Tensor& self, DimMask dims, ScalarType element_type, bool order_free,
                             const ReductionFunctions& functions, std::int64_t threads)
    : data(static_cast<const char*>(self.const_data_ptr())), from(self.scalar_type()), element(element_type) {
  const IntArrayRef shape = self.sizes();
  const IntArrayRef steps = self.strides();
  const std::int64_t bytes = from_size();
  std::int64_t out_stride = 1;
  DimVector reduced;  // from the fastest, as are sizes and strides until they are reversed below
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::int64_t size = shape[d];
    const std::int64_t stride = steps[d] * bytes;
    if ((dims >> d) & 1) {
      length *= size;
      if (size != 1) reduced.push_back(static_cast<std::int64_t>(d));
    } else if (size != 1) {
      KeptDim* last = batch_dims > 0 ? &batch[batch_dims - 1] : nullptr;
      if (last != nullptr && stride == last->stride * last->size) {
        last->size *= size;
      } else {
        batch[batch_dims++] = {size, stride, out_stride};
      }
      out_stride *= size;
    }
  }
  const auto step_of = [&](std::int64_t d) { return steps[static_cast<std::size_t>(d)]; };
  if (order_free) {
    std::stable_sort(reduced.begin(), reduced.end(),
                     [&](std::int64_t a, std::int64_t b) { return step_of(a) < step_of(b); });
  }
  for (const std::int64_t d : reduced) {
    const std::int64_t size = shape[static_cast<std::size_t>(d)], stride = step_of(d) * bytes;
    if (!sizes.empty() && stride == strides.back() * sizes.back()) {
      sizes.back() *= size;
    } else {
      sizes.push_back(size);
      strides.push_back(stride);
    }
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    strides.push_back(bytes);
  }
  std::reverse(sizes.begin(), sizes.end());
  std::reverse(strides.begin(), strides.end());
  if (sizes.size() == 1 && sizes[0] == 1) strides[0] = bytes;
  choose_column(functions);
  choose_path(functions, order_free);
  threads = std::clamp<std::int64_t>(length * column.size * batches / kParallelElements, 1, threads);
  share_columns(threads);
  join_batches(functions, threads);
}

std::int64_t ReductionPlan::sequence_offset(std::int64_t s) const {
  std::int64_t offset = 0;
  for (std::size_t d = sizes.size(); d-- > 1;) {
    offset += s % sizes[d] * strides[d];
    s /= sizes[d];
  }
  return offset + s * strides[0];
}

bool ReductionPlan::is_better_copied() const {
  constexpr std::int64_t kMostBytes = 16 << 20, kLine = 64, kFewInACall = 16, kFewInAUnit = 128;
  const std::int64_t elements = length * column.size * batches;
  if (path == ReductionPath::Apart || elements < kLeastCopied || elements * from_size() > kMostBytes)
    return false;
  std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
  bool repeats = false;
  const auto see = [&](std::int64_t size, std::int64_t stride) {
    if (size == 1) return;
    repeats = repeats || stride == 0;
    nearest = std::min(nearest, std::abs(stride));
  };
  for (std::size_t d = 0; d < sizes.size(); ++d) see(sizes[d], strides[d]);
  const std::int64_t nearest_in_sequence = nearest;
  for (int d = 0; d < batch_dims; ++d) see(batch[d].size, batch[d].stride);
  see(run > 1 ? run : column.size, run > 1 ? from_size() : column.stride);
  if (repeats) return false;
  // What a call takes, and whether the dimension whose elements share lines is in it.
  std::int64_t in_a_call = 0, walked = std::abs(strides.back());
  if (path == ReductionPath::Sequence) {
    const std::size_t outer = sizes.size() > 1 ? sizes.size() - 2 : 0;
    in_a_call = sizes.size() > 1 ? sizes[outer] * sizes.back() : length;
    walked = std::min(walked, std::abs(strides[outer]));
  } else if (path == ReductionPath::Inner && sizes.size() > 1) {
    in_a_call = length;
    walked = std::min(walked, std::abs(strides[0]));
  } else {
    in_a_call = (path == ReductionPath::Tile ? std::min(part, sizes.back()) : length) * width;
    walked = std::min(walked, run > 1 ? from_size() : std::abs(column.stride));
  }
  if (in_a_call < kFewInACall || length * width < kFewInAUnit) return true;
  // Rows of the sequence that lie apart, of a few elements of a line each: those between come in other rows.
  const bool shares_lines = path == ReductionPath::Tile && sizes.size() > 1 &&
                            std::abs(strides.back()) >= kLine && width * from_size() <= kLine / 2;
  if (shares_lines) return true;
  if (2 * nearest > kLine || walked <= nearest) return false;
  // Neighbours come in other calls: those gather few elements at a time, or use few of a line, or other lines come before them.
  const bool gathers_few = packs && (length <= kFewInACall || sizes.size() > 1);
  // Half a line is enough where the neighbours belong to the same sequence.
  const std::int64_t far = nearest == nearest_in_sequence ? kLine / 2 + 1 : kLine;
  const bool uses_few = path == ReductionPath::Sequence && std::abs(strides.back()) >= far;
  const bool leaves_lines =
      path == ReductionPath::Tile && batch_dims > 1 && std::abs(batch[0].stride) != nearest;
  return walked >= kLine || gathers_few || uses_few || leaves_lines;
}

bool ReductionPlan::lies_apart(const KeptDim& columns, const ReductionFunctions& functions) const {
  return functions.outer_apart != nullptr && !converts() && sizes.size() == 2 &&
         columns.stride == from_size() && columns.size >= kLeastApart;
}

bool ReductionPlan::lies_in_pieces() const {
  constexpr std::int64_t kLeastBytes = 32;
  const std::int64_t bytes = sizes.back() * from_size();
  return sizes.size() == 2 && sizes[0] <= kMostPieces && strides.back() == from_size() &&
         bytes >= kLeastBytes && bytes <= kMostPieceBytes;
}

void ReductionPlan::choose_column(const ReductionFunctions& functions) {
  if (batch_dims == 0) return;
  int best = 0;
  const auto apart = [&](const KeptDim& d) { return lies_apart(d, functions); };
  const auto better = [&](const KeptDim& a, const KeptDim& b) {
    if (apart(a) != apart(b)) return apart(a);
    const bool a_few = a.size < kFewColumns;
    const bool b_few = b.size < kFewColumns;
    if (a_few != b_few) return b_few;
    if (a_few) return a.size > b.size;
    if (a.stride == 0 || b.stride == 0) return a.stride != 0;  // what is expanded is no neighbour
    return std::abs(a.stride) < std::abs(b.stride);
  };
  for (int d = 1; d < batch_dims; ++d) {
    if (better(batch[d], batch[best])) best = d;
  }
  column = batch[best];
  take_out(best);
  join_runs(functions.least_columns);
  for (int d = 0; d < batch_dims; ++d) batches *= batch[d].size;
}

void ReductionPlan::join_runs(std::int64_t least_columns) {
  if (sizes.size() != 1 || length == 1) return;
  for (int d = 0; d < batch_dims; ++d) {
    const KeptDim& inner = batch[d];
    const std::int64_t bytes = inner.size * from_size();
    const bool lies_dense = inner.stride == from_size() && inner.out_stride == 1 && inner.size < kFewColumns;
    // What overlaps, as windows do, or is expanded has plans that go by other strides.
    const bool apart = std::abs(column.stride) >= bytes && std::abs(strides[0]) >= bytes;
    if (!lies_dense || !apart || column.out_stride != inner.size || column.size * inner.size < kFewColumns)
      continue;
    if (length * inner.size >= kWorthACall && strides[0] == bytes && inner.size >= least_columns)
      return std::swap(column, batch[d]);
    const bool few_sets =
        inner.size < kFewInSets && std::abs(column.stride) >= kFarBatches && column.stride % kSetBytes == 0;
    if (length > kJoinedPerColumn * inner.size || few_sets) return;
    run = inner.size;
    column = {column.size * run, column.stride, 1};
    return take_out(d);
  }
}

void ReductionPlan::take_out(int d) {
  for (++d; d < batch_dims; ++d) batch[d - 1] = batch[d];
  --batch_dims;
}

bool ReductionPlan::has_rows(const ReductionFunctions& functions, bool order_free) const {
  const std::int64_t bytes = sizes.back() * from_size();
  return order_free && !converts() && strides.back() == from_size() &&
         bytes >= (functions.short_rows != nullptr ? kLeastOfRow : kLeastOfCall);
}

void ReductionPlan::choose_path(const ReductionFunctions& functions, bool order_free) {
  const std::int64_t bytes = from_size();
  const auto element_bytes = static_cast<std::int64_t>(element_size(element));
  const std::int64_t step = strides.back();
  const bool side_by_side = column.size >= kFewColumns && (length < kShortSequence || run > 1);
  const bool dense_rows = column.stride == bytes && sizes.size() == 1 && column.size > 1;
  // Few columns with gaps are packed first, by kernels that take few: 40K rows of three f32 take 0.25 of the time.
  if (dense_rows && functions.least_columns < kFewColumns && column.size < kFewColumns &&
      2 * column.size * bytes <= kShortRowBytes && strides[0] != column.size * bytes &&
      length >= kShortSequence) {
    path = ReductionPath::Tile;
    part = 4 * kernels::kReductionBlock;
    width = column.size;
    return;
  }
  if (lies_apart(column, functions)) {
    path = ReductionPath::Apart;
    part = kernels::kReductionBlock;
    width = std::min(column.size, kMostColumns);
    return;
  }
  if (!converts() && dense_rows) {
    path = ReductionPath::Outer;
    width = std::min(column.size, kMostColumns);
    return;
  }
  if (sizes.size() > 1 && has_rows(functions, order_free)) {
    path = ReductionPath::Rows;
    // A call takes a row of each column, or many rows of one: few make it longer than the walk in order of memory.
    const std::size_t outer = sizes.size() - 2;
    const bool between = std::abs(column.stride) < std::abs(strides[outer]);
    const std::int64_t most = between ? kMostColumns : sizes[outer] < kManyRows ? kManyRows : 1;
    width = std::min(column.size, most);
    return;
  }
  const bool takes_together = length > 0 && length >= functions.together && length <= functions.most_together;
  if (sizes.size() == 1 && step == bytes &&
      (converts() ? takes_together && column.size > 1 : length >= functions.together || !side_by_side)) {
    path = ReductionPath::Inner;
    // Also shorter ones than would be taken from elsewhere: else they come one by one.
    if (functions.joins_runs && length > 0 && length <= functions.most_together)
      width = std::min({column.size, kMostColumns, (converts() ? kConvertedTogether : kTogether) / length});
    packs = converts() && column.size > 1 && run == 1 && length * bytes <= kShortRowBytes &&
            column.stride != length * bytes;
    return;
  }
  const bool packable = sizes.size() == 1 || (sizes.size() == 2 && length >= kShortSequence);
  if (packable && takes_together && column.size > 1 && run == 1 &&
      (lies_in_pieces() || std::max(std::abs(strides[0]), std::abs(step)) < std::abs(column.stride))) {
    path = ReductionPath::Inner;
    packs = true;
    width = std::clamp<std::int64_t>(kGatheredBytes / (length * element_bytes), 1, column.size);
    return;
  }
  if (column.size > 1 && (side_by_side || std::abs(column.stride) < std::abs(step))) {
    path = ReductionPath::Tile;
    part = kernels::kReductionBlock;
    const std::int64_t rows = std::min(length, part);
    const std::int64_t fit = kTileBytes / (rows * element_bytes) / kFewColumns * kFewColumns;
    width = std::min(column.size, std::clamp<std::int64_t>(fit, kFewColumns, 1024)) / run * run;
    return;
  }
  path = ReductionPath::Sequence;
  part = 4 * kernels::kReductionBlock;
  // Where neighbours in memory are far apart in the sequence, whole cache lines are used by copying 16 rows
  // at once.
  if (sizes.size() > 1 && std::abs(strides[sizes.size() - 2]) < std::abs(step)) {
    const auto rows = static_cast<std::uint64_t>(std::min<std::int64_t>(16 * sizes.back(), length));
    part = std::clamp(static_cast<std::int64_t>(std::bit_ceil(rows)), part, std::int64_t{1} << 18);
  }
}

void ReductionPlan::join_batches(const ReductionFunctions& functions, std::int64_t threads) {
  if (batch_dims == 0 || !functions.side_by_side || width != column.size || column.out_stride != 1 ||
      batch[0].out_stride != column.size || length == 0 || batch[0].size == 0)
    return;
  const std::int64_t most = std::min(kJoinedBatches / length, kMostColumns) / width;
  const std::int64_t shared = divup(batches, kUnitsPerThread * threads);
  batches_at_once = std::clamp<std::int64_t>(std::min(most, shared), 1, batch[0].size);
}

void ReductionPlan::share_columns(std::int64_t threads) {
  if (threads == 1 || length == 0) return;
  const std::int64_t units = divup(kUnitsPerThread * threads, batches), columns = divup(column.size, units);
  if (path == ReductionPath::Outer || path == ReductionPath::Apart) {
    const std::int64_t least = kLeastRowBytes / from_size();
    width = std::min(width, std::max(least, divup(columns, least) * least));
  } else if (path == ReductionPath::Inner && !packs && !converts()) {
    width = std::min(width, std::max(columns, kSharedTogether / length));
  }
}

}  // namespace lanewise::detail
