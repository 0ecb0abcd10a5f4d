#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <lanewise/iterator/detail/walk_record.h>
#include <lanewise/profiler/event.h>

namespace lanewise::detail {

/// What the units of the library's cost model are worth on this machine, now, on the active tier.
class CostModel {
 public:
  /// Measures what does not depend on the op.
  CostModel();

  /// Time of an op's own work, in ns, with operands as near as their size allows; 0 where the model says nothing.
  /// Measures additions of as many bytes.
  double predict(const profiler::Event& op, const std::vector<const WalkRecord*>& walks);

 private:
  /// Of an f32 addition, per element and thread, where operands and result have so many bytes together.
  double addition_ns(std::int64_t bytes);

  double call_ns_ = 0;  ///< an op on one element
  double flop_ns_ = 0;  ///< in a matrix product, one thread
  std::map<std::int64_t, double> additions_;
};

}  // namespace lanewise::detail
