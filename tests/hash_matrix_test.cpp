// The same bits: every op of the registry that can be called with made-up arguments, forward and backward,
// gives the same bits for every layout, alignment, number of threads and tier with fused multiply-add. The
// results of a plain call in one thread on the first tier are hashed, and those of every other way to run the
// same call are compared with them.

#include <set>

#include <gtest/gtest.h>

#include "made_up_call.h"
#include "thread_count.h"

namespace lanewise::testing {
namespace {

/// The tiers whose floating-point results are the same: sse4_2 has no fused multiply-add.
std::vector<Isa> tiers() {
  std::vector<Isa> list;
  for (const Isa isa : available_isas()) {
    if (isa != Isa::sse4_2) list.push_back(isa);
  }
  if (list.empty()) list.push_back(active_isa());
  return list;
}

struct Count {
  std::int64_t forward = 0, backward = 0, mismatches = 0;
  std::set<std::string> ops, refused;
};

/// Runs one call in every way and compares.
void check(const Schema& schema, const Dims& sizes, ScalarType dtype, const std::vector<int>& layouts,
           const std::vector<int>& threads, Count& count, bool& accepted) {
  const MadeUpCall plain(schema, sizes, dtype);
  if (!plain.usable()) return;
  const std::vector<Isa> isas = tiers();
  Hash wanted[2] = {};
  for (const bool backward : {false, true}) {
    if (backward && (!plain.differentiable() || !accepted)) continue;
    try {
      const ThreadCount one(1);
      const IsaGuard tier(isas.front());
      wanted[backward] = plain.run(0, backward);
      accepted = true;
    } catch (const Error&) {
      if (backward) wanted[1] = 0;
      continue;  // not for this dtype or shape
    }
  }
  if (!accepted) return;
  count.ops.insert(schema.full_name());
  for (const Isa isa : isas) {
    const IsaGuard tier(isa);
    for (const int n : threads) {
      const ThreadCount some(n);
      for (const int layout : layouts) {
        for (const bool backward : {false, true}) {
          if (backward && wanted[1] == 0) continue;
          ++(backward ? count.backward : count.forward);
          const Hash found = plain.run(layout, backward);
          if (found != wanted[backward] && ++count.mismatches <= 40) {
            ADD_FAILURE() << schema.full_name() << (backward ? " backward" : "") << " of " << dtype << ", "
                          << layout_name(layout) << ", " << n << " threads, " << name(isa)
                          << ": other bits than contiguous in one thread on " << name(isas.front());
          }
        }
      }
    }
  }
}

// ThreadSanitizer looks for races, not for bits, and makes a case some fifty times slower: a few ways to run
// each op will do.
#ifdef LANEWISE_THREAD_SANITIZER
constexpr bool kFewWays = true;
#else
constexpr bool kFewWays = false;
#endif

/// The first `n` of a list if there are to be few ways, else all.
template <class T>
std::vector<T> few(std::vector<T> all, std::size_t n = 1) {
  if (kFewWays && all.size() > n) all.resize(n);
  return all;
}

TEST(HashMatrix, SmallOperands) {
  Count count;
  std::int64_t candidates = 0;
  for (const Schema& schema : registry()) {
    if (!has_hash(schema)) continue;
    ++candidates;
    for (const ScalarType dtype : few<ScalarType>({kFloat, kDouble, kBFloat16, kInt, kComplexFloat})) {
      bool accepted = false;
      // The first shape that the op takes.
      for (const Dims& sizes : {Dims{19, 37}, Dims{21, 21}, Dims{3, 9, 9}, Dims{43}}) {
        if (!accepted) {
          check(schema, sizes, dtype, few<int>({0, 1, 2, 3, 4, 5}, 2), few<int>({3, 1, 2, 7}), count,
                accepted);
        }
      }
    }
    if (!count.ops.contains(schema.full_name())) count.refused.insert(schema.full_name());
  }
  std::string refused;
  for (const std::string& op : count.refused) refused += op + " ";
  std::cout << count.ops.size() << " of " << candidates << " ops, " << count.forward << " forward and "
            << count.backward << " backward cases; not called: " << refused << "\n";
  EXPECT_EQ(count.mismatches, 0);
  EXPECT_GE(count.forward + count.backward,
            kFewWays ? 500 : 70'000 * static_cast<std::int64_t>(tiers().size()));
  EXPECT_GE(static_cast<double>(count.ops.size()), (kFewWays ? 0.4 : 0.95) * static_cast<double>(candidates));
}

/// Whether an op makes far more elements than it is given, as outer and kron do, or does so on the way.
bool grows(const Schema& schema) {
  const std::string_view op = schema.name;
  if (op.ends_with("cdist") || op.find("cdist_") != op.npos || op.find("pdist") != op.npos ||
      op.starts_with("multilabel_margin_loss")) {
    return true;
  }
  for (const Dims& sizes : {Dims{19, 37}, Dims{21, 21}, Dims{3, 9, 9}}) {
    const MadeUpCall small(schema, sizes, kFloat);
    if (!small.usable()) return false;
    try {
      if (small.result_elements() > 8 * sizes[0] * sizes[1] * (sizes.size() > 2 ? sizes[2] : 1)) return true;
    } catch (const Error&) {
      // not for this shape
    }
  }
  return false;
}

TEST(HashMatrix, OperandsThatThreadsShare) {
  Count count;
  for (const Schema& schema : registry()) {
    // Operands of their own sizes are small, and were called with all numbers of threads above.
    if (!has_hash(schema) || grows(schema) || MadeUpCall(schema, {1}, kFloat).has_own_arguments()) continue;
    bool accepted = false;
    for (const Dims& sizes : {Dims{293, 1021}, Dims{223, 223}, Dims{5, 131, 131}}) {
      if (!accepted) check(schema, sizes, kFloat, few<int>({2, 0, 4}), few<int>({3, 2, 7}), count, accepted);
    }
  }
  std::cout << count.ops.size() << " ops, " << count.forward << " forward and " << count.backward
            << " backward cases\n";
  EXPECT_EQ(count.mismatches, 0);
  EXPECT_GE(count.forward + count.backward, kFewWays ? 100 : 1000);
}

}  // namespace
}  // namespace lanewise::testing
