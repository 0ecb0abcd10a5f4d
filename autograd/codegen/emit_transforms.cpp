#include <algorithm>
#include <cctype>
#include <set>

#include "cpp_types.h"
#include "emit.h"
#include "formula.h"
#include "forms.h"
#include "output.h"

namespace lanewise::codegen {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool mentions(const std::string& code, const std::string& name) {
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(code[at - 1])) && (end == code.size() || !is_word(code[end]))) return true;
  }
  return false;
}

/// Writes the tangent code of one op: jvp_<op>, tangents from primals and tangents, and the functions that the op calls.
class TransformEmitter {
 public:
  TransformEmitter(Text& text, const OpList& list, const Op& op)
      : text_(text), list_(list), op_(op), name_(transform_name(op.schema)), results_(result_names(op.schema)) {
    for (const Formula& formula : op.formulas) {
      code_ += formula.text + "\n";
      inputs_.insert(formula.inputs.begin(), formula.inputs.end());
    }
    if (op.jvp == Jvp::Expression) {
      code_.clear();
      for (const std::string& tangent : op.tangents) code_ += tangent + "\n";
      inputs_.clear();
      for (const Argument& a : op.schema.arguments) {
        if (a.type.base == BaseType::Tensor && mentions(code_, a.name + "_t")) inputs_.insert(a.name);
      }
    }
  }

  void emit() {
    text_.line("// ", list_.file, ":", std::to_string(op_.line), ": ", op_.schema.full_name());
    if (op_.has_node() && op_.jvp != Jvp::NotImplemented) rule();
    batching_functions();
    if (op_.schema.is_inplace()) {
      inplace(op_.schema);
    } else {
      functional();
      if (op_.inplace) inplace(inplace_schema(op_));
    }
    text_.line("");
  }

 private:
  bool is_list(const std::string& input) const { return op_.schema.find(input)->type.list; }
  bool several() const { return results_.size() > 1; }
  bool returns_list() const { return op_.schema.returns[0].type.is_tensor_list(); }
  bool has_tangent(const Argument& a) const { return op_.jvp != Jvp::Zero && inputs_.contains(a.name); }
  bool undefined_wanted() const {
    return op_.jvp == Jvp::Elementwise || op_.jvp == Jvp::Multilinear || op_.jvp == Jvp::Transposed || op_.jvp == Jvp::Missing ||
           (op_.jvp == Jvp::Linear && inputs_.size() == 1 && !is_list(*inputs_.begin()));
  }

  static std::string parameter(const Argument& a) {
    if (a.type.is_tensor_list()) return "const std::vector<Tensor>&";
    if (a.type.base == BaseType::Str) return "const " + stored_type(a.type) + "&";
    return a.type.is_tensor() ? "const Tensor&" : parameter_type(a);
  }

  /// Arguments with tensor `replaced`, or all with derivatives if it is empty, as tangents.
  std::string call_with_tangents(const std::string& replaced) const {
    std::string arguments;
    for (const Argument& a : op_.schema.arguments) {
      const bool tangent = replaced.empty() ? inputs_.contains(a.name) : a.name == replaced;
      arguments += (arguments.empty() ? "" : ", ") + a.name + (tangent ? "_t" : "");
    }
    return "lanewise::" + op_.schema.name + "(" + arguments + ")";
  }

  void rule() {
    std::string parameters;
    for (const Argument& a : op_.schema.arguments) {
      const std::string unused = "[[maybe_unused]] " + parameter(a) + " " + a.name;
      parameters += (parameters.empty() ? "" : ", ") + unused;
      if (has_tangent(a)) parameters += ", " + unused + "_t";
    }
    if (!returns_list()) {
      for (const std::string& result : results_) parameters += ", [[maybe_unused]] const Tensor& " + result;
    }
    const std::string type = several() || returns_list() ? "variable_list" : "Tensor";
    text_.line("static ", type, " jvp_", name_, "(", parameters, ") {");
    switch (op_.jvp) {
      case Jvp::Elementwise: elementwise(); break;
      case Jvp::Linear: linear(); break;
      case Jvp::Multilinear: multilinear(); break;
      case Jvp::Transposed:
      case Jvp::Missing: transposed(); break;
      case Jvp::Zero: text_.line("  return zeros_like(", results_[0], ");"); break;
      case Jvp::Expression: expression(); break;
      case Jvp::NotImplemented: break;
    }
    text_.line("}");
  }

