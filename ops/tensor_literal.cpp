#include <cstddef>

#include <lanewise/ops/tensor_literal.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise {

TensorLiteral::TensorLiteral(std::initializer_list<TensorLiteral> parts)
    : dtype_(parts.size() == 0 ? get_default_dtype() : ScalarType::Undefined),
      sizes_{static_cast<std::int64_t>(parts.size())} {
  for (const TensorLiteral& part : parts) {
    const DimVector& first = parts.begin()->sizes_;
    LANEWISE_CHECK(ShapeError, part.sizes_ == first, "tensor: expected all parts to have sizes ",
                   IntArrayRef(first), ", but part ", &part - parts.begin(), " has sizes ",
                   IntArrayRef(part.sizes_));
    dtype_ = promote_types(dtype_, part.dtype_);
    values_.insert(values_.end(), part.values_.begin(), part.values_.end());
  }
  if (parts.size() > 0) {
    for (const std::int64_t size : parts.begin()->sizes_) sizes_.push_back(size);
  }
}

Tensor tensor(const TensorLiteral& values, const TensorOptions& options) {
  ScalarType dtype = values.dtype();
  if (is_integral(dtype, false)) dtype = kLong;
  if (dtype == kFloat || dtype == kDouble) dtype = get_default_dtype();
  if (options.has_dtype()) dtype = options.dtype();
  Tensor t = detail::empty_cpu(values.sizes(), dtype);
  visit_dtype(dtype, [&]<class T>() {
    auto* out = static_cast<T*>(t.data_ptr());
    for (std::size_t i = 0; i < values.values().size(); ++i) {
      const Scalar& value = values.values()[i];
      // What was written as a number of T's kind must fit; between kinds C++'s conversions hold.
      out[i] = std::is_integral_v<T> && !value.isIntegral(true) ? value.to_unchecked<T>() : value.to<T>();
    }
  });
  if (options.requires_grad()) t.set_requires_grad(true);
  return t;
}

}  // namespace lanewise
