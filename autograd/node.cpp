#include <memory>
#include <typeinfo>
#include <utility>

#include <lanewise/autograd/anomaly_mode.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/node.h>
#include <lanewise/autograd/type_name.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd {

namespace {

#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local std::uint64_t next_sequence_nr = 0;

/// Nodes waiting to be destroyed, and whether a destruction is under way further up the stack.
struct Graveyard {
  Node* head;
  bool busy;
};
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local Graveyard graveyard = {};

}  // namespace

Node::Node() : sequence_nr_(next_sequence_nr++) {
  if (AnomalyMode::is_enabled()) [[unlikely]]
    metadata()->store_origin();
}

Node::Node(edge_list&& next_edges) : Node(next_sequence_nr++, std::move(next_edges)) {}

Node::Node(std::uint64_t sequence_nr, edge_list&& next_edges)
    : sequence_nr_(sequence_nr), next_edges_(std::move(next_edges)) {
  for (const Edge& edge : next_edges_) update_topological_nr(edge);
  if (AnomalyMode::is_enabled()) [[unlikely]]
    metadata()->store_origin();
}

Node::~Node() = default;

std::uint64_t Node::peek_sequence_nr() noexcept { return next_sequence_nr; }

std::uint64_t Node::exchange_next_sequence_nr(std::uint64_t next) noexcept {
  return std::exchange(next_sequence_nr, next);
}

std::string Node::name() const { return type_name(typeid(*this)); }

void Node::set_next_edge(std::size_t i, Edge edge) {
  update_topological_nr(edge);
  next_edges_[i] = std::move(edge);
}

void Node::set_next_edges(edge_list&& edges) {
  next_edges_ = std::move(edges);
  for (const Edge& edge : next_edges_) update_topological_nr(edge);
}

NodeHooks& Node::mutable_hooks() {
  if (hooks_ == nullptr) hooks_ = std::make_unique<NodeHooks>();
  return *hooks_;
}

AnomalyMetadata* Node::metadata() {
  NodeHooks& extra = mutable_hooks();
  if (extra.metadata == nullptr) extra.metadata = std::make_unique<AnomalyMetadata>();
  return extra.metadata.get();
}

namespace {

template <class Hooks, class Hook>
std::uint64_t add(Node& node, Hooks NodeHooks::*list, Hook hook) {
  NodeHooks& hooks = node.mutable_hooks();
  (hooks.*list).emplace_back(hooks.next_key, std::move(hook));
  return hooks.next_key++;
}

template <class Hooks>
bool remove(NodeHooks* hooks, Hooks NodeHooks::*list, std::uint64_t key) {
  return hooks != nullptr && std::erase_if(hooks->*list, [&](auto& hook) { return hook.first == key; }) > 0;
}

Node::PreHook as_function(std::unique_ptr<FunctionPreHook>&& hook) {
  return [hook = std::shared_ptr<FunctionPreHook>(std::move(hook))](const variable_list& grads) {
    return (*hook)(grads);
  };
}

}  // namespace

std::uint64_t Node::add_pre_hook(PreHook hook) { return add(*this, &NodeHooks::pre_hooks, std::move(hook)); }
std::uint64_t Node::add_post_hook(PostHook hook) {
  return add(*this, &NodeHooks::post_hooks, std::move(hook));
}
std::uint64_t Node::add_tensor_pre_hook(PreHook hook) {
  return add(*this, &NodeHooks::tensor_pre_hooks, std::move(hook));
}

std::uint64_t Node::add_pre_hook(std::unique_ptr<FunctionPreHook>&& hook) {
  return add_pre_hook(as_function(std::move(hook)));
}
std::uint64_t Node::add_tensor_pre_hook(std::unique_ptr<FunctionPreHook>&& hook) {
  return add_tensor_pre_hook(as_function(std::move(hook)));
}
std::uint64_t Node::add_post_hook(std::unique_ptr<FunctionPostHook>&& hook) {
  return add_post_hook(
      [hook = std::shared_ptr<FunctionPostHook>(std::move(hook))](
          const variable_list& outputs, const variable_list& inputs) { return (*hook)(outputs, inputs); });
}

bool Node::remove_pre_hook(std::uint64_t key) { return remove(hooks_.get(), &NodeHooks::pre_hooks, key); }
bool Node::remove_tensor_pre_hook(std::uint64_t key) {
  return remove(hooks_.get(), &NodeHooks::tensor_pre_hooks, key);
}
bool Node::remove_post_hook(std::uint64_t key) { return remove(hooks_.get(), &NodeHooks::post_hooks, key); }

