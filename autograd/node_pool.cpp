#include <cstdint>
#include <new>

#include <lanewise/autograd/node_pool.h>
#include <lanewise/tensor/detail/block_cache.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd::detail {

namespace {

constexpr std::size_t kStep = 32;
// Blocks of up to 768 bytes; next to none where a sanitizer is to see every node.
constexpr std::size_t kClasses = LANEWISE_CACHES_BLOCKS ? 24 : 1;
constexpr std::uint32_t kKept = 1u << 15;  // blocks of a class that a thread keeps: a deep network's graph

struct Block {
  Block* next;
};

struct FreeList {
  Block* head;
  std::uint32_t room;  // pushes left; 0 also before the thread's first push, which registers the clean-up
};

// Trivial and constant-initialised, so an access is a plain load.
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local FreeList free_lists[kClasses] = {};
constinit thread_local bool closed = false;

/// Returns a thread's blocks when it ends; later frees of that thread go to the system.
struct Cleanup {
  Cleanup() {
    for (FreeList& list : free_lists) list.room = kKept;
  }
  ~Cleanup() {
    closed = true;
    for (FreeList& list : free_lists) {
      list.room = 0;
      while (Block* block = list.head) {
        list.head = block->next;
        ::operator delete(block);
      }
    }
  }
  void touch() const noexcept {}
};
thread_local Cleanup cleanup;

[[gnu::noinline]] void free_slowly(FreeList& list, void* block) noexcept {
  if (!closed) {
    const bool first = list.room == 0 && list.head == nullptr;
    cleanup.touch();
    if (first && list.room > 0) {
      --list.room;
      list.head = ::new (block) Block{nullptr};
      return;
    }
  }
  ::operator delete(block);
}

[[gnu::noinline]] void* allocate(std::size_t bytes) {
  void* block = ::operator new(bytes, std::nothrow);
  LANEWISE_CHECK(AllocationError, block != nullptr, "autograd: the system has no ", bytes,
                 " bytes left for a node of the graph");
  return block;
}

}  // namespace

void* pool_allocate(std::size_t bytes) {
  const std::size_t index = (bytes - 1) / kStep;
  if (index >= kClasses) return allocate(bytes);
  FreeList& list = free_lists[index];
  Block* block = list.head;
  if (block == nullptr) return allocate((index + 1) * kStep);
  list.head = block->next;
  ++list.room;
  return block;
}

void pool_free(void* block, std::size_t bytes) noexcept {
  const std::size_t index = (bytes - 1) / kStep;
  if (index >= kClasses) {
    ::operator delete(block);
    return;
  }
  FreeList& list = free_lists[index];
  if (list.room == 0) [[unlikely]] {
    free_slowly(list, block);
    return;
  }
  --list.room;
  list.head = ::new (block) Block{list.head};
}

}  // namespace lanewise::autograd::detail
