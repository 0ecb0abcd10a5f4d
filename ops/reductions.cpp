#include <complex>
#include <limits>

#include <lanewise/iterator/reduction.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using kernels::ReductionTable;

/// Sum, prod and mean.
Tensor accumulate(const char* op, const kernels::ReductionKernel* ReductionTable::*kernel, const Tensor& self,
                  DimMask mask, bool keepdim, ScalarType element, const Scalar& of_nothing) {
  const ScalarType result = is_integral(element, true) ? kLong : element;
  const std::int64_t count = reduced_count(self, mask);
  if (count == 0) return filled(self, mask, keepdim, result, of_nothing);
  ReductionArgs args{
      .op = op, .kernel = kernel, .dims = mask, .keepdim = keepdim, .element = element, .result = result};
  args.param = {count, static_cast<double>(count), 0};
  return reduce(args, self);
}

Tensor sum_like(const char* op, const kernels::ReductionKernel* ReductionTable::*kernel, const Tensor& self,
                DimMask mask, bool keepdim, std::optional<ScalarType> dtype, const Scalar& of_nothing) {
  if (!dtype.has_value()) return accumulate(op, kernel, self, mask, keepdim, self.scalar_type(), of_nothing);
  if (!is_integral(*dtype, true) || *dtype == kLong) {
    return accumulate(op, kernel, self, mask, keepdim, *dtype, of_nothing);
  }
  // A narrow integer result: the low bits of the int64 one.
  if (reduced_count(self, mask) == 0) return filled(self, mask, keepdim, *dtype, of_nothing);
  return reduce(
      {.op = op, .kernel = kernel, .dims = mask, .keepdim = keepdim, .element = *dtype, .result = *dtype},
      self);
}

Tensor mean_over(const Tensor& self, DimMask mask, bool keepdim, std::optional<ScalarType> dtype) {
  const ScalarType element = dtype.value_or(self.scalar_type());
  LANEWISE_CHECK(DtypeError, is_differentiable(element),
                 "mean: could not infer output dtype. Input dtype must be either a floating point or complex "
                 "dtype. Got: ",
                 element, "; pass dtype= to convert");
  // 0 / 0 is NaN in both parts of a complex number.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return accumulate("mean", &ReductionTable::mean, self, mask, keepdim, element,
                    is_complex(element) ? Scalar(std::complex<double>(nan, nan)) : Scalar(nan));
}

void check_extreme(const char* op, const Tensor& self, DimMask mask) {
  LANEWISE_CHECK(DtypeError, !self.is_complex(), op, ": complex numbers have no order, found ",
                 self.scalar_type());
  if (reduced_count(self, mask) != 0) return;
  LANEWISE_CHECK(
      IndexError, false, op,
      ": Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
      "'dim' argument: Expected reduction dim to have non-zero size, there is no extreme of no elements in a "
      "tensor of shape ",
      self.sizes());
}

Tensor extreme(const char* op, const kernels::ReductionKernel* ReductionTable::*kernel, const Tensor& self,
               DimMask mask, bool keepdim) {
  check_extreme(op, self, mask);
  return reduce({.op = op, .kernel = kernel, .dims = mask, .keepdim = keepdim}, self);
}

std::tuple<Tensor, Tensor> extreme_with_index(const char* op,
                                              const kernels::ReductionKernel* ReductionTable::*kernel,
                                              const Tensor& self, std::int64_t dim, bool keepdim) {
  const DimMask mask = mask_of(op, self, dim);
  check_extreme(op, self, mask);
  Tensor values;
  Tensor indices =
      reduce_with_index({.op = op, .kernel = kernel, .dims = mask, .keepdim = keepdim}, self, &values);
  return {std::move(values), std::move(indices)};
}

Tensor arg_extreme(const char* op, const kernels::ReductionKernel* ReductionTable::*kernel,
                   const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  const DimMask mask = dim.has_value() ? mask_of(op, self, *dim) : mask_of(op, self, std::nullopt);
  check_extreme(op, self, mask);
  return reduce_with_index({.op = op, .kernel = kernel, .dims = mask, .keepdim = keepdim}, self, nullptr);
}

Tensor logical(const char* op, const kernels::ReductionKernel* ReductionTable::*kernel, const Tensor& self,
               DimMask mask, bool keepdim, bool of_nothing) {
  const ScalarType result = self.scalar_type() == kByte ? kByte : kBool;
  if (reduced_count(self, mask) == 0) return filled(self, mask, keepdim, result, of_nothing ? 1 : 0);
  return reduce({.op = op, .kernel = kernel, .dims = mask, .keepdim = keepdim, .result = result}, self);
}

/// Puts 0 or 1, bool or Byte, into either.
void store_truth(const Destination& to, const Tensor& truth) {
  if (!to.tensor.defined()) {
    to.tensor = truth;
    return;
  }
  const ScalarType type = to.tensor.scalar_type();
  LANEWISE_CHECK(DtypeError, type == kBool || type == kByte, to.op,
                 ": only supports bool tensor for result, got: ", to_string(type));
  prepare(to, truth.sizes(), type);
  copy_(to.tensor, truth);
}

}  // namespace

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
  return sum(self, std::nullopt, false, dtype);
}
Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  return sum_like("sum", &ReductionTable::sum, self, mask_of("sum", self, dim), keepdim, dtype, 0);
}

