#pragma once

#include <cstdint>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/scalar_type.h>

/// What elementwise walks come to, told to explain() while it runs an op.
namespace lanewise::detail {

struct TileJob;

struct WalkRecord {
  struct Operand {
    ScalarType memory = ScalarType::Undefined, tile = ScalarType::Undefined;
    DimVector strides;  ///< bytes, fastest dimension first
  };

  std::int64_t time = 0;  ///< ns of std::chrono::steady_clock
  Path path = Path::None;
  Isa isa = Isa::sse4_2;
  DimVector shape;  ///< as looped over: coalesced, fastest dimension first
  int outputs = 0;
  std::vector<Operand> operands;
  double cost = 0;         ///< of an element, in f32 additions
  std::int64_t piece = 0;  ///< elements that the loop takes at a time
  std::int64_t grain = 0;  ///< elements that a thread gets at least
};

struct WalkLog {
  std::vector<WalkRecord> records;
  Isa isa = Isa::sse4_2;  ///< of the kernel that walks next
};

/// Null, or where this thread's walks go.
LANEWISE_API extern constinit thread_local WalkLog* walk_log;
inline bool records_walks() noexcept { return is_observed() && walk_log != nullptr; }

/// Of a job whose loop hands out pieces of so many elements, `grain` of them to a thread at least.
[[gnu::cold]] void record_walk(const TileJob& job, double cost, std::int64_t piece, std::int64_t grain);
[[gnu::cold]] void record_walk(WalkRecord record);

}  // namespace lanewise::detail
