#include <lanewise/generated/functions.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/tensor.h>

// A number beside a tensor becomes a wrapped 0-dim tensor, so that both orders record the node of the tensor
// form, whose edge for the number is empty. Without a graph the number is passed as it is, which saves making
// a tensor. Where the order does not matter the tensor goes first, as in PyTorch. A number in front promotes as one behind
// does, and as in Python: 1.5 - t of integers is floating, where libtorch's C++ operators keep the dtype of t.
namespace lanewise {

#define LANEWISE_TENSOR_OPERATOR(op, function)                                                         \
  Tensor operator op(const Tensor& a, const Tensor& b) { return function(a, b); }                      \
  Tensor operator op(const Tensor& a, const Scalar& b) {                                               \
    return a.defined() && a.requires_grad() ? function(a, detail::wrapped_number(b)) : function(a, b); \
  }
#define LANEWISE_ORDERED_OPERATOR(op, function) \
  LANEWISE_TENSOR_OPERATOR(op, function)        \
  Tensor operator op(const Scalar& a, const Tensor& b) { return function(detail::wrapped_number(a), b); }
#define LANEWISE_COMMUTING_OPERATOR(op, function) \
  LANEWISE_TENSOR_OPERATOR(op, function)          \
  Tensor operator op(const Scalar& a, const Tensor& b) { return function(b, detail::wrapped_number(a)); }
LANEWISE_COMMUTING_OPERATOR(+, add)
LANEWISE_ORDERED_OPERATOR(-, sub)
LANEWISE_COMMUTING_OPERATOR(*, mul)
LANEWISE_ORDERED_OPERATOR(/, div)
LANEWISE_ORDERED_OPERATOR(%, remainder)
LANEWISE_COMMUTING_OPERATOR(&, bitwise_and)
LANEWISE_COMMUTING_OPERATOR(|, bitwise_or)
LANEWISE_COMMUTING_OPERATOR(^, bitwise_xor)
#undef LANEWISE_COMMUTING_OPERATOR
#undef LANEWISE_ORDERED_OPERATOR
#undef LANEWISE_TENSOR_OPERATOR

#define LANEWISE_COMPARISON(op, function, mirrored)                               \
  Tensor operator op(const Tensor& a, const Tensor& b) { return function(a, b); } \
  Tensor operator op(const Tensor& a, const Scalar& b) { return function(a, b); } \
  Tensor operator op(const Scalar& a, const Tensor& b) { return mirrored(b, a); }
LANEWISE_COMPARISON(==, eq, eq)
LANEWISE_COMPARISON(!=, ne, ne)
LANEWISE_COMPARISON(<, lt, gt)
LANEWISE_COMPARISON(<=, le, ge)
LANEWISE_COMPARISON(>, gt, lt)
LANEWISE_COMPARISON(>=, ge, le)
#undef LANEWISE_COMPARISON

Tensor Tensor::operator-() const { return neg(); }
Tensor Tensor::operator~() const { return bitwise_not(); }
Tensor& Tensor::operator+=(const Tensor& other) { return add_(other); }
Tensor& Tensor::operator+=(const Scalar& other) { return add_(detail::wrapped_number(other)); }
Tensor& Tensor::operator-=(const Tensor& other) { return sub_(other); }
Tensor& Tensor::operator-=(const Scalar& other) { return sub_(detail::wrapped_number(other)); }
Tensor& Tensor::operator*=(const Tensor& other) { return mul_(other); }
Tensor& Tensor::operator*=(const Scalar& other) { return mul_(detail::wrapped_number(other)); }
Tensor& Tensor::operator/=(const Tensor& other) { return div_(other); }
Tensor& Tensor::operator/=(const Scalar& other) { return div_(detail::wrapped_number(other)); }
Tensor& Tensor::operator&=(const Tensor& other) { return bitwise_and_(other); }
Tensor& Tensor::operator|=(const Tensor& other) { return bitwise_or_(other); }
Tensor& Tensor::operator^=(const Tensor& other) { return bitwise_xor_(other); }

}  // namespace lanewise
