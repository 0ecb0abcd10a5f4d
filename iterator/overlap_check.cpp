#include <cstring>

#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {
namespace {

/// The elements of a tensor in memory, with steps in bytes.
struct Elements {
  DimVector strides;
  MemoryFootprint footprint;

  explicit Elements(const Tensor& t) : strides(t.strides()) {
    const std::int64_t size = t.element_size();
    for (std::int64_t& stride : strides) {
      stride *= size;
    }
    const IntArrayRef sizes = t.sizes();
    footprint = {static_cast<const char*>(t.data_ptr()),
                 {sizes.data(), sizes.size()},
                 {strides.data(), strides.size()},
                 size};
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
};

/// Both dense and contiguous stretches that do not meet: what nearly all calls look like.
bool plainly_apart(const Tensor& a, const Tensor& b) {
  if (!a.is_contiguous() || !b.is_contiguous()) {
    return false;
  }
  const auto* p = static_cast<const char*>(a.data_ptr());
  const auto* q = static_cast<const char*>(b.data_ptr());
  return p + a.nbytes() <= q || q + b.nbytes() <= p;
}

constexpr const char* kItself =
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the "
    "tensor before performing the operation.";

}  // namespace

MemoryOverlap internal_overlap(const Tensor& t) {
  return t.is_contiguous() ? MemoryOverlap::None : internal_overlap(Elements(t).footprint);
}

MemoryOverlap mutual_overlap(const Tensor& a, const Tensor& b) {
  if (plainly_apart(a, b)) return MemoryOverlap::None;
  return mutual_overlap(Elements(a).footprint, Elements(b).footprint);
}

MemOverlap has_internal_overlap(const Tensor& t) {
  if (!t.defined() || t.is_non_overlapping_and_dense()) {
    return MemOverlap::No;
  }
  const IntArrayRef sizes = t.sizes(), strides = t.strides();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d] == 0 && sizes[d] > 1) {
      return MemOverlap::Yes;
    }
  }
  return MemOverlap::TooHard;
}

MemOverlapStatus get_overlap_status(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) {
    return MemOverlapStatus::Full;
  }
  if (!a.defined() || !b.defined() || a.numel() == 0 || b.numel() == 0) {
    return MemOverlapStatus::No;
  }
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) {
    return MemOverlapStatus::TooHard;
  }
  const auto* p = static_cast<const char*>(a.data_ptr());
  const auto* q = static_cast<const char*>(b.data_ptr());
  if (p == q && a.nbytes() == b.nbytes()) {
    return a.strides().equals(b.strides()) ? MemOverlapStatus::Full : MemOverlapStatus::Partial;
  }
  return p < q + b.nbytes() && q < p + a.nbytes() ? MemOverlapStatus::Partial : MemOverlapStatus::No;
}

void assert_no_internal_overlap(const Tensor& t) {
  LANEWISE_CHECK(StorageError, has_internal_overlap(t) != MemOverlap::Yes, kItself);
}

void assert_no_partial_overlap(const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(StorageError, get_overlap_status(a, b) != MemOverlapStatus::Partial,
                 "unsupported operation: some elements of the input tensor and the written-to tensor refer "
                 "to a single memory "
                 "location. Please clone() the tensor before performing the operation.");
}

void assert_no_overlap(const Tensor& a, const Tensor& b) {
  const MemOverlapStatus status = get_overlap_status(a, b);
  LANEWISE_CHECK(StorageError, status != MemOverlapStatus::Partial && status != MemOverlapStatus::Full,
                 "unsupported operation: some elements of the input tensor and the written-to tensor refer "
                 "to a single memory "
                 "location. Please clone() the tensor before performing the operation.");
}

/// An operand of its own for an input that the output would overwrite before it is read.
void TensorIterator::copy_input(std::size_t i) {
  IteratorOperand& o = operands_[i];
  const Tensor copy = detail::empty_cpu(o.sizes(), o.memory);
  const auto size = static_cast<std::size_t>(o.memory_size());
  const TensorIterator iter = TensorIteratorConfig(op_)
                                  .set_check_mem_overlap(false)
                                  .resize_outputs(false)
                                  .add_borrowed_output(copy)
                                  .add_borrowed_input(o.tensor())
                                  .build();
  iter.serial_for_each(
      [size](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t e = 0; e < n; ++e) {
          std::memcpy(data[0] + e * strides[0], data[1] + e * strides[1], size);
        }
      },
      {0, iter.numel()});
  o.owned = copy;
}

// Note [Overlap]
// What PyTorch refuses is an error here too: an output that is expanded, and operands that fill stretches of
// memory which meet in part. What it leaves undefined has a meaning here: an output whose elements overlap in
// some other way is written in order, in one thread; an input that a strided output overlaps is read as it
// was before the call.
void TensorIterator::check_overlap() {
  for (int i = 0; i < num_outputs_; ++i) {
    if (!operand(i).defined()) {
      continue;
    }
    const Tensor& out = output(i);
    if (operand(i).will_resize) {
      for (int j = 0; j < ntensors(); ++j) {
        LANEWISE_CHECK(
            StorageError,
            j == i || !operand(j).defined() || operand(j).is_number || !tensor(j).is_alias_of(out), op_,
            ": unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
            "single memory location. Please clone() the tensor before performing the operation: the output "
            "of shape ",
            out.sizes(), " would be resized to ", IntArrayRef(shape_),
            " but shares its memory with another operand; pass an output of its own");
      }
      continue;
    }
    if (!out.is_contiguous()) {
      const MemOverlap internal = has_internal_overlap(out);
      LANEWISE_CHECK(StorageError, internal != MemOverlap::Yes, op_, ": ", kItself);
      serial_ = serial_ || (internal == MemOverlap::TooHard &&
                            internal_overlap(Elements(out).footprint) != MemoryOverlap::None);
    }
    for (int j = 0; j < ntensors(); ++j) {
      if (j == i || (j < num_outputs_ && (j > i || operand(j).will_resize)) || !operand(j).defined() ||
          operand(j).is_number) {
        continue;
      }
      const Tensor& other = tensor(j);
      const bool is_output = j < num_outputs_;
      if ((!is_output && other.is_same(out)) || plainly_apart(out, other)) {
        continue;
      }
      const MemoryOverlap overlap = mutual_overlap(Elements(out).footprint, Elements(other).footprint);
      if (overlap == MemoryOverlap::None || (overlap == MemoryOverlap::Full && !is_output)) {
        continue;
      }
      LANEWISE_CHECK(
          StorageError, !is_output && get_overlap_status(out, other) == MemOverlapStatus::TooHard, op_,
          ": unsupported operation: some elements of the ", is_output ? "other output" : "input tensor",
          " and the written-to tensor refer to a single memory location. Please clone() the tensor before "
          "performing the operation.");
      copy_input(static_cast<std::size_t>(j));
    }
  }
}

}  // namespace lanewise
