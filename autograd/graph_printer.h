#pragma once

#include <string>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// The graph behind `t`, a line per node, from the newest to the leaves:
///
///   #0 SubBackward0 Float [] -> #1 #2
///   #1 MulBackward0 Float [] -> - #3
///
/// The shape is that of the forward's output, "-" an edge along which nothing flows. At most `max_nodes`
/// nodes; then a line "..." follows. A tensor without a graph gives the empty string.
LANEWISE_API std::string graph_to_text(const Tensor& t, std::size_t max_nodes = 1000);

/// The same for Graphviz: `dot -Tsvg`. Arrows point the way that gradients flow; leaves are boxes.
LANEWISE_API std::string graph_to_dot(const Tensor& t, std::size_t max_nodes = 1000);

}  // namespace lanewise::autograd
