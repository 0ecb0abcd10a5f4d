#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/tensor/scalar_type.h>

namespace lanewise::profiler {

enum class Kind : std::uint8_t {
  Op,        ///< a call of an op, in any form
  Backward,  ///< a node of the graph that ran
  Loop,      ///< one thread's part of an op's parallel loop
  Range,     ///< a part of the program that it named itself
};

/// A tensor as the op got or gave it.
struct TensorRecord {
  ScalarType dtype = ScalarType::Undefined;  ///< Undefined for a tensor that is none
  bool is_result = false;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< in elements

  bool is_contiguous() const;
};

/// One thing that took time. Times are ns of std::chrono::steady_clock.
struct Event {
  std::string name;  ///< "add", "add_", "add.out"; "MulBackward0"; of a loop the op it belongs to
  Kind kind = Kind::Op;
  int thread = 0;                   ///< counted from 0 in the order in which they came
  std::int64_t process_thread = 0;  ///< as the system counts
  std::uint64_t id = 0;             ///< within its thread, in order of beginning, from 1
  std::uint64_t parent = 0;         ///< the id of what it ran inside of; 0: nothing
  int depth = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t self = 0;  ///< end - begin without what ran inside
  /// Of an op: the sequence numbers that nodes made meanwhile got are in [sequence, sequence_end). Of a
  /// backward: the node's.
  std::uint64_t sequence = 0;
  std::uint64_t sequence_end = 0;
  Isa isa = Isa::sse4_2;
  std::string_view path;         ///< "contiguous", "staged", ...; "-" where nothing was looped over
  int threads = 1;               ///< the most that a loop of it used
  std::int64_t bytes = 0;        ///< each operand read once and each result written once; 0 for views
  double flops = 0;              ///< 0 where they cannot be told
  std::int64_t allocations = 0;  ///< of tensor memory, without those inside
  std::int64_t allocated_bytes = 0;
  std::vector<TensorRecord> tensors;  ///< arguments, then results; empty without Options::shapes
  std::vector<std::uint64_t>
      counters;  ///< as Profile::counters().names(), with Options::counters and depth 0

  std::int64_t duration() const noexcept { return end - begin; }
};

/// "f32[64,784] f32[784]:(0,1)": arguments; strides only where they are not those of a contiguous tensor.
LANEWISE_API std::string describe_arguments(const Event& event);

}  // namespace lanewise::profiler
