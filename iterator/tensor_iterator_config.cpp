#include <algorithm>
#include <utility>

#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/iterator/tensor_iterator_config.h>

namespace lanewise {

/// A new operand at the end of its kind.
IteratorOperand& TensorIteratorConfig::add(bool is_output) {
  operands_.emplace_back();
  last_added_ = operands_.size() - 1;
  if (is_output) {
    if (last_added_ != num_outputs_) {
      std::rotate(operands_.begin() + num_outputs_, operands_.end() - 1, operands_.end());
      last_added_ = num_outputs_;
    }
    ++num_outputs_;
    operands_[last_added_].is_output = true;
  }
  return operands_[last_added_];
}

TensorIteratorConfig& TensorIteratorConfig::add_owned_output(Tensor output) {
  add(true).owned = std::move(output);
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_borrowed_output(const Tensor& output) {
  add(true).borrowed = &output;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_owned_input(Tensor input) {
  add(false).owned = std::move(input);
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_borrowed_input(const Tensor& input) {
  add(false).borrowed = &input;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_number(const Scalar& number) {
  IteratorOperand& operand = add(false);
  operand.is_number = true;
  operand.memory = number.type();
  detail::write_number(number, operand.memory, operand.number);
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::declare_dtype(ScalarType dtype) {
  LANEWISE_CHECK(ValueError, !operands_.empty(), op_,
                 ": declare_dtype() follows the operand that it is about");
  operands_[last_added_].declared = dtype;
  return allow_mixed_dtypes(true);
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(IntArrayRef shape) {
  static_shape_.emplace(shape);
  resize_outputs_ = false;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(IntArrayRef shape, IntArrayRef squash_dims) {
  declare_static_shape(shape);
  for (const std::int64_t d : squash_dims) {
    LANEWISE_CHECK(IndexError, d >= 0 && d < static_cast<std::int64_t>(shape.size()), op_,
                   ": squashed dimension ", d, " of a shape ", shape);
    (*static_shape_)[static_cast<std::size_t>(d)] = 1;
    squashed_.push_back(d);
  }
  return *this;
}

TensorIterator TensorIteratorConfig::build() {
  LANEWISE_CHECK(ValueError, !std::exchange(built_, true), op_,
                 ": build() was called already; a config makes one iterator");
  return TensorIterator(std::move(*this));
}

}  // namespace lanewise