Tensor nansum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const ScalarType element = dtype.value_or(self.scalar_type());
  LANEWISE_CHECK(DtypeError, !self.is_complex() && !is_complex(element),
                 "nansum: does not support complex inputs, found ", self.scalar_type());
  // Integers have no NaN; of floats that are to be summed as integers those are gone after the conversion,
  // too.
  if (!is_floating_point(element)) return sum(self, dim, keepdim, dtype);
  const DimMask mask = mask_of("nansum", self, dim);
  if (reduced_count(self, mask) == 0) return filled(self, mask, keepdim, element, 0);
  return reduce({.op = "nansum",
                 .kernel = &ReductionTable::nansum,
                 .dims = mask,
                 .keepdim = keepdim,
                 .element = element,
                 .result = element},
                self);
}

Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) {
  return mean(self, std::nullopt, false, dtype);
}
Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  return mean_over(self, mask_of("mean", self, dim), keepdim, dtype);
}

Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
  return sum_like("prod", &ReductionTable::prod, self, mask_of("prod", self, std::nullopt), false, dtype, 1);
}
Tensor prod(const Tensor& self, std::int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
  return sum_like("prod", &ReductionTable::prod, self, mask_of("prod", self, dim), keepdim, dtype, 1);
}

Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim) {
  return extreme("amax", &ReductionTable::amax, self, mask_of("amax", self, dim), keepdim);
}
Tensor amin(const Tensor& self, IntArrayRef dim, bool keepdim) {
  return extreme("amin", &ReductionTable::amin, self, mask_of("amin", self, dim), keepdim);
}
Tensor max(const Tensor& self) {
  return extreme("max", &ReductionTable::amax, self, mask_of("max", self, std::nullopt), false);
}
Tensor min(const Tensor& self) {
  return extreme("min", &ReductionTable::amin, self, mask_of("min", self, std::nullopt), false);
}

std::tuple<Tensor, Tensor> max(const Tensor& self, std::int64_t dim, bool keepdim) {
  return extreme_with_index("max", &ReductionTable::argmax, self, dim, keepdim);
}
std::tuple<Tensor, Tensor> min(const Tensor& self, std::int64_t dim, bool keepdim) {
  return extreme_with_index("min", &ReductionTable::argmin, self, dim, keepdim);
}
Tensor argmax(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  return arg_extreme("argmax", &ReductionTable::argmax, self, dim, keepdim);
}
Tensor argmin(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  return arg_extreme("argmin", &ReductionTable::argmin, self, dim, keepdim);
}

std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  const DimMask mask =
      dim.has_value() ? mask_of("aminmax", self, *dim) : mask_of("aminmax", self, std::nullopt);
  return {extreme("aminmax", &ReductionTable::amin, self, mask, keepdim),
          extreme("aminmax", &ReductionTable::amax, self, mask, keepdim)};
}

Tensor count_nonzero(const Tensor& self, IntArrayRef dim) {
  const DimMask mask = mask_of("count_nonzero", self, dim);
  if (reduced_count(self, mask) == 0) return filled(self, mask, false, kLong, 0);
  return reduce(
      {.op = "count_nonzero", .kernel = &ReductionTable::count_nonzero, .dims = mask, .result = kLong}, self);
}
Tensor count_nonzero(const Tensor& self, std::optional<std::int64_t> dim) {
  return dim.has_value() ? count_nonzero(self, IntArrayRef(*dim)) : count_nonzero(self, IntArrayRef());
}

Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return logical("any", &ReductionTable::any, self, mask_of("any", self, dim), keepdim, false);
}
Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return logical("all", &ReductionTable::all, self, mask_of("all", self, dim), keepdim, true);
}
Tensor any(const Tensor& self) {
  return logical("any", &ReductionTable::any, self, mask_of("any", self, std::nullopt), false, false);
}
Tensor any(const Tensor& self, std::int64_t dim, bool keepdim) {
  return logical("any", &ReductionTable::any, self, mask_of("any", self, dim), keepdim, false);
}
Tensor all(const Tensor& self) {
  return logical("all", &ReductionTable::all, self, mask_of("all", self, std::nullopt), false, true);
}
Tensor all(const Tensor& self, std::int64_t dim, bool keepdim) {
  return logical("all", &ReductionTable::all, self, mask_of("all", self, dim), keepdim, true);
}

void any_into(const Destination& to, const Tensor& self) { store_truth(to, any(self)); }
void any_into(const Destination& to, const Tensor& self, std::int64_t dim, bool keepdim) {
  store_truth(to, any(self, dim, keepdim));
}
void all_into(const Destination& to, const Tensor& self) { store_truth(to, all(self)); }
void all_into(const Destination& to, const Tensor& self, std::int64_t dim, bool keepdim) {
  store_truth(to, all(self, dim, keepdim));
}

}  // namespace lanewise::ops
