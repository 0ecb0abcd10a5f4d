#include <algorithm>
#include <atomic>
#include <utility>

#include <lanewise/autograd/anomaly_mode.h>
#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/graph_task.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/input_buffer.h>
#include <lanewise/dispatch_isa/detail/per_thread.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/generated/functions.h>
#include <lanewise/profiler/detail/recorder.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd {

namespace {

#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local GraphTask* current_task = nullptr;

#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local Node* running_node = nullptr;

}  // namespace

struct GraphTask::ScratchHolder {
  Scratch scratch;
  bool present = false;
};

GraphTask::Current::Current(GraphTask* task) noexcept
    : previous_(std::exchange(current_task, task)), node_(std::exchange(running_node, nullptr)) {}
GraphTask::Current::~Current() {
  current_task = previous_;
  running_node = node_;
}

GraphTask* GraphTask::current() noexcept { return current_task; }

Node* current_node() noexcept { return running_node; }
std::shared_ptr<Node> get_current_node() {
  return running_node == nullptr ? nullptr : running_node->weak_from_this().lock();
}
std::int64_t get_current_graph_task_id() noexcept {
  return current_task == nullptr ? -1 : static_cast<std::int64_t>(current_task->id());
}
bool get_current_graph_task_keep_graph() noexcept {
  return current_task == nullptr || current_task->keeps_graph();
}

std::uint64_t GraphTask::id() noexcept {
  static constinit std::atomic<std::uint64_t> last = 0;
  if (id_ == 0) id_ = ++last;
  return id_;
}

bool GraphTask::comes_to(const Node& node) const noexcept {
  const std::uint32_t slot = find(node);
  return slot != kNone && scratch_.states[slot].wanted;
}

GraphTask::GraphTask(Options options) : options_(options) {
  ScratchHolder& spare = lanewise::detail::PerThread<ScratchHolder>::get();
  if (spare.present) {
    scratch_ = std::move(spare.scratch);
    spare.present = false;
  }
}

GraphTask::~GraphTask() {
  for (NodeState& state : scratch_.states) {
    if (state.node->task_.load(std::memory_order_relaxed) == this) {
      state.node->task_.store(nullptr, std::memory_order_release);
    }
  }
  constexpr std::size_t kLargest = 1 << 14;
  ScratchHolder& spare = lanewise::detail::PerThread<ScratchHolder>::get();
  if (spare.present || scratch_.states.capacity() > kLargest || scratch_.stack.capacity() > kLargest) return;
  scratch_.states.clear();
  scratch_.heap.clear();
  scratch_.stack.clear();
  scratch_.roots.clear();
  spare.scratch = std::move(scratch_);
  spare.present = true;
}

std::uint32_t GraphTask::find(const Node& node) const noexcept {
  if (node.task_.load(std::memory_order_relaxed) == this) return node.task_slot_;
  if (foreign_.empty()) return kNone;
  const auto it = foreign_.find(&node);
  return it == foreign_.end() ? kNone : it->second;
}

