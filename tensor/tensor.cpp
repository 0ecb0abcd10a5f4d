#include <iostream>

#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/shape.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

std::int64_t Tensor::size(std::int64_t d) const { return sizes()[wrap_dim("size", d, dim())]; }
std::int64_t Tensor::stride(std::int64_t d) const { return strides()[wrap_dim("stride", d, dim())]; }

IntArrayRef Tensor::undefined_sizes() noexcept {
  static constexpr std::int64_t kSizes[] = {0};
  return kSizes;
}

void Tensor::raise_undefined(const char* asked) {
  detail::raise<ValueError>(asked,
                            ": the tensor is undefined (UndefinedType); assign one to it first, "
                            "defined() tells whether there is one");
}

Scalar Tensor::item() const {
  LANEWISE_CHECK(ValueError, defined(), "item: the tensor is undefined");
  LANEWISE_CHECK(ValueError, numel() == 1, "item: a Tensor with ", numel(),
                 " elements cannot be converted to Scalar; it has sizes ", sizes(),
                 ", select one element first");
  detail::check_read("item", *this);
  return visit_dtype(scalar_type(),
                     [this]<class T>() { return Scalar(*static_cast<const T*>(impl_->data())); });
}

bool Tensor::is_nonzero() const { return item().to<bool>(); }

void Tensor::wrong_element_type(const char* op, ScalarType asked) const {
  detail::raise<DtypeError>(op, ": expected scalar type ", to_string(asked), " but found ",
                            to_string(scalar_type()), "; convert with to(k", to_string(asked), ") first");
}

void Tensor::print() const {
  if (defined()) {
    std::cout << '[' << toString() << ' ' << sizes() << "]\n";
  } else {
    std::cout << "[UndefinedTensor]\n";
  }
}

}  // namespace lanewise
