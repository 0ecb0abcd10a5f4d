#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/variance.h>
#include <lanewise/ops/views.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;
using Pair = std::tuple<Tensor, Tensor>;

constexpr PointwiseOp kAdd{"var", &KernelTable::add};
constexpr PointwiseOp kSqrt{"std", &KernelTable::sqrt};
constexpr PointwiseOp kGe{"var", &KernelTable::ge}, kLt{"var", &KernelTable::lt},
    kEq{"var", &KernelTable::eq}, kAbs{"var", &KernelTable::abs}, kMaximum{"var", &KernelTable::maximum},
    kWhere{"var", &KernelTable::where};
constexpr PointwiseOp kComplex{"var_mean", &KernelTable::make_complex};

/// The squares of smaller roots lose digits in f32.
constexpr double kSmallestRoot = 0x1p-60;

/// Whether some number of `bits`, of which the exponent begins at `shift`, is inf or NaN, or below 2^(lowest - 127).
template <class Bits>
bool any_outside(const Tensor& t, int shift, unsigned lowest) {
  const auto* bits = static_cast<const Bits*>(t.const_data_ptr());
  std::atomic<bool> found = false;
  parallel_for(0, t.numel(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    unsigned outside = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const unsigned exponent = (bits[i] >> shift) & 0xFF;
      outside |= static_cast<unsigned>(exponent == 0xFF) | static_cast<unsigned>(exponent < lowest);
    }
    if (outside != 0) found.store(true, std::memory_order_relaxed);
  });
  return found.load(std::memory_order_relaxed);
}

/// Whether sums of squares in f32 may have overflowed for a result, or lost digits of a root by underflow.
bool beyond_squares(const Tensor& spread, bool root) {
  const unsigned lowest = root ? 127 + std::ilogb(kSmallestRoot) : 0;
  if (spread.scalar_type() == kFloat) return any_outside<std::uint32_t>(spread, 23, lowest);
  return spread.scalar_type() == kBFloat16 && any_outside<std::uint16_t>(spread, 7, lowest);
}

struct Spread {
  const char* op;
  DimMask mask;
  double correction;
  bool keepdim;
  bool root;

  /// (variance or its root, mean); the mean only if it is wanted.
  Pair of(const Tensor& self, bool want_mean) const {
    Pair result = once(self, want_mean);
    auto& [spread, mean] = result;
    if (!beyond_squares(spread, root)) return result;
    const Tensor judged = but_of_settled(spread, self);
    if (!beyond_squares(judged, root)) return result;
    // Only for those results: what a row gives does not depend on the others.
    const auto [wide, wide_mean] = once(dense(self, self.is_complex() ? kComplexDouble : kDouble), want_mean);
    const Tensor large = pointwise(kGe, {judged, Scalar(root ? kSmallestRoot : 0)});
    const Tensor finite = pointwise(kLt, {judged, Scalar(std::numeric_limits<double>::infinity())});
    const auto chosen = [&](const Tensor& narrow, const Tensor& other) {
      const Tensor rest = dense(other, narrow.scalar_type());
      return pointwise(kWhere, {large, pointwise(kWhere, {finite, narrow, rest}), rest});
    };
    return {chosen(spread, wide), want_mean ? chosen(mean, wide_mean) : Tensor()};
  }

 private:
  /// `spread` with 1 where squares in f64 change nothing: the elements are one number, whose sum cannot overflow, or not all
  /// finite.
  Tensor but_of_settled(const Tensor& spread, const Tensor& self) const {
    if (self.is_complex() || reduced_count(self, mask) == 0) return spread;
    DimVector dims;
    for (std::int64_t d = 0; d < self.dim(); ++d) {
      if ((mask >> d & 1) != 0) dims.push_back(d);
    }
    const Scalar one = 1, infinity = std::numeric_limits<double>::infinity();
    const Tensor largest = amax(self, dims, keepdim), smallest = amin(self, dims, keepdim);
    const Tensor size = pointwise(kAbs, {largest});
    const Tensor few = pointwise(kWhere, {pointwise(kLt, {size, Scalar(0x1p64)}), one, spread});
    const Tensor judged = pointwise(kWhere, {pointwise(kEq, {largest, smallest}), few, spread});
    const Tensor finite =
        pointwise(kLt, {pointwise(kMaximum, {size, pointwise(kAbs, {smallest})}), infinity});
    return pointwise(kWhere, {finite, judged, one});
  }

  Pair once(const Tensor& self, bool want_mean) const {
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

  /// With memory of its own.
  static Tensor part(const Tensor& parts, std::int64_t index, ScalarType dtype) {
    constexpr PointwiseOp kCopy{"var", &KernelTable::copy};
    return dense(pointwise(kCopy, {select(parts, -1, index)}), dtype);
  }

  Pair of_complex(const Tensor& self, bool want_mean) const {
    const Tensor parts = view_as_real(for_parts(self, mask));
    Spread each = *this;
    each.root = false;
    const auto [re, re_mean] = each.once(select(parts, -1, 0), want_mean);
    const auto [im, im_mean] = each.once(select(parts, -1, 1), want_mean);
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
