#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise {

/// All inputs are tensors of one dtype that have dimensions: nothing to promote.
bool TensorIterator::have_one_dtype() const {
  const std::size_t first = static_cast<std::size_t>(num_outputs_);
  for (std::size_t i = first; i < operands_.size(); ++i) {
    const IteratorOperand& o = operands_[i];
    if (o.is_number || o.declared != ScalarType::Undefined || o.memory != operands_[first].memory ||
        o.tensor().dim() == 0) {
      return false;
    }
  }
  return operands_.size() > first;
}

void TensorIterator::compute_types(const TensorIteratorConfig& config) {
  // The common dtype: promoted, or simply the one that all operands have.
  if (config.promote_inputs_ && have_one_dtype()) {
    common_dtype_ = operand(num_outputs_).memory;
    if (config.integers_to_float_ && is_integral(common_dtype_, true)) {
      common_dtype_ = get_default_dtype();
    }
  } else if (config.promote_inputs_) {
    ResultType type;
    for (int i = num_outputs_; i < ntensors(); ++i) {
      const IteratorOperand& o = operand(i);
      if (o.declared != ScalarType::Undefined) {
        continue;
      }
      if (o.is_number) {
        type.add_number(o.memory);
      } else {
        type.add(o.tensor());
      }
    }
    common_dtype_ = type.get();
    if (config.integers_to_float_ && is_integral(common_dtype_, true)) {
      common_dtype_ = get_default_dtype();
    }
  } else {
    ScalarType same = ScalarType::Undefined;
    bool all_same = true;
    for (int i = ninputs() > 0 ? num_outputs_ : 0; i < ntensors(); ++i) {
      const IteratorOperand& o = operand(i);
      if (!o.defined() || o.declared != ScalarType::Undefined) {
        continue;
      }
      all_same = all_same && (same == ScalarType::Undefined || same == o.memory);
      same = o.memory;
    }
    common_dtype_ = all_same ? same : ScalarType::Undefined;
  }
  if (config.check_all_same_dtype_) {
    ScalarType first = ScalarType::Undefined;
    for (const IteratorOperand& o : operands_) {
      if (o.defined()) {
        first = first == ScalarType::Undefined ? o.memory : first;
        LANEWISE_CHECK(DtypeError, o.memory == first, op_, ": found dtype ", o.memory, " but expected ",
                       first, "; all operands must have the same dtype");
      }
    }
  }

  for (IteratorOperand& o : operands_) {
    const bool converted = o.is_output ? config.cast_outputs_ : config.promote_inputs_;
    if (!o.defined()) {
      o.memory = o.declared != ScalarType::Undefined             ? o.declared
                 : config.static_dtype_ != ScalarType::Undefined ? config.static_dtype_
                                                                 : common_dtype_;
      LANEWISE_CHECK(DtypeError, o.memory != ScalarType::Undefined, op_,
                     ": an undefined output has no dtype, since the inputs have no common one; "
                     "declare_static_dtype() names it");
      o.target = o.memory;
      continue;
    }
    o.target = o.declared != ScalarType::Undefined                   ? o.declared
               : converted && common_dtype_ != ScalarType::Undefined ? common_dtype_
                                                                     : o.memory;
    if (o.is_number && kernels::compute_type(o.target) != o.target) {
      // Beside halves a number is one of them.
      const Scalar number =
          visit_dtype(o.memory, [&]<class T>() { return Scalar(*reinterpret_cast<const T*>(o.number)); });
      o.memory = o.target;
      detail::write_number(number, o.memory, o.number);
    }
    if (o.is_output && config.safe_casting_) {
      const ScalarType result = o.declared == ScalarType::Undefined && common_dtype_ != ScalarType::Undefined
                                    ? common_dtype_
                                    : o.target;
      LANEWISE_CHECK(DtypeError, can_cast(result, o.memory), op_, ": result type ", result,
                     " can't be cast to the desired output type ", o.memory);
    }
  }
}

}  // namespace lanewise
