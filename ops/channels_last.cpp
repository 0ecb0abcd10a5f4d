#include <lanewise/ops/channels_last.h>
#include <lanewise/ops/views.h>

namespace lanewise::ops {

Tensor channels_moved(const Tensor& t) { return movedim(t, 1, -1); }
Tensor channels_back(const Tensor& t) { return movedim(t, -1, 1); }

}  // namespace lanewise::ops
