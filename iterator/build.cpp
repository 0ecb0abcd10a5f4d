#include <lanewise/iterator/tensor_iterator.h>

#include <algorithm>

namespace lanewise {

void TensorIterator::build(TensorIteratorConfig& config) {
  op_ = config.op_;
  operands_ = std::move(config.operands_);
  num_outputs_ = static_cast<int>(config.num_outputs_);
  is_reduction_ = config.is_reduction_;
  linear_ = config.linear_;

  check_operands();
  mark_outputs();
  compute_shape(config);
  mark_resized(config);
  compute_types(config);
  if (config.check_mem_overlap_) {
    check_overlap();
  }
  if (fast_set_up(config)) {
    return;
  }
  compute_strides();
  reorder_dimensions();
  allocate_outputs();
  coalesce_dimensions();
  read_addresses();
}

void TensorIterator::check_operands() const {
  for (int i = num_outputs_; i < ntensors(); ++i) {
    LANEWISE_CHECK(ValueError, operand(i).defined(), op_, ": input ", i - num_outputs_, " is an undefined tensor");
  }
}

void TensorIterator::mark_outputs() {
  for (int i = 0; i < ntensors(); ++i) {
    IteratorOperand& o = operands_[static_cast<std::size_t>(i)];
    if (!o.defined() || o.is_number) {
      continue;
    }
    o.memory = o.tensor().scalar_type();
    for (int j = num_outputs_; o.is_output && j < ntensors(); ++j) {
      o.is_read_write |= !operand(j).is_number && operand(j).tensor().is_same(o.tensor());
    }
  }
}

std::int64_t TensorIterator::numel() const {
  std::int64_t n = 1;
  for (const std::int64_t size : shape_) {
    n *= size;
  }
  return n;
}

ScalarType TensorIterator::common_dtype() const {
  LANEWISE_CHECK(DtypeError, common_dtype_ != ScalarType::Undefined, op_, ": the inputs have no common dtype");
  return common_dtype_;
}

bool TensorIterator::is_contiguous() const {
  if (numel() <= 1) {
    return true;
  }
  return ndim() == 1 && std::all_of(operands_.begin(), operands_.end(), [](const IteratorOperand& o) {
           return o.strides[0] == o.memory_size();
         });
}

bool TensorIterator::is_dim_reduced(int dim) const {
  return std::any_of(operands_.begin(), operands_.end(), [&](const IteratorOperand& o) {
    return o.is_output && o.strides[static_cast<std::size_t>(dim)] == 0 && shape_[static_cast<std::size_t>(dim)] > 1;
  });
}

std::int64_t TensorIterator::num_output_elements() const {
  std::int64_t n = 1;
  for (int d = 0; d < ndim(); ++d) {
    if (operand(0).strides[static_cast<std::size_t>(d)] != 0 || shape_[static_cast<std::size_t>(d)] == 0) {
      n *= shape_[static_cast<std::size_t>(d)];
    }
  }
  return n;
}

bool TensorIterator::can_use_32bit_indexing() const {
  return std::all_of(operands_.begin(), operands_.end(), [&](const IteratorOperand& o) {
    std::int64_t reach = o.memory_size();
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      reach += (shape_[d] - 1) * std::abs(o.strides[d]);
    }
    return reach <= INT32_MAX;
  });
}

}  // namespace lanewise
