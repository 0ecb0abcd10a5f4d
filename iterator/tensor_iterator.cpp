#include <algorithm>

#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>

// What an iterator says about itself.
namespace lanewise {

std::int64_t TensorIterator::numel() const {
  std::int64_t n = 1;
  for (const std::int64_t size : shape_) {
    n *= size;
  }
  return n;
}

ScalarType TensorIterator::common_dtype() const {
  LANEWISE_CHECK(DtypeError, common_dtype_ != ScalarType::Undefined, op_,
                 ": the inputs have no common dtype");
  return common_dtype_;
}

bool TensorIterator::is_contiguous() const {
  if (numel() <= 1) {
    return true;
  }
  return ndim() == 1 && std::all_of(operands_.begin(), operands_.end(),
                                    [](const IteratorOperand& o) { return o.strides[0] == o.memory_size(); });
}

bool TensorIterator::is_dim_reduced(int dim) const {
  return std::any_of(operands_.begin(), operands_.end(), [&](const IteratorOperand& o) {
    return o.is_output && o.strides[static_cast<std::size_t>(dim)] == 0 &&
           shape_[static_cast<std::size_t>(dim)] > 1;
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

int TensorIterator::num_reduce_dims() const {
  int count = 0;
  for (int d = 0; d < ndim(); ++d) {
    count += operand(0).strides[static_cast<std::size_t>(d)] == 0;
  }
  return count;
}

bool TensorIterator::has_contiguous_first_dim() const {
  return ndim() == 0 || std::all_of(operands_.begin(), operands_.end(),
                                    [](const IteratorOperand& o) { return o.strides[0] == o.memory_size(); });
}

DimVector TensorIterator::get_dim_strides(int dim) const {
  DimVector strides;
  for (const IteratorOperand& o : operands_) {
    strides.push_back(dim < ndim() ? o.strides[static_cast<std::size_t>(dim)] : 0);
  }
  return strides;
}

DimVector TensorIterator::get_strides() const {
  DimVector strides;
  for (int d = 0; d < std::max(ndim(), 2); ++d) {
    const DimVector step = get_dim_strides(d);
    strides.append(step.begin(), step.end());
  }
  return strides;
}

InlineVector<char*, 4> TensorIterator::get_base_ptrs() const {
  InlineVector<char*, 4> pointers;
  for (const IteratorOperand& o : operands_) {
    pointers.push_back(o.address());
  }
  return pointers;
}

DimVector TensorIterator::compatible_stride(std::int64_t element_size) const {
  DimVector strides;
  for (const std::int64_t size : shape_) {
    strides.push_back(element_size);
    element_size *= size;
  }
  return strides;
}

DimVector TensorIterator::invert_perm(IntArrayRef list) const {
  LANEWISE_CHECK(ShapeError, !coalesced_ && list.size() == perm_.size(), op_, ": invert_perm of ",
                 list.size(), " entries, but the iterator has ", perm_.size(), " dimensions",
                 coalesced_ ? ", some of them merged" : "");
  DimVector inverse(list.size());
  for (std::size_t d = 0; d < list.size(); ++d) {
    inverse[static_cast<std::size_t>(perm_[d])] = list[d];
  }
  return inverse;
}

DimVector TensorIterator::apply_perm_and_mul(IntArrayRef list, int factor) const {
  LANEWISE_CHECK(ShapeError, !coalesced_ && list.size() == perm_.size(), op_, ": apply_perm_and_mul of ",
                 list.size(), " entries, but the iterator has ", perm_.size(), " dimensions",
                 coalesced_ ? ", some of them merged" : "");
  DimVector permuted(list.size());
  for (std::size_t d = 0; d < list.size(); ++d) {
    permuted[d] = list[static_cast<std::size_t>(perm_[d])] * factor;
  }
  return permuted;
}

void TensorIterator::read_scalar(int i, ScalarType as, void* value) const {
  kernels::active_kernels()
      .movers->convert[static_cast<std::size_t>(operand(i).memory)][static_cast<std::size_t>(as)](
          operand(i).address(), static_cast<char*>(value), 1);
}

}  // namespace lanewise