  void elementwise() {
    text_.line("  Tensor tangent;");
    for (const Formula& formula : op_.formulas) {
      const std::string& input = formula.inputs[0];
      text_.line("  if (", input, "_t.defined()) {");
      text_.line("    const Tensor grad = forward_ad::elementwise_start(", input, "_t, result);");
      text_.line("    forward_ad::elementwise_add(tangent, ", formula.text, ");\n  }");
    }
    text_.line("  return tangent;");
  }

  void linear() {
    if (undefined_wanted()) text_.line("  if (!", *inputs_.begin(), "_t.defined()) return {};");
    if (!several()) {
      text_.line("  return ", call_with_tangents(""), ";");
      return;
    }
    text_.line("  const auto tangents = ", call_with_tangents(""), ";");
    std::string parts;
    for (std::size_t i = 0; i < results_.size(); ++i) parts += (i > 0 ? ", " : "") + part(i);
    text_.line("  return {", parts, "};");
  }
  std::string part(std::size_t i) const {
    return op_.output_differentiability[i] ? "std::get<" + std::to_string(i) + ">(tangents)" : "Tensor()";
  }

  void multilinear() {
    text_.line("  Tensor tangent;");
    for (const Argument& a : op_.schema.arguments) {
      if (!inputs_.contains(a.name)) continue;
      text_.line("  if (", a.name, "_t.defined()) forward_ad::add_to(tangent, ", call_with_tangents(a.name), ");");
    }
    text_.line("  return tangent;");
  }

