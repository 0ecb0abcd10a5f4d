#pragma once

#include <vector>

#include <lanewise/iterator/detail/walk_record.h>
#include <lanewise/profiler/event.h>

namespace lanewise::detail {

/// What the units of the library's cost model are worth on this machine, now, on the active tier.
struct CostModel {
  double call_ns = 0;      ///< an op on one element
  double addition_ns = 0;  ///< of f32, per element, operands in the nearest cache
  double flop_ns = 0;      ///< in a matrix product, one thread

  /// Measures; takes some milliseconds.
  static CostModel measure();

  /// Time of an op's own work with operands in cache; 0 where the model says nothing.
  double predict(const profiler::Event& op, const std::vector<const WalkRecord*>& walks) const;
};

}  // namespace lanewise::detail
