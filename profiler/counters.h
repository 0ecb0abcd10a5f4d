#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise::profiler {

/// Hardware counters of perf_event_open in user code, summed over all threads of the process: those that run
/// when it is opened and those that they start later. What the system forbids, the machine lacks, or no event is
/// known for is left out, and problem() says so in one line.
class LANEWISE_API Counters {
 public:
  Counters() noexcept = default;
  Counters(Counters&& other) noexcept;
  Counters& operator=(Counters&& other) noexcept;
  ~Counters();

  /// Begins to count.
  static Counters open();

  /// "cycles", "instructions", "l1d_misses", "l2_misses", "llc_misses", "branch_misses", "page_faults": those that
  /// count.
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// Counts since open(), one per name, scaled up where the machine had to take turns between them.
  std::vector<std::uint64_t> read() const;
  /// Empty if everything counts.
  const std::string& problem() const noexcept { return problem_; }
  /// Stops; the counts stay as they are.
  void close();
  /// What read() last gave before close().
  const std::vector<std::uint64_t>& totals() const noexcept { return totals_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<int>> files_;  // per name, one per thread
  std::vector<std::uint64_t> totals_;
  std::string problem_;
};

}  // namespace lanewise::profiler
