#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lanewise/tensor/detail/block_cache.h>
#include <lanewise/tensor/detail/large_cache.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/storage.h>

namespace lanewise {
namespace detail {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeFrom = std::size_t{4} << 20;
/// At the place of small data: Note [Places in a page]. AddressSanitizer sees what is written in front of blocks that begin with it.
constexpr std::size_t kOffset = LANEWISE_CACHES_BLOCKS ? kStorageHeader : 0;
constexpr std::size_t kMaxCachedBlocks = 512;
constexpr std::uint64_t kMaxAge = 4096;  // frees of large blocks

struct Block {
  void* data;
  std::size_t bytes;
  std::uint64_t freed_at;  // in frees
};

std::size_t eighth_of_memory() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::size_t{256} << 20;
  return static_cast<std::size_t>(pages) / 8 * static_cast<std::size_t>(page);
}

void* from_system(std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (posix_memalign(&memory, bytes >= kHugeFrom ? kHugePage : alignment_of(bytes), kOffset + bytes) != 0)
    return nullptr;
#ifdef MADV_HUGEPAGE
  if (bytes >= kHugeFrom)
    madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; without huge pages all works as well
#endif
  return static_cast<char*>(memory) + kOffset;
}

void to_system(void* data) noexcept { std::free(static_cast<char*>(data) - kOffset); }

struct LargeCache {
  std::mutex mutex;
  std::vector<Block> blocks;  // the most recently freed last
  std::size_t limit = LANEWISE_CACHES_BLOCKS ? eighth_of_memory() : 0;
  std::uint64_t frees = 0;
  AllocatorStats stats;

  LargeCache() { blocks.reserve(kMaxCachedBlocks + 1); }

  /// Frees the oldest blocks until at most `bytes` are cached, and none that has lain idle for long.
  void shrink_to(std::size_t bytes) noexcept {
    std::size_t gone = 0;
    while (gone < blocks.size() && (stats.bytes_cached > bytes || blocks.size() - gone > kMaxCachedBlocks ||
                                    frees - blocks[gone].freed_at > kMaxAge)) {
      stats.bytes_cached -= blocks[gone].bytes;
      to_system(blocks[gone].data);
      ++gone;
    }
    stats.released += gone;
    blocks.erase(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(gone));
  }

  void hand_out(std::size_t bytes) noexcept {
    stats.bytes_in_use += bytes;
    ++stats.blocks_in_use;
    stats.peak_bytes_in_use = std::max(stats.peak_bytes_in_use, stats.bytes_in_use);
  }
};

/// Never destroyed: tensors in static storage may outlive everything. A process that forks while another of its threads is in
/// here leaves the child a cache that is whole and open.
LargeCache& large_cache() {
  static LargeCache* cache = [] {
    const auto unlock = [] { large_cache().mutex.unlock(); };
    pthread_atfork([] { large_cache().mutex.lock(); }, unlock, unlock);
    return new LargeCache;
  }();
  return *cache;
}

}  // namespace

std::size_t round_large(std::size_t bytes) noexcept {
  const std::size_t step = std::bit_ceil(bytes) / 16;  // at most an eighth of bytes
  return (bytes + step - 1) / step * step;
}

void* allocate_large(std::size_t bytes) {
  LargeCache& cache = large_cache();
  {
    const std::lock_guard lock(cache.mutex);
    for (std::size_t i = cache.blocks.size(); i-- > 0;) {
      if (cache.blocks[i].bytes != bytes) continue;
      void* data = cache.blocks[i].data;
      cache.blocks.erase(cache.blocks.begin() + static_cast<std::ptrdiff_t>(i));
      cache.stats.bytes_cached -= bytes;
      cache.hand_out(bytes);
      ++cache.stats.hits;
      return data;
    }
  }
  void* data = from_system(bytes);
  const std::lock_guard lock(cache.mutex);
  if (data == nullptr) {
    cache.shrink_to(0);
    data = from_system(bytes);
    LANEWISE_CHECK(AllocationError, data != nullptr, "allocate: the system has no ", bytes, " bytes left, ",
                   cache.stats.bytes_in_use, " are in use by large tensors");
  }
  cache.hand_out(bytes);
  ++cache.stats.misses;
  return data;
}

void free_large(void* block, std::size_t bytes) noexcept {
  LargeCache& cache = large_cache();
  const std::lock_guard lock(cache.mutex);
  cache.stats.bytes_in_use -= bytes;
  --cache.stats.blocks_in_use;
  if (bytes > cache.limit) {
    to_system(block);
    return;
  }
  cache.blocks.push_back({block, bytes, ++cache.frees});
  cache.stats.bytes_cached += bytes;
  cache.shrink_to(cache.limit);
}

}  // namespace detail

AllocatorStats memory_stats() {
  detail::LargeCache& cache = detail::large_cache();
  const std::lock_guard lock(cache.mutex);
  AllocatorStats stats = cache.stats;
  stats.blocks_cached = cache.blocks.size();
  return stats;
}

void reset_peak_memory_stats() noexcept {
  detail::LargeCache& cache = detail::large_cache();
  const std::lock_guard lock(cache.mutex);
  cache.stats.peak_bytes_in_use = cache.stats.bytes_in_use;
}

void empty_cache() noexcept {
  detail::trim_thread_cache();
  detail::LargeCache& cache = detail::large_cache();
  const std::lock_guard lock(cache.mutex);
  cache.shrink_to(0);
}

void set_cache_limit(std::size_t bytes) noexcept {
  detail::LargeCache& cache = detail::large_cache();
  const std::lock_guard lock(cache.mutex);
  cache.limit = LANEWISE_CACHES_BLOCKS ? bytes : 0;
  cache.shrink_to(cache.limit);
}

}  // namespace lanewise
