#include <exception>
#include <thread>

#include <lanewise/autograd/detail/thread_modes.h>
#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/graph_task.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd {

namespace {

/// Runs nested in each other on one stack; beyond that the next one gets a thread, and so a stack, of its
/// own.
constexpr int kMaxDepth = 64;

thread_local int depth = 0;

struct DepthGuard {
  DepthGuard() noexcept { ++depth; }
  ~DepthGuard() { --depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
};

variable_list execute_here(const edge_list& roots, const variable_list& grads, GraphTask::Options options,
                           const edge_list& outputs) {
  const DepthGuard guard;
  GraphTask task(options);
  if (!outputs.empty()) task.restrict_to_targets();
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_valid()) task.add_target(outputs[i], i);
  }
  for (std::size_t i = 0; i < roots.size(); ++i) task.add_root(roots[i], grads[i]);
  return task.run(options.accumulate_grad ? 0 : outputs.size());
}

}  // namespace

Engine& Engine::get_default_engine() noexcept {
  static Engine engine;
  return engine;
}

variable_list Engine::execute(const edge_list& roots, const variable_list& grads, bool keep_graph,
                              bool create_graph, bool accumulate_grad, const edge_list& outputs) {
  LANEWISE_CHECK(AutogradError, roots.size() == grads.size(), "Engine::execute: got ", roots.size(),
                 " roots and ", grads.size(), " gradients; give one for each");
  const GraphTask::Options options{keep_graph, create_graph, accumulate_grad};
  if (depth < kMaxDepth) return execute_here(roots, grads, options, outputs);

  variable_list results;
  std::exception_ptr error;
  const ThreadModes modes;
  std::thread([&] {
    const ThreadModes::Scope scope(modes);
    try {
      results = execute_here(roots, grads, options, outputs);
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
  return results;
}

void Engine::queue_callback(std::function<void()> callback) {
  GraphTask* task = GraphTask::current();
  LANEWISE_CHECK(AutogradError, task != nullptr,
                 "queue_callback: Final callbacks can only be installed during backward pass; call it from a "
                 "node or a hook");
  task->queue_callback(std::move(callback));
}

}  // namespace lanewise::autograd
