#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// What the derivatives in derivatives.yaml call. Ordinary functions over public ops, so every one can be
/// differentiated again. Gradients are dL/d(conj z): see the note at the top of derivatives.yaml.
///
/// Where a mask selects, `where` is used and not a product, so that infinities and NaN of the other branch do
/// not leak.
namespace lanewise::autograd::formulas {

// What nodes keep of arguments.

inline OptionalIntArrayRef optional_ref(const std::optional<DimVector>& dims) {
  return dims ? OptionalIntArrayRef(IntArrayRef(dims->data(), dims->size())) : OptionalIntArrayRef();
}
inline std::optional<DimVector> keep(OptionalIntArrayRef dims) {
  return dims.has_value() ? std::optional<DimVector>(*dims) : std::nullopt;
}
inline std::optional<std::string> keep(std::optional<std::string_view> text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}
inline std::vector<DimVector> list_sizes(ArrayRef<Tensor> tensors) {
  std::vector<DimVector> sizes;
  sizes.reserve(tensors.size());
  for (const Tensor& t : tensors) sizes.emplace_back(t.sizes());
  return sizes;
}

/// What stands in a formula where there is none: throws NotImplementedError.
[[noreturn]] Tensor not_implemented(const char* op, const char* input, const char* reason);

/// Whether what a formula computes may be differentiated, or is part of a transform: then it consists of public ops. Else it may
/// call kernels that compute the same in one go.
inline bool differentiates_again() { return GradMode::is_enabled() || transforms_on(); }

// Numbers and complex gradients.

inline Scalar conj(const Scalar& s) { return s.conj(); }
Scalar subtract_from(const Scalar& a, const Scalar& b);  ///< a - b

/// grad * s, or grad itself if s is 1.
inline Tensor maybe_multiply(const Tensor& grad, const Scalar& s) {
  return s.equal(1) ? grad : lanewise::mul(grad, s);
}

/// The real part of a complex gradient that flows into a real tensor.
inline Tensor handle_r_to_c(ScalarType input, Tensor grad) {
  if (!is_complex(input) && grad.is_complex()) return lanewise::real(grad);
  return grad;
}

// Arithmetic.

Tensor mul_tensor_backward(const Tensor& grad, const Tensor& other, ScalarType self_type);
Tensor mul_scalar_backward(const Tensor& grad, const Scalar& other, ScalarType self_type);
Tensor div_tensor_self_backward(const Tensor& grad, const Tensor& other, ScalarType self_type,
                                const std::optional<std::string>& rounding_mode = std::nullopt);
Tensor div_tensor_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                                 const std::optional<std::string>& rounding_mode = std::nullopt);
Tensor div_scalar_backward(const Tensor& grad, const Scalar& other, ScalarType self_type,
                           const std::optional<std::string>& rounding_mode = std::nullopt);
Tensor pow_scalar_gradient(const Tensor& grad, const Tensor& self, const Scalar& exponent);
Tensor pow_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                           const Scalar& exponent);
Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent);
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result);
Tensor pow_backward_exponent(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result);

// Unary.

Tensor sgn_backward(const Tensor& self, const Tensor& grad, const Tensor& result);
Tensor erf_backward(const Tensor& grad, const Tensor& self);
Tensor gelu_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                            std::string_view approximate);
Tensor silu_gradient(const Tensor& grad, const Tensor& self);  ///< silu_backward, for complex numbers too
Tensor silu_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self);
/// The cofactors of A, which are what its determinant depends on it by. Of singular matrices too, but for second derivatives and
/// under transforms: those go through the inverse.
Tensor det_backward(const Tensor& grad, const Tensor& A, const Tensor& result);

// Choosing.

Tensor maximum_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor minimum_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max);
Tensor clamp_backward(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max);
Tensor clamp_backward_min(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max);
Tensor clamp_backward_max(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max);

// Shapes and copies.

Tensor to_copy_backward(const Tensor& grad, const TensorOptions& options);
Tensor sum_to(const Tensor& grad, IntArrayRef sizes);
Tensor permute_backward(const Tensor& grad, IntArrayRef dims);
Tensor unsqueeze_to(const Tensor& grad, IntArrayRef sizes);
Tensor unsqueeze_to(const Tensor& grad, std::int64_t dim, IntArrayRef sizes);
Tensor slice_backward_wrapper(const Tensor& grad, IntArrayRef sizes, std::int64_t dim,
                              std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                              std::int64_t step);
std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<DimVector>& sizes, std::int64_t dim);
/// The gradient of a result that lies in memory as as_strided_scatter()'s self did, contiguous. Throws NotImplementedError, as PyTorch
/// does, for a self that was not.
Tensor of_contiguous(const Tensor& grad, IntArrayRef sizes, IntArrayRef strides);

/// The derivative of as_strided_backward: the window of a gradient that has the input's shape.
Tensor as_strided_like(const Tensor& grad, IntArrayRef input_sizes, IntArrayRef input_strides,
                       std::int64_t input_offset, IntArrayRef size, IntArrayRef stride,
                       std::int64_t storage_offset);

// Reductions, softmax, matrices.

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim);
Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t numel);
Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, std::int64_t dim,
                     bool keepdim);
/// Sends the gradient to the elements that were chosen (max over a dim).
Tensor value_selecting_reduction_backward(const Tensor& grad, std::int64_t dim, const Tensor& indices,
                                          IntArrayRef sizes, bool keepdim);
/// The same of several elements along a dim, each chosen once (sort, topk).
Tensor chosen_backward(const Tensor& grad, std::int64_t dim, const Tensor& indices, IntArrayRef sizes);
/// The tangents of the elements that were chosen.
Tensor value_selecting_reduction_jvp(const Tensor& tangent, std::int64_t dim, const Tensor& indices,
                                     bool keepdim);
/// Shares the gradient among the elements that equal the result.
Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor amaxmin_backward(const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dim,
                        bool keepdim);
Tensor softmax_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& output,
                               std::int64_t dim);
Tensor mm_mat1_backward(const Tensor& grad, const Tensor& mat2);
Tensor mm_mat2_backward(const Tensor& grad, const Tensor& mat1);
/// By A and B, from the solution.
std::tuple<Tensor, Tensor> linalg_solve_backward(const Tensor& grad, const Tensor& A, const Tensor& result,
                                                 std::array<bool, 2> mask);
Tensor linalg_solve_jvp(const Tensor& A, const Tensor& A_t, const Tensor& B_t, const Tensor& result);
/// The matrix `grad` for each batch of a [b, n, k] or [b, k, m].
inline Tensor repeat_batch(const Tensor& grad, IntArrayRef batch) {
  return grad.expand({batch[0], grad.size(0), grad.size(1)});
}

/// The parts put together again; undefined ones are zeros.
LANEWISE_API Tensor split_backward(const std::vector<Tensor>& grads, std::int64_t split_size,
                                   std::int64_t dim, IntArrayRef sizes, ScalarType dtype);
LANEWISE_API Tensor split_with_sizes_backward(const std::vector<Tensor>& grads, IntArrayRef split_sizes,
                                              std::int64_t dim, IntArrayRef sizes, ScalarType dtype);
LANEWISE_API Tensor unbind_backward(const std::vector<Tensor>& grads, std::int64_t dim, IntArrayRef sizes,
                                    ScalarType dtype);

}  // namespace lanewise::autograd::formulas

#include <lanewise/autograd/formulas_indexing.h>
#include <lanewise/autograd/formulas_pointwise.h>
#include <lanewise/autograd/formulas_reduction.h>
