#include <cstddef>
#include <sstream>
#include <string>

#include <lanewise/ops/tensor_literal.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {

namespace {

/// "{{1, 2}, {5, 6}}".
void write(std::ostream& out, IntArrayRef sizes, const Scalar*& value) {
  if (sizes.empty()) {
    out << *value++;
    return;
  }
  out << '{';
  for (std::int64_t i = 0; i < sizes[0]; ++i) {
    if (i > 0) out << ", ";
    write(out, sizes.slice(1), value);
  }
  out << '}';
}

std::string text_of(const TensorLiteral& part) {
  std::ostringstream text;
  const Scalar* value = part.values().data();
  write(text, part.sizes(), value);
  return text.str();
}

/// "2, 3".
std::string list_of(IntArrayRef sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

}  // namespace

TensorLiteral::TensorLiteral(std::initializer_list<TensorLiteral> parts)
    : dtype_(parts.size() == 0 ? get_default_dtype() : parts.begin()->dtype_),
      sizes_{static_cast<std::int64_t>(parts.size())} {
  for (const TensorLiteral& part : parts) {
    const TensorLiteral& first = *parts.begin();
    LANEWISE_CHECK(ShapeError, part.sizes_ == first.sizes_,
                   "tensor: Expected all sub-lists to have sizes: ", list_of(first.sizes_), " (e.g. ",
                   text_of(first), "), but got sub-list ", text_of(part),
                   " with sizes: ", list_of(part.sizes_));
    LANEWISE_CHECK(DtypeError, part.dtype_ == dtype_,
                   "tensor: Expected all elements of the tensor to have the same scalar type: ", dtype_,
                   ", but got element of scalar type: ", part.dtype_, "; write them alike, as in {1., 2.5}");
    is_container_ = part.is_container_;
    values_.insert(values_.end(), part.values_.begin(), part.values_.end());
  }
  if (parts.size() > 0) {
    for (const std::int64_t size : parts.begin()->sizes_) sizes_.push_back(size);
  }
}

Tensor tensor(const TensorLiteral& values, const TensorOptions& options) {
  ScalarType dtype = values.dtype();
  if (dtype == kInt) dtype = kLong;
  if (dtype == kFloat || dtype == kDouble) dtype = get_default_dtype();
  if (options.has_dtype()) dtype = options.dtype();
  LANEWISE_CHECK(DtypeError, !values.is_container() || !is_complex(values.dtype()) || is_complex(dtype),
                 "tensor: can not do torch::tensor(complex, dtype=non-complex) because complex can not be casted to real "
                 "number without loss of information; expected a complex dtype, found ",
                 dtype);
  Tensor t = detail::empty_cpu(values.sizes(), dtype);
  visit_dtype(dtype, [&]<class T>() {
    auto* out = static_cast<T*>(t.data_ptr());
    for (std::size_t i = 0; i < values.values().size(); ++i) {
      const Scalar& value = values.values()[i];
      out[i] = values.is_container() ? value.to_unchecked<T>() : value.to<T>();
    }
  });
  if (options.requires_grad()) t.set_requires_grad(true);
  return t;
}

}  // namespace lanewise
