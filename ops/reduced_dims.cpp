#include <algorithm>
#include <functional>
#include <limits>

#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {

DimMask mask_of(const char* op, const Tensor& self, OptionalIntArrayRef dims) {
  const std::int64_t rank = self.dim();
  LANEWISE_CHECK(ShapeError, rank <= kMaxReductionDims, op, ": at most ", kMaxReductionDims,
                 " dimensions can be reduced, found ", rank);
  if (!dims.has_value() || dims->empty()) return ~DimMask{0};
  DimMask mask = 0;
  for (const std::int64_t d : wrap_dims(op, *dims, rank)) mask |= DimMask{1} << d;
  return mask;
}

DimMask mask_of(const char* op, const Tensor& self, std::int64_t dim) {
  return mask_of(op, self, OptionalIntArrayRef(IntArrayRef(dim)));
}

std::int64_t reduced_count(const Tensor& self, DimMask mask) {
  std::int64_t count = 1;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (!((mask >> d) & 1)) continue;
    const std::int64_t size = self.sizes()[static_cast<std::size_t>(d)];
    if (size == 0) return 0;
    if (__builtin_mul_overflow(count, size, &count)) count = std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

Tensor for_parts(const Tensor& z, DimMask mask) {
  const IntArrayRef strides = z.strides();
  const bool in_order = std::is_sorted(strides.begin(), strides.end(), std::greater<>());
  return !in_order && reduced_count(z, mask) == z.numel() ? dense(z) : z;
}

Tensor filled(const Tensor& self, DimMask mask, bool keepdim, ScalarType dtype, const Scalar& value) {
  return filled(reduced_shape(self.sizes(), mask, keepdim), dtype, value);
}

Tensor drop_dims(const Tensor& t, DimMask mask) {
  DimVector sizes, strides;
  for (std::int64_t d = 0; d < t.dim(); ++d) {
    if ((mask >> d) & 1) continue;
    sizes.push_back(t.sizes()[static_cast<std::size_t>(d)]);
    strides.push_back(t.strides()[static_cast<std::size_t>(d)]);
  }
  return detail::make_view(t, sizes, strides, t.storage_offset());
}

ScalarType real_type(ScalarType t) { return t == kComplexFloat ? kFloat : t == kComplexDouble ? kDouble : t; }

void check_differentiable(const char* op, const Tensor& self) {
  LANEWISE_CHECK(DtypeError, is_differentiable(self.scalar_type()), op,
                 ": Expected a floating point or complex tensor as input, found ", self.scalar_type(),
                 "; convert it with to(kFloat)");
}

}  // namespace lanewise::ops
