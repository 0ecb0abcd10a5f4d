#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/tensor_iterator.h>

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
    footprint = {static_cast<const char*>(t.data_ptr()), {sizes.data(), sizes.size()}, {strides.data(), strides.size()}, size};
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

}  // namespace

void TensorIterator::check_overlap() const {
  for (int i = 0; i < num_outputs_; ++i) {
    if (!operand(i).defined()) {
      continue;
    }
    const Tensor& out = output(i);
    if (operand(i).will_resize) {
      for (int j = 0; j < ntensors(); ++j) {
        LANEWISE_CHECK(StorageError,
                       j == i || !operand(j).defined() || operand(j).is_number || !tensor(j).is_alias_of(out), op_,
                       ": the output of shape ", out.sizes(), " would be resized to ", IntArrayRef(shape_),
                       " but shares its memory with another operand; pass an output of its own");
      }
      continue;
    }
    if (!out.is_contiguous()) {
      LANEWISE_CHECK(StorageError, internal_overlap(Elements(out).footprint) == MemoryOverlap::None, op_,
                     ": unsupported operation: more than one element of the written-to tensor refers to a single memory "
                     "location. Please clone() the tensor before performing the operation.");
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
      LANEWISE_CHECK(StorageError, overlap == MemoryOverlap::None || (overlap == MemoryOverlap::Full && !is_output), op_,
                     ": unsupported operation: some elements of the ", is_output ? "other output" : "input tensor",
                     " and the written-to tensor refer to a single memory location. Please clone() the tensor before "
                     "performing the operation.");
    }
  }
}

}  // namespace lanewise