namespace {

/// Destroys a node that had to wait. It kept its own memory alive through the weak reference inside it.
void bury(Node* node, bool pooled) noexcept {
  if (!pooled) {
    delete node;
    return;
  }
  const std::weak_ptr<Node> memory = node->weak_from_this();
  node->~Node();
}

}  // namespace

// Destroying a node drops its edges and saved tensors, and with them the last references to further nodes: a
// recursion as deep as the graph. So a node whose turn comes while another one is being destroyed only joins
// a queue.
void detail::destroy_node(Node* node) noexcept {
  Graveyard& yard = graveyard;
  if (yard.busy) {
    node->pending_ = yard.head;
    node->pooled_ = true;
    yard.head = node;
    return;
  }
  yard.busy = true;
  node->~Node();
  if (yard.head != nullptr) return empty_graveyard();
  yard.busy = false;
}

namespace {

/// Puts the counts of a node's owners at the beginning of the node's block, and gives the block back with them.
template <class T>
struct OwnerAllocator {
  using value_type = T;

  OwnerAllocator(void* place, std::size_t size) noexcept : block(place), bytes(size) {}
  template <class U>
  OwnerAllocator(const OwnerAllocator<U>& other) noexcept : block(other.block), bytes(other.bytes) {}

  T* allocate(std::size_t) noexcept {
    static_assert(sizeof(T) <= detail::kOwnerBytes);
    return static_cast<T*>(block);
  }
  void deallocate(T* place, std::size_t) noexcept { detail::pool_free(place, bytes); }

  template <class U>
  friend bool operator==(const OwnerAllocator& a, const OwnerAllocator<U>& b) noexcept {
    return a.block == b.block;
  }

  void* block;
  std::size_t bytes;
};

struct DestroyNode {
  void operator()(Node* node) const noexcept { detail::destroy_node(node); }
};

}  // namespace

std::shared_ptr<Node> detail::share_node(Node* node, void* block, std::size_t bytes) noexcept {
  return {node, DestroyNode(), OwnerAllocator<Node>(block, bytes)};
}

void detail::empty_graveyard() noexcept {
  Graveyard& yard = graveyard;
  while (Node* next = yard.head) {
    yard.head = next->pending_;
    bury(next, next->pooled_);
  }
  yard.busy = false;
}

void deleteNode(Node* node) {
  Graveyard& yard = graveyard;
  if (yard.busy) {
    node->pending_ = yard.head;
    yard.head = node;
    return;
  }
  yard.busy = true;
  delete node;
  detail::empty_graveyard();
}

namespace {

constexpr std::size_t kShortList = 4;

/// Vectors that were given back, with their memory, by size; their elements are undefined.
struct VariableLists {
  static constexpr std::size_t kKept = 16;
  struct OfSize {
    variable_list lists[kKept];
    std::size_t count = 0;
  };
  OfSize of_size[kShortList];
};

// A plain pointer, so that an access needs no check for initialisation; null before and after the owner's
// life.
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local VariableLists* spare_lists = nullptr;

/// The lists are not thread_local themselves: what is costs every process that loads the library part of a small reserve.
struct VariableListsOwner {
  std::unique_ptr<VariableLists> lists = std::make_unique<VariableLists>();
  VariableListsOwner() { spare_lists = lists.get(); }
  ~VariableListsOwner() { spare_lists = nullptr; }
  void touch() noexcept {}
};

[[gnu::noinline]] variable_list new_list(std::size_t n) {
  thread_local VariableListsOwner owner;
  owner.touch();
  return variable_list(n);
}

}  // namespace

variable_list make_variable_list(std::size_t n) {
  VariableLists* spare = spare_lists;
  if (n - 1 >= kShortList || spare == nullptr) [[unlikely]]
    return new_list(n);
  VariableLists::OfSize& kept = spare->of_size[n - 1];
  if (kept.count == 0) return variable_list(n);
  variable_list list;
  list.swap(kept.lists[--kept.count]);
  return list;
}

void recycle(variable_list&& list) noexcept {
  VariableLists* spare = spare_lists;
  const std::size_t n = list.size();
  if (spare != nullptr && n - 1 < kShortList && list.capacity() <= 2 * kShortList) [[likely]] {
    VariableLists::OfSize& kept = spare->of_size[n - 1];
    for (Tensor& t : list) {
      if (t.defined()) t.reset();  // may run a deleter that gives back lists as well
    }
    if (kept.count < VariableLists::kKept) {
      kept.lists[kept.count++].swap(list);
      return;
    }
  }
  variable_list().swap(list);
}

}  // namespace lanewise::autograd
