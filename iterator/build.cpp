#include <lanewise/iterator/tensor_iterator.h>

namespace lanewise {

void TensorIterator::build(TensorIteratorConfig& config) {
  op_ = config.op_;
  operands_ = std::move(config.operands_);
  num_outputs_ = static_cast<int>(config.num_outputs_);
  is_reduction_ = config.is_reduction_;
  linear_ = config.linear_;

  read_operands();
  compute_shape(config);
  mark_resized(config);
  compute_types(config);
  if (config.check_mem_overlap_) {
    check_overlap();
  }
  round_inputs();
  if (!fast_set_up(config)) {
    compute_strides();
    reorder_dimensions();
    allocate_outputs();
    coalesce_dimensions();
    read_addresses();
  }
  view_offsets_.assign(shape_.size(), 0);
}

void TensorIterator::read_operands() {
  const auto outputs = static_cast<std::size_t>(num_outputs_);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    IteratorOperand& o = operands_[i];
    if (o.is_number) {
      continue;
    }
    const Tensor& t = o.tensor();
    if (!t.defined()) {
      LANEWISE_CHECK(ValueError, o.is_output, op_, ": input ", i - outputs, " is an undefined tensor");
      continue;
    }
    o.memory = t.scalar_type();
    for (std::size_t j = outputs; o.is_output && j < operands_.size(); ++j) {
      o.is_read_write |= !operands_[j].is_number && operands_[j].tensor().is_same(t);
    }
  }
}

}  // namespace lanewise
