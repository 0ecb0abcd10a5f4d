#include <atomic>

#include <lanewise/autograd/detail/run_of_nodes.h>

namespace lanewise::autograd {
namespace {

constexpr int kRunBits = 32;  // nodes of a run; half of all sequence numbers belong to runs
constexpr std::uint64_t kFirstRun = std::uint64_t{1} << 63;
std::atomic<std::uint64_t> runs{0};

}  // namespace

RunOfNodes::RunOfNodes() noexcept
    : first_(kFirstRun | (runs.fetch_add(1, std::memory_order_relaxed) << kRunBits)),
      resumed_(Node::exchange_next_sequence_nr(first_)) {}

RunOfNodes::~RunOfNodes() { Node::exchange_next_sequence_nr(resumed_); }

bool RunOfNodes::made(const Node& node) const noexcept {
  return node.sequence_nr() >> kRunBits == first_ >> kRunBits && node.sequence_nr() != kMaxSequenceNr;
}

}  // namespace lanewise::autograd
