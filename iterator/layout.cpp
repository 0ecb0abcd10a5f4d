#include <algorithm>
#include <cstdlib>
#include <span>

#include <lanewise/iterator/detail/dense.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/tensor/dimension_order.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {

/// All operands full, and in memory in the same order: one dimension, with nothing to compute. Numbers may be
/// among them.
bool TensorIterator::fast_set_up(const TensorIteratorConfig& config) {
  if (is_reduction_ || config.static_shape_) {
    return false;
  }
  const Tensor* like = nullptr;
  bool contiguous = true, same_strides = true, numbers = false, fresh = true;
  for (const IteratorOperand& o : operands_) {
    if (o.is_number) {
      numbers = true;
      continue;
    }
    if (!o.defined() || o.will_resize) {
      continue;
    }
    const Tensor& t = o.tensor();
    if (!t.sizes().equals(shape_)) {
      return false;
    }
    like = like == nullptr ? &t : like;
    contiguous = contiguous && t.is_contiguous();
    fresh = fresh && t.unsafeGetTensorImpl()->has_default_strides();
    same_strides = same_strides && t.strides().equals(like->strides());
  }
  // Beside a number dimensions are sorted, as in PyTorch, and unusual strides of dimensions of size 1 count.
  if (like == nullptr || (numbers && !fresh)) {
    return false;
  }
  if (!contiguous) {
    // Outputs that get memory now take over the strides, so these must be dense.
    if (linear_ || !same_strides || !detail::has_dense_layout(*like->unsafeGetTensorImpl()) || numel() == 0) {
      return false;
    }
  }
  const IntArrayRef strides = like->strides();
  for (IteratorOperand& o : operands_) {
    if (!o.defined()) {
      o.owned = contiguous ? detail::empty_cpu(shape_, o.memory)
                           : detail::empty_strided_cpu(shape_, strides, o.memory);
    } else if (o.will_resize) {
      Tensor out = o.tensor();
      contiguous ? detail::resize_cpu(out, shape_) : detail::resize_cpu(out, shape_, strides);
    }
  }
  perm_.resize(shape_.size());
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    perm_[d] = static_cast<std::int64_t>(shape_.size() - 1 - d);
  }
  if (!shape_.empty()) {
    const std::int64_t n = numel();
    coalesced_ = shape_.size() > 1;
    shape_.resize(1);
    shape_[0] = n;
  }
  for (IteratorOperand& o : operands_) {
    o.strides.resize(shape_.size());
    if (!shape_.empty()) {
      o.strides[0] = o.is_number ? 0 : o.memory_size();
    }
  }
  read_addresses();
  return true;
}

void TensorIterator::compute_strides() {
  for (IteratorOperand& o : operands_) {
    if (!o.defined() || o.will_resize) {
      continue;
    }
    o.strides.resize(shape_.size());
    std::fill(o.strides.begin(), o.strides.end(), 0);
    if (o.is_number) {
      continue;
    }
    const IntArrayRef sizes = o.tensor().sizes(), strides = o.tensor().strides();
    const std::size_t offset = shape_.size() - sizes.size();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool repeats = sizes[d] == 1 && shape_[offset + d] != 1;
      o.strides[offset + d] = repeats ? 0 : strides[d] * o.memory_size();
    }
  }
}

namespace {

/// By the steps of the operands that have memory; outputs that exist come first, so their layout decides.
class DimensionOrder {
 public:
  DimensionOrder(std::span<const IteratorOperand> operands, IntArrayRef shape, bool is_reduction)
      : shape_(shape), is_reduction_(is_reduction) {
    for (const IteratorOperand& o : operands) {
      if (o.strides.size() != shape.size() || o.is_number) continue;
      strides_.push_back(o.strides.data());
      outputs_ += o.is_output;
    }
  }

  /// The first operand that tells the two apart decides. Above 0: dimension a belongs outside of b; 0: none does.
  int operator()(std::int64_t a, std::int64_t b) const {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    for (std::size_t k = 0; k < strides_.size(); ++k) {
      const std::int64_t s = std::abs(strides_[k][i]), t = std::abs(strides_[k][j]);
      if (is_reduction_ && k < outputs_ && (s == 0) != (t == 0)) {
        return t == 0 ? 1 : -1;  // reduced dimensions go inside
      }
      if (s == 0 || t == 0) continue;
      if (s != t) return s < t ? -1 : 1;
      if (shape_[i] > shape_[j]) return 1;
    }
    return 0;
  }

