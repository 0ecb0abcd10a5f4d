#include <cmath>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

/// Reductions that are other public ops put together: differentiable because those are.
namespace lanewise {
namespace {

/// The correction that unbiased stands for.
std::optional<Scalar> of_flag(bool unbiased) { return Scalar(unbiased ? 1 : 0); }

}  // namespace

Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  ops::check_defined("nanmean", "self", self);
  LANEWISE_CHECK(DtypeError, self.is_floating_point() || self.is_complex(),
                 "nanmean: expected input to have floating point or complex dtype but got ",
                 to_string(self.scalar_type()));
  const Tensor count = logical_not(isnan(self.detach())).sum(dim, keepdim);
  return self.nansum(dim, keepdim, dtype).div(count);
}

Tensor var(const Tensor& self, bool unbiased) {
  ops::check_defined("var", "self", self);
  return var(self, std::nullopt, of_flag(unbiased));
}
Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  ops::check_defined("var", "self", self);
  return var(self, dim, of_flag(unbiased), keepdim);
}
Tensor std(const Tensor& self, bool unbiased) {
  ops::check_defined("std", "self", self);
  return lanewise::std(self, std::nullopt, of_flag(unbiased));
}
Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  ops::check_defined("std", "self", self);
  return lanewise::std(self, dim, of_flag(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
  ops::check_defined("var_mean", "self", self);
  return var_mean(self, std::nullopt, of_flag(unbiased));
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                    bool keepdim) {
  ops::check_defined("var_mean", "self", self);
  return var_mean(self, dim, of_flag(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased) {
  ops::check_defined("std_mean", "self", self);
  return std_mean(self, std::nullopt, of_flag(unbiased));
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                    bool keepdim) {
  ops::check_defined("std_mean", "self", self);
  return std_mean(self, dim, of_flag(unbiased), keepdim);
}

namespace {

struct MatrixDims {
  std::int64_t rows, columns;
  MatrixDims(const char* op, const Tensor& self, IntArrayRef dim) {
    LANEWISE_CHECK(ShapeError, self.dim() >= 2, op,
                   ": The input tensor A must have at least 2 dimensions, found shape ", self.sizes());
    LANEWISE_CHECK(DtypeError, self.is_floating_point() || self.is_complex(), op,
                   ": Expected a floating point or complex tensor as input, found ",
                   to_string(self.scalar_type()));
    LANEWISE_CHECK(ValueError, dim.size() == 2, op, ": dim must be a 2-tuple, found ", dim);
    rows = wrap_dim(op, dim[0], self.dim());
    columns = wrap_dim(op, dim[1], self.dim());
    LANEWISE_CHECK(ValueError, rows != columns, op, ": dims must be different, found ", dim);
  }
};

}  // namespace

Tensor linalg_matrix_norm(const Tensor& self, const Scalar& ord, IntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  ops::check_defined("linalg_matrix_norm", "self", self);
  constexpr const char* kOp = "linalg.matrix_norm";
  const MatrixDims dims(kOp, self, dim);
  LANEWISE_CHECK(ValueError, !ord.isComplex(), kOp, ": ord must be real, found ", ord);
  const double order = ord.to<double>(), size = std::abs(order);
  LANEWISE_CHECK(ValueError, size == 1 || size == 2 || std::isinf(size), kOp, ": Order ", ord,
                 " not supported; expected 1, -1, inf or -inf");
  LANEWISE_CHECK(NotImplementedError, size != 2, kOp, ": order ", ord,
                 " needs singular values, which Lanewise does not compute; \"fro\", 1 and inf do not");
  // Sums of columns for 1, of rows for inf.
  const std::int64_t summed = size == 1 ? dims.rows : dims.columns;
  std::int64_t extreme = size == 1 ? dims.columns : dims.rows;
  const Tensor sums = linalg_vector_norm(self, 1, IntArrayRef(summed), keepdim, dtype);
  if (!keepdim && extreme > summed) --extreme;
  return order > 0 ? sums.amax(IntArrayRef(extreme), keepdim) : sums.amin(IntArrayRef(extreme), keepdim);
}

Tensor linalg_matrix_norm(const Tensor& self, std::string_view ord, IntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  ops::check_defined("linalg_matrix_norm", "self", self);
  constexpr const char* kOp = "linalg.matrix_norm";
  const MatrixDims dims(kOp, self, dim);
  LANEWISE_CHECK(ValueError, ord == "fro" || ord == "nuc", kOp, ": Order ", ord,
                 " not supported; expected \"fro\"");
  LANEWISE_CHECK(NotImplementedError, ord == "fro", kOp,
                 ": \"nuc\" needs singular values, which Lanewise does not compute");
  return linalg_vector_norm(self, 2, IntArrayRef{dims.rows, dims.columns}, keepdim, dtype);
}

Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord, OptionalIntArrayRef dim,
                   bool keepdim, std::optional<ScalarType> dtype) {
  ops::check_defined("linalg_norm", "self", self);
  constexpr const char* kOp = "linalg.norm";
  LANEWISE_CHECK(DtypeError, self.is_floating_point() || self.is_complex(), kOp,
                 ": Expected a floating point or complex tensor as input, found ",
                 to_string(self.scalar_type()));
  if (dim.has_value()) {
    LANEWISE_CHECK(ValueError, dim->size() == 1 || dim->size() == 2, kOp,
                   ": If dim is specified, it must be of length 1 or 2, found ", *dim);
  } else if (ord) {
    LANEWISE_CHECK(ShapeError, self.dim() == 1 || self.dim() == 2, kOp,
                   ": If dim is not specified but ord is, the input must be 1D or 2D, found shape ",
                   self.sizes());
  }
  if (ord && (dim.has_value() ? dim->size() == 2 : self.dim() == 2)) {
    return linalg_matrix_norm(self, *ord, dim.value_or(IntArrayRef{0, 1}), keepdim, dtype);
  }
  return linalg_vector_norm(self, ord.value_or(2), dim, keepdim, dtype);
}

Tensor linalg_norm(const Tensor& self, std::string_view ord, OptionalIntArrayRef dim, bool keepdim,
                   std::optional<ScalarType> dtype) {
  ops::check_defined("linalg_norm", "self", self);
  LANEWISE_CHECK(ShapeError, dim.has_value() ? dim->size() == 2 : self.dim() == 2, "linalg.norm: order ", ord,
                 " is of matrices: the input must be 2D or dim a 2-tuple, found shape ", self.sizes());
  return linalg_matrix_norm(self, ord, dim.value_or(IntArrayRef{0, 1}), keepdim, dtype);
}

// In PyTorch 1.13 a composite of products; since 2.0 this.
Tensor frobenius_norm(const Tensor& self, IntArrayRef dim, bool keepdim) {
  ops::check_defined("frobenius_norm", "self", self);
  LANEWISE_CHECK(ValueError, dim.size() <= 2, "frobenius_norm: Expected at most 2 dimensions, but got ",
                 dim.size(), " dimensions instead");
  return linalg_vector_norm(self, 2, dim.empty() ? OptionalIntArrayRef() : OptionalIntArrayRef(dim), keepdim);
}

Tensor diff(const Tensor& self, std::int64_t n, std::int64_t dim, const Tensor& prepend,
            const Tensor& append) {
  ops::check_defined("diff", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "diff: expects input to be at least one-dimensional");
  LANEWISE_CHECK(ValueError, n >= 0, "diff: order expected to be non-negative but got ", n);
  const std::int64_t d = wrap_dim("diff", dim, self.dim());
  for (const Tensor* t : {&prepend, &append}) {
    LANEWISE_CHECK(ShapeError, !t->defined() || t->dim() == self.dim(),
                   "diff: expects prepend or append to be the same dimension as input, found shapes ",
                   t->sizes(), " and ", self.sizes());
  }
  if (n == 0) return zeros_like(self).copy_(self);
  Tensor result = self;
  if (prepend.defined() || append.defined()) {
    std::vector<Tensor> parts;
    for (const Tensor* t : {&prepend, &self, &append}) {
      if (t->defined()) parts.push_back(*t);
    }
    result = cat(parts, d);
  }
  n = std::min(n, result.size(d));
  for (; n > 0; --n) {
    const std::int64_t length = result.size(d) - 1;
    const Tensor later = result.narrow(d, 1, length), earlier = result.narrow(d, 0, length);
    result = result.scalar_type() == kBool ? logical_xor(later, earlier) : later - earlier;
  }
  return result;
}

namespace {

/// Twice the areas between neighbours along dim.
Tensor trapezoids(const char* op, const Tensor& y, std::int64_t dim) {
  const std::int64_t d = wrap_dim(op, dim, y.dim());
  return y.slice(d, 1) + y.slice(d, 0, -1);
}

void check_points(const char* op, const Tensor& t) {
  LANEWISE_CHECK(DtypeError, t.scalar_type() != kBool, op,
                 ": received a bool input for `x` or `y`, but bool is not supported");
}

void check_distance(const char* op, const Scalar& dx) {
  LANEWISE_CHECK(DtypeError, !dx.isBoolean() && !dx.isComplex(), op,
                 ": Currently, we only support dx as a real number; it is ", dx);
}

/// Distances of the points, shaped to go with y.
Tensor steps(const char* op, const Tensor& y, const Tensor& x, std::int64_t dim) {
  check_points(op, y);
  check_points(op, x);
  const std::int64_t d = wrap_dim(op, dim, y.dim());
  if (x.dim() == 1) {
    LANEWISE_CHECK(ShapeError, y.size(d) == x.size(0), op,
                   ": There must be one `x` value for each sample point, found ", x.size(0), " for ",
                   y.size(d));
    DimVector shape(static_cast<std::size_t>(y.dim()), 1);
    shape[static_cast<std::size_t>(d)] = x.size(0);
    return diff(x.reshape(shape), 1, d);
  }
  Tensor wide = x;
  while (wide.dim() < y.dim()) wide = wide.unsqueeze(0);
  const std::int64_t of_x = wrap_dim(op, x.dim() >= y.dim() ? dim : d, wide.dim());
  return diff(wide, 1, of_x);
}

/// What a sum of no trapezoids is.
Tensor no_area(const Tensor& y, std::int64_t dim) {
  DimVector sizes(y.sizes());
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(wrap_dim("trapezoid", dim, y.dim())));
  return zeros(sizes, y.options());
}

}  // namespace

Tensor trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
  ops::check_defined("trapezoid", "y", y, "x", x);
  const std::int64_t d = wrap_dim("trapezoid", dim, y.dim());
  if (y.size(d) == 0) return no_area(y, dim);
  return lanewise::div((trapezoids("trapezoid", y, dim) * steps("trapezoid", y, x, dim)).sum(dim), 2.0);
}

