#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <lanewise/autograd/edge.h>
#include <lanewise/autograd/input_metadata.h>
#include <lanewise/autograd/node_mutex.h>
#include <lanewise/autograd/node_pool.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/inline_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

using Variable = Tensor;
using variable_list = std::vector<Tensor>;
using tensor_list = std::vector<Tensor>;

struct NodeHooks;
struct FunctionPreHook;
struct FunctionPostHook;
class AnomalyMetadata;
class GraphTask;

/// A node of the backward graph: given the gradients of the outputs of a forward op, computes those of its
/// inputs.
///
/// Nodes are made by make_node<T>() and held by shared_ptr: from the tensors that they produced (grad_fn) and
/// from the edges of later nodes. Edges point from a node to the producers of its inputs, so freeing the last
/// tensor frees the graph; that happens iteratively, whatever the depth.
struct LANEWISE_API Node : std::enable_shared_from_this<Node> {
  /// Numbers the node in this thread's order of creation; the engine runs late nodes first.
  Node();
  explicit Node(edge_list&& next_edges);
  Node(std::uint64_t sequence_nr, edge_list&& next_edges);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node();

  /// Applies the node, without hooks.
  variable_list operator()(variable_list&& grads) { return apply(std::move(grads)); }

  /// The class name without namespaces, as in PyTorch: "MulBackward0". The default demangles the dynamic
  /// type.
  virtual std::string name() const;

  /// Frees saved tensors; called by the engine after the node ran, unless the graph is retained.
  virtual void release_variables() {}
  /// Called before apply() if release_variables() follows.
  virtual void will_release_variables() {}

  std::shared_ptr<Node> getptr() { return shared_from_this(); }

  // Inputs: gradients flowing in, one per output of the forward.

  /// Registers one more output of the forward and returns its number.
  std::uint32_t add_input_metadata(const Tensor& output) {
    input_metadata_.emplace_back(output);
    return static_cast<std::uint32_t>(input_metadata_.size() - 1);
  }
  std::uint32_t add_input_metadata(ScalarType dtype, IntArrayRef shape) {
    input_metadata_.emplace_back(dtype, shape);
    return static_cast<std::uint32_t>(input_metadata_.size() - 1);
  }
  struct undefined_input {};
  /// Registers an output that gets no gradient (an undefined or non-differentiable one).
  std::uint32_t add_input_metadata(undefined_input) {
    input_metadata_.emplace_back();
    return static_cast<std::uint32_t>(input_metadata_.size() - 1);
  }
  std::uint32_t num_inputs() const noexcept { return static_cast<std::uint32_t>(input_metadata_.size()); }
  const InputMetadata& input_metadata(std::size_t i) const noexcept { return input_metadata_[i]; }
  InputMetadata& mutable_input_metadata(std::size_t i) noexcept { return input_metadata_[i]; }
  void clear_input_metadata() { input_metadata_.clear(); }

  // Outputs: edges to the producers of the forward's inputs.

  const Edge& next_edge(std::size_t i) const noexcept { return next_edges_[i]; }
  const edge_list& next_edges() const noexcept { return next_edges_; }
  edge_list& next_edges() noexcept { return next_edges_; }
  void set_next_edge(std::size_t i, Edge edge);
  void add_next_edge(Edge edge) {
    update_topological_nr(edge);
    next_edges_.push_back(std::move(edge));
  }
  /// An input of the forward that gets no gradient.
  void add_next_edge() { next_edges_.emplace_back(); }
  /// The same for the edge (function, input_nr); `function` may be null.
  void add_next_edge(const std::shared_ptr<Node>& function, std::uint32_t input_nr) {
    if (function != nullptr && function->topological_nr_ >= topological_nr_) {
      topological_nr_ = function->topological_nr_ + 1;
    }
    next_edges_.emplace_back(function, input_nr);
  }
  void set_next_edges(edge_list&& edges);
  std::uint32_t num_outputs() const noexcept { return static_cast<std::uint32_t>(next_edges_.size()); }

  /// True if the gradient of forward input `i` is wanted.
  bool should_compute_output(std::size_t i) const noexcept { return next_edges_[i].is_valid(); }
  /// True if any gradient in [first, last) is wanted (a list of tensors occupies a range).
  bool should_compute_output(std::size_t first, std::size_t last) const noexcept {
    for (std::size_t i = first; i < last; ++i) {
      if (should_compute_output(i)) return true;
    }
    return false;
  }
  /// The same, also false where the running backward was restricted by `inputs=` to others. For use in
  /// apply().
  bool task_should_compute_output(std::size_t i) const noexcept;
  bool task_should_compute_output(std::size_t first, std::size_t last) const noexcept {
    for (std::size_t i = first; i < last; ++i) {
      if (task_should_compute_output(i)) return true;
    }
    return false;
  }

  // Order.

  /// Order of creation within a thread; AccumulateGrad has the maximum, so that gradients reach leaves early.
  std::uint64_t sequence_nr() const noexcept { return sequence_nr_; }
  void set_sequence_nr(std::uint64_t nr) noexcept { sequence_nr_ = nr; }
  /// Length of the longest path to a leaf. A node is never reachable from one with a smaller or equal number.
  std::uint64_t topological_nr() const noexcept { return topological_nr_; }
  /// The number that the next node of this thread gets.
  static std::uint64_t peek_sequence_nr() noexcept;
  /// Lets this thread go on with another number. Returns the one that was next.
  static std::uint64_t exchange_next_sequence_nr(std::uint64_t next) noexcept;

