#include <algorithm>
#include <cstdlib>
#include <optional>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/arranged_units.h>
#include <lanewise/iterator/detail/outer_cursor.h>
#include <lanewise/iterator/detail/tile_plan.h>

// Copies of short stretches whose elements change their order: small matrices transposed, short rows flipped, every second element of
// short rows. As many stretches as a register holds are arranged by one instruction.
namespace lanewise::detail {
namespace {

using kernels::BlockPattern;

/// The dimensions below `outer` make up a stretch; so many along dimension `outer` are arranged together.
struct Arrangement {
  int outer = 0;
  std::int64_t count = 1;          ///< elements of a stretch
  std::int64_t low = 0, high = 0;  ///< bytes that it reaches below and above its first element in memory
  std::int64_t together = 0;
  ArrangedUnits units;
  BlockPattern whole{}, rest{};  ///< of `together` stretches, and of those that remain
};

/// The first n stretches.
BlockPattern pattern_of(const TileJob& job, const Arrangement& a, std::int64_t n) {
  const TileOperand& from = job.operand[1];
  const std::int64_t size = from.memory_size();
  BlockPattern pattern{};
  int next = 0;
  for (std::int64_t stretch = 0; stretch < n; ++stretch) {
    for (std::int64_t e = 0; e < a.count; ++e) {
      std::int64_t offset = stretch * from.strides[a.outer] - a.low, position = e;
      for (int d = 0; d < a.outer; ++d) {
        offset += position % job.shape[d] * from.strides[d];
        position /= job.shape[d];
      }
      next = a.units.put(pattern, next, offset, size);
    }
  }
  const std::int64_t steps = n > 0 ? (n - 1) * from.strides[a.outer] : 0;
  pattern.read = static_cast<int>((steps + a.high - a.low + size) / a.units.bytes);
  pattern.written = next;
  return pattern;
}

/// Nothing for other jobs, or where nothing is gained.
std::optional<Arrangement> arrangement_of(const Plan& plan) {
  const TileJob& job = *plan.job;
  if (!job.identity || job.operands != 2 || job.in_order) return std::nullopt;
  const TileOperand &to = job.operand[0], &from = job.operand[1];
  const std::int64_t size = from.memory_size();
  if (to.memory != from.memory || plan.flat[0].feed != Feed::Direct || plan.flat[1].feed != Feed::Gather) {
    return std::nullopt;
  }
  Arrangement a{.units = ArrangedUnits(*job.movers, size)};
  const std::int64_t room = a.units.room;
  for (; a.outer < job.ndim; ++a.outer) {
    const std::int64_t reach = from.strides[a.outer] * (job.shape[a.outer] - 1);
    if (a.count * job.shape[a.outer] * size > room || a.high - a.low + std::abs(reach) + size > room) break;
    a.count *= job.shape[a.outer];
    a.low += std::min<std::int64_t>(reach, 0);
    a.high += std::max<std::int64_t>(reach, 0);
  }
  if (a.outer == 0 || a.outer == job.ndim || from.strides[a.outer] <= 0) return std::nullopt;
  if (a.outer == 1 && from.strides[0] == size) return std::nullopt;  // rows as they are
  const std::int64_t step = from.strides[a.outer];
  a.together =
      std::min({room / size / a.count, job.shape[a.outer], (room - (a.high - a.low) - size) / step + 1});
  a.whole = pattern_of(job, a, a.together);
  a.rest = pattern_of(job, a, job.shape[a.outer] % a.together);
  return a;
}

}  // namespace

bool run_arranged(const Plan& plan) {
  const std::optional<Arrangement> found = arrangement_of(plan);
  if (!found) return false;
  const Arrangement& a = *found;
  const TileJob& job = *plan.job;
  const std::int64_t stretches = job.shape[a.outer], step = job.operand[1].strides[a.outer];
  const std::int64_t outer = plan.numel / (stretches * a.count),
                     bytes = a.count * job.operand[0].memory_size();
  const auto run = [&](const char* from, char* to, std::int64_t n) {
    const std::int64_t blocks = n / a.together, done = blocks * a.together;
    if (blocks > 0) a.units.arrange(from + a.low, a.together * step, to, blocks, a.whole);
    if (done < n) a.units.arrange(from + a.low + done * step, step, to + done * bytes, 1, a.rest);
  };
  const std::int64_t items = outer == 1 ? divup(stretches, a.together) : outer;
  const std::int64_t elements = plan.numel / items;
  walk(plan, items, elements, grain_items(job, elements, staged_cost(job, 0)),
       [&](std::int64_t begin, std::int64_t end) {
         if (outer == 1) {
           const std::int64_t first = begin * a.together;
           return run(job.operand[1].data + first * step, job.operand[0].data + first * bytes,
                      std::min(end * a.together, stretches) - first);
         }
         OuterCursor cursor(job, a.outer + 1);
         cursor.seek(begin);
         for (std::int64_t o = begin; o < end; ++o, cursor.next()) run(cursor.at(1), cursor.at(0), stretches);
       });
  return true;
}

}  // namespace lanewise::detail