Tensor trapezoid(const Tensor& y, const Scalar& dx, std::int64_t dim) {
  ops::check_defined("trapezoid", "y", y);
  const std::int64_t d = wrap_dim("trapezoid", dim, y.dim());
  if (y.size(d) == 0) return no_area(y, dim);
  check_points("trapezoid", y);
  check_distance("trapezoid", dx);
  // The points at the ends belong to one trapezoid only.
  return lanewise::mul(y.sum(dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5, dx);
}

Tensor trapz(const Tensor& y, const Tensor& x, std::int64_t dim) {
  ops::check_defined("trapz", "y", y, "x", x);
  return trapezoid(y, x, dim);
}

Tensor trapz(const Tensor& y, double dx, std::int64_t dim) {
  ops::check_defined("trapz", "y", y);
  return trapezoid(y, Scalar(dx), dim);
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
  ops::check_defined("cumulative_trapezoid", "y", y, "x", x);
  const Tensor areas = trapezoids("cumulative_trapezoid", y, dim) * steps("cumulative_trapezoid", y, x, dim);
  return lanewise::div(areas.cumsum(dim), 2.0);
}

Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, std::int64_t dim) {
  ops::check_defined("cumulative_trapezoid", "y", y);
  check_points("cumulative_trapezoid", y);
  check_distance("cumulative_trapezoid", dx);
  return lanewise::mul(trapezoids("cumulative_trapezoid", y, dim), dx.to<double>() / 2).cumsum(dim);
}

