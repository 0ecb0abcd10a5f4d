#pragma once

#include <cstring>

#include <lanewise/lanewise.h>

namespace lanewise {

/// Of the same type, sizes and bytes, in any layout.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return x.scalar_type() == y.scalar_type() && x.sizes().equals(y.sizes()) &&
         (x.nbytes() == 0 || std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0);
}

}  // namespace lanewise
