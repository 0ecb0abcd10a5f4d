#pragma once

#include <set>
#include <string>
#include <vector>

#include "op.h"
#include "output.h"

namespace lanewise::codegen {

/// What the transform code of one op is made from.
struct TransformedOp {
  explicit TransformedOp(const Op& op);

  const Op& op;
  std::string name;  ///< of its functions
  std::vector<std::string> results;
  std::string code;              ///< formulas or expressions, to look for names
  std::set<std::string> inputs;  ///< arguments whose tangents are used

  bool is_list(const std::string& input) const { return op.schema.find(input)->type.list; }
  bool several() const { return results.size() > 1; }
  bool returns_list() const { return op.schema.returns[0].type.is_tensor_list(); }
  bool has_tangent(const Argument& a) const { return op.jvp != Jvp::Zero && inputs.contains(a.name); }
  /// Whether the rule tells undefined tangents from zeros.
  bool undefined_wanted() const;
};

/// jvp_<op>: the results' tangents from primals and tangents.
void emit_tangent_rule(Text& text, const TransformedOp& t);
/// The call of jvp_<op> with the frame's primals and tangents; results are in `out`.
std::string tangent_call(const TransformedOp& t, const std::string& out);

/// batch_<op>, and batch_<op>_ of the in-place form: what the op does in place of computing where an argument
/// is batched.
void emit_batch_functions(Text& text, const TransformedOp& t);
/// What happens where nothing is dual: batched arguments outside of graphs; else the op goes on.
void emit_batched(Text& text, const TransformedOp& t, const Schema& schema, const std::string& indent);

}  // namespace lanewise::codegen