  void transposed() {
    std::string differentiable, list;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      differentiable += (i > 0 ? ", " : "") + std::string(op_.output_differentiability[i] ? "true" : "false");
      list += (i > 0 ? ", " : "") + results_[i];
    }
    text_.line("  const auto vjp = [&]([[maybe_unused]] const variable_list& grads) {");
    text_.line("    [[maybe_unused]] const Tensor& grad = grads[0];");
    std::string tangents;
    if (op_.formulas.size() == 1 && op_.formulas[0].inputs.size() == 1 && is_list(op_.formulas[0].inputs[0])) {
      text_.line("    return ", op_.formulas[0].text, ";\n  };");
      tangents = op_.formulas[0].inputs[0] + "_t";
    } else {
      std::size_t n = 0;
      for (const Formula& formula : op_.formulas) n += formula.inputs.size();
      text_.line("    variable_list inputs(", std::to_string(n), ");");
      std::size_t at = 0;
      for (const Formula& formula : op_.formulas) {
        std::string mask, targets;
        for (const std::string& input : formula.inputs) {
          mask += (mask.empty() ? "" : ", ") + input + "_t.defined()";
          targets += (targets.empty() ? "" : ", ") + ("inputs[" + std::to_string(at++) + "]");
          tangents += (tangents.empty() ? "" : ", ") + input + "_t";
        }
        if (formula.inputs.size() == 1) {
          text_.line("    if (", mask, ") ", targets, " = ", formula.text, ";");
        } else {
          text_.line("    [[maybe_unused]] const std::array<bool, ", std::to_string(formula.inputs.size()), "> grad_input_mask = {", mask, "};");
          text_.line("    std::tie(", targets, ") = ", formula.text, ";");
        }
      }
      text_.line("    return inputs;\n  };");
      tangents = "{" + tangents + "}";
    }
    text_.line("  return forward_ad::transposed({", list, "}, {", differentiable, "}, vjp, ", tangents, ")", several() ? "" : "[0]", ";");
  }

  void expression() {
    if (!several()) {
      text_.line("  return ", op_.tangents[0], ";");
      return;
    }
    // One expression: of the first differentiable result.
    std::string parts;
    std::size_t next = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const bool has = op_.output_differentiability[i] && next < op_.tangents.size();
      parts += (i > 0 ? ", " : "") + (has ? op_.tangents[next++] : "Tensor()");
    }
    text_.line("  return {", parts, "};");
  }

  /// The call of jvp_<op> with the frame's primals and tangents; results are in `out`.
  std::string jvp(const std::string& out) const {
    std::string arguments;
    std::size_t i = 0;
    for (const Argument& a : op_.schema.arguments) {
      std::string primal = a.name, tangent;
      if (a.type.is_tensor()) {
        const std::string index = "(" + std::to_string(i++) + ")";
        primal = "frame.p" + index;
        // No derivative of a real argument may take the real part of a complex tangent.
        if (op_.jvp == Jvp::Elementwise) primal = "forward_ad::elementwise_primal(" + primal + ", " + out + ")";
        tangent = (undefined_wanted() ? "frame.t" : "frame.z") + index;
      } else if (a.type.is_tensor_list()) {
        primal = "frame.list_p()";
        tangent = undefined_wanted() ? "frame.list_t()" : "frame.list_z()";
      } else if (a.type.base == BaseType::Str) {
        primal = a.type.optional ? "formulas::keep(" + a.name + ")" : "std::string(" + a.name + ")";
      }
      arguments += (arguments.empty() ? "" : ", ") + primal;
      if (has_tangent(a)) arguments += ", " + tangent;
    }
    if (!returns_list()) {
      for (std::size_t r = 0; r < results_.size(); ++r) {
        arguments += ", frame.primal(" + (several() ? "std::get<" + std::to_string(r) + ">(" + out + ")" : out) + ")";
      }
    }
    return "jvp_" + name_ + "(" + arguments + ")";
  }

  void functional() {
    text_.line("bool op_", name_, "(", return_type(op_.schema), "& out", op_.schema.arguments.empty() ? "" : ", ",
               parameter_list(op_.schema, false), ") {");
    if (!op_.has_node()) {
      batched(op_.schema, "  ");
      text_.line("}");
      return;
    }
    text_.line("  Frame frame(", tensor_pointers(op_.schema), ");\n  if (!frame.active()) {");
    batched(op_.schema, "    ");
    text_.line("  }");
    if (not_implemented(op_.schema)) return;
    text_.line("  Frame::skip_next();\n  out = lanewise::", op_.schema.name, "(", argument_list(op_.schema), ");");
    const std::string view = op_.schema.is_view() ? ", true" : "";
    std::string target = "out";
    if (several()) {
      std::string parts;
      for (std::size_t r = 0; r < results_.size(); ++r) parts += (r > 0 ? ", " : "") + ("std::get<" + std::to_string(r) + ">(out)");
      text_.line("  const variable_list results = {", parts, "};");
      target = "results";
    }
    text_.line("  while (frame.next()) frame.set(", target, ", ", jvp("out"), view, ");\n  return true;\n}");
  }

  /// What happens where nothing is dual: batched arguments outside of graphs; else the op goes on.
  void batched(const Schema& schema, const std::string& indent) {
    text_.line(indent, "if (!batching::any(", tensor_pointers(schema), ")) return false;");
    const bool writes = return_type(schema) == "Tensor&";
    if (op_.has_node() || writes) {
      std::string edges;
      for (const std::string& edge : op_.has_node() ? plan_node(op_).edges : std::vector<std::string>{"self"}) {
        edges += (edges.empty() ? "" : ", ") + edge;
      }
      text_.line(indent, "if (compute_requires_grad(", edges, ")) {");
      if (writes) text_.line(indent, "  batching::check_writable(\"", schema.name, "\", self, ", tensor_pointers(schema), ");");
      text_.line(indent, "  const batching::Lifted lifted(", tensor_pointers(schema), ");\n", indent, "  if (!lifted.changed()) return false;");
      std::string arguments;
      std::size_t i = 0;
      for (const Argument& a : schema.arguments) {
        std::string text = a.name;
        if (a.type.is_tensor()) {
          if (!(writes && a.name == "self")) text = "lifted[" + std::to_string(i) + "]";
          ++i;
        }
        if (a.type.is_tensor_list()) text = "lifted.list()";
        arguments += (arguments.empty() ? "" : ", ") + text;
      }
      text_.line(indent, "  Frame::skip_next();\n", indent, "  ", writes ? "" : "out = ", "lanewise::", schema.name, "(", arguments, ");");
      text_.line(indent, "  return true;\n", indent, "}");
    }
    const std::string call = "batch_" + transform_name(schema) + "(" + argument_list(schema) + ")";
    if (writes) {
      text_.line(indent, call, ";\n", indent, "increment_version(self);");
    } else {
      text_.line(indent, "out = ", as_view(op_, call), ";");
    }
    text_.line(indent, "return true;");
  }

  /// The op's arguments as `part`(position) of the batch.
  std::string batch_arguments(const std::string& part, const std::string& suffix, bool in_place) const {
    std::string arguments;
    std::size_t i = 0;
    for (const Argument& a : op_.schema.arguments) {
      std::string text = a.name;
      if (a.type.is_tensor()) text = "batch." + part + "(" + std::to_string(i++) + suffix + ")";
      if (a.type.is_tensor_list()) text = "batch.list_slice(b)";
      if (in_place && a.name == "self") text = "target";
      arguments += (arguments.empty() ? "" : ", ") + text;
    }
    return arguments;
  }

  void batching_functions() {
    const Schema& schema = op_.schema;
    const std::string pointers = tensor_pointers(schema);
    if (op_.vmap == Vmap::None) {
      text_.line(schema.is_inplace() ? "void" : return_type(schema), " batch_", name_, "(", parameter_list(schema, false), ") {");
      for (const Argument& a : schema.arguments) text_.line("  static_cast<void>(", a.name, ");");
      text_.line("  batching::raise_no_rule(\"", schema.name, "\");\n}");
      return;
    }
    if (schema.is_inplace()) {
      text_.line("void batch_", name_, "(", parameter_list(schema, false), ") {");
      text_.line("  batching::check_writable(\"", schema.name, "\", self, ", pointers, ");\n  const Batch batch(", pointers, ");");
      if (op_.vmap == Vmap::Pointwise) {
        text_.line("  Tensor target = batch.front(0);\n  lanewise::", schema.name, "(", batch_arguments("aligned", "", true), ");\n}");
      } else {
        text_.line("  for (std::int64_t b = 0; b < batch.size(); ++b) {\n    Tensor target = batch.slice(0, b);");
        text_.line("    lanewise::", schema.name, "(", batch_arguments("slice", ", b", true), ");\n  }\n}");
      }
      return;
    }
    text_.line(return_type(schema), " batch_", name_, "(", parameter_list(schema, false), ") {");
    bool tensors = true;
    for (const Return& r : schema.returns) tensors = tensors && r.type.is_tensor();
    if (op_.vmap == Vmap::Rule) {
      text_.line("  return batching::rules::", schema.name, "(", argument_list(schema), ");\n}");
    } else if (!tensors || (schema.is_view() && op_.vmap != Vmap::Pointwise)) {
      for (const Argument& a : schema.arguments) text_.line("  static_cast<void>(", a.name, ");");
      text_.line("  batching::raise_no_rule(\"", schema.name, "\");\n}");
    } else if (op_.vmap == Vmap::Pointwise && !several()) {
      text_.line("  const Batch batch(", pointers, ");");
      text_.line("  return batch.wrap(lanewise::", schema.name, "(", batch_arguments("aligned", "", false), "));\n}");
    } else {
      loop(pointers);
    }
    if (op_.inplace) {
      const Schema form = inplace_schema(op_);
      text_.line("void batch_", transform_name(form), "(", parameter_list(form, false), ") {");
      text_.line("  batching::check_writable(\"", form.name, "\", self, ", pointers, ");");
      text_.line("  batching::write_back(\"", form.name, "\", self, batch_", name_, "(", argument_list(form), "));\n}");
    }
  }

  void loop(const std::string& pointers) {
    text_.line("  const Batch batch(", pointers, ");");
    std::string names, joined;
    for (std::size_t r = 0; r < results_.size(); ++r) {
      const std::string n = std::to_string(r);
      text_.line("  std::vector<Tensor> parts", n, ";");
      names += (r > 0 ? ", part" : "part") + n;
      joined += (r > 0 ? ", " : "") + ("batch.join(\"" + op_.schema.name + "\", parts" + n + ")");
    }
    text_.line("  for (std::int64_t b = 0; b < batch.size(); ++b) {");
    text_.line("    auto ", several() ? "[" + names + "]" : names, " = lanewise::", op_.schema.name, "(", batch_arguments("slice", ", b", false), ");");
    for (std::size_t r = 0; r < results_.size(); ++r) {
      text_.line("    parts", std::to_string(r), ".push_back(std::move(part", std::to_string(r), "));");
    }
    text_.line("  }\n  return ", several() ? "{" + joined + "}" : joined, ";\n}");
  }

  bool not_implemented(const Schema& schema) {
    if (op_.jvp != Jvp::NotImplemented) return false;
    std::string reason;
    for (const char c : op_.tangents[0]) reason += c == '"' ? std::string("\\\"") : std::string(1, c);
    for (const Argument& a : schema.arguments) text_.line("  static_cast<void>(", a.name, ");");
    if (!schema.is_inplace()) text_.line("  static_cast<void>(out);");
    text_.line("  forward_ad::raise_not_implemented(\"", schema.name, "\", \"", reason, "\");\n}");
    return true;
  }

  void inplace(const Schema& schema) {
    text_.line("bool op_", transform_name(schema), "(", parameter_list(schema, false), ") {");
    if (!op_.has_node()) {
      batched(schema, "  ");
      text_.line("}");
      return;
    }
    const bool needs_self = mentions(code_, "self") && op_.jvp != Jvp::Linear && op_.jvp != Jvp::Zero;
    std::string arguments, list;
    for (const Argument& a : schema.arguments) {
      if (a.type.is_tensor_list()) list = ", " + a.name;
      if (!a.type.is_tensor()) continue;
      std::string pointer = "&" + a.name;
      if (a.name == "self") pointer = needs_self ? "&before" : "&self";
      if (a.name != "self" && needs_self) pointer = a.name + ".is_same(self) ? &before : &" + a.name;
      arguments += (arguments.empty() ? "" : ", ") + pointer;
    }
    if (needs_self) {
      text_.line("  if (!Frame(", tensor_pointers(schema), ").active()) {");
      batched(schema, "    ");
      text_.line("  }");
      text_.line("  const Tensor before = self.clone();");
    }
    text_.line("  Frame frame({", arguments, "}", list, ");");
    if (!needs_self) {
      text_.line("  if (!frame.active()) {");
      batched(schema, "    ");
      text_.line("  }");
    }
    if (not_implemented(schema)) return;
    text_.line("  Frame::skip_next();\n  lanewise::", schema.name, "(", argument_list(schema), ");");
    text_.line("  while (frame.next()) frame.set_inplace(self, ", jvp("self"), ");\n  return true;\n}");
  }

  Text& text_;
  const OpList& list_;
  const Op& op_;
  std::string name_;
  std::vector<std::string> results_;
  std::string code_;              ///< formulas or expressions, to look for names
  std::set<std::string> inputs_;  ///< arguments whose tangents are used
};

}  // namespace

