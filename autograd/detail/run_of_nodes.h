#pragma once

#include <cstdint>

#include <lanewise/autograd/node.h>

namespace lanewise::autograd {

/// Tells the nodes that this thread makes while it lives from all others, those of other threads too: their
/// sequence numbers are above the usual ones and used once.
class RunOfNodes {
 public:
  RunOfNodes() noexcept;
  RunOfNodes(const RunOfNodes&) = delete;
  RunOfNodes& operator=(const RunOfNodes&) = delete;
  ~RunOfNodes();
  bool made(const Node& node) const noexcept;

 private:
  std::uint64_t first_, resumed_;
};

}  // namespace lanewise::autograd
