#include <algorithm>

#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise {
namespace {

/// A static shape is walked as it stands, so that no operand may end before it does.
void check_fits(const char* op, IntArrayRef sizes, IntArrayRef shape, IntArrayRef squashed) {
  bool fits = sizes.size() <= shape.size();
  for (std::size_t back = 1; fits && back <= sizes.size(); ++back) {
    const std::int64_t size = sizes[sizes.size() - back], wanted = shape[shape.size() - back];
    const bool any_size = std::find(squashed.begin(), squashed.end(),
                                    static_cast<std::int64_t>(shape.size() - back)) != squashed.end();
    fits = size >= wanted || size == 1 || any_size;
  }
  LANEWISE_CHECK(ShapeError, fits, op, ": an operand of shape ", sizes,
                 " is smaller than the declared shape ", shape);
}

/// shape = what shape and sizes broadcast to.
void broadcast_into(const char* op, DimVector& shape, IntArrayRef sizes) {
  const std::size_t rank = shape.size(), other = sizes.size();
  bool fits = other <= rank;
  for (std::size_t back = 1; fits && back <= other; ++back) {
    std::int64_t& m = shape[rank - back];
    const std::int64_t n = sizes[other - back];
    if (m == 1) {
      m = n;
    }
    fits = m == n || n == 1;
  }
  if (!fits) {
    shape = broadcast_shapes(op, shape, sizes);  // more dimensions, or the error
  }
}

}  // namespace

void TensorIterator::compute_shape(const TensorIteratorConfig& config) {
  if (config.static_shape_) {
    shape_ = *config.static_shape_;
    for (const IteratorOperand& o : operands_) {
      if (o.defined()) {
        check_fits(op_, o.sizes(), shape_, config.squashed_);
      }
    }
    return;
  }
  bool first = true, grown = false;
  for (const IteratorOperand& o : operands_) {
    if (!o.defined() || (o.is_output && config.resize_outputs_ && !o.is_read_write)) {
      continue;
    }
    const IntArrayRef sizes = o.sizes();
    if (first) {
      shape_.assign(sizes.begin(), sizes.end());
      first = false;
    } else if (!sizes.equals(shape_)) {
      broadcast_into(op_, shape_, sizes);
      grown = true;
    }
  }
  if (first) {
    for (const IteratorOperand& o :
         operands_) {  // nothing but outputs: the first one that exists has the shape
      if (o.defined()) {
        shape_.assign(o.sizes().begin(), o.sizes().end());
        break;
      }
    }
  }
  if (grown) {
    detail::checked_numel(op_, shape_);
  }
}

void TensorIterator::mark_resized(const TensorIteratorConfig& config) {
  if (config.static_shape_) {
    return;
  }
  for (int i = 0; i < num_outputs_; ++i) {
    IteratorOperand& o = operands_[static_cast<std::size_t>(i)];
    // The output of a reduction is as small as it is given, unless it may be resized.
    if (!o.defined() || o.sizes().equals(shape_) || (is_reduction_ && !config.resize_outputs_)) {
      continue;
    }
    LANEWISE_CHECK(ShapeError, config.resize_outputs_ && !o.is_read_write, op_, ": output with shape ",
                   o.sizes(), " doesn't match the broadcast shape ", IntArrayRef(shape_),
                   o.is_read_write ? "; an output that is also an input is not resized" : "");
    detail::check_resizable(op_, o.tensor(), shape_);
    o.will_resize = true;
  }
}

}  // namespace lanewise
