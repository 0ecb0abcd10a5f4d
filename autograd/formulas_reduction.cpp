#include <algorithm>
#include <cmath>
#include <limits>

#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/formulas.h>
#include <lanewise/autograd/grad_mode.h>

/// Derivatives of norms, variances and scans.
namespace lanewise::autograd::formulas {
namespace {

std::size_t wrapped(std::int64_t dim, std::size_t rank) {
  return static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim);
}

/// The dims but `dim`.
DimVector dims_but(std::int64_t dim, std::int64_t rank) {
  DimVector others;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (d != (dim < 0 ? dim + rank : dim)) others.push_back(d);
  }
  return others;
}

Tensor sum_over(const Tensor& t, OptionalIntArrayRef dim) { return t.dim() == 0 ? t : t.sum(dim, true); }

}  // namespace

Tensor restore_dims(const Tensor& reduced, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim) {
  if (keepdim || sizes.empty()) return reduced;
  DimVector shape(sizes);
  if (!dim.has_value() || dim->empty()) {
    std::fill(shape.begin(), shape.end(), 1);
  } else {
    for (const std::int64_t d : *dim) shape[wrapped(d, sizes.size())] = 1;
  }
  return reduced.reshape(shape);
}

std::int64_t count_of(IntArrayRef sizes, OptionalIntArrayRef dim) {
  std::int64_t count = 1;
  if (!dim.has_value() || dim->empty()) {
    for (const std::int64_t size : sizes) count *= size;
  } else if (!sizes.empty()) {
    for (const std::int64_t d : *dim) count *= sizes[wrapped(d, sizes.size())];
  }
  return count;
}

Tensor nansum_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return where(isnan(self), 0, restore_dims(grad, self.sizes(), dim, keepdim).to(self.scalar_type()));
}

Tensor var_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  const double left =
      static_cast<double>(count_of(self.sizes(), dim)) - (correction ? correction->to<double>() : 1.0);
  const Tensor mean = self.dim() == 0 ? self : self.mean(dim, true);
  return restore_dims(grad, self.sizes(), dim, keepdim) * (2.0 / left) * (self - mean);
}

Tensor std_backward(const Tensor& result, const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  // Infinity besides, for in the derivatives of the choice alone 0 would meet 1 / 0.
  const Tensor constant = result == 0;
  const Tensor of_variance = (grad / (result * 2).masked_fill(constant, INFINITY)).masked_fill(constant, 0);
  return var_backward(of_variance, self, dim, correction, keepdim);
}

namespace {

/// `grad`, of a variance or standard deviation, plus that of the mean beside it; either may be undefined.
Tensor with_mean_backward(const Tensor& grad, const Tensor& grad_mean, const Tensor& self,
                          OptionalIntArrayRef dim, bool keepdim) {
  if (!grad_mean.defined()) return grad;
  if (!grad.defined()) return mean_backward(grad_mean, self.sizes(), dim, keepdim);
  return grad + restore_dims(grad_mean / std::max<std::int64_t>(count_of(self.sizes(), dim), 1), self.sizes(),
                             dim, keepdim);
}

}  // namespace

Tensor var_mean_backward(const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self,
                         OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
  Tensor grad;
  if (grad_var.defined()) grad = var_backward(grad_var, self, dim, correction, keepdim);
  return with_mean_backward(grad, grad_mean, self, dim, keepdim);
}

Tensor std_mean_backward(const Tensor& grad_std, const Tensor& grad_mean, const Tensor& std,
                         const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                         bool keepdim) {
  Tensor grad;
  if (grad_std.defined()) grad = std_backward(std, grad_std, self, dim, correction, keepdim);
  return with_mean_backward(grad, grad_mean, self, dim, keepdim);
}

