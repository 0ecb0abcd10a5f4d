#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

/// Derivatives of ops that choose elements by indices and masks, or move them.
namespace lanewise::autograd::formulas {

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self, std::int64_t dim,
                                                   const Tensor& index, const Tensor& src,
                                                   std::string_view reduce, bool include_self,
                                                   const Tensor& result);
/// The chosen gradients in order, then zeros: source may hold more elements than were taken from it.
Tensor masked_scatter_backward(const Tensor& grad, const Tensor& mask, IntArrayRef sizes);
/// The sum over the slices, each once however often it is listed.
Tensor index_fill_value_backward(const Tensor& grad, std::int64_t dim, const Tensor& index);
Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims);
Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef sizes);
Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad);
Tensor diag_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t diagonal);
std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<DimVector>& sizes);
std::vector<Tensor> stack_backward(const Tensor& grad, const std::vector<DimVector>& sizes, std::int64_t dim);
/// Of masked_select: where mask holds, in the broadcast shape of both.
Tensor masked_select_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& mask);
Tensor embedding_dense_double_backward(const Tensor& grad, const Tensor& indices, std::int64_t padding_idx,
                                       bool scale_grad_by_freq);

}  // namespace lanewise::autograd::formulas
