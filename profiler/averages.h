#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/profiler/event.h>

namespace lanewise::profiler {

enum class GroupBy : std::uint8_t {
  Name,
  NameAndShape,  ///< also by dtypes, shapes and strides of the arguments
};

/// Events of one group, summed. Times are ns.
struct Average {
  std::string name;
  std::string arguments;  ///< as describe_arguments(), only with GroupBy::NameAndShape
  Kind kind = Kind::Op;
  std::int64_t count = 0;
  std::int64_t self = 0;
  std::int64_t total = 0;  ///< of a group that runs inside itself, only the outermost counts
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  std::int64_t bytes = 0;
  double flops = 0;
  std::int64_t allocations = 0;
  std::int64_t allocated_bytes = 0;
  int threads = 1;    ///< the most
  std::string paths;  ///< those taken, "contiguous" or "contiguous+staged"
};

/// Ops, backwards and ranges, longest self time first; loops are parts of ops and left out.
LANEWISE_API std::vector<Average> average(const std::vector<Event>& events, GroupBy group);
LANEWISE_API std::string table(std::vector<Average> averages, std::string_view sort, std::size_t rows);

}  // namespace lanewise::profiler
