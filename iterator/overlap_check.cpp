#include <lanewise/iterator/detail/operand_copy.h>
#include <lanewise/iterator/detail/overlap_messages.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/tensor_iterator.h>

namespace lanewise {

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
      LANEWISE_CHECK(StorageError, internal != MemOverlap::Yes, op_, ": ", detail::kOverlapsItself);
      serial_ = serial_ || (internal == MemOverlap::TooHard && internal_overlap(out) != MemoryOverlap::None);
    }
    for (int j = 0; j < ntensors(); ++j) {
      if (j == i || (j < num_outputs_ && (j > i || operand(j).will_resize)) || !operand(j).defined() ||
          operand(j).is_number) {
        continue;
      }
      const Tensor& other = tensor(j);
      const bool is_output = j < num_outputs_;
      if (!is_output && other.is_same(out)) {
        continue;
      }
      const MemoryOverlap overlap = mutual_overlap(out, other);
      if (overlap == MemoryOverlap::None || (overlap == MemoryOverlap::Full && !is_output)) {
        continue;
      }
      LANEWISE_CHECK(
          StorageError, !is_output && get_overlap_status(out, other) == MemOverlapStatus::TooHard, op_,
          ": unsupported operation: some elements of the ", is_output ? "other output" : "input tensor",
          " and the written-to tensor refer to a single memory location. Please clone() the tensor before "
          "performing the operation.");
      operands_[static_cast<std::size_t>(j)].owned = detail::operand_copy(op_, other, operand(j).memory);
    }
  }
}

}  // namespace lanewise
