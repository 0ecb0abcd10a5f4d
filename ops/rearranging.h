#pragma once

#include <cstdint>
#include <optional>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/tensor.h>

/// Elements moved to other places, or to more than one. No autograd. Results are fresh and contiguous.
namespace lanewise::ops {

/// The order along dims reversed.
LANEWISE_API Tensor flip(const Tensor& self, IntArrayRef dims);
/// Every element moved by shifts along dims, those that leave at one end come in at the other; without dims
/// over all elements.
LANEWISE_API Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims);
/// Turned k times by a quarter from dims[0] towards dims[1].
LANEWISE_API Tensor rot90(const Tensor& self, std::int64_t k, IntArrayRef dims);
/// Copies side by side, repeats[d] of them along dimension d; leading repeats make new dimensions.
LANEWISE_API Tensor repeat(const Tensor& self, IntArrayRef repeats);
/// value put around self: pad holds how many before and after, the last dimension first; negative ones cut
/// off.
LANEWISE_API Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value = 0);
/// [..., c r r, h, w] -> [..., c, h r, w r], and back.
LANEWISE_API Tensor pixel_shuffle(const Tensor& self, std::int64_t upscale_factor);
LANEWISE_API Tensor pixel_unshuffle(const Tensor& self, std::int64_t downscale_factor);

/// Below (tril) or above (triu) the diagonal, zeros elsewhere.
LANEWISE_API Tensor tril(const Tensor& self, std::int64_t diagonal = 0);
LANEWISE_API Tensor triu(const Tensor& self, std::int64_t diagonal = 0);
void tril_into(const Destination& to, const Tensor& self, std::int64_t diagonal);
void triu_into(const Destination& to, const Tensor& self, std::int64_t diagonal);
/// A vector on a diagonal of a fresh matrix, or the diagonal of a matrix.
LANEWISE_API Tensor diag(const Tensor& self, std::int64_t diagonal = 0);
/// The last dimension on diagonals of fresh matrices in dimensions dim1 and dim2.
LANEWISE_API Tensor diag_embed(const Tensor& self, std::int64_t offset = 0, std::int64_t dim1 = -2,
                               std::int64_t dim2 = -1);
/// The matrices along the diagonal of one matrix, zeros elsewhere; vectors are rows.
LANEWISE_API Tensor block_diag(ArrayRef<Tensor> tensors);
/// The tensors, all of one shape, along a new dimension.
LANEWISE_API Tensor stack(ArrayRef<Tensor> tensors, std::int64_t dim = 0);

/// A copy of self with src in the window that the view of that name shows.
LANEWISE_API Tensor select_scatter(const Tensor& self, const Tensor& src, std::int64_t dim,
                                   std::int64_t index);
LANEWISE_API Tensor slice_scatter(const Tensor& self, const Tensor& src, std::int64_t dim,
                                  std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                                  std::int64_t step);
LANEWISE_API Tensor diagonal_scatter(const Tensor& self, const Tensor& src, std::int64_t offset,
                                     std::int64_t dim1, std::int64_t dim2);
LANEWISE_API Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef size,
                                       IntArrayRef stride, std::optional<std::int64_t> storage_offset);
/// Windows that unfold made added back into zeros of input_sizes.
LANEWISE_API Tensor unfold_backward(const Tensor& grad_in, IntArrayRef input_sizes, std::int64_t dim,
                                    std::int64_t size, std::int64_t step);

}  // namespace lanewise::ops
