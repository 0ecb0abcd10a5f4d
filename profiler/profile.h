#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/profiler/averages.h>
#include <lanewise/profiler/counters.h>
#include <lanewise/profiler/event.h>

namespace lanewise::profiler {

struct Options {
  bool shapes = true;     ///< keep shapes, strides and dtypes
  bool counters = false;  ///< count cycles, instructions and misses, of the whole and of each outermost op;
                          ///< some us per op
  std::size_t max_events = 1'000'000;  ///< later ones are counted in dropped() and otherwise forgotten
};

/// Records every op, every backward node and each thread's part of parallel loops, in all threads, from its
/// construction to stop() or its end:
///
///   profiler::Profile profile;
///   train();
///   profile.stop();
///   std::cout << profile.table();
///   profile.write_chrome_trace("trace.json");
///
/// LANEWISE_PROFILE=<file.json> does the same for a whole program; then no Profile can be begun beside it.
/// An op that throws is recorded too. Ops that are inside of another when the profile begins or stops are
/// not.
class LANEWISE_API Profile {
 public:
  /// Throws   Error if another Profile records
  explicit Profile(Options options = {});
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Ends the recording. What follows stops it first.
  void stop();

  const std::vector<Event>& events();
  /// Events that came after Options::max_events.
  std::int64_t dropped();
  /// From construction to stop().
  double seconds();
  /// What was counted, or why nothing could be.
  const Counters& counters();

  /// Sums over events of the same name, longest self time first.
  std::vector<Average> key_averages(GroupBy group = GroupBy::Name);
  /// key_averages() as text. `sort` is "self", "total", "count", "bytes" or "name". Throws   ValueError for
  /// another.
  std::string table(GroupBy group = GroupBy::Name, std::string_view sort = "self", std::size_t rows = 40);

  /// Trace Event Format for Perfetto and chrome://tracing: a row per thread, arrows from a forward op to its
  /// backward; beside the events an object "lanewise" with the averages, for `lanewise report`.
  std::string chrome_trace();
  /// Lines "thread;outer;inner microseconds" as flame graphs are drawn from.
  std::string folded_stacks();
  /// Throws   Error, naming the file, if it cannot be written
  void write_chrome_trace(const std::string& path);
  void write_folded_stacks(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Names a part of the program in a running profile; costs next to nothing without one.
class LANEWISE_API Range {
 public:
  explicit Range(std::string name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  void* frame_ = nullptr;
};

/// Whether anything records now.
LANEWISE_API bool is_recording() noexcept;

}  // namespace lanewise::profiler
