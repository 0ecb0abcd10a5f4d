#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define LANEWISE_CACHES_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LANEWISE_CACHES_BLOCKS 0
#endif
#endif
#ifndef LANEWISE_CACHES_BLOCKS
#define LANEWISE_CACHES_BLOCKS 1  // off under AddressSanitizer, so that it sees every use after free
#endif

/// Small blocks, 64-byte aligned, from per-thread free lists: the header of a tensor, a small storage. A
/// block may be freed on another thread than the one that allocated it; it then joins that thread's list.
/// Lists are bounded and go back to malloc when their thread ends; afterwards (static destructors) malloc
/// serves directly.
namespace lanewise::detail {

inline constexpr std::size_t kBlockAlignment = 64;

/// Bytes of the header of a small storage, which its data follows.
inline constexpr std::size_t kStorageHeader = 64;

// Note [Places in a page]
//
// A load waits for an earlier store if the last twelve bits of their addresses agree. A loop that writes a result which lies
// 64 bytes further into its page than an input does that at every step: add of 512 f32 takes 254 ns in place of 46, of 16384 in L2
// 1.4 times as long, abs of 262144 1.2 times; at 512 bytes L1 still loses a quarter, from 1024 on nothing (Zen 4).
// malloc's blocks of one size follow each other at just such distances. So data of 4 KiB and more lie kStorageHeader bytes
// behind a multiple of 1024, from 16 KiB on of 2048 and from 64 KiB on of a page: all at the same place or far from each other.
constexpr std::size_t alignment_of(std::size_t block_bytes) noexcept {
  if (block_bytes < 4096) return kBlockAlignment;
  return block_bytes < 16 * 1024 ? 1024 : block_bytes < 64 * 1024 ? 2048 : 4096;
}

inline constexpr unsigned kNumBlockClasses = 40;
inline constexpr std::size_t kMaxSmallBlock = 128 * 1024;

/// Classes of 64, 128, 192, 256 bytes, then four to each doubling.
constexpr unsigned block_class(std::size_t bytes) noexcept {
  const std::size_t last = bytes == 0 ? 0 : (bytes - 1) / kBlockAlignment;  // units of 64, minus one
  if (last < 4) return static_cast<unsigned>(last);
  const auto shift = static_cast<unsigned>(std::bit_width(last)) - 3;
  return 4 * shift + static_cast<unsigned>(last >> shift);
}
constexpr std::size_t block_size(unsigned block_class) noexcept {
  if (block_class < 4) return (block_class + 1) * kBlockAlignment;
  const unsigned shift = block_class / 4 - 1;
  return (std::size_t{block_class % 4 + 5} << shift) * kBlockAlignment;
}
static_assert(block_class(kMaxSmallBlock) == kNumBlockClasses - 1);
static_assert(block_size(kNumBlockClasses - 1) == kMaxSmallBlock);
static_assert(block_class(257) == 4 && block_size(4) == 320 && block_class(321) == 5);

struct FreeBlock {
  FreeBlock* next;
};

struct ThreadCache {
  struct List {
    FreeBlock* head = nullptr;
    std::uint32_t count = 0;
    std::uint32_t limit = 0;
  };
  List lists[kNumBlockClasses];
};

/// Null before the first use on this thread and after its end.
extern constinit thread_local ThreadCache* thread_cache __attribute__((tls_model("initial-exec")));

void* allocate_block_slow(unsigned block_class, std::size_t bytes);
void free_block_slow(void* block, unsigned block_class) noexcept;

/// `bytes` <= block_size(block_class). Throws AllocationError.
inline void* allocate_block(unsigned block_class, std::size_t bytes) {
  if constexpr (LANEWISE_CACHES_BLOCKS) {
    if (ThreadCache* cache = thread_cache; __builtin_expect(cache != nullptr, 1)) {
      ThreadCache::List& list = cache->lists[block_class];
      if (FreeBlock* block = list.head; __builtin_expect(block != nullptr, 1)) {
        list.head = block->next;
        --list.count;
        return block;
      }
    }
  }
  return allocate_block_slow(block_class, bytes);
}

inline void free_block(void* block, unsigned block_class) noexcept {
  if constexpr (LANEWISE_CACHES_BLOCKS) {
    if (ThreadCache* cache = thread_cache; __builtin_expect(cache != nullptr, 1)) {
      ThreadCache::List& list = cache->lists[block_class];
      if (__builtin_expect(list.count < list.limit, 1)) {
        auto* free = static_cast<FreeBlock*>(block);
        free->next = list.head;
        list.head = free;
        ++list.count;
        return;
      }
    }
  }
  free_block_slow(block, block_class);
}

/// Returns this thread's blocks to malloc.
void trim_thread_cache() noexcept;

}  // namespace lanewise::detail
