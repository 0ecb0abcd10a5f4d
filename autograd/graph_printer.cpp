#include <sstream>
#include <unordered_map>
#include <vector>

#include <lanewise/autograd/graph_printer.h>
#include <lanewise/autograd/record.h>

namespace lanewise::autograd {

namespace {

/// The nodes in the order in which they are first met, breadth first, and their numbers.
struct Listing {
  std::vector<const Node*> nodes;
  std::unordered_map<const Node*, std::size_t> numbers;
  bool complete = true;

  Listing(const Tensor& t, std::size_t max_nodes) {
    const Edge root = t.defined() ? gradient_edge(t) : Edge();
    keep_alive = root.function;
    if (root.is_valid()) add(root.function.get());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const Edge& edge : nodes[i]->next_edges()) {
        if (!edge.is_valid() || numbers.contains(edge.function.get())) continue;
        if (nodes.size() >= max_nodes) {
          complete = false;
          continue;
        }
        add(edge.function.get());
      }
    }
  }

 private:
  void add(const Node* node) {
    numbers.emplace(node, nodes.size());
    nodes.push_back(node);
  }

  std::shared_ptr<Node> keep_alive;
};

std::string describe(const Node& node) {
  std::ostringstream text;
  text << node.name();
  for (std::uint32_t i = 0; i < node.num_inputs(); ++i) {
    const InputMetadata& output = node.input_metadata(i);
    text << (i == 0 ? " " : ", ");
    if (output.is_defined()) {
      text << to_string(output.dtype()) << " " << output.shape();
    } else {
      text << "none";
    }
  }
  return text.str();
}

}  // namespace

std::string graph_to_text(const Tensor& t, std::size_t max_nodes) {
  const Listing listing(t, max_nodes);
  std::ostringstream text;
  for (std::size_t i = 0; i < listing.nodes.size(); ++i) {
    const Node& node = *listing.nodes[i];
    text << "#" << i << " " << describe(node);
    if (node.num_outputs() > 0) text << " ->";
    for (const Edge& edge : node.next_edges()) {
      const auto number = listing.numbers.find(edge.function.get());
      if (number != listing.numbers.end()) {
        text << " #" << number->second;
        if (edge.input_nr > 0) text << ":" << edge.input_nr;
      } else {
        text << (edge.is_valid() ? " ..." : " -");
      }
    }
    text << "\n";
  }
  if (!listing.complete) text << "...\n";
  return text.str();
}

std::string graph_to_dot(const Tensor& t, std::size_t max_nodes) {
  const Listing listing(t, max_nodes);
  std::ostringstream text;
  text << "digraph backward {\n  node [fontname=\"Helvetica\"];\n";
  for (std::size_t i = 0; i < listing.nodes.size(); ++i) {
    const Node& node = *listing.nodes[i];
    text << "  n" << i << " [label=\"" << describe(node) << "\""
         << (node.num_outputs() == 0 ? ", shape=box" : "") << "];\n";
    for (const Edge& edge : node.next_edges()) {
      const auto number = listing.numbers.find(edge.function.get());
      if (number != listing.numbers.end()) text << "  n" << i << " -> n" << number->second << ";\n";
    }
  }
  if (!listing.complete) text << "  more [label=\"...\", shape=plaintext];\n";
  text << "}\n";
  return text.str();
}

}  // namespace lanewise::autograd