Tensor norm_backward(const Tensor& grad_output, const Tensor& input, const std::optional<Scalar>& order,
                     const Tensor& result, OptionalIntArrayRef dim, bool keepdim) {
  const double p = order ? order->to<double>() : 2.0;
  if (p == 0) return {};
  const Tensor norm = restore_dims(result, input.sizes(), dim, keepdim);
  const Tensor grad = restore_dims(grad_output, input.sizes(), dim, keepdim);
  // With dtype=, the norm was taken of converted elements.
  const ScalarType type = norm.scalar_type();
  const Tensor self =
      input.is_complex() ? input.to(type == kDouble ? kComplexDouble : kComplexFloat) : input.to(type);
  if (p == 1) return self.sgn() * grad;
  const Tensor divisor = where(norm == 0, 1, norm);  // so that its own derivative is finite there, too
  if (p == 2) return where(norm == 0, 0, self / divisor) * grad;
  const Tensor size = self.abs();
  if (std::isinf(p)) {
    const Tensor hit = logical_or(size == norm, logical_and(isnan(size), isnan(norm)));
    return self.sgn() * where(hit, grad / sum_over(hit, dim), 0);
  }
  // The root of the other factor is kept apart, so that neither is infinite where the product is not.
  if (p < 1) return self.sgn() * where(size == 0, 0, size.pow(p - 1)) * grad * norm.pow(1 - p);
  const Tensor scale = where(norm == 0, 0, grad / divisor.pow(p - 1));
  if (p < 2) return self.sgn() * where(size == 0, 0, size.pow(p - 1)) * scale;
  return self * size.pow(p - 2) * scale;
}

Tensor renorm_backward(const Tensor& grad, const Tensor& self, const Scalar& p, std::int64_t dim,
                       const Scalar& maxnorm) {
  const DimVector others = dims_but(dim, self.dim());
  const Tensor norm = linalg_vector_norm(self, p, IntArrayRef(others), true);
  const Tensor along = lanewise::real(lanewise::conj(self) * grad).sum(IntArrayRef(others), true);
  const Tensor of_norm = norm_backward(along, self, p, norm, IntArrayRef(others), true);
  const Tensor inverse = (norm + 1e-7).reciprocal();
  const Tensor scaled = (of_norm.defined() ? grad - inverse * of_norm : grad) * (inverse * maxnorm);
  return where(norm > maxnorm, scaled, grad);
}

Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dim,
                          bool keepdim) {
  return restore_dims(grad, self.sizes(), dim, keepdim) *
         (self - restore_dims(result, self.sizes(), dim, keepdim)).exp();
}

Tensor aminmax_backward(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim,
                        const Tensor& grad_min, const Tensor& grad_max, const Tensor& min,
                        const Tensor& max) {
  const DimVector list = dim ? DimVector{*dim} : DimVector{};
  const auto part = [&](const Tensor& grad, const Tensor& result) {
    return amaxmin_backward(grad, self, result, list, keepdim);
  };
  if (!grad_min.defined()) return part(grad_max, max);
  return grad_max.defined() ? part(grad_min, min) + part(grad_max, max) : part(grad_min, min);
}

