#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "formula.h"
#include "transformed_op.h"

namespace lanewise::codegen {
namespace {

/// The op's arguments as `part`(position) of the batch.
std::string batch_arguments(const TransformedOp& t, const std::string& part, const std::string& suffix,
                            bool in_place) {
  std::string arguments;
  std::size_t i = 0;
  for (const Argument& a : t.op.schema.arguments) {
    std::string text = a.name;
    if (a.type.is_tensor()) text = "batch." + part + "(" + std::to_string(i++) + suffix + ")";
    if (a.type.is_tensor_list()) text = "batch.list_slice(b)";
    if (in_place && a.name == "self") text = "target";
    arguments += (arguments.empty() ? "" : ", ") + text;
  }
  return arguments;
}

/// A call per slice.
void loop(Text& text, const TransformedOp& t, const std::string& pointers) {
  text.line("  const Batch batch(", pointers, ");");
  std::string names, joined;
  for (std::size_t r = 0; r < t.results.size(); ++r) {
    const std::string n = std::to_string(r);
    text.line("  std::vector<Tensor> parts", n, ";");
    names += (r > 0 ? ", part" : "part") + n;
    joined += (r > 0 ? ", " : "") + ("batch.join(\"" + t.op.schema.name + "\", parts" + n + ")");
  }
  text.line("  for (std::int64_t b = 0; b < batch.size(); ++b) {");
  text.line("    auto ", t.several() ? "[" + names + "]" : names, " = lanewise::", t.op.schema.name, "(",
            batch_arguments(t, "slice", ", b", false), ");");
  for (std::size_t r = 0; r < t.results.size(); ++r) {
    text.line("    parts", std::to_string(r), ".push_back(std::move(part", std::to_string(r), "));");
  }
  text.line("  }\n  return ", t.several() ? "{" + joined + "}" : joined, ";\n}");
}

}  // namespace

void emit_batched(Text& text, const TransformedOp& t, const Schema& schema, const std::string& indent) {
  text.line(indent, "if (!batching::any(", tensor_pointers(schema), ")) return false;");
  const bool writes = return_type(schema) == "Tensor&";
  if (t.op.has_node() || writes) {
    std::string edges;
    for (const std::string& edge :
         t.op.has_node() ? plan_node(t.op).edges : std::vector<std::string>{"self"}) {
      edges += (edges.empty() ? "" : ", ") + edge;
    }
    text.line(indent, "if (compute_requires_grad(", edges, ")) {");
    if (writes)
      text.line(indent, "  batching::check_writable(\"", schema.name, "\", self, ", tensor_pointers(schema),
                ");");
    text.line(indent, "  const batching::Lifted lifted(", tensor_pointers(schema), ");\n", indent,
              "  if (!lifted.changed()) return false;");
    std::string arguments;
    std::size_t i = 0;
    for (const Argument& a : schema.arguments) {
      std::string argument = a.name;
      if (a.type.is_tensor()) {
        if (!(writes && a.name == "self")) argument = "lifted[" + std::to_string(i) + "]";
        ++i;
      }
      if (a.type.is_tensor_list()) argument = "lifted.list()";
      arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    if (t.op.has_node()) text.line(indent, "  Frame::skip_next();");
    text.line(indent, "  ", writes ? "" : "out = ", "lanewise::", schema.name, "(", arguments, ");");
    text.line(indent, "  return true;\n", indent, "}");
  }
  const std::string call = "batch_" + transform_name(schema) + "(" + argument_list(schema) + ")";
  if (writes) {
    text.line(indent, call, ";\n", indent, "increment_version(self);");
    if (!t.op.has_node()) text.line(indent, "forward_ad::zero_tangents(self);");
  } else {
    text.line(indent, "out = ", as_view(t.op, call), ";");
  }
  text.line(indent, "return true;");
}

void emit_batch_functions(Text& text, const TransformedOp& t) {
  const Schema& schema = t.op.schema;
  const std::string pointers = tensor_pointers(schema);
  if (t.op.vmap == Vmap::None) {
    text.line(schema.is_inplace() ? "void" : return_type(schema), " batch_", t.name, "(",
              parameter_list(schema, false), ") {");
    for (const Argument& a : schema.arguments) text.line("  static_cast<void>(", a.name, ");");
    text.line("  batching::raise_no_rule(\"", schema.name, "\");\n}");
    return;
  }
  if (schema.is_inplace()) {
    text.line("void batch_", t.name, "(", parameter_list(schema, false), ") {");
    text.line("  batching::check_writable(\"", schema.name, "\", self, ", pointers, ");");
    if (t.op.vmap == Vmap::Rule) {
      text.line("  batching::rules::", schema.name, "(", argument_list(schema), ");\n}");
      return;
    }
    text.line("  const Batch batch(", pointers, ");");
    if (t.op.vmap == Vmap::Pointwise) {
      text.line("  Tensor target = batch.front(0);\n  lanewise::", schema.name, "(",
                batch_arguments(t, "aligned", "", true), ");\n}");
    } else {
      text.line(
          "  for (std::int64_t b = 0; b < batch.size(); ++b) {\n    Tensor target = batch.slice(0, b);");
      text.line("    lanewise::", schema.name, "(", batch_arguments(t, "slice", ", b", true), ");\n  }\n}");
    }
    return;
  }
  text.line(return_type(schema), " batch_", t.name, "(", parameter_list(schema, false), ") {");
  bool tensors = true;
  for (const Return& r : schema.returns) tensors = tensors && r.type.is_tensor();
  if (t.op.vmap == Vmap::Rule) {
    text.line("  return batching::rules::", schema.name, "(", argument_list(schema), ");\n}");
  } else if (!tensors || (schema.is_view() && t.op.vmap != Vmap::Pointwise)) {
    for (const Argument& a : schema.arguments) text.line("  static_cast<void>(", a.name, ");");
    text.line("  batching::raise_no_rule(\"", schema.name, "\");\n}");
  } else if (t.op.vmap == Vmap::Pointwise && !t.several()) {
    text.line("  const Batch batch(", pointers, ");");
    text.line("  return batch.wrap(lanewise::", schema.name, "(", batch_arguments(t, "aligned", "", false),
              "));\n}");
  } else {
    loop(text, t, pointers);
  }
  if (t.op.inplace) {
    const Schema form = inplace_schema(t.op);
    text.line("void batch_", transform_name(form), "(", parameter_list(form, false), ") {");
    text.line("  batching::check_writable(\"", form.name, "\", self, ", pointers, ");");
    text.line("  batching::write_back(\"", form.name, "\", self, batch_", t.name, "(", argument_list(form),
              "));\n}");
  }
}

}  // namespace lanewise::codegen
