#pragma once

#include <lanewise/iterator/function_ref.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// out, and what goes into it; `s` may be undefined.
using ProductFn = FunctionRef<void(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& s)>;

/// Computes small or narrow products whose dtype is not the one that they are summed up in by pieces: some matrices of [n, i, k] and
/// [n, k, j], or some rows of [i, k] and [k, j]. The factors of a piece are converted all at once, `product` computes it in the other
/// dtype, and the result is rounded into its place. `s` is of the size of `out`, if defined, and passed in pieces as it is. False,
/// with nothing done, where a product by itself is large enough.
bool by_widened_pieces(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& s,
                       ProductFn product);

}  // namespace lanewise::ops