Tensor cumprod_backward(const Tensor& grad, const Tensor& input, std::int64_t dim, const Tensor& result) {
  if (input.numel() <= 1) return grad;
  const Tensor self = input.to(result.scalar_type());
  const Tensor zero = self == 0;
  // Slices of a batch may differ, and cannot be asked.
  const bool batched = transforms_on() && batching::is_batched(zero);
  if (!batched && !zero.any().item<bool>())
    return _reverse_cumsum(grad * lanewise::conj(result), dim) / lanewise::conj(self);
  if (GradMode::is_enabled() || forward_ad::Frame({&self}).active()) {
    // Quadratic, but right also in the second derivative, where a second zero counts: row k has 1 for element
    // k.
    const Tensor x = self.transpose(dim, -1);
    const Tensor index = arange(x.size(-1));
    const Tensor own = index.unsqueeze(1) == index.unsqueeze(0);
    const Tensor later = index.unsqueeze(1) <= index.unsqueeze(0);
    const Tensor others = where(own, 1, x.unsqueeze(-2)).cumprod(-1);
    const Tensor terms = lanewise::conj(others) * grad.transpose(dim, -1).unsqueeze(-2);
    return where(later, terms, 0).sum(-1).transpose(dim, -1);
  }
  // Before the first zero as ever; at it, with 1 in its place; behind it nothing counts.
  const Tensor zeros_so_far = zero.cumsum(dim);
  const Tensor first = logical_and(zero, zeros_so_far == 1);
  const Tensor without = where(first, 1, self).cumprod(dim);
  const Tensor before =
      _reverse_cumsum(grad * lanewise::conj(result), dim) / lanewise::conj(where(zero, 1, self));
  const Tensor at = _reverse_cumsum(where(zeros_so_far == 0, 0, grad * lanewise::conj(without)), dim);
  return where(zeros_so_far == 0, before, where(first, at, 0));
}

Tensor cummaxmin_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& indices, std::int64_t dim) {
  if (sizes.empty() || grad.numel() == 0) return grad;
  return zeros(sizes, grad.options()).scatter_add(dim, indices, grad);
}

namespace {

/// exp(shift[i]) times the sum of weight[k] * exp(exponent[k]) over the k up to i (from i on, if reverse), by
/// logarithms, split by the sign of the weights. +inf belongs to running sums that are still 0, and takes no
/// part.
Tensor weighted_exponentials(const Tensor& weight, const Tensor& exponent, const Tensor& shift,
                             std::int64_t dim, bool reverse) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor takes_part = exponent != infinity;
  const Tensor finite_shift = where(shift == infinity, 0, shift);
  const bool differentiated =
      (GradMode::is_enabled() && weight.requires_grad()) || forward_ad::Frame({&weight}).active();
  const bool batched = transforms_on() && batching::is_batched(weight);
  if (differentiated && (batched || (weight == 0).any().item<bool>())) {
    // A weight of 0 has no logarithm, but a derivative. Quadratic, as in cumprod_backward, and where slices of a batch cannot be
    // asked always: row i has the weights of sum i.
    const Tensor k = arange(weight.size(dim));
    const Tensor in_sum = reverse ? k.unsqueeze(0) >= k.unsqueeze(1) : k.unsqueeze(0) <= k.unsqueeze(1);
    const auto in_rows = [&](const Tensor& t) { return t.transpose(dim, -1).unsqueeze(-2); };
    const Tensor power = in_rows(exponent) + finite_shift.transpose(dim, -1).unsqueeze(-1);
    const Tensor counts = logical_and(in_sum, in_rows(takes_part));
    return (where(counts, power, -infinity).exp() * in_rows(weight)).sum(-1).transpose(dim, -1);
  }
  const auto part = [&](const Tensor& positive, const Tensor& w) {
    const Tensor chosen = logical_and(positive, takes_part);
    const Tensor logarithm = where(chosen, where(chosen, w, 1).log() + where(chosen, exponent, 0), -infinity);
    return ((reverse ? _reverse_logcumsumexp(logarithm, dim) : logcumsumexp(logarithm, dim)) + finite_shift)
        .exp();
  };
  return part(weight > 0, weight) - part(weight < 0, -weight);
}

}  // namespace

Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, std::int64_t dim,
                             bool reverse) {
  if (self.dim() == 0 || self.numel() == 0) return grad;
  return weighted_exponentials(grad, -result, self, dim, !reverse);
}

Tensor logcumsumexp_jvp(const Tensor& self, const Tensor& tangent, const Tensor& result, std::int64_t dim,
                        bool reverse) {
  if (self.dim() == 0 || self.numel() == 0) return tangent;
  return weighted_exponentials(tangent, self, -result, dim, reverse);
}

}  // namespace lanewise::autograd::formulas