namespace {

/// The weights of cov: fweights count, aweights weigh.
Tensor observation_weights(const Tensor& fweights, const Tensor& aweights, std::int64_t observations) {
  const auto check = [&](const char* name, const Tensor& w) {
    LANEWISE_CHECK(ShapeError, w.dim() <= 1, "cov: expected ", name,
                   " to have one or fewer dimensions but got shape ", w.sizes());
    LANEWISE_CHECK(ShapeError, w.numel() == observations, "cov: expected ", name,
                   " to have the same numel as there are observations in the input but got ", w.numel(),
                   " != ", observations);
    LANEWISE_CHECK(ValueError, observations == 0 || w.min().item<double>() >= 0, "cov: ", name,
                   " cannot be negative");
  };
  Tensor weights;
  if (fweights.defined()) {
    LANEWISE_CHECK(DtypeError, isIntegralType(fweights.scalar_type(), false),
                   "cov: expected fweights to have integral dtype but got ",
                   to_string(fweights.scalar_type()));
    check("fweights", fweights);
    weights = fweights;
  }
  if (aweights.defined()) {
    LANEWISE_CHECK(DtypeError, aweights.is_floating_point(),
                   "cov: expected aweights to have floating point dtype but got ",
                   to_string(aweights.scalar_type()));
    check("aweights", aweights);
    weights = weights.defined() ? weights * aweights : aweights;
  }
  return weights;
}

}  // namespace

