#include <lanewise/iterator/detail/sawtooth.h>

namespace lanewise::detail {

bool turns_round() noexcept {
  thread_local bool last = true;
  return last = !last;
}

}  // namespace lanewise::detail
