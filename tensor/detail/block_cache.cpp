#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include <lanewise/tensor/detail/block_cache.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::detail {

constinit thread_local ThreadCache* thread_cache __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr std::size_t kBytesPerClass = 512 * 1024;
constexpr std::uint32_t kMinBlocksPerClass = 8;

constinit thread_local bool thread_ended = false;

/// Its destructor is the end of the thread as far as blocks are concerned. The cache is not thread_local itself: what is costs
/// every process that loads the library part of a small reserve.
struct CacheOwner {
  std::unique_ptr<ThreadCache> cache{new (std::nothrow) ThreadCache};
  CacheOwner() noexcept {
    for (unsigned c = 0; cache != nullptr && c < kNumBlockClasses; ++c) {
      cache->lists[c].limit =
          std::max(kMinBlocksPerClass, static_cast<std::uint32_t>(kBytesPerClass / block_size(c)));
    }
  }
  ~CacheOwner() {
    trim_thread_cache();
    thread_cache = nullptr;
    thread_ended = true;
  }
};

void make_thread_cache() noexcept {
  if (LANEWISE_CACHES_BLOCKS && thread_cache == nullptr && !thread_ended) {
    static thread_local const CacheOwner owner;
    thread_cache = owner.cache.get();  // null without memory
  }
}

}  // namespace

void* allocate_block_slow(unsigned block_class, std::size_t bytes) {
  make_thread_cache();
  // Exact under AddressSanitizer, which then sees a write behind the end; else the whole class, to be used
  // again.
  const std::size_t size =
      LANEWISE_CACHES_BLOCKS ? block_size(block_class) : std::max(bytes, sizeof(FreeBlock));
  void* block = nullptr;
  if (posix_memalign(&block, alignment_of(size), size) != 0) {
    raise<AllocationError>("allocate: the system has no ", size, " bytes left");
  }
  return block;
}

void free_block_slow(void* block, unsigned block_class) noexcept {
  if (LANEWISE_CACHES_BLOCKS && thread_cache == nullptr && !thread_ended) {
    make_thread_cache();  // a thread that has only freed so far
    if (thread_cache != nullptr) return free_block(block, block_class);
  }
  std::free(block);
}

void trim_thread_cache() noexcept {
  if (thread_cache == nullptr) return;
  for (ThreadCache::List& list : thread_cache->lists) {
    while (list.head != nullptr) std::free(std::exchange(list.head, list.head->next));
    list.count = 0;
  }
}

}  // namespace lanewise::detail
