#include <algorithm>

#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "output.h"
#include "transformed_op.h"
#include "words.h"

namespace lanewise::codegen {
namespace {

/// Writes op_<op>: what the op does first, where an argument is dual or batched.
class TransformEmitter {
 public:
  TransformEmitter(Text& text, const OpList& list, const Op& op)
      : text_(text), list_(list), op_(op), t_(op) {}

  void emit() {
    text_.line("// ", list_.file, ":", std::to_string(op_.line), ": ", op_.schema.full_name());
    if (op_.has_node() && op_.jvp != Jvp::NotImplemented) emit_tangent_rule(text_, t_);
    emit_batch_functions(text_, t_);
    if (op_.schema.is_inplace()) {
      inplace(op_.schema);
    } else {
      functional();
      if (op_.inplace) inplace(inplace_schema(op_));
    }
    text_.line("");
  }

 private:
  void functional() {
    text_.line("bool op_", t_.name, "(", return_type(op_.schema), "& out",
               op_.schema.arguments.empty() ? "" : ", ", parameter_list(op_.schema, false), ") {");
    if (!op_.has_node()) {
      emit_batched(text_, t_, op_.schema, "  ");
      text_.line("}");
      return;
    }
    text_.line("  Frame frame(", tensor_pointers(op_.schema), ");\n  if (!frame.active()) {");
    emit_batched(text_, t_, op_.schema, "    ");
    text_.line("  }");
    if (not_implemented(op_.schema)) return;
    text_.line("  Frame::skip_next();\n  out = lanewise::", op_.schema.name, "(", argument_list(op_.schema),
               ");");
    const std::string view = op_.schema.is_view() ? ", true" : "";
    std::string target = "out";
    if (t_.several()) {
      std::string parts;
      for (std::size_t r = 0; r < t_.results.size(); ++r)
        parts += (r > 0 ? ", " : "") + ("std::get<" + std::to_string(r) + ">(out)");
      text_.line("  const variable_list results = {", parts, "};");
      target = "results";
    }
    text_.line("  while (frame.next()) frame.set(", target, ", ", tangent_call(t_, "out"), view,
               ");\n  return true;\n}");
  }

  bool not_implemented(const Schema& schema) {
    if (op_.jvp != Jvp::NotImplemented) return false;
    for (const Argument& a : schema.arguments) text_.line("  static_cast<void>(", a.name, ");");
    if (!schema.is_inplace()) text_.line("  static_cast<void>(out);");
    text_.line("  forward_ad::raise_not_implemented(\"", schema.name, "\", ", reason(), ");\n}");
    return true;
  }

  /// As a literal.
  std::string reason() const {
    std::string text = "\"";
    for (const char c : op_.tangents[0]) text += c == '"' ? std::string("\\\"") : std::string(1, c);
    return text + "\"";
  }

  void inplace(const Schema& schema) {
    text_.line("bool op_", transform_name(schema), "(", parameter_list(schema, false), ") {");
    if (!op_.has_node()) {
      if (op_.jvp == Jvp::NotImplemented)
        text_.line("  if (Frame({&self}).active()) {\n    forward_ad::raise_not_implemented(\"", schema.name,
                   "\", ", reason(), ");\n  }");
      emit_batched(text_, t_, schema, "  ");
      text_.line("}");
      return;
    }
    // What the formula reads of the memory that the op is about to write, it reads in a copy.
    const bool reads = op_.jvp != Jvp::Linear && op_.jvp != Jvp::Zero && op_.jvp != Jvp::NotImplemented;
    std::string arguments, copies, list;
    for (const Argument& a : schema.arguments) {
      if (a.type.is_tensor_list()) list = ", " + a.name;
      if (!a.type.is_tensor()) continue;
      const bool copied = reads && mentions(t_.code, a.name);
      if (copied)
        copies += "  const Tensor before_" + a.name + " = forward_ad::before_write(self, " + a.name + ");\n";
      arguments += (arguments.empty() ? "&" : ", &") + (copied ? "before_" + a.name : a.name);
    }
    if (!copies.empty()) {
      text_.line("  if (!Frame(", tensor_pointers(schema), ").active()) {");
      emit_batched(text_, t_, schema, "    ");
      text_.line("  }\n", copies, "  Frame frame({", arguments, "}", list, ");");
    } else {
      text_.line("  Frame frame({", arguments, "}", list, ");\n  if (!frame.active()) {");
      emit_batched(text_, t_, schema, "    ");
      text_.line("  }");
    }
    if (not_implemented(schema)) return;
    text_.line("  Frame::skip_next();\n  lanewise::", schema.name, "(", argument_list(schema), ");");
    if (op_.inplace_view) {
      // A tangent that is a view of the base's is found by the new strides.
      text_.line("  while (frame.next()) {\n    if (frame.owns_tangent(self)) frame.replace_tangent(self, ",
                 tangent_call(t_, "self"), ");\n  }");
    } else {
      text_.line("  while (frame.next_inplace(self)) frame.set_inplace(self, ", tangent_call(t_, "self"),
                 ");");
    }
    text_.line("  return true;\n}");
  }

