#include <algorithm>
#include <limits>

#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/formulas.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/ops/pointwise_forms.h>

/// Derivatives of ops that choose, move, reduce or multiply matrices.
namespace lanewise::autograd::formulas {
namespace {

std::int64_t wrap(std::int64_t dim, std::size_t rank) {
  return dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim;
}

/// Elements that equal the extremum; all NaN where that is NaN.
Tensor extremum_mask(const Tensor& self, const Tensor& result) {
  const Tensor equal = self == result;
  return self.is_floating_point() ? logical_or(equal, logical_and(isnan(self), isnan(result))) : equal;
}

}  // namespace

Tensor maximum_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  if (!differentiates_again()) return ops::maximum_backward(grad, self, other);
  return where(self == other, grad * 0.5, where(self < other, 0, grad));
}

Tensor minimum_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  if (!differentiates_again()) return ops::maximum_backward(grad, other, self);
  return where(self == other, grad * 0.5, where(self > other, 0, grad));
}

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max) {
  if (min && max) return where(logical_and(self >= *min, self <= *max), grad, 0);
  return where(min ? self >= *min : self <= *max, grad, 0);
}

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max) {
  if (min.defined() && max.defined()) return where(logical_and(self >= min, self <= max), grad, 0);
  return where(min.defined() ? self >= min : self <= max, grad, 0);
}

Tensor clamp_backward_min(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max) {
  if (!max.defined()) return where(self < min, grad, 0);
  return where(logical_and(self < min, min < max), grad, 0);
}

Tensor clamp_backward_max(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max) {
  if (!min.defined()) return where(self > max, grad, 0);
  return where(logical_or(self > max, max < min), grad, 0);
}

Tensor to_copy_backward(const Tensor& grad, const TensorOptions& options) {
  return handle_r_to_c(options.dtype(), grad).to(options.dtype());
}

Tensor sum_to(const Tensor& grad, IntArrayRef sizes) { return grad.sum_to_size(sizes); }

Tensor permute_backward(const Tensor& grad, IntArrayRef dims) {
  DimVector inverse(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    inverse[static_cast<std::size_t>(wrap(dims[i], dims.size()))] = static_cast<std::int64_t>(i);
  }
  return grad.permute(inverse);
}

Tensor unsqueeze_to(const Tensor& grad, IntArrayRef sizes) { return grad.reshape(sizes); }

Tensor unsqueeze_to(const Tensor& grad, std::int64_t dim, IntArrayRef sizes) {
  const std::int64_t d = wrap(dim, sizes.size());
  return !sizes.empty() && sizes[static_cast<std::size_t>(d)] == 1 ? grad.unsqueeze(d) : grad;
}

Tensor slice_backward_wrapper(const Tensor& grad, IntArrayRef sizes, std::int64_t dim,
                              std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                              std::int64_t step) {
  return slice_backward(grad, sizes, dim, start.value_or(0),
                        end.value_or(std::numeric_limits<std::int64_t>::max()), step);
}

std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<DimVector>& sizes, std::int64_t dim) {
  const auto d = static_cast<std::size_t>(wrap(dim, static_cast<std::size_t>(grad.dim())));
  std::vector<Tensor> grads;
  grads.reserve(sizes.size());
  std::int64_t start = 0;
  for (const DimVector& shape : sizes) {
    // An empty vector is skipped by cat whatever the other shapes.
    if (shape.size() == 1 && shape[0] == 0) {
      grads.push_back(zeros(shape, grad.options()));
      continue;
    }
    grads.push_back(grad.narrow(static_cast<std::int64_t>(d), start, shape[d]));
    start += shape[d];
  }
  return grads;
}

Tensor of_contiguous(const Tensor& grad, IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t step = 1;
  bool contiguous = true;
  for (std::size_t d = sizes.size(); d-- > 0; step *= sizes[d])
    contiguous &= sizes[d] == 1 || strides[d] == step;
  LANEWISE_CHECK(NotImplementedError, contiguous || grad.numel() == 0,
                 "as_strided_scatter: there is a gradient for contiguous tensors only, found strides ",
                 strides, " for shape ", sizes, "; call contiguous() first");
  return grad.contiguous();
}

