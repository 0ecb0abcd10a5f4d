#include <algorithm>
#include <bit>

#include <lanewise/iterator/detail/reduced_rows.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::detail {

ReducedRows::ReducedRows(IntArrayRef sizes, DimMask dims) : inner(0), count(1) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {  // products of the others may not fit
    inner = dims;
    return;
  }
  std::int64_t length = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (!((dims >> d) & 1)) continue;
    if (length < kLeastRow) {
      length *= sizes[d];
      inner |= DimMask{1} << d;
    } else {
      count *= sizes[d];
    }
  }
}

Tensor rows_last(const Tensor& self, DimMask dims, const ReducedRows& rows) {
  DimVector sizes, strides;
  const auto append = [&](DimMask which) {
    for (std::size_t d = 0; d < self.sizes().size(); ++d) {
      if (!((which >> d) & 1)) continue;
      sizes.push_back(self.sizes()[d]);
      strides.push_back(self.strides()[d]);
    }
  };
  append(dims & ~rows.inner);
  append(~dims);
  append(rows.inner);
  return make_view(self, sizes, strides, self.storage_offset());
}

void combine_rows(const ReductionFunctions& f, char* acc, std::int64_t count, std::int64_t width) {
  const auto row_bytes = static_cast<std::int64_t>(f.acc_size) * width;
  for (std::int64_t half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)) / 2);
       half > 0; half /= 2) {
    if (half < count) {
      f.combine(acc, acc + half * row_bytes, (count - half) * width);
      count = half;
    }
  }
}

}  // namespace lanewise::detail