  Text& text_;
  const OpList& list_;
  const Op& op_;
  TransformedOp t_;
};

}  // namespace

std::string transform_name(const Schema& schema) {
  return schema.name + (schema.overload.empty() ? "" : "_" + schema.overload);
}

bool is_transformed(const Op& op) {
  if (op.kind != Kind::Pointwise && op.kind != Kind::Forward) return false;
  return std::any_of(op.schema.arguments.begin(), op.schema.arguments.end(),
                     [](const Argument& a) { return a.type.base == BaseType::Tensor; });
}

std::string emit_transforms_header(const OpList& list) {
  Text text;
  text.line(banner(list.file));
  text.line("#pragma once\n");
  text.line("#include <optional>\n#include <string_view>\n#include <tuple>\n#include <vector>\n");
  text.line(
      "#include <lanewise/tensor/array_ref.h>\n#include <lanewise/tensor/scalar.h>\n#include "
      "<lanewise/tensor/tensor.h>\n");
  text.line(
      "/// op_*: the ops where an argument is dual, or batched outside of graphs; false, and nothing done, "
      "where none is.\n/// batch_*: what ops do in place of computing where an argument is batched.");
  text.line("namespace lanewise::autograd::transformed {\n");
  for (const Op& op : list.ops) {
    if (!is_transformed(op)) continue;
    const auto declare = [&](const Schema& schema, bool writes) {
      const std::string parameters = parameter_list(schema, false);
      text.line(writes ? "void" : return_type(schema), " batch_", transform_name(schema), "(", parameters,
                ");");
      text.line("bool op_", transform_name(schema), "(", writes ? "" : return_type(schema) + "& out, ",
                parameters, ");");
    };
    declare(op.schema, op.schema.is_inplace());
    if (op.inplace) declare(inplace_schema(op), true);
  }
  text.line("\n}  // namespace lanewise::autograd::transformed");
  return text.str();
}

std::string emit_transforms(const OpList& list, std::size_t shard) {
  Text text;
  text.line(banner(list.file));
  text.line("#include <lanewise/generated/transforms.h>\n");
  text.line("#include <array>\n#include <string>\n#include <tuple>\n#include <vector>\n");
  text.line(
      "#include <lanewise/autograd/detail/batching.h>\n#include "
      "<lanewise/autograd/detail/batching_rules.h>\n#include "
      "<lanewise/autograd/detail/forward_frame.h>\n#include <lanewise/autograd/formulas.h>\n#include "
      "<lanewise/autograd/record.h>");
  text.line("#include <lanewise/generated/functions.h>\n");
  text.line(
      "namespace lanewise::autograd::transformed {\n\nusing namespace formulas;\nusing "
      "batching::Batch;\nusing forward_ad::Frame;\n");
  for (const Op* op : shard_of(list, shard)) {
    if (is_transformed(*op)) TransformEmitter(text, list, *op).emit();
  }
  text.line("}  // namespace lanewise::autograd::transformed");
  return text.str();
}

}  // namespace lanewise::codegen