Tensor as_strided_like(const Tensor& grad, IntArrayRef input_sizes, IntArrayRef input_strides,
                       std::int64_t input_offset, IntArrayRef size, IntArrayRef stride,
                       std::int64_t storage_offset) {
  const auto reach = [](IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
    std::int64_t last = offset;
    for (std::size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * strides[i];
    return last + 1;
  };
  const std::int64_t n = std::max({reach(input_sizes, input_strides, input_offset),
                                   reach(size, stride, storage_offset), std::int64_t{1}});
  Tensor memory = zeros({n}, grad.options());
  memory.as_strided(input_sizes, input_strides, input_offset).copy_(grad);
  return memory.as_strided(size, stride, storage_offset);
}

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim) {
  return restore_dims(grad, sizes, dim, keepdim).expand(sizes);
}

namespace {

/// A tensor of its own, which hooks and whoever asked for the gradient may modify.
Tensor dense_of(const Tensor& expanded) { return expanded.clone(MemoryFormat::Contiguous); }

}  // namespace

Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t numel) {
  return dense_of((grad / std::max<std::int64_t>(numel, 1)).expand(sizes));
}

Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim) {
  return dense_of(sum_backward(grad / std::max<std::int64_t>(count_of(sizes, dim), 1), sizes, dim, keepdim));
}

namespace {

/// Along the last dimension, the product of all elements but one's own, where some are zero.
Tensor products_of_others(const Tensor& self) {
  const std::int64_t n = self.size(-1);
  if (GradMode::is_enabled() || forward_ad::Frame({&self}).active()) {
    // Quadratic, but right also in the second derivative, where a second zero counts.
    const Tensor index = arange(n);
    const Tensor own = index.unsqueeze(1) == index.unsqueeze(0);
    return where(own, 1, self.unsqueeze(-2)).prod(-1);
  }
  const Tensor zero = self == 0;
  const Tensor product = where(zero, 1, self).prod(-1, true);
  const Tensor zeros_here = zero.sum(-1, true);
  return where(logical_and(zero, zeros_here == 1), product, where(zeros_here == 0, product / self, 0));
}

/// Also where it cannot be asked, since slices of a batch may differ.
bool may_have_zero(const Tensor& self) {
  if (transforms_on() && batching::is_batched(self)) return true;
  return (self == 0).any().item<bool>();
}

}  // namespace

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return zeros_like(self);
  if (!may_have_zero(self)) return grad * lanewise::conj(result / self);
  return (grad * lanewise::conj(products_of_others(self.reshape(-1)))).reshape(self.sizes());
}

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, std::int64_t dim,
                     bool keepdim) {
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return zeros_like(self);
  const Tensor g = restore_dims(grad, self.sizes(), dim, keepdim);
  if (!may_have_zero(self)) {
    return g * lanewise::conj(restore_dims(result, self.sizes(), dim, keepdim) / self);
  }
  return g * lanewise::conj(products_of_others(self.transpose(dim, -1)).transpose(dim, -1));
}

Tensor value_selecting_reduction_backward(const Tensor& grad, std::int64_t dim, const Tensor& indices,
                                          IntArrayRef sizes, bool keepdim) {
  if (sizes.empty()) return grad;
  const auto d = static_cast<std::size_t>(wrap(dim, sizes.size()));
  if (!differentiates_again()) {
    const auto kept = [&](const Tensor& t) { return keepdim ? t : t.unsqueeze(dim); };
    return zeros(sizes, grad.options()).scatter_(dim, kept(indices), kept(grad));
  }
  DimVector shape(sizes.size(), 1);
  shape[d] = sizes[d];
  const Tensor position = arange(sizes[d]).reshape(shape);
  const Tensor chosen = position == restore_dims(indices, sizes, dim, keepdim);
  return where(chosen, restore_dims(grad, sizes, dim, keepdim), 0);
}

Tensor chosen_backward(const Tensor& grad, std::int64_t dim, const Tensor& indices, IntArrayRef sizes) {
  if (differentiates_again()) return _gather_backward(grad, sizes, dim, indices);
  return zeros(sizes, grad.options()).scatter_(dim, indices, grad);
}

