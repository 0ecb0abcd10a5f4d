#include <lanewise/iterator/detail/sawtooth.h>

namespace lanewise::detail {

bool turns_round(bool may) noexcept {
  thread_local bool last = true;
  return last = may && !last;
}

}  // namespace lanewise::detail
