#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <lanewise/tensor/inline_vector.h>

namespace lanewise::autograd {

struct Node;

/// An arrow of the backward graph: a gradient flows into input `input_nr` of `function`. Invalid (no
/// function) where nothing needs a gradient.
struct Edge {
  std::shared_ptr<Node> function;
  std::uint32_t input_nr = 0;

  Edge() noexcept = default;
  Edge(std::shared_ptr<Node> fn, std::uint32_t nr) noexcept : function(std::move(fn)), input_nr(nr) {}

  bool is_valid() const noexcept { return function != nullptr; }
  friend bool operator==(const Edge& a, const Edge& b) noexcept {
    return a.function == b.function && a.input_nr == b.input_nr;
  }
};

/// The edges of a node, in the order of the forward's inputs. Three fit without an allocation.
using edge_list = InlineVector<Edge, 3>;

}  // namespace lanewise::autograd

template <>
struct std::hash<lanewise::autograd::Edge> {
  std::size_t operator()(const lanewise::autograd::Edge& edge) const noexcept {
    return std::hash<lanewise::autograd::Node*>()(edge.function.get()) * 31 + edge.input_nr;
  }
};
