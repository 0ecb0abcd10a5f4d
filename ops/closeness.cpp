// Whether numbers are the same but for a tolerance.

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/errors.h>

namespace lanewise {
namespace {

/// Halves are rounded after each step, and complex numbers have no kernel for all steps.
bool takes_steps(ScalarType t) { return t == kHalf || t == kBFloat16 || is_complex(t); }

void check_close(const char* op, const Tensor& self, const Tensor& other, double rtol, double atol) {
  ops::check_defined(op, "self", self, "other", other);
  LANEWISE_CHECK(DtypeError, self.scalar_type() == other.scalar_type(), op, ": expected one dtype, found ",
                 to_string(self.scalar_type()), " and ", to_string(other.scalar_type()),
                 "; cast one of them");
  LANEWISE_CHECK(ValueError, rtol >= 0 && atol >= 0, op, ": rtol and atol must not be negative, found ", rtol,
                 " and ", atol);
}

/// By one op for each step, each rounded to the dtype.
Tensor close_in_steps(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  // Equal first: infinities differ by NaN.
  Tensor close = self == other;
  if (equal_nan) close = logical_or(close, logical_and(isnan(self), isnan(other)));
  const Tensor difference = (self - other).abs();
  const Tensor within = logical_and(difference <= other.abs() * rtol + atol, isfinite(difference));
  return logical_or(close, within);
}

Tensor close(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  if (takes_steps(self.scalar_type())) return close_in_steps(self, other, rtol, atol, equal_nan);
  if (is_differentiable(self.scalar_type())) return _isclose(self, other, rtol, atol, equal_nan);
  const Tensor same = self == other;
  if (rtol == 0 && atol == 0) return same;
  // Differences of integers would wrap around.
  const ScalarType wide = get_default_dtype();
  return logical_or(same, close(self.to(wide), other.to(wide), rtol, atol, equal_nan));
}

}  // namespace

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  check_close("isclose", self, other, rtol, atol);
  return close(self, other, rtol, atol, equal_nan);
}

bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  check_close("allclose", *this, other, rtol, atol);
  detail::check_read("allclose", *this);
  detail::check_read("allclose", other);
  return close(detach(), other.detach(), rtol, atol, equal_nan).all().item<bool>();
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  return a.allclose(b, rtol, atol, equal_nan);
}

}  // namespace lanewise