Tensor value_selecting_reduction_jvp(const Tensor& tangent, std::int64_t dim, const Tensor& indices,
                                     bool keepdim) {
  if (tangent.dim() == 0) return tangent;
  const auto d = static_cast<std::size_t>(wrap(dim, tangent.sizes().size()));
  DimVector shape(tangent.sizes().size(), 1);
  shape[d] = tangent.sizes()[d];
  const Tensor position = arange(shape[d]).reshape(shape);
  return where(position == restore_dims(indices, tangent.sizes(), dim, keepdim), tangent, 0)
      .sum(dim, keepdim);
}

Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor mask = extremum_mask(self, result);
  return where(mask, grad / mask.sum(), 0);
}

Tensor amaxmin_backward(const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dim,
                        bool keepdim) {
  const Tensor mask = extremum_mask(self, restore_dims(result, self.sizes(), dim, keepdim));
  const Tensor count = self.dim() == 0 ? mask.sum() : mask.sum(dim, true);
  return where(mask, restore_dims(grad, self.sizes(), dim, keepdim) / count, 0);
}

Tensor softmax_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& output,
                               std::int64_t dim) {
  const Tensor inner = grad_output - (grad_output * output).sum(dim, true);
  return grad * inner - grad_output * (grad * output).sum(dim, true);
}

Tensor mm_mat1_backward(const Tensor& grad, const Tensor& mat2) { return grad.mm(lanewise::conj(mat2.t())); }

std::tuple<Tensor, Tensor> linalg_solve_backward(const Tensor& grad, const Tensor& A, const Tensor& result,
                                                 std::array<bool, 2> mask) {
  const Tensor of_B = linalg_solve(lanewise::conj(A).mT(), grad);
  Tensor of_A;
  if (mask[0]) {
    of_A = result.dim() < A.dim()  // vectors have a dimension less
               ? -(of_B.unsqueeze(-1) * lanewise::conj(result).unsqueeze(-2))
               : -of_B.matmul(lanewise::conj(result).mT());
  }
  return {of_A, mask[1] ? of_B : Tensor()};
}

Tensor linalg_solve_jvp(const Tensor& A, const Tensor& A_t, const Tensor& B_t, const Tensor& result) {
  const bool vectors = result.dim() < A.dim();
  const Tensor change = vectors ? A_t.matmul(result.unsqueeze(-1)).squeeze(-1) : A_t.matmul(result);
  return linalg_solve(A, B_t - change);
}

Tensor mm_mat2_backward(const Tensor& grad, const Tensor& mat1) { return lanewise::conj(mat1.t()).mm(grad); }

Tensor split_with_sizes_backward(const std::vector<Tensor>& grads, IntArrayRef split_sizes, std::int64_t dim,
                                 IntArrayRef sizes, ScalarType dtype) {
  const auto d = static_cast<std::size_t>(wrap(dim, sizes.size()));
  std::vector<Tensor> parts = grads;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].defined()) continue;
    DimVector shape(sizes);
    shape[d] = split_sizes[i];
    parts[i] = zeros(shape, TensorOptions(dtype));
  }
  return cat(parts, dim);
}

Tensor split_backward(const std::vector<Tensor>& grads, std::int64_t split_size, std::int64_t dim,
                      IntArrayRef sizes, ScalarType dtype) {
  const std::int64_t size = sizes[static_cast<std::size_t>(wrap(dim, sizes.size()))];
  DimVector split_sizes;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    split_sizes.push_back(std::min(split_size, size - static_cast<std::int64_t>(i) * split_size));
  }
  return split_with_sizes_backward(grads, split_sizes, dim, sizes, dtype);
}

Tensor unbind_backward(const std::vector<Tensor>& grads, std::int64_t dim, IntArrayRef sizes,
                       ScalarType dtype) {
  DimVector shape(sizes);
  shape.erase(shape.begin() + wrap(dim, sizes.size()));
  std::vector<Tensor> parts = grads;
  for (Tensor& part : parts) {
    if (!part.defined()) part = zeros(shape, TensorOptions(dtype));
  }
  return stack(parts, dim);
}

}  // namespace lanewise::autograd::formulas
