#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

/// Sorting and searching, put together from other public ops.
namespace lanewise {

Tensor msort(const Tensor& self) {
  ops::check_defined("msort", "self", self);
  return std::get<0>(self.sort(0));
}

namespace {

/// What a number and the boundaries beside it are compared in: 2.5 is not 2 because they are whole.
ScalarType compared_in(const Tensor& boundaries, const Scalar& number) {
  const bool whole = is_integral(boundaries.scalar_type(), true) && number.isIntegral(true);
  return whole ? kLong : result_type(boundaries, number);
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
  ops::check_defined("searchsorted", "sorted_sequence", sorted_sequence);
  LANEWISE_CHECK(
      ShapeError, sorted_sequence.dim() == 1,
      "searchsorted: input value can be a scalar only when boundaries tensor dimension is 1, found shape ",
      sorted_sequence.sizes());
  const ScalarType type = compared_in(sorted_sequence, self);
  return searchsorted(sorted_sequence.to(type), full({}, self, TensorOptions(type)), out_int32, right, side,
                      sorter);
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  ops::check_defined("bucketize", "self", self, "boundaries", boundaries);
  LANEWISE_CHECK(ShapeError, boundaries.dim() == 1,
                 "bucketize: boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ")");
  return searchsorted(boundaries, self, out_int32, right);
}

Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  ops::check_defined("bucketize", "boundaries", boundaries);
  const ScalarType type = compared_in(boundaries, self);
  return bucketize(full({}, self, TensorOptions(type)), boundaries.to(type), out_int32, right);
}

Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique, bool invert) {
  ops::check_defined("isin", "elements", elements);
  return isin(elements, detail::wrapped_number(test_element), assume_unique, invert);
}

Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique, bool invert) {
  ops::check_defined("isin", "test_elements", test_elements);
  return isin(detail::wrapped_number(element), test_elements, assume_unique, invert);
}

}  // namespace lanewise
