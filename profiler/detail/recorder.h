#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <lanewise/profiler/detail/frame.h>
#include <lanewise/profiler/profile.h>

namespace lanewise::profiler::detail {

std::int64_t now() noexcept;

/// Bit of lanewise::detail::observed beside those of frame.h: LANEWISE_PROBES.
inline constexpr std::uint32_t kProbes = 4;

/// An event as a thread notes it; becomes an Event when the profile is read.
struct RawEvent {
  std::string_view name;
  Kind kind;
  Isa isa;
  Path path;
  std::uint16_t threads;
  int depth;
  std::uint64_t id, parent, sequence, sequence_end;
  std::int64_t begin, end, self, bytes;
  double flops;
  std::uint32_t allocations;
  std::int64_t allocated_bytes;
  std::size_t words, word_count;  ///< its tensors in ThreadLog::words
  std::vector<std::uint64_t> counters;
};

/// What one thread recorded. The thread writes under its mutex, which nobody else wants but a reader of the
/// profile.
struct ThreadLog {
  std::mutex mutex;
  std::atomic<bool> ended = false;
  int number = 0;
  std::int64_t process_thread = 0;
  std::uint64_t generation = 0;  ///< the recording that `events` belong to
  std::vector<RawEvent> events;
  std::vector<std::int64_t> words;  ///< per tensor: dtype, is_result, dimensions; sizes; strides

  // The thread's own.
  Frame* innermost = nullptr;
  std::uint64_t last_id = 0;
  bool skip = false;
  std::vector<std::int64_t> scratch;          ///< words of the open frames
  std::vector<std::unique_ptr<Frame>> loops;  ///< open parts of parallel loops
  std::size_t lost_loops = 0;                 ///< open ones that there was no memory for
};

ThreadLog& this_log();

/// The one recording of the process.
class Recorder {
 public:
  static Recorder& instance();

  void start(const Options& options);
  /// No thread adds to the recording afterwards.
  void stop();
  bool is_running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// What has been recorded so far, also while it goes on; by thread and begin.
  std::vector<Event> events();
  std::int64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  std::int64_t begin() const noexcept { return begin_; }
  std::int64_t end() const noexcept { return is_running() ? now() : end_; }
  /// May be read while the recording goes on, by one that knows that nobody stops or starts it.
  const Counters& counters() const noexcept { return counters_; }
  bool keeps_shapes() const noexcept { return shapes_.load(std::memory_order_relaxed); }
  bool counts() const noexcept { return counts_.load(std::memory_order_relaxed); }
  std::size_t max_events() const noexcept { return max_events_.load(std::memory_order_relaxed); }
  std::vector<std::uint64_t> read_counters();

  std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  void add(ThreadLog& log, const Frame& frame, std::int64_t end);
  ThreadLog& make_log();
  /// After stop().
  Counters take_counters() { return std::move(counters_); }
  /// A copy of a name that lives as long as the process.
  std::string_view keep(std::string_view name);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadLog>> logs_;
  std::unordered_set<std::string> names_;
  std::atomic<bool> running_ = false;
  std::atomic<std::uint64_t> generation_ = 0;
  std::atomic<std::int64_t> count_ = 0, dropped_ = 0;
  std::int64_t begin_ = 0, end_ = 0;
  // Options, which threads read that may still be in an op of an earlier recording.
  std::atomic<bool> shapes_ = true, counts_ = false;
  std::atomic<std::size_t> max_events_ = 0;
  std::mutex counters_mutex_;
  Counters counters_;
  int threads_ = 0;
};

/// Floating-point operations of an op, 0 where they cannot be told. `words` as in ThreadLog.
double count_flops(std::string_view op, Work work, const std::int64_t* words, std::size_t count);

std::string_view path_name(Path path) noexcept;

/// If a dump has been asked for by a signal (LANEWISE_PROFILE_SIGNAL), writes it.
void dump_if_asked();

}  // namespace lanewise::profiler::detail
