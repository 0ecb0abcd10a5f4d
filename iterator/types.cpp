#include <span>

#include <lanewise/iterator/detail/halves.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/detail/operand_copy.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise {

namespace {

/// All inputs are tensors of one dtype that have dimensions: nothing to promote.
bool have_one_dtype(std::span<const IteratorOperand> inputs) {
  for (const IteratorOperand& o : inputs) {
    if (o.is_number || o.declared != ScalarType::Undefined || o.memory != inputs[0].memory ||
        o.tensor().dim() == 0) {
      return false;
    }
  }
  return !inputs.empty();
}

ScalarType promoted_dtype(std::span<const IteratorOperand> inputs) {
  if (have_one_dtype(inputs)) return inputs[0].memory;
  ResultType type;
  for (const IteratorOperand& o : inputs) {
    if (o.declared != ScalarType::Undefined) continue;
    o.is_number ? type.add_number(o.memory) : type.add(o.tensor());
  }
  return type.get();
}

/// The one that all have; Undefined if there are several.
ScalarType shared_dtype(std::span<const IteratorOperand> operands) {
  ScalarType same = ScalarType::Undefined;
  for (const IteratorOperand& o : operands) {
    if (!o.defined() || o.declared != ScalarType::Undefined) continue;
    if (same != ScalarType::Undefined && same != o.memory) return ScalarType::Undefined;
    same = o.memory;
  }
  return same;
}

void check_same_dtype(const char* op, std::span<const IteratorOperand> operands) {
  ScalarType first = ScalarType::Undefined;
  for (const IteratorOperand& o : operands) {
    if (!o.defined()) continue;
    first = first == ScalarType::Undefined ? o.memory : first;
    LANEWISE_CHECK(DtypeError, o.memory == first, op, ": found dtype ", o.memory, " but expected ", first,
                   "; all operands must have the same dtype");
  }
}

/// The first of these that is known.
ScalarType first_known(ScalarType a, ScalarType b, ScalarType c) {
  return a != ScalarType::Undefined ? a : b != ScalarType::Undefined ? b : c;
}

/// Beside halves a number is one of them.
void round_number(IteratorOperand& o) {
  const Scalar number =
      visit_dtype(o.memory, [&]<class T>() { return Scalar(*reinterpret_cast<const T*>(o.number)); });
  o.memory = o.target;
  detail::write_number(number, o.memory, o.number);
}

}  // namespace

void TensorIterator::compute_types(const TensorIteratorConfig& config) {
  const std::span<IteratorOperand> operands(operands_.data(), operands_.size());
  const auto inputs = operands.subspan(static_cast<std::size_t>(num_outputs_));
  if (config.promote_inputs_) {
    common_dtype_ = promoted_dtype(inputs);
    if (config.integers_to_float_ && is_integral(common_dtype_, true)) common_dtype_ = get_default_dtype();
  } else {
    common_dtype_ = shared_dtype(inputs.empty() ? operands : inputs);
  }
  if (config.check_all_same_dtype_) check_same_dtype(op_, operands);
  for (IteratorOperand& o : operands) {
    if (!o.defined()) {
      o.memory = o.target = first_known(o.declared, config.static_dtype_, common_dtype_);
      LANEWISE_CHECK(DtypeError, o.memory != ScalarType::Undefined, op_,
                     ": an undefined output has no dtype, since the inputs have no common one; "
                     "declare_static_dtype() names it");
      continue;
    }
    const bool converted = o.is_output ? config.cast_outputs_ : config.promote_inputs_;
    o.target = first_known(o.declared, converted ? common_dtype_ : ScalarType::Undefined, o.memory);
    if (o.is_number && kernels::compute_type(o.target) != o.target) round_number(o);
    if (o.is_output && config.safe_casting_) {
      const ScalarType result = first_known(o.declared, common_dtype_, o.target);
      LANEWISE_CHECK(DtypeError, can_cast(result, o.memory), op_, ": result type ", result,
                     " can't be cast to the desired output type ", o.memory);
    }
  }
}

void TensorIterator::round_inputs() {
  for (IteratorOperand& o : operands_) {
    if (o.is_number || o.is_output || !detail::rounds_to_half(*o.tensor().unsafeGetTensorImpl(), o.target))
      continue;
    o.owned = detail::operand_copy(op_, o.tensor(), o.target);
    o.memory = o.target;
  }
}

}  // namespace lanewise
