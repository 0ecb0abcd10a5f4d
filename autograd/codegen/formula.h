#pragma once

#include <set>
#include <string>
#include <vector>

#include "op.h"

namespace lanewise::codegen {

/// A piece of a tensor that a node keeps instead of the tensor: x.sizes() as `x_sizes_`.
struct SavedMetadata {
  std::string tensor;
  std::string method;  ///< sizes, scalar_type...

  std::string member() const { return tensor + "_" + method + "_"; }
  auto operator<=>(const SavedMetadata&) const = default;
};

/// What one formula needs.
struct FormulaUse {
  std::string code;               ///< the formula with members in place of values and metadata
  std::set<std::string> tensors;  ///< inputs and results used as tensors
};

/// What a node keeps, over all its formulas.
struct NodePlan {
  std::vector<std::string> edges;    ///< differentiable inputs in order of the schema
  std::vector<FormulaUse> formulas;  ///< one per formula of the op
  std::vector<std::string> inputs;   ///< tensors kept, in order of the schema
  std::vector<std::string> results;  ///< results kept
  std::vector<SavedMetadata> metadata;
  std::vector<const Argument*> values;  ///< numbers, lists and flags kept

  /// Positions of the edges whose formulas use `tensor`.
  std::vector<std::size_t> edges_using(const Op& op, const std::string& tensor) const;
};

/// Names of the op's results in formulas: `result`, or their own names if there are several.
std::vector<std::string> result_names(const Schema& schema);

/// Throws SyntaxError for metadata of a non-tensor.
NodePlan plan_node(const Op& op);

std::string metadata_type(const std::string& method, bool of_list);

}  // namespace lanewise::codegen