std::uint32_t GraphTask::claim(Node& node) {
  if (const std::uint32_t slot = find(node); slot != kNone) return slot;
  const auto slot = static_cast<std::uint32_t>(scratch_.states.size());
  scratch_.states.push_back({.node = &node, .grads = {}});
  const GraphTask* nobody = nullptr;
  if (node.task_.compare_exchange_strong(nobody, this, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
    node.task_slot_ = slot;
  } else {
    foreign_.emplace(&node, slot);
  }
  return slot;
}

bool GraphTask::is_wanted(const Node& node) const noexcept {
  const std::uint32_t slot = find(node);
  return slot == kNone || scratch_.states[slot].wanted;
}

bool Node::task_should_compute_output(std::size_t i) const noexcept {
  const Node* next = next_edges_[i].function.get();
  if (next == nullptr) return false;
  const GraphTask* task = current_task;
  return task == nullptr || !task->is_restricted() || task->is_wanted(*next);
}

void GraphTask::add_root(const Edge& edge, const Tensor& grad) {
  const std::uint32_t slot = claim(*edge.function);
  NodeState& state = scratch_.states[slot];
  if (state.grads.empty()) {
    state.grads = make_variable_list(std::max(edge.function->num_inputs(), edge.input_nr + 1));
    scratch_.roots.push_back(slot);
  }
  const AutoGradMode mode(options_.create_graph);
  accumulate_into(state.grads[edge.input_nr], Tensor(grad));
}

void GraphTask::add_target(const Edge& edge, std::uint32_t result) {
  NodeState& state = scratch_.states[claim(*edge.function)];
  state.wanted = true;
  min_topological_nr_ = std::min(min_topological_nr_, edge.function->topological_nr());
  if (options_.accumulate_grad) {
    // A leaf's accumulator runs; at another tensor retain_grad() does the work, which is a hook of its
    // grad_fn.
    state.runs = edge.function->num_outputs() == 0;
    return;
  }
  captures_.push_back({edge.input_nr, result, state.capture});
  state.capture = static_cast<std::uint32_t>(captures_.size() - 1);
}

void GraphTask::discover_all() {
  auto& stack = scratch_.stack;
  for (const std::uint32_t root : scratch_.roots) {
    if (std::exchange(scratch_.states[root].visited, true)) continue;
    stack.emplace_back(root, 0);
  }
  while (!stack.empty()) {
    const std::uint32_t slot = stack.back().first;
    stack.pop_back();
    NodeState& state = scratch_.states[slot];
    state.wanted = state.runs = true;
    for (const Edge& edge : std::as_const(*state.node).next_edges()) {
      if (!edge.is_valid()) continue;
      const std::uint32_t next = claim(*edge.function);  // may move the states
      NodeState& child = scratch_.states[next];
      ++child.dependencies;
      if (!std::exchange(child.visited, true)) stack.emplace_back(next, 0);
    }
  }
}

// Depth first, a node after all of its children: it is wanted if one of them is.
void GraphTask::discover_wanted() {
  auto& stack = scratch_.stack;
  const auto enter = [&](std::uint32_t slot) {
    NodeState& state = scratch_.states[slot];
    if (std::exchange(state.visited, true)) return;
    // Nothing below the lowest target can lead to one.
    if (state.node->topological_nr() >= min_topological_nr_) stack.emplace_back(slot, 0);
  };
  for (const std::uint32_t root : scratch_.roots) {
    enter(root);
    while (!stack.empty()) {
      auto& [slot, i] = stack.back();
      const edge_list& edges = std::as_const(*scratch_.states[slot].node).next_edges();
      if (i > 0) {  // back from child i - 1
        const Edge& done = edges[i - 1];
        if (done.is_valid() && scratch_.states[find(*done.function)].wanted) {
          scratch_.states[slot].wanted = scratch_.states[slot].runs = true;
        }
      }
      if (i == edges.size()) {
        stack.pop_back();
        continue;
      }
      const Edge& edge = edges[i++];
      if (!edge.is_valid()) continue;
      const std::uint32_t next = claim(*edge.function);
      ++scratch_.states[next].dependencies;
      enter(next);
    }
  }
}

void GraphTask::make_ready(std::uint32_t slot) {
  auto& heap = scratch_.heap;
  heap.push_back({scratch_.states[slot].node->sequence_nr(), slot});
  if (heap.size() > 1) std::push_heap(heap.begin(), heap.end());
}

std::uint32_t GraphTask::consumer(const Edge& edge) const noexcept {
  if (!edge.is_valid()) return kNone;
  const std::uint32_t slot = find(*edge.function);
  return slot == kNone || !scratch_.states[slot].wanted ? kNone : slot;
}

void GraphTask::accumulate(NodeState& state, std::uint32_t input_nr, Tensor&& grad) {
  if (state.grads.empty()) state.grads = make_variable_list(std::max(state.node->num_inputs(), input_nr + 1));
  accumulate_into(state.grads[input_nr], std::move(grad));
}

void GraphTask::deliver(std::uint32_t slot, variable_list&& outputs) {
  if (outputs.empty()) return;
  const edge_list& edges = std::as_const(*scratch_.states[slot].node).next_edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::uint32_t next = consumer(edges[i]);
    if (next == kNone) continue;
    NodeState& state = scratch_.states[next];
    accumulate(state, edges[i].input_nr, std::move(outputs[i]));
    if (--state.dependencies == 0) make_ready(next);
  }
  recycle(std::move(outputs));
}

namespace {

/// In anomaly mode: warns with the stack of the node's forward where the node throws, and takes NaN for an
/// error.
variable_list run_watched(Node& node, variable_list&& grads) {
  try {
    variable_list outputs = node(std::move(grads));
    if (AnomalyMode::should_check_nan()) {
      const NoGradGuard guard;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        LANEWISE_CHECK(AutogradError, !outputs[i].defined() || !isnan(outputs[i]).any().item<bool>(),
                       "Function '", node.name(), "' returned nan values in its ", i, "th output.");
      }
    }
    return outputs;
  } catch (...) {
    node.metadata()->print_stack(node.name());
    throw;
  }
}

