// Whether numbers are the same, or but for a tolerance.

#include <algorithm>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/tensor/detail/equal_in_place.h>
#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/errors.h>

namespace lanewise {
namespace {

/// Whether the kernel of eq, which takes any strides and halves, pays for its result.
bool pays_for_masks(const Tensor& a, const Tensor& b) {
  constexpr std::int64_t kLeast = 4096;
  if (!a.defined() || !b.defined() || a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type() ||
      a.numel() < kLeast)
    return false;
  const bool half = a.scalar_type() == kHalf || a.scalar_type() == kBFloat16;
  return half || !a.is_contiguous() || !b.is_contiguous();
}

/// In pieces of up to `piece` elements: small ones first, so that what differs early is found early, then larger ones for threads to share.
bool equal_in_pieces(const Tensor& x, const Tensor& y, std::int64_t& piece) {
  constexpr std::int64_t kMost = 1 << 22;
  if (x.numel() <= piece) {
    piece = std::min(2 * piece, kMost);
    return (x == y).all().item<bool>();
  }
  std::int64_t dim = 0;
  while (x.size(dim) == 1) ++dim;
  const std::int64_t rows = x.size(dim), row = x.numel() / rows;
  for (std::int64_t first = 0, n; first < rows; first += n) {
    n = std::clamp<std::int64_t>(piece / row, 1, rows - first);
    if (!equal_in_pieces(x.narrow(dim, first, n), y.narrow(dim, first, n), piece)) return false;
  }
  return true;
}

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

bool equal(const Tensor& a, const Tensor& b) {
  if (!pays_for_masks(a, b)) return detail::equal_in_place(a, b);
  detail::check_read("equal", a);
  detail::check_read("equal", b);
  std::int64_t piece = 1 << 14;
  return equal_in_pieces(a.detach(), b.detach(), piece);
}

bool Tensor::equal(const Tensor& other) const { return lanewise::equal(*this, other); }

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