Tensor cov(const Tensor& self, std::int64_t correction, const Tensor& fweights, const Tensor& aweights) {
  ops::check_defined("cov", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() <= 2,
                 "cov: expected input to have two or fewer dimensions but got shape ", self.sizes());
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool, "cov: bool dtype is not supported for input");
  const Tensor in = self.dim() < 2 ? self.reshape({1, -1}) : self;
  const std::int64_t observations = in.size(1);
  const Tensor weights = observation_weights(fweights, aweights, observations);
  LANEWISE_CHECK(ValueError, !weights.defined() || observations == 0 || weights.sum().item<double>() != 0,
                 "cov: weights sum to zero, can't be normalized");
  const Tensor total = weights.defined() ? weights.sum() : full({}, observations, TensorOptions(kLong));
  const Tensor mean = (weights.defined() ? (in * weights).sum(1) : in.sum(1)) / total;
  Tensor factor;
  if (weights.defined() && aweights.defined() && correction != 0) {
    factor = total - correction * (weights * aweights).sum() / total;
  } else {
    factor = total - correction;
  }
  factor = where(factor <= 0, 0, factor);
  const Tensor centred = in - mean.unsqueeze(1);
  const Tensor weighted = weights.defined() ? centred * weights : centred;
  return (mm(weighted, lanewise::conj(centred.t()).to(weighted.scalar_type())) / factor).squeeze();
}

Tensor corrcoef(const Tensor& self) {
  ops::check_defined("corrcoef", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() <= 2,
                 "corrcoef: expected input to have two or fewer dimensions but got shape ", self.sizes());
  const Tensor c = cov(self);
  if (c.dim() == 0) return c / c;
  const Tensor variance = c.diagonal();
  const Tensor deviation = (c.is_complex() ? lanewise::real(variance) : variance).sqrt();
  const Tensor r = c / deviation.unsqueeze(1) / deviation.unsqueeze(0);
  if (!r.is_complex()) return clamp(r, -1, 1);
  return lanewise::complex(clamp(lanewise::real(r), -1, 1), clamp(lanewise::imag(r), -1, 1));
}

}  // namespace lanewise
