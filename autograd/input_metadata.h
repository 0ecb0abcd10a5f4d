#pragma once

#include <cstdint>

#include <lanewise/tensor/inline_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// What a node knows of one output of its forward, which is one input of its backward: enough to check a
/// gradient and to make zeros for a missing one.
class InputMetadata {
 public:
  /// An input that never receives a gradient.
  InputMetadata() noexcept = default;
  explicit InputMetadata(const Tensor& output) : dtype_(output.scalar_type()) {
    const IntArrayRef sizes = output.sizes();
    shape_.resize_for_overwrite(sizes.size());
    std::int64_t* shape = shape_.data();
    for (const std::int64_t size : sizes) *shape++ = size;  // few: no call of memmove
  }
  InputMetadata(ScalarType dtype, IntArrayRef shape) : dtype_(dtype) {
    shape_.append(shape.begin(), shape.end());
  }

  IntArrayRef shape() const noexcept { return IntArrayRef(shape_.data(), shape_.size()); }
  ScalarType dtype() const noexcept { return dtype_; }
  bool is_defined() const noexcept { return dtype_ != ScalarType::Undefined; }

  /// True if `grad` has exactly this shape and dtype, the only case on the fast path.
  bool matches(const Tensor& grad) const noexcept {
    if (grad.scalar_type() != dtype_) return false;
    const IntArrayRef sizes = grad.sizes();
    if (sizes.size() != shape_.size()) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != shape_[i]) return false;
    }
    return true;
  }

  /// Zeros of this shape and dtype.
  Tensor zeros_like() const;

 private:
  InlineVector<std::int64_t, 4> shape_;
  ScalarType dtype_ = ScalarType::Undefined;
};

}  // namespace lanewise::autograd