std::string transform_name(const Schema& schema) {
  return schema.name + (schema.overload.empty() ? "" : "_" + schema.overload);
}

bool is_transformed(const Op& op) {
  if (op.kind != Kind::Pointwise && op.kind != Kind::Forward) return false;
  return std::any_of(op.schema.arguments.begin(), op.schema.arguments.end(), [](const Argument& a) { return a.type.base == BaseType::Tensor; });
}

std::string emit_transforms_header(const OpList& list) {
  Text text;
  text.line(banner(list.file));
  text.line("#pragma once\n");
  text.line("#include <optional>\n#include <string_view>\n#include <tuple>\n#include <vector>\n");
  text.line("#include <lanewise/tensor/array_ref.h>\n#include <lanewise/tensor/scalar.h>\n#include <lanewise/tensor/tensor.h>\n");
  text.line("/// op_*: the ops where an argument is dual, or batched outside of graphs; false, and nothing done, where none is.\n/// batch_*: what ops do in place of computing where an argument is batched.");
  text.line("namespace lanewise::autograd::transformed {\n");
  for (const Op& op : list.ops) {
    if (!is_transformed(op)) continue;
    const auto declare = [&](const Schema& schema, bool writes) {
      const std::string parameters = parameter_list(schema, false);
      text.line(writes ? "void" : return_type(schema), " batch_", transform_name(schema), "(", parameters, ");");
      text.line("bool op_", transform_name(schema), "(", writes ? "" : return_type(schema) + "& out, ", parameters, ");");
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
  text.line("#include <lanewise/autograd/detail/batching.h>\n#include <lanewise/autograd/detail/batching_rules.h>\n#include <lanewise/autograd/detail/forward_frame.h>\n#include <lanewise/autograd/formulas.h>\n#include <lanewise/autograd/record.h>");
  text.line("#include <lanewise/generated/functions.h>\n");
  text.line("namespace lanewise::autograd::transformed {\n\nusing namespace formulas;\nusing batching::Batch;\nusing forward_ad::Frame;\n");
  for (const Op* op : shard_of(list, shard)) {
    if (is_transformed(*op)) TransformEmitter(text, list, *op).emit();
  }
  text.line("}  // namespace lanewise::autograd::transformed");
  return text.str();
}

}  // namespace lanewise::codegen
