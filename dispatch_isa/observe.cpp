#include <lanewise/dispatch_isa/detail/observe.h>

namespace lanewise::detail {

constinit std::atomic<std::uint32_t> observed = 0;
constinit thread_local OpNotes* op_notes = nullptr;
constinit std::atomic<const LoopObserver*> loop_observer = nullptr;

void note_path_slow(Path path) noexcept {
  if (op_notes != nullptr) op_notes->note(path);
}

void note_allocation_slow(std::int64_t bytes) noexcept {
  if (op_notes == nullptr) return;
  ++op_notes->allocations;
  op_notes->allocated_bytes += bytes;
}

}  // namespace lanewise::detail
