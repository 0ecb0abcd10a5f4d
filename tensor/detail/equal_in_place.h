#pragma once

namespace lanewise {

class Tensor;

namespace detail {

/// equal(), element by element where they lie: quick for contiguous tensors, whatever the dtypes.
bool equal_in_place(const Tensor& a, const Tensor& b);

}  // namespace detail
}  // namespace lanewise
