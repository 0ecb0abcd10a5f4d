#pragma once

#include <cstddef>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise::autograd {

struct Node;

namespace detail {

/// Memory from thread-local free lists: a pop or a push in the steady state, no lock. A block may be
/// freed by another thread than the one that allocated it.
LANEWISE_API void* pool_allocate(std::size_t bytes);
LANEWISE_API void pool_free(void* block, std::size_t bytes) noexcept;

/// Destroys a node in place, without recursion: nodes whose last reference goes away meanwhile wait in a
/// queue.
LANEWISE_API void destroy_node(Node* node) noexcept;
void empty_graveyard() noexcept;

/// Gives std::allocate_shared pooled memory and the destruction without recursion.
template <class T>
struct NodeAllocator {
  using value_type = T;

  NodeAllocator() noexcept = default;
  template <class U>
  NodeAllocator(const NodeAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(pool_allocate(n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) noexcept { pool_free(block, n * sizeof(T)); }
  template <class U>
  void destroy(U* node) noexcept {
    destroy_node(node);
  }
  template <class U>
  friend bool operator==(const NodeAllocator&, const NodeAllocator<U>&) noexcept {
    return true;
  }
};

}  // namespace detail
}  // namespace lanewise::autograd
