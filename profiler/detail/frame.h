#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/profiler/event.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::profiler::detail {

using lanewise::detail::is_observed;
using lanewise::detail::OpNotes;
using lanewise::detail::Path;

struct ThreadLog;

enum class Work : std::uint8_t {
  Pointwise,  ///< a kernel over all elements
  View,       ///< touches no element
  Other,
};

/// What the generator knows of an op; static.
struct OpInfo {
  const char* name;
  Work work;
};

/// Bits of lanewise::detail::observed.
inline constexpr std::uint32_t kRecords = 1;  ///< a Profile runs
inline constexpr std::uint32_t kPrints = 2;   ///< LANEWISE_VERBOSE

/// True where a call of an op is to be recorded: something observes, and it is not the call that the record
/// itself makes.
bool enters_slow() noexcept;
inline bool enters() noexcept { return is_observed() && enters_slow(); }

class Frame;
/// Writes a line of LANEWISE_VERBOSE to the error stream.
void print_verbose(const Frame& frame, std::int64_t end);

/// One thing that runs and is observed: constructed, told its arguments, started; told its results;
/// destroyed, also by an exception.
class Frame {
 public:
  explicit Frame(const OpInfo& op, std::uint64_t sequence);
  Frame(Kind kind, std::string_view name, std::uint64_t sequence);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  void argument(const Tensor& t) { tensor(t, false); }
  /// The tensor of an in-place form. That of an out= form is only written: it appears as the result.
  void argument(Tensor& t) {
    if (!name_.ends_with(".out")) tensor(t, false);
  }
  void argument(ArrayRef<Tensor> list) {
    for (const Tensor& t : list) tensor(t, false);
  }
  template <class T>
  void argument(const T&) {}
  void result(const Tensor& t) { tensor(t, true); }
  void result(ArrayRef<Tensor> list) {
    for (const Tensor& t : list) tensor(t, true);
  }

  /// Starts the clock. `skip`: the next enters() of this thread is false.
  void start(bool skip);
  void set_sequence_end(std::uint64_t sequence) noexcept { sequence_end_ = sequence; }

 private:
  friend class Recorder;
  friend void print_verbose(const Frame& frame, std::int64_t end);
  void tensor(const Tensor& t, bool is_result);

  ThreadLog& log_;
  std::string_view name_;
  Kind kind_;
  Work work_;
  std::uint64_t id_ = 0, generation_ = 0, sequence_, sequence_end_;
  Frame* outer_ = nullptr;
  int depth_ = 0;
  std::int64_t begin_ = 0, inside_ = 0, bytes_ = 0;
  std::size_t words_ = 0;  // of the log's scratch that belong to frames around this one
  OpNotes notes_;
  OpNotes* outer_notes_ = nullptr;
  std::array<std::uint64_t, 8> counters_{};
};

}  // namespace lanewise::profiler::detail