 private:
  IntArrayRef shape_;
  bool is_reduction_;
  InlineVector<const std::int64_t*, 8> strides_;
  std::size_t outputs_ = 0;
};

}  // namespace

/// From the order of C, which stays where no operand decides, to that of memory, fastest first.
void TensorIterator::reorder_dimensions() {
  const std::size_t n = shape_.size();
  perm_.resize(n);
  for (std::size_t d = 0; d < n; ++d) {
    perm_[d] = static_cast<std::int64_t>(n - 1 - d);
  }
  const bool moved = !linear_ && sort_dimensions(perm_, DimensionOrder({operands_.data(), operands_.size()},
                                                                       shape_, is_reduction_));
  const auto reorder = [&](DimVector& v) {
    if (!moved) return std::reverse(v.begin(), v.end());
    const DimVector in = v;
    for (std::size_t d = 0; d < n; ++d) {
      v[d] = in[static_cast<std::size_t>(perm_[d])];
    }
  };
  reorder(shape_);
  for (IteratorOperand& o : operands_) {
    if (o.strides.size() == n) reorder(o.strides);
  }
}

/// Fresh and resized outputs are dense in the order of iteration.
void TensorIterator::allocate_outputs() {
  const std::size_t n = shape_.size();
  DimVector sizes, strides;
  bool c_order = true;
  for (int i = 0; i < num_outputs_; ++i) {
    IteratorOperand& o = operands_[static_cast<std::size_t>(i)];
    if (o.defined() && !o.will_resize) {
      continue;
    }
    if (sizes.size() != n) {
      sizes.resize(n);
      strides.resize(n);
      std::int64_t step = 1;
      for (std::size_t d = 0; d < n; ++d) {
        const auto to = static_cast<std::size_t>(perm_[d]);
        c_order = c_order && to == n - 1 - d;
        sizes[to] = shape_[d];
        strides[to] = step;
        step *= std::max<std::int64_t>(shape_[d], 1);
      }
    }
    if (o.will_resize) {
      Tensor out = o.tensor();
      c_order || n == 0 ? detail::resize_cpu(out, sizes) : detail::resize_cpu(out, sizes, strides);
    } else {
      o.owned = c_order || n == 0 ? detail::empty_cpu(sizes, o.memory)
                                  : detail::empty_strided_cpu(sizes, strides, o.memory);
    }
    o.strides.resize(n);
    std::int64_t step = o.memory_size();
    for (std::size_t d = 0; d < n; ++d) {
      o.strides[d] = step;
      step *= std::max<std::int64_t>(shape_[d], 1);
    }
  }
}

/// Merges neighbouring dimensions that every operand walks as one, and drops those of size 1.
void TensorIterator::coalesce_dimensions() {
  const std::size_t n = shape_.size();
  if (n <= 1) {
    return;
  }
  const auto merges = [&](std::size_t inner, std::size_t outer) {
    if (shape_[inner] == 1 || shape_[outer] == 1) {
      return true;
    }
    return std::all_of(operands_.begin(), operands_.end(), [&](const IteratorOperand& o) {
      return o.strides[outer] == shape_[inner] * o.strides[inner];
    });
  };
  std::size_t last = 0;
  for (std::size_t d = 1; d < n; ++d) {
    if (merges(last, d)) {
      if (shape_[last] == 1) {
        for (IteratorOperand& o : operands_) {
          o.strides[last] = o.strides[d];
        }
      }
      shape_[last] *= shape_[d];
    } else if (++last != d) {
      shape_[last] = shape_[d];
      for (IteratorOperand& o : operands_) {
        o.strides[last] = o.strides[d];
      }
    }
  }
  coalesced_ = last + 1 != n;
  shape_.resize(last + 1);
  for (IteratorOperand& o : operands_) {
    o.strides.resize(last + 1);
  }
}

void TensorIterator::read_addresses() {
  for (IteratorOperand& o : operands_) {
    if (!o.is_number) {
      o.data = static_cast<char*>(o.tensor().data_ptr());
    }
  }
}

}  // namespace lanewise
