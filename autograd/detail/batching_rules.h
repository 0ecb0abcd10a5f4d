#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/shape.h>
#include <lanewise/tensor/tensor.h>

/// Batching rules of ops that are not pointwise (`vmap: rule` in derivatives.yaml): the op's arguments, some
/// batched, to the op's result, batched. Dimensions are those of a slice. Without history.
namespace lanewise::autograd::batching::rules {

/// Where dimension `dim` of a slice with `rank` of them lies in the value of all slices.
inline std::int64_t in_value(const char* op, std::int64_t dim, std::int64_t rank) {
  return wrap_dim(op, dim, rank) + 1;
}

Tensor view(const Tensor& self, IntArrayRef size);
Tensor _unsafe_view(const Tensor& self, IntArrayRef size);
Tensor permute(const Tensor& self, IntArrayRef dims);
Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1);
Tensor t(const Tensor& self);
Tensor expand(const Tensor& self, IntArrayRef size, bool implicit);
Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index);
std::vector<Tensor> split(const Tensor& self, std::int64_t split_size, std::int64_t dim);
std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim);
std::vector<Tensor> unsafe_split(const Tensor& self, std::int64_t split_size, std::int64_t dim);
std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim);
std::vector<Tensor> unbind(const Tensor& self, std::int64_t dim);
Tensor slice(const Tensor& self, std::int64_t dim, std::optional<std::int64_t> start,
             std::optional<std::int64_t> end, std::int64_t step);
Tensor squeeze(const Tensor& self);
Tensor squeeze(const Tensor& self, std::int64_t dim);
Tensor squeeze(const Tensor& self, IntArrayRef dim);
Tensor unsqueeze(const Tensor& self, std::int64_t dim);
void squeeze_(Tensor& self);
void squeeze_(Tensor& self, std::int64_t dim);
void squeeze_(Tensor& self, IntArrayRef dim);
void unsqueeze_(Tensor& self, std::int64_t dim);
void transpose_(Tensor& self, std::int64_t dim0, std::int64_t dim1);
void t_(Tensor& self);
Tensor diagonal(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2);
Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<std::int64_t> storage_offset);
Tensor view_as_real(const Tensor& self);
Tensor view_as_complex(const Tensor& self);

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                       std::int64_t index);
Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                      std::int64_t start, std::int64_t end, std::int64_t step);
Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t offset,
                         std::int64_t dim1, std::int64_t dim2);

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype);
Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype);
Tensor mean(const Tensor& self, std::optional<ScalarType> dtype);
Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype);
Tensor prod(const Tensor& self, std::optional<ScalarType> dtype);
Tensor prod(const Tensor& self, std::int64_t dim, bool keepdim, std::optional<ScalarType> dtype);
std::tuple<Tensor, Tensor> max(const Tensor& self, std::int64_t dim, bool keepdim);
std::tuple<Tensor, Tensor> min(const Tensor& self, std::int64_t dim, bool keepdim);
Tensor max(const Tensor& self);
Tensor min(const Tensor& self);
Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim);
Tensor amin(const Tensor& self, IntArrayRef dim, bool keepdim);
Tensor argmax(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim);
Tensor argmin(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim);
Tensor any(const Tensor& self);
Tensor any(const Tensor& self, std::int64_t dim, bool keepdim);
Tensor all(const Tensor& self);
Tensor all(const Tensor& self, std::int64_t dim, bool keepdim);

Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim);
Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim);
Tensor count_nonzero(const Tensor& self, IntArrayRef dim);
Tensor count_nonzero(const Tensor& self, std::optional<std::int64_t> dim);
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim);
Tensor nansum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype);
Tensor var(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
           bool keepdim);
Tensor std(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
           bool keepdim);
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim);
Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype);
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim);
Tensor cumsum(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype);
Tensor _reverse_cumsum(const Tensor& self, std::int64_t dim);
Tensor cumprod(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype);
Tensor logcumsumexp(const Tensor& self, std::int64_t dim);
Tensor _reverse_logcumsumexp(const Tensor& self, std::int64_t dim);
Tensor _softmax(const Tensor& self, std::int64_t dim, bool half_to_float);
Tensor _log_softmax(const Tensor& self, std::int64_t dim, bool half_to_float);
Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                              ScalarType input_dtype);
Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                                  ScalarType input_dtype);

Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dim);
Tensor unfold(const Tensor& self, std::int64_t dimension, std::int64_t size, std::int64_t step);
Tensor stack(ArrayRef<Tensor> tensors, std::int64_t dim);
Tensor mm(const Tensor& self, const Tensor& mat2);
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha);
Tensor bmm(const Tensor& self, const Tensor& mat2);
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha);
Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha);
Tensor mv(const Tensor& self, const Tensor& vec);
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha);
Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha);
Tensor dot(const Tensor& self, const Tensor& tensor);
Tensor vdot(const Tensor& self, const Tensor& other);
Tensor linalg_cross(const Tensor& self, const Tensor& other, std::int64_t dim);
Tensor trace(const Tensor& self);

}  // namespace lanewise::autograd::batching::rules
