#include <limits>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/variance.h>
#include <lanewise/ops/views.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;
using Pair = std::tuple<Tensor, Tensor>;

constexpr PointwiseOp kAdd{"var", &KernelTable::add};
constexpr PointwiseOp kSqrt{"std", &KernelTable::sqrt};
constexpr PointwiseOp kComplex{"var_mean", &KernelTable::make_complex};

struct Spread {
  const char* op;
  DimMask mask;
  double correction;
  bool keepdim;
  bool root;

  /// (variance or its root, mean); the mean only if it is wanted.
  Pair of(const Tensor& self, bool want_mean) const {
    if (self.is_complex()) return of_complex(self, want_mean);
    const ScalarType dtype = self.scalar_type();
    if (reduced_count(self, mask) == 0) {
      const Tensor nan = filled(self, mask, keepdim, dtype, std::numeric_limits<double>::quiet_NaN());
      return {nan, want_mean ? filled(self, mask, keepdim, dtype, std::numeric_limits<double>::quiet_NaN())
                             : Tensor()};
    }
    const Tensor pairs = reduce({.op = op,
                                 .kernel = &kernels::ReductionTable::var_mean,
                                 .dims = mask,
                                 .keepdim = keepdim,
                                 .param = {root ? 1 : 0, correction, 0}},
                                self);
    const Tensor parts = view_as_real(pairs);
    return {part(parts, 0, dtype), want_mean ? part(parts, 1, dtype) : Tensor()};
  }

 private:
  /// With memory of its own.
  static Tensor part(const Tensor& parts, std::int64_t index, ScalarType dtype) {
    constexpr PointwiseOp kCopy{"var", &KernelTable::copy};
    return dense(pointwise(kCopy, {select(parts, -1, index)}), dtype);
  }

  Pair of_complex(const Tensor& self, bool want_mean) const {
    const Tensor parts = view_as_real(for_parts(self, mask));
    Spread each = *this;
    each.root = false;
    const auto [re, re_mean] = each.of(select(parts, -1, 0), want_mean);
    const auto [im, im_mean] = each.of(select(parts, -1, 1), want_mean);
    Tensor spread = pointwise(kAdd, {re, im}, {1});
    if (root) spread = pointwise(kSqrt, {spread});
    return {spread, want_mean ? pointwise(kComplex, {re_mean, im_mean}) : Tensor()};
  }
};

Spread spread(const char* op, const Tensor& self, OptionalIntArrayRef dim,
              const std::optional<Scalar>& correction, bool keepdim, bool root) {
  check_differentiable(op, self);
  return {op, mask_of(op, self, dim), correction ? correction->to<double>() : 1.0, keepdim, root};
}

}  // namespace

Tensor var(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
           bool keepdim) {
  return std::get<0>(spread("var", self, dim, correction, keepdim, false).of(self, false));
}
Tensor std(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
           bool keepdim) {
  return std::get<0>(spread("std", self, dim, correction, keepdim, true).of(self, false));
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
  return spread("var_mean", self, dim, correction, keepdim, false).of(self, true);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
  return spread("std_mean", self, dim, correction, keepdim, true).of(self, true);
}

}  // namespace lanewise::ops