  // Hooks (hooks.h). Each registration returns a key for remove_hook().

  using PreHook = std::function<variable_list(const variable_list& grads)>;
  using PostHook = std::function<variable_list(const variable_list& outputs, const variable_list& inputs)>;

  /// Runs before apply() on the incoming gradients and returns what replaces them (an empty list: nothing
  /// does).
  std::uint64_t add_pre_hook(PreHook hook);
  /// Runs after apply() with the outgoing and incoming gradients and returns what replaces the outgoing ones.
  std::uint64_t add_post_hook(PostHook hook);
  /// Like a pre-hook, but belongs to the tensors whose gradients come in: it also runs where these gradients
  /// are asked for and the node does not run.
  std::uint64_t add_tensor_pre_hook(PreHook hook);
  /// libtorch's forms.
  std::uint64_t add_pre_hook(std::unique_ptr<FunctionPreHook>&& hook);
  std::uint64_t add_tensor_pre_hook(std::unique_ptr<FunctionPreHook>&& hook);
  std::uint64_t add_post_hook(std::unique_ptr<FunctionPostHook>&& hook);
  bool remove_pre_hook(std::uint64_t key);
  bool remove_tensor_pre_hook(std::uint64_t key);
  bool remove_post_hook(std::uint64_t key);
  bool del_post_hook(std::uint64_t key) { return remove_post_hook(key); }
  /// Those that are registered now, as objects that can be called: of tensors first (all hooks of a tensor in
  /// one), then of the node. Include hooks.h.
  std::vector<std::shared_ptr<FunctionPreHook>> pre_hooks() const;
  std::vector<std::shared_ptr<FunctionPostHook>> post_hooks() const;
  NodeHooks* hooks() const noexcept { return hooks_.get(); }
  NodeHooks& mutable_hooks();

  /// Where the node was made, kept in anomaly mode only: anomaly_mode.h. Made empty if there is none.
  AnomalyMetadata* metadata();

  /// Whether the node consists of differentiable ops alone, which its own backward goes through: true of those of
  /// ops. Lanewise itself does not ask.
  virtual bool is_traceable() { return false; }
  /// Whether state passes through from one backward to the next; libtorch asks its own nodes.
  virtual bool passes_state_transparently() { return false; }

 protected:
  /// Computes the gradients of the forward's inputs, one per next edge; undefined where none is wanted or it
  /// is zero.
  virtual variable_list apply(variable_list&& grads) = 0;

  /// Held by apply() and release_variables() of nodes with saved tensors, since two backward calls may share
  /// a node.
  mutable NodeMutex mutex_;

 private:
  friend class GraphTask;
  friend void detail::destroy_node(Node* node) noexcept;
  friend void detail::empty_graveyard() noexcept;
  friend void deleteNode(Node* node);

  void update_topological_nr(const Edge& edge) noexcept {
    if (Node* fn = edge.function.get()) {
      if (fn->topological_nr_ >= topological_nr_) topological_nr_ = fn->topological_nr_ + 1;
    }
  }

  bool pooled_ = false;          ///< made by make_node(); set when it waits for its destruction
  std::uint32_t task_slot_ = 0;  ///< index of this node's state in the task that claimed it
  std::atomic<const GraphTask*> task_ = nullptr;  ///< the running backward that task_slot_ refers to
  Node* pending_ = nullptr;                       ///< next in the queue of nodes to destroy
  std::uint64_t sequence_nr_;
  std::uint64_t topological_nr_ = 0;
  edge_list next_edges_;
  InlineVector<InputMetadata, 1> input_metadata_;
  std::unique_ptr<NodeHooks> hooks_;
};

/// What the nodes of ops derive from.
struct LANEWISE_API TraceableFunction : Node {
  using Node::Node;
  bool is_traceable() final { return true; }
};

/// Sequence number of AccumulateGrad nodes.
inline constexpr std::uint64_t kMaxSequenceNr = std::numeric_limits<std::uint64_t>::max();

/// Makes a node in pooled memory. The one way to make nodes: others work but may recurse when long chains are
/// freed.
template <class T, class... Args>
std::shared_ptr<T> make_node(Args&&... args) {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  constexpr std::size_t begin = (detail::kOwnerBytes + alignof(T) - 1) / alignof(T) * alignof(T);
  constexpr std::size_t bytes = begin + sizeof(T);
  void* block = detail::pool_allocate(bytes);
  T* node = nullptr;
  try {
    node = ::new (static_cast<std::byte*>(block) + begin) T(std::forward<Args>(args)...);
  } catch (...) {
    detail::pool_free(block, bytes);
    throw;
  }
  return std::static_pointer_cast<T>(detail::share_node(node, block, bytes));
}

/// A deleter for nodes made by `new`, with the same iterative destruction.
LANEWISE_API void deleteNode(Node* node);

/// A vector of `n` undefined tensors with recycled memory, for the result of apply().
LANEWISE_API variable_list make_variable_list(std::size_t n);
/// Gives a vector's memory back for make_variable_list().
LANEWISE_API void recycle(variable_list&& list) noexcept;

}  // namespace lanewise::autograd
