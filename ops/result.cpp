#include <lanewise/ops/result.h>

#include <algorithm>

#include <lanewise/ops/copy.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::ops {
namespace {

bool same_shape(const Tensor& a, const Tensor& b) {
  return std::equal(a.sizes().begin(), a.sizes().end(), b.sizes().begin(), b.sizes().end());
}

void check_dtype(const char* op, const char* target, const Tensor& out, const Tensor& result) {
  LANEWISE_CHECK(DtypeError, can_cast(result.scalar_type(), out.scalar_type()), op, ": ", target, " is ",
                 to_string(out.scalar_type()), " and cannot hold the ", to_string(result.scalar_type()), " result");
}

}  // namespace

void assign_result(const char* op, Tensor& self, const Tensor& result) {
  LANEWISE_CHECK(ShapeError, same_shape(self, result), op, ": the result has shape ", result.sizes(),
                 ", which does not match self of shape ", self.sizes());
  check_dtype(op, "self", self, result);
  copy_(self, result);
}

void resize_result(const char* op, Tensor& out, const Tensor& result) {
  if (!out.defined()) {
    out = result;
    return;
  }
  check_dtype(op, "out", out, result);
  if (!same_shape(out, result)) lanewise::detail::resize_cpu(out, result.sizes());
  copy_(out, result);
}

}  // namespace lanewise::ops
