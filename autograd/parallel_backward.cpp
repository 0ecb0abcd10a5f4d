#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include <lanewise/autograd/detail/thread_modes.h>
#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/graph_task.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/input_buffer.h>
#include <lanewise/dispatch_isa/parallel.h>

namespace lanewise::autograd {

// Note [Branches in parallel]
// Threads take nodes that are ready, highest sequence number first, and leave the gradients that come out at
// their consumers, each with its place in the order of a run in one thread. The consumer adds them up in that
// order when all are there. So the sums have the same bits as in one thread; only their memory is held
// longer. An op inside a node uses one thread.

/// Several threads on one GraphTask.
class ParallelRun {
 public:
  ParallelRun(GraphTask& task, variable_list& results)
      : task_(task),
        states_(task.scratch_.states),
        results_(results),
        ranks_(serial_order()),
        arrived_(states_.size()) {
    task.id();  // now, so that threads do not race for it
  }

  void run(int threads) {
    const ThreadModes modes;
    ready_ = task_.scratch_.heap;
    parallel_for(0, threads, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) work(modes);
    });
    task_.scratch_.heap.clear();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Arrival {
    std::uint32_t rank;  ///< of the producer in a run in one thread
    std::uint32_t edge;
    std::uint32_t input_nr;
    Tensor grad;
    bool operator<(const Arrival& other) const noexcept {
      return rank != other.rank ? rank < other.rank : edge < other.edge;
    }
  };

  /// The place of each node in a run in one thread: the same queue, without the nodes' work.
  std::vector<std::uint32_t> serial_order() const {
    std::vector<std::uint32_t> ranks(states_.size()), dependencies(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) dependencies[i] = states_[i].dependencies;
    auto heap = task_.scratch_.heap;
    std::uint32_t next_rank = 0;
    while (!heap.empty()) {
      const std::uint32_t slot = heap.front().slot;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
      ranks[slot] = next_rank++;
      if (!states_[slot].runs) continue;
      for (const Edge& edge : std::as_const(*states_[slot].node).next_edges()) {
        const std::uint32_t next = task_.consumer(edge);
        if (next == GraphTask::kNone || --dependencies[next] > 0) continue;
        heap.push_back({states_[next].node->sequence_nr(), next});
        std::push_heap(heap.begin(), heap.end());
      }
    }
    return ranks;
  }

  void work(const ThreadModes& modes) {
    const ThreadModes::Scope scope(modes);
    const GraphTask::Current here(&task_);
    const AutoGradMode mode(task_.options_.create_graph);
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !ready_.empty() || running_ == 0 || error_; });
      if (error_ || ready_.empty()) return;
      const std::uint32_t slot = ready_.front().slot;
      std::pop_heap(ready_.begin(), ready_.end());
      ready_.pop_back();
      ++running_;
      std::vector<Arrival> arrivals = std::move(arrived_[slot]);
      lock.unlock();
      variable_list outputs;
      std::exception_ptr error;
      try {
        outputs = evaluate(slot, std::move(arrivals));
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (!error) {
        try {
          deliver(slot, std::move(outputs));
        } catch (...) {
          error = std::current_exception();
        }
      }
      if (error && !error_) error_ = error;
      --running_;
      changed_.notify_all();
    }
  }

  variable_list evaluate(std::uint32_t slot, std::vector<Arrival>&& arrivals) {
    GraphTask::NodeState& state = states_[slot];
    std::sort(arrivals.begin(), arrivals.end());
    for (Arrival& arrival : arrivals) task_.accumulate(state, arrival.input_nr, std::move(arrival.grad));
    arrivals.clear();
    if (state.node->hooks() == nullptr) return task_.evaluate(slot, results_);
    const std::lock_guard<std::mutex> one_at_a_time(hooks_mutex_);
    return task_.evaluate(slot, results_);
  }

  void deliver(std::uint32_t slot, variable_list&& outputs) {
    if (outputs.empty()) return;
    const edge_list& edges = std::as_const(*states_[slot].node).next_edges();
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      const std::uint32_t next = task_.consumer(edges[i]);
      if (next == GraphTask::kNone) continue;
      arrived_[next].push_back({ranks_[slot], i, edges[i].input_nr, std::move(outputs[i])});
      if (--states_[next].dependencies > 0) continue;
      ready_.push_back({states_[next].node->sequence_nr(), next});
      std::push_heap(ready_.begin(), ready_.end());
    }
    recycle(std::move(outputs));
  }

  GraphTask& task_;
  std::vector<GraphTask::NodeState>& states_;
  variable_list& results_;
  const std::vector<std::uint32_t> ranks_;

  std::mutex mutex_;  ///< guards what follows, and the states' counts
  std::condition_variable changed_;
  std::vector<GraphTask::Ready> ready_;
  std::vector<std::vector<Arrival>> arrived_;
  std::size_t running_ = 0;
  std::exception_ptr error_;

  std::mutex hooks_mutex_;
};

void GraphTask::run_parallel(variable_list& results, int threads) {
  ParallelRun(*this, results).run(threads);
}

namespace {

constinit thread_local bool wanted = false;

}  // namespace

ParallelBackwardGuard::ParallelBackwardGuard(bool enabled) noexcept
    : previous_(std::exchange(wanted, enabled)) {}
ParallelBackwardGuard::~ParallelBackwardGuard() { wanted = previous_; }
bool ParallelBackwardGuard::is_enabled() noexcept { return wanted; }

}  // namespace lanewise::autograd
