#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <lanewise/iterator/detail/outer_cursor.h>
#include <lanewise/iterator/detail/staging.h>
#include <lanewise/iterator/detail/stream.h>
#include <lanewise/iterator/detail/tile_plan.h>

// Copies whose innermost dimensions are all short and lie in another order in memory: those up to the one that is nearest in the source
// are a core, dense in the result. Elements of dimension 0 are put side by side by registers, along all that the source has in a row;
// such records then find their places.
namespace lanewise::detail {
namespace {

constexpr std::int64_t kCoreBytes = 48 * 1024, kMostRecords = 2048, kMostRecordBytes = 128;
/// Fewer records in a row of the source are not worth a call, fewer elements of a record are better taken one by one. Of 16 bytes there is
/// nothing to gain: they move as one whatever is done.
constexpr std::int64_t kLeastRow = 16, kLeastElements = 7, kLeastOfShort = 8, kWidest = 8;
/// Of smaller cores several are made before they are placed: records that are read while their stores are under way wait for them.
constexpr std::int64_t kMadeBytes = 12 * 1024;

struct Core {
  std::int64_t elements = 1, records = 1;
  std::int64_t row = 1;  ///< records whose elements the source has in a row
  std::int64_t planes = 1;
  /// Where each `row` begins in the source, and where the record of each place of the result is made. In bytes.
  std::array<std::int64_t, kMostRecords / kLeastRow> plane;
  std::array<std::int32_t, kMostRecords> record;
};

/// Dimensions 1 to `near` as they follow in the source, the nearest first.
DimVector in_source_order(const TileJob& job, int near) {
  DimVector dims;
  for (int d = 1; d <= near; ++d) dims.push_back(d);
  const std::int64_t* strides = job.operand[1].strides;
  std::stable_sort(dims.begin(), dims.end(),
                   [&](std::int64_t a, std::int64_t b) { return strides[a] < strides[b]; });
  return dims;
}

/// Writes down the `known` places once more for each further one of `steps`, `step` bytes from the one before.
template <class Places>
void repeat(Places& places, std::int64_t& known, std::int64_t steps, std::int64_t step) {
  using Place = typename Places::value_type;
  const std::int64_t all = known * steps;
  for (std::int64_t p = known; p < all; ++p) {
    places[static_cast<std::size_t>(p)] =
        places[static_cast<std::size_t>(p - known)] + static_cast<Place>(step);
  }
  known = all;
}

/// Whether it is small enough, and its rows long enough.
bool find_core(const TileJob& job, int near, Core& core) {
  const std::int64_t size = job.operand[0].memory_size(), bytes = job.shape[0] * size;
  for (int d = 0; d <= near; ++d) {
    if (job.operand[0].strides[d] != core.elements * size || job.operand[1].strides[d] <= 0) return false;
    core.elements *= job.shape[d];
    if (core.elements * size > kCoreBytes) return false;
  }
  core.records = core.elements / job.shape[0];
  if (core.records > kMostRecords) return false;
  const DimVector order = in_source_order(job, near);
  const std::int64_t* strides = job.operand[1].strides;
  std::size_t i = 0;
  for (; i < order.size() && strides[order[i]] == core.row * size; ++i) core.row *= job.shape[order[i]];
  if (core.row < kLeastRow) return false;
  DimVector made;  // bytes between the records of steps along each dimension
  made.resize(static_cast<std::size_t>(near) + 1);
  std::int64_t next = bytes;
  for (const std::int64_t d : order) {
    made[static_cast<std::size_t>(d)] = next;
    next *= job.shape[d];
  }
  core.plane[0] = 0;
  for (; i < order.size(); ++i) repeat(core.plane, core.planes, job.shape[order[i]], strides[order[i]]);
  core.record[0] = 0;
  std::int64_t known = 1;
  for (int d = 1; d <= near; ++d) repeat(core.record, known, job.shape[d], made[static_cast<std::size_t>(d)]);
  return true;
}

/// Each record is moved as `Width` bytes, of which the next one covers what is too much; the last ones as long as they are.
template <std::size_t Width>
void place(const Core& core, const char* made, std::int64_t bytes, char* to) {
  const auto width = static_cast<std::int64_t>(Width);
  const std::int64_t whole = std::max<std::int64_t>(core.records - divup(width - bytes, bytes), 0);
  std::int64_t r = 0;
#pragma GCC unroll 4
  for (; r < whole; ++r, to += bytes) std::memcpy(to, made + core.record[static_cast<std::size_t>(r)], Width);
  for (; r < core.records; ++r, to += bytes)
    std::memcpy(to, made + core.record[static_cast<std::size_t>(r)], static_cast<std::size_t>(bytes));
}
void place(const Core& core, const char* made, std::int64_t bytes, char* to) {
  if (bytes <= 8) return place<8>(core, made, bytes, to);
  if (bytes <= 16) return place<16>(core, made, bytes, to);
  if (bytes <= 32) return place<32>(core, made, bytes, to);
  if (bytes <= 48) return place<48>(core, made, bytes, to);
  if (bytes <= 64) return place<64>(core, made, bytes, to);
  if (bytes <= 96) return place<96>(core, made, bytes, to);
  return place<128>(core, made, bytes, to);
}

}  // namespace

// `x.permute({0, 3, 2, 1}).contiguous()` of 64 x 16 x 12 x 8: f32 42 -> 22 us, bf16 30 -> 10; `stack` of two 156 -> 46 and 147 -> 22
// (Zen 4). Of fewer elements along dimension 0 walks of noted offsets take as long or less.
bool run_records(const Plan& plan, int near) {
  const TileJob& job = *plan.job;
  const TileOperand &out = job.operand[0], &from = job.operand[1];
  const std::int64_t size = out.memory_size(), bytes = job.shape[0] * size;
  if (!job.identity || job.operands != 2 || out.memory != from.memory || out.memory != out.tile || near < 2 ||
      size > kWidest || job.shape[0] < (size < 4 ? kLeastOfShort : kLeastElements) ||
      bytes > kMostRecordBytes || from.strides[near] != size) {
    return false;
  }
  Core core;
  if (!find_core(job, near, core)) return false;
  const std::int64_t core_bytes = core.elements * size,
                     together = std::max<std::int64_t>(1, kMadeBytes / core_bytes);
  const kernels::GatherFn gather = job.movers->gather[size_index(size)];
  walk(plan, plan.numel / core.elements, core.elements, grain_items(job, core.elements, staged_cost(job, 2)),
       [&](std::int64_t begin, std::int64_t end) {
         alignas(64) char made[kCoreBytes + kMostRecordBytes];
         alignas(64) char placed[kCoreBytes];
         OuterCursor sources(job, near + 1), results(job, near + 1);
         sources.seek(begin);
         results.seek(begin);
         for (std::int64_t item = begin; item < end; item += together) {
           const std::int64_t count = std::min(together, end - item);
           for (std::int64_t i = 0; i < count; ++i, sources.next()) {
             for (std::int64_t p = 0; p < core.planes; ++p) {
               gather(sources.at(1) + core.plane[static_cast<std::size_t>(p)], size, from.strides[0],
                      core.row, job.shape[0], made + i * core_bytes + p * core.row * bytes);
             }
           }
           for (std::int64_t i = 0; i < count; ++i, results.next()) {
             place(core, made + i * core_bytes, bytes, plan.streams ? placed : results.at(0));
             if (plan.streams) stream_copy(results.at(0), placed, core_bytes);
           }
         }
       });
  return true;
}

}  // namespace lanewise::detail
