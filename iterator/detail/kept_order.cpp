#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include <lanewise/iterator/detail/kept_order.h>
#include <lanewise/iterator/detail/operand_copy.h>
#include <lanewise/iterator/detail/reduction_plan.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::detail {
namespace {

/// Elements of a result that are worth a copy of results, and of a tensor that are worth looking.
constexpr std::int64_t kLeastLength = 16, kLeastElements = 4096;

/// Runs of dimensions that lie end to end in memory.
int runs(const Tensor& self, const DimVector& order) {
  int count = 0;
  std::int64_t reach = 0;  // the stride of what would lie end to end behind the dimension before
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(order[i]);
    if (self.sizes()[d] == 1) continue;
    if (count == 0 || self.strides()[d] != reach) ++count;
    reach = self.strides()[d] * self.sizes()[d];
  }
  return count;
}

}  // namespace

DimVector kept_in_memory_order(const Tensor& self, DimMask dims) {
  if (self.numel() < kLeastElements) return {};
  DimVector kept;
  std::int64_t results = 1;
  std::int64_t nearest[2] = {std::numeric_limits<std::int64_t>::max(),
                             std::numeric_limits<std::int64_t>::max()};
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    const bool reduced = (dims >> d) & 1;
    if (self.size(d) > 1) nearest[reduced] = std::min(nearest[reduced], std::abs(self.stride(d)));
    if (reduced) continue;
    kept.push_back(d);
    results *= self.size(d);
  }
  const bool columns = nearest[0] < nearest[1];
  if (kept.size() < 2 || !columns || self.numel() / results < kLeastLength) return {};
  DimVector sorted = kept;
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(self.stride(a)) > std::abs(self.stride(b));
  });
  // Few columns are taken where they lie only if their results lie side by side too: channels of one image took 1.6 to 6 times as long.
  const std::int64_t columns_last = self.size(sorted.back());
  const bool few_lie_last = sorted.back() != kept.back() && columns_last > 1 && columns_last < kFewColumns;
  return few_lie_last || runs(self, sorted) < runs(self, kept) ? sorted : DimVector{};
}

Tensor kept_first(const Tensor& self, const DimVector& kept, DimMask dims) {
  DimVector sizes, strides;
  const auto append = [&](std::int64_t d) {
    sizes.push_back(self.size(d));
    strides.push_back(self.stride(d));
  };
  for (const std::int64_t d : kept) append(d);
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if ((dims >> d) & 1) append(d);
  }
  return make_view(self, sizes, strides, self.storage_offset());
}

Tensor in_order(const char* op, const Tensor& result, const DimVector& kept, IntArrayRef shape) {
  DimVector places(kept);
  std::iota(places.begin(), places.end(), std::int64_t{0});
  std::sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    return kept[static_cast<std::size_t>(a)] < kept[static_cast<std::size_t>(b)];
  });
  DimVector sizes, strides;
  for (const std::int64_t d : places) {
    sizes.push_back(result.size(d));
    strides.push_back(result.stride(d));
  }
  const Tensor copy = contiguous_copy(op, make_view(result, sizes, strides, 0));
  return make_view(copy, shape, contiguous_strides(shape), 0);
}

}  // namespace lanewise::detail
