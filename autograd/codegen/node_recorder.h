#pragma once

#include <string>

#include "formula.h"
#include "op.h"
#include "output.h"

namespace lanewise::codegen {

/// Writes the lines that make the node of an op and keep in it what its formulas use. Each begins with `indent`.
class NodeRecorder {
 public:
  /// All of them must outlive the recorder.
  NodeRecorder(Text& text, const Op& op, const NodePlan& plan) : text_(text), op_(op), plan_(plan) {}

  /// The rest of a declaration, or an assignment, of `node`.
  void make_node(const std::string& indent);
  /// Before the op has run.
  void save_inputs(const std::string& indent, bool in_place);
  /// After it.
  void save_results(const std::string& indent);

 private:
  bool differentiable(const std::string& result) const;

  Text& text_;
  const Op& op_;
  const NodePlan& plan_;
};

}  // namespace lanewise::codegen
