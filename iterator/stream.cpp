#include <lanewise/iterator/detail/stream.h>

#include <lanewise/dispatch_isa/topology.h>

namespace lanewise::detail {

bool overfills_l3(std::int64_t bytes) {
  const std::int64_t l3 = topology().l3_bytes;
  return l3 > 0 && bytes >= l3 + l3 / 2;
}

}  // namespace lanewise::detail
