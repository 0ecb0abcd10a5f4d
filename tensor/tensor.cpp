#include <iostream>

#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/shape.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace {

/// wrap_dim lets a 0-dim tensor have dimension 0, but there is no size of it.
std::size_t dim_of(const char* op, std::int64_t d, std::int64_t rank) {
  LANEWISE_CHECK(IndexError, rank > 0, op, ": Dimension specified as ", d,
                 " but tensor has no dimensions; it has one element, read it with item()");
  return static_cast<std::size_t>(wrap_dim(op, d, rank));
}

}  // namespace

std::int64_t Tensor::size(std::int64_t d) const { return sizes()[dim_of("size", d, dim())]; }
std::int64_t Tensor::stride(std::int64_t d) const { return strides()[dim_of("stride", d, dim())]; }

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

bool Tensor::is_nonzero() const {
  LANEWISE_CHECK(ValueError, !defined() || numel() == 1, "is_nonzero: Boolean value of Tensor with ",
                 numel() == 0 ? "no values" : "more than one value", " is ambiguous: it has sizes ", sizes(),
                 "; ask any() or all() of it");
  return item().to<bool>();
}

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
