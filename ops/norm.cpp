#include <cmath>
#include <limits>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/norm.h>
#include <lanewise/ops/pointwise_forms.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;
using kernels::ReductionTable;

constexpr PointwiseOp kAbs{"norm", &KernelTable::abs};
constexpr PointwiseOp kAdd{"logsumexp", &KernelTable::add};
constexpr PointwiseOp kSub{"norm", &KernelTable::sub};
constexpr PointwiseOp kMul{"renorm", &KernelTable::mul};
constexpr PointwiseOp kDiv{"renorm", &KernelTable::div};
constexpr PointwiseOp kExp{"logsumexp", &KernelTable::exp, true};
constexpr PointwiseOp kLog{"logsumexp", &KernelTable::log, true};
constexpr PointwiseOp kIsInf{"logsumexp", &KernelTable::isinf};
constexpr PointwiseOp kGreater{"renorm", &KernelTable::gt};
constexpr PointwiseOp kWhere{"norm", &KernelTable::where};

const kernels::ReductionKernel* ReductionTable::*kernel_of(double p) {
  if (p == 1) return &ReductionTable::norm1;
  if (p == 2) return &ReductionTable::norm2;
  if (std::isinf(p)) return p > 0 ? &ReductionTable::abs_max : &ReductionTable::abs_min;
  return nullptr;
}

/// Of floating or complex elements, in `dtype`, into `result`.
Tensor norm_over(const char* op, const Tensor& self, double p, DimMask mask, bool keepdim, ScalarType dtype) {
  const ScalarType result = real_type(dtype);
  if (reduced_count(self, mask) == 0) {
    LANEWISE_CHECK(ValueError, reduced_shape(self.sizes(), mask, true).empty() || p >= 0 || self.numel() > 0,
                   op, ": cannot compute the ", p,
                   " norm on an empty tensor because the operation does not have an identity");
    LANEWISE_CHECK(ValueError, p >= 0 && !std::isinf(p), op, ": cannot compute the ", p,
                   " norm on the dimensions of size 0 of shape ", self.sizes(),
                   " because the operation does not have an identity");
    return filled(self, mask, keepdim, result, 0);
  }
  if (p == 0) {
    const Tensor count = reduce({.op = op,
                                 .kernel = &ReductionTable::count_nonzero,
                                 .dims = mask,
                                 .keepdim = keepdim,
                                 .result = kLong},
                                self);
    return dense(count, result);
  }
  if (is_complex(dtype)) {
    const Tensor z = self.is_complex() && self.scalar_type() == dtype ? self : dense(self, dtype);
    if (p != 2) return norm_over(op, pointwise(kAbs, {z}), p, mask, keepdim, result);
    const Tensor pairs = view_as_real(for_parts(z, mask));
    const DimMask parts = mask_of(op, pairs, -1);
    const DimMask own = parts - 1;
    const Tensor kept = norm_over(op, pairs, p, (mask & own) | parts, keepdim, result);
    return keepdim ? select(kept, -1, 0) : kept;
  }
  if (const auto kernel = kernel_of(p)) {
    return reduce(
        {.op = op, .kernel = kernel, .dims = mask, .keepdim = keepdim, .element = dtype, .result = result},
        self);
  }
  // Halves are summed in f32.
  const Tensor wide = dense(self, kernels::compute_type(dtype));
  const Tensor powers = pow(pointwise(kAbs, {wide}), p);
  const Tensor total =
      reduce({.op = op, .kernel = &ReductionTable::sum, .dims = mask, .keepdim = keepdim}, powers);
  return dense(pow(total, 1 / p), result);
}

/// What the elements are converted to.
ScalarType element_of(const char* op, const Tensor& self, std::optional<ScalarType> dtype) {
  if (!dtype) {
    check_differentiable(op, self);
    return self.scalar_type();
  }
  LANEWISE_CHECK(DtypeError, is_differentiable(*dtype), op,
                 ": dtype should be floating point or complex, found ", *dtype);
  LANEWISE_CHECK(DtypeError, self.is_complex() == is_complex(*dtype), op, ": dtype should be ",
                 self.is_complex() ? "complex" : "real", " for ", self.is_complex() ? "complex" : "real",
                 " inputs, found ", *dtype, " for ", self.scalar_type());
  return *dtype;
}

