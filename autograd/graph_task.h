#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <lanewise/autograd/node.h>

namespace lanewise::autograd {

// Note [Finding a node's state]
// A backward needs a few words per node: the gradients that arrived, how many are still to come. They sit in
// an array of the task; the node itself keeps the index, so that no map is searched. A node can be part of
// several backwards at once (from several threads, or nested), so a task claims it first by writing its
// address into the node. The task that finds a node claimed by another one keeps its index in a map of its
// own.

/// One run of the engine.
class GraphTask {
 public:
  struct Options {
    bool keep_graph = false;
    bool create_graph = false;
    /// With targets: true sends gradients into their .grad, false returns them.
    bool accumulate_grad = true;
  };

  explicit GraphTask(Options options);
  ~GraphTask();
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  void add_root(const Edge& edge, const Tensor& grad);
  /// Only what leads to targets runs.
  void restrict_to_targets() noexcept { restricted_ = true; }
  /// A gradient that is asked for. Call before run().
  void add_target(const Edge& edge, std::uint32_t result);
  variable_list run(std::size_t num_results);

  bool is_wanted(const Node& node) const noexcept;
  /// Whether the gradients of `node` are computed in this run.
  bool comes_to(const Node& node) const noexcept;
  /// A number that no other run of this process has.
  std::uint64_t id() noexcept;
  bool is_restricted() const noexcept { return restricted_; }
  bool keeps_graph() const noexcept { return options_.keep_graph; }
  void queue_callback(std::function<void()> callback) {
    const std::lock_guard<NodeMutex> lock(callbacks_mutex_);
    callbacks_.push_back(std::move(callback));
  }
  /// What `owner` keeps as long as this run lasts, also if it ends with an exception; null until it is set.
  std::shared_ptr<void>& kept_for(const void* owner) {
    const std::lock_guard<NodeMutex> lock(kept_mutex_);
    return kept_[owner];
  }

  /// The run that this thread is in the middle of, or null.
  static GraphTask* current() noexcept;

 private:
  friend class ParallelRun;
  class Current;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct NodeState {
    Node* node;
    variable_list grads;
    std::uint32_t dependencies = 0;  ///< gradients still to come
    std::uint32_t capture = kNone;   ///< first of a list in captures_
    bool wanted = false;             ///< leads to a target, or is one
    bool runs = false;               ///< is to be applied; a target that leads to no other one is not
    bool visited = false;
  };
  struct Capture {
    std::uint32_t input_nr;
    std::uint32_t result;
    std::uint32_t next;
  };
  struct Ready {
    std::uint64_t sequence_nr;
    std::uint32_t slot;
    bool operator<(const Ready& other) const noexcept { return sequence_nr < other.sequence_nr; }
  };
  /// Memory that a thread keeps from one run to the next.
  struct Scratch {
    std::vector<NodeState> states;
    std::vector<Ready> heap;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
    std::vector<std::uint32_t> roots;
  };
  struct ScratchHolder;

  std::uint32_t find(const Node& node) const noexcept;
  std::uint32_t claim(Node& node);
  void discover_all();
  void discover_wanted();
  /// The slot that a gradient along `edge` goes to, or kNone if nobody wants it.
  std::uint32_t consumer(const Edge& edge) const noexcept;
  static void accumulate(NodeState& state, std::uint32_t input_nr, Tensor&& grad);
  void deliver(std::uint32_t slot, variable_list&& outputs);
  void make_ready(std::uint32_t slot);
  /// Runs the node on the gradients in its state. Returns what goes along its edges; empty if it is a target
  /// only.
  variable_list evaluate(std::uint32_t slot, variable_list& results);
  void run_serial(variable_list& results);
  /// Note [Branches in parallel], parallel_backward.cpp.
  void run_parallel(variable_list& results, int threads);
  variable_list run_node(Node& node, variable_list&& grads) const;

  Options options_;
  bool restricted_ = false;
  std::uint64_t min_topological_nr_ = kMaxSequenceNr;
  Scratch scratch_;
  std::vector<Capture> captures_;
  std::unordered_map<const Node*, std::uint32_t> foreign_;  ///< nodes claimed by other tasks
  NodeMutex callbacks_mutex_;
  std::vector<std::function<void()>> callbacks_;
  NodeMutex kept_mutex_;
  std::map<const void*, std::shared_ptr<void>> kept_;
  std::uint64_t id_ = 0;
};

/// While it lives, this thread is in the middle of a run.
class GraphTask::Current {
 public:
  explicit Current(GraphTask* task) noexcept;
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  GraphTask* previous_;
  Node* node_;
};

/// The node that this thread is running, or null.
LANEWISE_API Node* current_node() noexcept;
/// The same, kept alive: libtorch's name.
LANEWISE_API std::shared_ptr<Node> get_current_node();
/// The number of the backward that this thread is in, or -1.
LANEWISE_API std::int64_t get_current_graph_task_id() noexcept;
/// Whether it keeps the graph; true outside of one.
LANEWISE_API bool get_current_graph_task_keep_graph() noexcept;

}  // namespace lanewise::autograd
