#include <algorithm>

#include <lanewise/tensor/detail/category.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace {

using detail::category;
using detail::Category;

/// The common type of an operand class and the classes below it, which count only through their category.
ScalarType combine(ScalarType high, ScalarType low) noexcept {
  if (high == ScalarType::Undefined) return low;
  if (low == ScalarType::Undefined || category(low) <= category(high)) return high;
  // Complex numbers beside a real floating tensor take its precision: f64[3] * 2i is c128, f32[3] * c128() is
  // c64.
  if (category(high) == Category::Floating) return to_complex_type(high);
  return promote_types(high, low);
}

}  // namespace

ScalarType promote_types(ScalarType a, ScalarType b) noexcept {
  if (a == b || b == ScalarType::Undefined) return a;
  if (a == ScalarType::Undefined) return b;
  if (category(a) > category(b)) std::swap(a, b);
  // From here on b's category is at least that of a.
  switch (category(b)) {
    case Category::Bool: return kBool;
    case Category::Integral: {
      if (a == kBool) return b;
      const ScalarType low = std::min(a, b);
      const ScalarType high = std::max(a, b);
      return low == kByte && high == kChar ? kShort : high;
    }
    case Category::Floating:
      if (category(a) != Category::Floating) return b;
      return is_reduced_floating_point(a) && is_reduced_floating_point(b) ? kFloat : std::max(a, b);
    case Category::Complex: break;
  }
  const bool wide = b == kComplexDouble || a == kDouble || a == kComplexDouble;
  return wide ? kComplexDouble : kComplexFloat;
}

void ResultType::add(const Tensor& t) noexcept {
  if (t.is_wrapped_number()) {
    add_number(t.scalar_type());
  } else {
    add_tensor(t.scalar_type(), t.dim());
  }
}

ScalarType ResultType::get() const noexcept { return combine(dims_, combine(zero_dim_, number_)); }

namespace {

template <class A, class B>
ScalarType fold(const A& a, const B& b) noexcept {
  ResultType type;
  type.add(a);
  type.add(b);
  return type.get();
}

}  // namespace

ScalarType result_type(const Tensor& a, const Tensor& b) noexcept { return fold(a, b); }
ScalarType result_type(const Tensor& a, const Scalar& b) noexcept { return fold(a, b); }
ScalarType result_type(const Scalar& a, const Tensor& b) noexcept { return fold(a, b); }
ScalarType result_type(const Scalar& a, const Scalar& b) noexcept { return fold(a, b); }

}  // namespace lanewise