double order_of(const std::optional<Scalar>& p) {
  LANEWISE_CHECK(DtypeError, !p || !p->isComplex(), "norm: expected a real order p, found ", *p);
  return p ? p->to<double>() : 2.0;
}

/// norm(): of nothing 0 whatever p is, as in PyTorch.
Tensor norm_of(const Tensor& self, const std::optional<Scalar>& p, OptionalIntArrayRef dim, bool keepdim,
               std::optional<ScalarType> dtype) {
  const DimMask mask = mask_of("norm", self, dim);
  const ScalarType element = element_of("norm", self, dtype);
  const double order = order_of(p);
  if (reduced_count(self, mask) == 0) return filled(self, mask, keepdim, real_type(element), 0);
  return norm_over("norm", self, order, mask, keepdim, element);
}

}  // namespace

Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  constexpr const char* kOp = "linalg.vector_norm";
  const ScalarType element = element_of(kOp, self, dtype);
  LANEWISE_CHECK(
      DtypeError,
      can_cast(real_type(self.scalar_type()), real_type(element)) && element_size(element) >= self.itemsize(),
      kOp, ": the dtype of the input (", self.scalar_type(),
      ") should be convertible without narrowing to the specified dtype (", element, ")");
  return norm_over(kOp, self, order_of(ord), mask_of(kOp, self, dim), keepdim, element);
}

Tensor norm(const Tensor& self, const Scalar& p) {
  return norm_of(self, p, std::nullopt, false, std::nullopt);
}
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype) {
  return norm_of(self, p, std::nullopt, false, dtype);
}
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim) {
  return norm_of(self, p, dim, keepdim, std::nullopt);
}
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim,
            ScalarType dtype) {
  return norm_of(self, p, dim, keepdim, dtype);
}

Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim) {
  LANEWISE_CHECK(DtypeError, !self.is_complex(), "logsumexp: not defined for ", self.scalar_type(),
                 " elements");
  const ScalarType given = self.is_floating_point() ? self.scalar_type() : get_default_dtype();
  const ScalarType compute = kernels::compute_type(given);
  const Tensor x = self.scalar_type() == compute ? self : dense(self, compute);
  const DimMask mask = mask_of("logsumexp", x, dim);
  if (reduced_count(x, mask) == 0)
    return filled(x, mask, keepdim, given, -std::numeric_limits<double>::infinity());
  const Tensor largest =
      reduce({.op = "logsumexp", .kernel = &ReductionTable::amax, .dims = mask, .keepdim = true}, x);
  // Infinite, they would be subtracted from themselves.
  const Tensor shift = pointwise(kWhere, {pointwise(kIsInf, {largest}), Scalar(0), largest});
  Tensor exponentials = pointwise(kSub, {x, shift}, {1});
  pointwise_out(kExp, exponentials, {exponentials});
  const Tensor total = reduce(
      {.op = "logsumexp", .kernel = &ReductionTable::sum, .dims = mask, .keepdim = true}, exponentials);
  const Tensor result = dense(pointwise(kAdd, {pointwise(kLog, {total}), shift}, {1}), given);
  return keepdim ? result : drop_dims(result, mask);
}

Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) {
  return norm(pointwise(kSub, {self, other}, {1}), p);
}

Tensor renorm(const Tensor& self, const Scalar& p, std::int64_t dim, const Scalar& maxnorm) {
  check_differentiable("renorm", self);
  LANEWISE_CHECK(ValueError, !p.isComplex() && p.to<double>() > 0,
                 "renorm: non-positive-norm not supported, p is ", p);
  LANEWISE_CHECK(ValueError, !maxnorm.isComplex() && maxnorm.to<double>() >= 0,
                 "renorm: expected maxnorm to be >= 0 but got ", maxnorm);
  LANEWISE_CHECK(ShapeError, self.dim() > 1, "renorm: input needs at least 2 dimensions, got ", self.dim(),
                 " dimensions");
  const DimMask others = ~mask_of("renorm", self, dim);
  const Tensor length = norm_over("renorm", self, p.to<double>(), others, true, self.scalar_type());
  const Tensor limit = pointwise(kDiv, {maxnorm, pointwise(kAdd, {length, Scalar(1e-7)}, {1})});
  const Tensor factor = pointwise(kWhere, {pointwise(kGreater, {length, maxnorm}), limit, Scalar(1.0)});
  return pointwise(kMul, {dense(self), factor});
}

}  // namespace lanewise::ops
