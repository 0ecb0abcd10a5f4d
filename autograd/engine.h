#pragma once

#include <functional>

#include <lanewise/autograd/edge.h>
#include <lanewise/autograd/node.h>
#include <lanewise/dispatch_isa/api.h>

namespace lanewise::autograd {

/// Runs graphs. The calling thread does the work; gradients that meet are added in a fixed order, so results are
/// the same bit for bit from run to run. Several threads may run at once, on separate or on shared graphs, and a node may
/// run the engine again.
class LANEWISE_API Engine {
 public:
  static Engine& get_default_engine() noexcept;

  /// Sends `grads` into `roots`, which are valid edges. With `outputs` only what leads to these edges runs; then
  /// `accumulate_grad` says whether their gradients are added to .grad or returned, undefined where nothing arrived.
  /// Exceptions of nodes and hooks propagate; the graph stays usable, as far as its saved tensors were not released.
  variable_list execute(const edge_list& roots, const variable_list& grads, bool keep_graph, bool create_graph,
                        bool accumulate_grad, const edge_list& outputs = {});

  /// Calls `callback` at the end of the run that this thread is in. Throws AutogradError outside of one.
  void queue_callback(std::function<void()> callback);
};

}  // namespace lanewise::autograd
