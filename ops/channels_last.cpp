#include <lanewise/ops/channels_last.h>
#include <lanewise/ops/views.h>

namespace lanewise::ops {

bool is_channels_last(const Tensor& t) {
  const std::int64_t rank = t.dim();
  if ((rank != 4 && rank != 5) || t.stride(1) == 0) return false;
  std::int64_t least = 0;
  const auto follows = [&](std::int64_t dim) {
    if (t.size(dim) == 0 || t.stride(dim) < least) return false;
    least = t.stride(dim) * t.size(dim);
    return true;
  };
  if (!follows(1)) return false;
  for (std::int64_t dim = rank - 1; dim > 1; --dim) {
    if (!follows(dim)) return false;
  }
  // One channel at one place, which both layouts hold: contiguous.
  return least != t.stride(1) && follows(0);
}

Tensor channels_moved(const Tensor& t) { return movedim(t, 1, -1); }
Tensor channels_back(const Tensor& t) { return movedim(t, -1, 1); }

}  // namespace lanewise::ops