/// Inside of a profiler's frame.
[[gnu::cold]] variable_list run_observed(Node& node, variable_list&& grads) {
  const std::string_view name = profiler::detail::Recorder::instance().keep(node.name());
  profiler::detail::Frame frame(profiler::Kind::Backward, name, node.sequence_nr());
  frame.start(false);
  return AnomalyMode::is_enabled() ? run_watched(node, std::move(grads)) : node(std::move(grads));
}

}  // namespace

variable_list GraphTask::run_node(Node& node, variable_list&& grads) const {
  const NodeHooks* hooks = node.hooks();
  if (hooks != nullptr) [[unlikely]]
    hooks->run_pre_hooks(node, grads);
  if (!options_.keep_graph) node.will_release_variables();

  running_node = &node;
  const auto apply = [&](variable_list&& in) {
    if (profiler::detail::is_observed()) [[unlikely]]
      return run_observed(node, std::move(in));
    return AnomalyMode::is_enabled() ? run_watched(node, std::move(in)) : node(std::move(in));
  };
  variable_list outputs;
  if (hooks != nullptr && !hooks->post_hooks.empty()) [[unlikely]] {
    const variable_list inputs = grads;
    outputs = apply(std::move(grads));
    hooks->run_post_hooks(node, outputs, inputs);
  } else {
    outputs = apply(std::move(grads));
  }
  running_node = nullptr;
  recycle(std::move(grads));
  if (!options_.keep_graph) node.release_variables();
  LANEWISE_CHECK(AutogradError,
                 outputs.size() == std::as_const(node).next_edges().size() || node.num_outputs() == 0,
                 node.name(), ": returned an invalid number of gradients (expected ", node.num_outputs(),
                 ", but got ", outputs.size(), ")");
  return outputs;
}

variable_list GraphTask::evaluate(std::uint32_t slot, variable_list& results) {
  NodeState& state = scratch_.states[slot];
  Node& node = *state.node;
  variable_list grads = std::move(state.grads);
  const NodeHooks* hooks = node.hooks();
  // As in PyTorch: where the node goes on to run, what was asked for is the gradient before the tensor's
  // hooks.
  if (hooks != nullptr && !state.runs) [[unlikely]]
    hooks->run_tensor_hooks(node, grads);
  for (std::uint32_t c = state.capture; c != kNone; c = captures_[c].next) {
    results[captures_[c].result] = grads[captures_[c].input_nr];
  }
  if (!state.runs) return {};
  if (hooks != nullptr) [[unlikely]]
    hooks->run_tensor_hooks(node, grads);
  variable_list outputs = run_node(node, std::move(grads));

  const edge_list& edges = std::as_const(node).next_edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    if (!outputs[i].defined() || !edge.is_valid() || edge.input_nr >= edge.function->num_inputs()) continue;
    const InputMetadata& expected = edge.function->input_metadata(edge.input_nr);
    if (!expected.matches(outputs[i])) validate_gradient(node, i, expected, outputs[i]);
  }
  return outputs;
}

void GraphTask::run_serial(variable_list& results) {
  auto& heap = scratch_.heap;
  while (!heap.empty()) {
    const std::uint32_t slot = heap.front().slot;
    if (heap.size() > 1) std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
    deliver(slot, evaluate(slot, results));
  }
}

variable_list GraphTask::run(std::size_t num_results) {
  variable_list results(num_results);
  if (restricted_) {
    discover_wanted();
  } else {
    discover_all();
  }
  const Current here(this);
  const AutoGradMode mode(options_.create_graph);
  for (const std::uint32_t root : scratch_.roots) {
    const NodeState& state = scratch_.states[root];
    if (state.dependencies == 0 && state.wanted) make_ready(root);
  }
  // Not under create_graph: sequence numbers, and with them the order of a second backward's sums, would
  // depend on timing.
  const bool parallel = ParallelBackwardGuard::is_enabled() && !options_.create_graph &&
                        is_multithreading_enabled() && !transforms_on() && !in_parallel_region() &&
                        get_num_threads() > 1;
  if (parallel) [[unlikely]] {
    run_parallel(results, get_num_threads());
  } else {
    run_serial(results);
  }
  for (std::size_t i = 0; i < callbacks_.size(); ++i) {  // a callback may queue another one
    const std::function<void()> callback = std::move(callbacks_[i]);
    callback();
  }
  return results;
}

}  // namespace lanewise::autograd
