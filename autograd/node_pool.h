#pragma once

#include <cstddef>
#include <memory>

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

/// Bytes before a node that are for what its shared_ptrs share: their counts and where its memory is.
inline constexpr std::size_t kOwnerBytes = 5 * sizeof(void*);

/// The first owner of a node that lies in `block`, of `bytes` from pool_allocate(), at least kOwnerBytes behind its beginning.
/// One function for all types of nodes, where std::allocate_shared would be compiled for each.
LANEWISE_API std::shared_ptr<Node> share_node(Node* node, void* block, std::size_t bytes) noexcept;

}  // namespace detail
}  // namespace lanewise::autograd
