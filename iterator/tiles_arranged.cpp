#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/arranged_units.h>
#include <lanewise/iterator/detail/outer_cursor.h>
#include <lanewise/iterator/detail/tile_plan.h>

// Copies of short stretches whose elements change their order: small matrices transposed, short rows flipped, every second element of
// short rows. As many stretches as a register holds are arranged by one instruction, longer ones in up to eight registers.
namespace lanewise::detail {
namespace {

/// The dimensions below `outer` make up a stretch.
struct Stretch {
  int outer = 0;
  std::int64_t count = 1;          ///< elements
  std::int64_t low = 0, high = 0;  ///< bytes that it reaches below and above its first element in memory

  /// The longest whose elements, and the memory that they are in, are up to `room` bytes.
  Stretch(const TileJob& job, std::int64_t room) {
    const TileOperand& from = job.operand[1];
    const std::int64_t size = from.memory_size();
    for (; outer < job.ndim; ++outer) {
      const std::int64_t reach = from.strides[outer] * (job.shape[outer] - 1);
      if (count * job.shape[outer] * size > room || high - low + std::abs(reach) + size > room) break;
      count *= job.shape[outer];
      low += std::min<std::int64_t>(reach, 0);
      high += std::max<std::int64_t>(reach, 0);
    }
  }
  /// Whether there are others along dimension `outer`, and elements change their order.
  bool is_arranged(const TileJob& job) const {
    const TileOperand& from = job.operand[1];
    return outer > 0 && outer < job.ndim && from.strides[outer] > 0 &&
           (outer > 1 || from.strides[0] != from.memory_size());
  }
};

/// So many stretches along dimension `outer` are arranged together, as many as `room` bytes hold and are read from: at least one.
template <class Units>
struct Arrangement {
  Units units;
  Stretch stretch;
  std::int64_t together;
  typename Units::Pattern whole{}, rest{};  ///< of `together` stretches, and of those that remain

  Arrangement(const TileJob& job, const Units& in, const Stretch& of, std::int64_t room)
      : units(in), stretch(of) {
    const TileOperand& from = job.operand[1];
    const std::int64_t size = from.memory_size(), step = from.strides[of.outer];
    together = std::min(
        {room / size / of.count, job.shape[of.outer], (room - (of.high - of.low) - size) / step + 1});
    fill(whole, job, together);
    fill(rest, job, job.shape[of.outer] % together);
  }

  /// The first n stretches.
  void fill(typename Units::Pattern& pattern, const TileJob& job, std::int64_t n) const {
    if (n == 0) return;
    const TileOperand& from = job.operand[1];
    const std::int64_t size = from.memory_size(), step = from.strides[stretch.outer];
    units.visit(pattern, [&](auto* unit) {
      using Unit = std::remove_reference_t<decltype(*unit)>;
      int length = static_cast<int>(size / units.bytes);
      for (int u = 0; u < length; ++u) unit[u] = static_cast<Unit>(u - stretch.low / units.bytes);
      // What is there comes once more at each place of the next dimension.
      for (int d = 0; d <= stretch.outer; ++d) {
        const std::int64_t places = d < stretch.outer ? job.shape[d] : n,
                           stride = from.strides[d] / units.bytes;
        for (int i = 1; i < places; ++i)
          for (int u = 0; u < length; ++u) unit[i * length + u] = static_cast<Unit>(unit[u] + i * stride);
        length *= static_cast<int>(places);
      }
      pattern.written = length;
    });
    pattern.read = static_cast<int>(((n - 1) * step + stretch.high - stretch.low + size) / units.bytes);
  }
};

template <class Units>
void run(const Plan& plan, const Arrangement<Units>& a) {
  const TileJob& job = *plan.job;
  const int dim = a.stretch.outer;
  const std::int64_t stretches = job.shape[dim], step = job.operand[1].strides[dim], count = a.stretch.count;
  const std::int64_t outer = plan.numel / (stretches * count), bytes = count * job.operand[0].memory_size();
  const auto arrange = [&](const char* from, char* to, std::int64_t n) {
    const std::int64_t blocks = n / a.together, done = blocks * a.together;
    from += a.stretch.low;
    if (blocks > 0) a.units.arrange(from, a.together * step, to, blocks, a.whole);
    if (done < n) a.units.arrange(from + done * step, step, to + done * bytes, 1, a.rest);
  };
  const std::int64_t items = outer == 1 ? divup(stretches, a.together) : outer;
  const std::int64_t elements = plan.numel / items;
  walk(plan, items, elements, grain_items(job, elements, staged_cost(job, 0)),
       [&](std::int64_t begin, std::int64_t end) {
         if (outer == 1) {
           const std::int64_t first = begin * a.together;
           return arrange(job.operand[1].data + first * step, job.operand[0].data + first * bytes,
                          std::min(end * a.together, stretches) - first);
         }
         OuterCursor cursor(job, dim + 1);
         cursor.seek(begin);
         for (std::int64_t o = begin; o < end; ++o, cursor.next())
           arrange(cursor.at(1), cursor.at(0), stretches);
       });
}

}  // namespace

bool run_arranged(const Plan& plan) {
  const TileJob& job = *plan.job;
  if (!job.identity || job.operands != 2 || job.in_order) return false;
  const TileOperand &to = job.operand[0], &from = job.operand[1];
  if (to.memory != from.memory || plan.flat[0].feed != Feed::Direct || plan.flat[1].feed != Feed::Gather)
    return false;
  const std::int64_t size = from.memory_size();
  const ArrangedUnits one_register(*job.movers, size);
  if (const Stretch stretch(job, one_register.room); stretch.is_arranged(job)) {
    run(plan, Arrangement(job, one_register, stretch, one_register.room));
    return true;
  }
  const LongArrangedUnits several(*job.movers, size);
  const Stretch stretch(job, several.room);
  const std::int64_t span = stretch.high - stretch.low + size, bytes = stretch.count * size;
  // Matrices without wide gaps; short ones some at a time.
  if (stretch.outer < 2 || !stretch.is_arranged(job) || from.strides[0] == size || span > 2 * bytes)
    return false;
  run(plan, Arrangement(job, several, stretch, std::max({span, bytes, several.room / 2})));
  return true;
}

}  // namespace lanewise::detail
