#include <algorithm>
#include <cstdlib>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/tensor_iterator.h>

// Parts of an iteration.
namespace lanewise {

void TensorIterator::narrow(int dim, std::int64_t start, std::int64_t size) {
  LANEWISE_CHECK(IndexError, dim >= 0 && dim < ndim(), op_, ": narrow of dimension ", dim, " of ", ndim());
  const auto d = static_cast<std::size_t>(dim);
  LANEWISE_CHECK(IndexError, start >= 0 && size >= 1 && start <= shape_[d] - size, op_, ": narrow to [",
                 start, ", ", start + size, ") of ", shape_[d]);
  shape_[d] = size;
  view_offsets_[d] += start;
  for (IteratorOperand& o : operands_) {
    o.data = o.address() + o.strides[d] * start;
  }
  if (size == 1 && !is_reduction_) {
    coalesce_dimensions();
  }
}

void TensorIterator::select_all_keeping_dim(int start_dim, IntArrayRef indices) {
  LANEWISE_CHECK(IndexError,
                 start_dim >= 0 && start_dim <= ndim() &&
                     indices.size() == shape_.size() - static_cast<std::size_t>(start_dim),
                 op_, ": ", indices.size(), " indices from dimension ", start_dim, " on, of ", ndim());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t d = static_cast<std::size_t>(start_dim) + i;
    LANEWISE_CHECK(IndexError, indices[i] >= 0 && indices[i] < shape_[d], op_, ": index ", indices[i],
                   " of dimension ", d, ", which has ", shape_[d]);
  }
  for (std::size_t d = static_cast<std::size_t>(start_dim); d < shape_.size(); ++d) {
    const std::int64_t index = indices[d - static_cast<std::size_t>(start_dim)];
    for (IteratorOperand& o : operands_) {
      o.data = o.address() + o.strides[d] * index;
    }
    shape_[d] = 1;
  }
}

void TensorIterator::remove_operand(int i) {
  LANEWISE_CHECK(IndexError, i >= 0 && i < ntensors(), op_, ": remove_operand ", i, " of ", ntensors());
  num_outputs_ -= operand(i).is_output;
  operands_.erase(operands_.begin() + i);
}

int TensorIterator::get_dim_to_split() const {
  LANEWISE_CHECK(ShapeError, ndim() >= 1, op_, ": an iterator without dimensions cannot be split");
  std::int64_t furthest = -1;
  int best = -1;
  for (int dim = ndim(); dim-- > 0;) {
    const auto d = static_cast<std::size_t>(dim);
    if (shape_[d] == 0) {
      continue;
    }
    for (const IteratorOperand& o : operands_) {
      const std::int64_t reach = (shape_[d] - 1) * std::abs(o.strides[d]);
      if (reach > furthest) {
        furthest = reach;
        best = dim;
      }
    }
  }
  return std::max(best, 0);
}

std::unique_ptr<TensorIterator> TensorIterator::split(int dim) {
  LANEWISE_CHECK(IndexError, dim >= 0 && dim < ndim() && shape_[static_cast<std::size_t>(dim)] >= 2, op_,
                 ": cannot split dimension ", dim, " of ", ndim());
  auto first = std::make_unique<TensorIterator>(*this);
  const bool overlaps = is_dim_reduced(dim);
  const std::int64_t size = shape_[static_cast<std::size_t>(dim)], half = size / 2;
  first->narrow(dim, 0, half);
  first->final_output_ = first->final_output_ && !overlaps;
  narrow(dim, half, size - half);
  accumulate_ = accumulate_ || overlaps;
  return first;
}

SplitUntil32Bit TensorIterator::with_32bit_indexing() const { return SplitUntil32Bit(*this); }

SplitUntil32Bit::iterator::iterator(const TensorIterator& whole) {
  left_.push_back(std::make_unique<TensorIterator>(whole));
  narrow_last();
}

SplitUntil32Bit::iterator& SplitUntil32Bit::iterator::operator++() {
  left_.pop_back();
  if (!left_.empty()) {
    narrow_last();
  }
  return *this;
}

void SplitUntil32Bit::iterator::narrow_last() {
  while (!left_.back()->can_use_32bit_indexing()) {
    TensorIterator& last = *left_.back();
    left_.push_back(last.split(last.get_dim_to_split()));
  }
}

bool TensorIterator::can_use_32bit_indexing() const {
  return numel() <= INT32_MAX &&
         std::all_of(operands_.begin(), operands_.end(), [&](const IteratorOperand& o) {
           std::int64_t reach = o.memory_size();
           for (std::size_t d = 0; d < shape_.size(); ++d) {
             reach += (shape_[d] - 1) * std::abs(o.strides[d]);
           }
           return reach <= INT32_MAX;
         });
}

void TensorIterator::foreach_reduced_elt(LoopSubiter f, bool parallelize) {
  LANEWISE_CHECK(ValueError, noutputs() == 1 && ninputs() >= 1, op_,
                 ": foreach_reduced_elt takes one output and an input, found ", noutputs(), " and ",
                 ninputs());
  if (num_output_elements() == 0) {
    return;
  }
  if (num_output_elements() == 1) {
    f(*this);
    return;
  }
  // Reduced dimensions come first.
  const int reduced = num_reduce_dims();
  const IntArrayRef kept = IntArrayRef(shape_).slice(static_cast<std::size_t>(reduced));
  std::int64_t elements = 1;
  for (const std::int64_t size : kept) {
    elements *= size;
  }
  const std::int64_t grain =
      parallelize ? std::max<std::int64_t>(1, kGrainSize / std::max<std::int64_t>(1, numel() / elements))
                  : elements;
  parallel_for(0, elements, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      DimVector index;
      std::int64_t position = e;
      for (const std::int64_t size : kept) {
        index.push_back(position % size);
        position /= size;
      }
      TensorIterator part(*this);
      part.select_all_keeping_dim(reduced, index);
      f(part);
    }
  });
}

void TensorIterator::parallel_reduce(Loop2d loop) const {
  int widest = -1;
  for (int d = 0; d < ndim(); ++d) {
    if (!is_dim_reduced(d) &&
        (widest < 0 || shape_[static_cast<std::size_t>(d)] > shape_[static_cast<std::size_t>(widest)])) {
      widest = d;
    }
  }
  const std::int64_t size = widest < 0 ? 1 : shape_[static_cast<std::size_t>(widest)];
  if (numel() < kGrainSize || size == 1) {
    serial_for_each_2d(loop, {0, numel()});
    return;
  }
  const std::int64_t grain = std::max<std::int64_t>(1, kGrainSize / (numel() / size));
  parallel_for(0, size, grain, [&](std::int64_t begin, std::int64_t end) {
    TensorIterator part(*this);
    part.narrow(widest, begin, end - begin);
    part.serial_for_each_2d(loop, {0, part.numel()});
  });
}

}  // namespace lanewise
