#pragma once

#include <functional>

#include <lanewise/autograd/edge.h>
#include <lanewise/autograd/node.h>
#include <lanewise/dispatch_isa/api.h>

namespace lanewise::autograd {

/// Runs graphs. The calling thread does the work; gradients that meet are added in a fixed order, so results
/// are the same bit for bit from run to run. Several threads may run at once, on separate or on shared
/// graphs, and a node may run the engine again.
class LANEWISE_API Engine {
 public:
  static Engine& get_default_engine() noexcept;

  /// Sends `grads` into `roots`, which are valid edges. With `outputs` only what leads to these edges runs;
  /// then `accumulate_grad` says whether their gradients are added to .grad or returned, undefined where
  /// nothing arrived. Exceptions of nodes and hooks propagate; the graph stays usable, as far as its saved
  /// tensors were not released.
  variable_list execute(const edge_list& roots, const variable_list& grads, bool keep_graph,
                        bool create_graph, bool accumulate_grad, const edge_list& outputs = {});

  /// Calls `callback` at the end of the run that this thread is in. Throws AutogradError outside of one.
  void queue_callback(std::function<void()> callback);
};

/// In its scope, this thread's backwards run independent branches of a graph in several threads, where
/// multithreading is enabled (MultithreadingGuard) and get_num_threads() allows it, except under
/// create_graph. The bits are the same. Worth it for branches of many ops of middling size; an op inside such
/// a backward uses one thread, and each node costs about a microsecond more. Custom functions may be called
/// from several threads at once; nodes with hooks run one at a time.
class LANEWISE_API ParallelBackwardGuard {
 public:
  explicit ParallelBackwardGuard(bool enabled = true) noexcept;
  ~ParallelBackwardGuard();
  ParallelBackwardGuard(const ParallelBackwardGuard&) = delete;
  ParallelBackwardGuard& operator=(const ParallelBackwardGuard&) = delete;
  static bool is_enabled() noexcept;

 private:
  bool previous_;
};

}  // namespace lanewise::autograd
