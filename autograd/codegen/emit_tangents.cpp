#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "formula.h"
#include "transformed_op.h"
#include "words.h"

namespace lanewise::codegen {

TransformedOp::TransformedOp(const Op& of)
    : op(of), name(transform_name(of.schema)), results(result_names(of.schema)) {
  for (const Formula& formula : op.formulas) {
    code += formula.text + "\n";
    inputs.insert(formula.inputs.begin(), formula.inputs.end());
  }
  if (op.jvp == Jvp::Expression) {
    code.clear();
    for (const std::string& tangent : op.tangents) code += tangent + "\n";
    inputs.clear();
    for (const Argument& a : op.schema.arguments) {
      if (a.type.base == BaseType::Tensor && mentions(code, a.name + "_t")) inputs.insert(a.name);
    }
  }
}

bool TransformedOp::undefined_wanted() const {
  return op.jvp == Jvp::Elementwise || op.jvp == Jvp::Multilinear || op.jvp == Jvp::Transposed ||
         op.jvp == Jvp::Missing || (op.jvp == Jvp::Linear && inputs.size() == 1 && !is_list(*inputs.begin()));
}

namespace {

std::string parameter(const Argument& a) {
  if (a.type.is_tensor_list()) return "const std::vector<Tensor>&";
  if (a.type.base == BaseType::Str) return "const " + stored_type(a.type) + "&";
  return a.type.is_tensor() ? "const Tensor&" : parameter_type(a);
}

/// Arguments with tensor `replaced`, or all with derivatives if it is empty, as tangents.
std::string call_with_tangents(const TransformedOp& t, const std::string& replaced) {
  std::string arguments;
  for (const Argument& a : t.op.schema.arguments) {
    const bool tangent = replaced.empty() ? t.inputs.contains(a.name) : a.name == replaced;
    arguments += (arguments.empty() ? "" : ", ") + a.name + (tangent ? "_t" : "");
  }
  return "lanewise::" + t.op.schema.name + "(" + arguments + ")";
}

std::string part(const TransformedOp& t, std::size_t i) {
  return t.op.output_differentiability[i] ? "std::get<" + std::to_string(i) + ">(tangents)" : "Tensor()";
}

void elementwise(Text& text, const TransformedOp& t) {
  text.line("  Tensor tangent;");
  for (const Formula& formula : t.op.formulas) {
    const std::string& input = formula.inputs[0];
    text.line("  if (", input, "_t.defined()) {");
    text.line("    const Tensor grad = forward_ad::elementwise_start(", input, "_t, result);");
    text.line("    forward_ad::elementwise_add(tangent, ", formula.text, ");\n  }");
  }
  text.line("  return tangent;");
}

void linear(Text& text, const TransformedOp& t) {
  if (t.undefined_wanted()) text.line("  if (!", *t.inputs.begin(), "_t.defined()) return {};");
  if (!t.several()) {
    text.line("  return ", call_with_tangents(t, ""), ";");
    return;
  }
  text.line("  const auto tangents = ", call_with_tangents(t, ""), ";");
  std::string parts;
  for (std::size_t i = 0; i < t.results.size(); ++i) parts += (i > 0 ? ", " : "") + part(t, i);
  text.line("  return {", parts, "};");
}

void multilinear(Text& text, const TransformedOp& t) {
  text.line("  Tensor tangent;");
  for (const Argument& a : t.op.schema.arguments) {
    if (!t.inputs.contains(a.name)) continue;
    text.line("  if (", a.name, "_t.defined()) forward_ad::add_to(tangent, ", call_with_tangents(t, a.name),
              ");");
  }
  text.line("  return tangent;");
}

void transposed(Text& text, const TransformedOp& t) {
  std::string differentiable, list;
  for (std::size_t i = 0; i < t.results.size(); ++i) {
    differentiable += (i > 0 ? ", " : "") + std::string(t.op.output_differentiability[i] ? "true" : "false");
    list += (i > 0 ? ", " : "") + t.results[i];
  }
  text.line("  const auto vjp = [&]([[maybe_unused]] const variable_list& grads) {");
  text.line("    [[maybe_unused]] const Tensor& grad = grads[0];");
  std::string tangents;
  if (t.op.formulas.size() == 1 && t.op.formulas[0].inputs.size() == 1 &&
      t.is_list(t.op.formulas[0].inputs[0])) {
    text.line("    return ", t.op.formulas[0].text, ";\n  };");
    tangents = t.op.formulas[0].inputs[0] + "_t";
  } else {
    std::size_t n = 0;
    for (const Formula& formula : t.op.formulas) n += formula.inputs.size();
    text.line("    variable_list inputs(", std::to_string(n), ");");
    std::size_t at = 0;
    for (const Formula& formula : t.op.formulas) {
      std::string mask, targets;
      for (const std::string& input : formula.inputs) {
        mask += (mask.empty() ? "" : ", ") + input + "_t.defined()";
        targets += (targets.empty() ? "" : ", ") + ("inputs[" + std::to_string(at++) + "]");
        tangents += (tangents.empty() ? "" : ", ") + input + "_t";
      }
      if (formula.inputs.size() == 1) {
        text.line("    if (", mask, ") ", targets, " = ", formula.text, ";");
      } else {
        text.line("    [[maybe_unused]] const std::array<bool, ", std::to_string(formula.inputs.size()),
                  "> grad_input_mask = {", mask, "};");
        text.line("    std::tie(", targets, ") = ", formula.text, ";");
      }
    }
    text.line("    return inputs;\n  };");
    tangents = "{" + tangents + "}";
  }
  text.line("  return forward_ad::transposed({", list, "}, {", differentiable, "}, vjp, ", tangents, ")",
            t.several() ? "" : "[0]", ";");
}

void expression(Text& text, const TransformedOp& t) {
  if (!t.several()) {
    text.line("  return ", t.op.tangents[0], ";");
    return;
  }
  // One expression: of the first differentiable result.
  std::string parts;
  std::size_t next = 0;
  for (std::size_t i = 0; i < t.results.size(); ++i) {
    const bool has = t.op.output_differentiability[i] && next < t.op.tangents.size();
    parts += (i > 0 ? ", " : "") + (has ? t.op.tangents[next++] : "Tensor()");
  }
  text.line("  return {", parts, "};");
}

}  // namespace

void emit_tangent_rule(Text& text, const TransformedOp& t) {
  std::string parameters;
  for (const Argument& a : t.op.schema.arguments) {
    const std::string unused = "[[maybe_unused]] " + parameter(a) + " " + a.name;
    parameters += (parameters.empty() ? "" : ", ") + unused;
    if (t.has_tangent(a)) parameters += ", " + unused + "_t";
  }
  if (!t.returns_list()) {
    for (const std::string& result : t.results) parameters += ", [[maybe_unused]] const Tensor& " + result;
  }
  const std::string type = t.several() || t.returns_list() ? "variable_list" : "Tensor";
  text.line("static ", type, " jvp_", t.name, "(", parameters, ") {");
  switch (t.op.jvp) {
    case Jvp::Elementwise: elementwise(text, t); break;
    case Jvp::Linear: linear(text, t); break;
    case Jvp::Multilinear: multilinear(text, t); break;
    case Jvp::Transposed:
    case Jvp::Missing: transposed(text, t); break;
    case Jvp::Zero: text.line("  return zeros_like(", t.results[0], ");"); break;
    case Jvp::Expression: expression(text, t); break;
    case Jvp::NotImplemented: break;
  }
  text.line("}");
}

std::string tangent_call(const TransformedOp& t, const std::string& out) {
  std::string arguments;
  std::size_t i = 0;
  for (const Argument& a : t.op.schema.arguments) {
    std::string primal = a.name, tangent;
    if (a.type.is_tensor()) {
      const std::string index = "(" + std::to_string(i++) + ")";
      primal = "frame.p" + index;
      // No derivative of a real argument may take the real part of a complex tangent.
      if (t.op.jvp == Jvp::Elementwise)
        primal = "forward_ad::elementwise_primal(" + primal + ", " + out + ")";
      tangent = (t.undefined_wanted() ? "frame.t" : "frame.z") + index;
    } else if (a.type.is_tensor_list()) {
      primal = "frame.list_p()";
      tangent = t.undefined_wanted() ? "frame.list_t()" : "frame.list_z()";
    } else if (a.type.base == BaseType::Str) {
      primal = a.type.optional ? "formulas::keep(" + a.name + ")" : "std::string(" + a.name + ")";
    }
    arguments += (arguments.empty() ? "" : ", ") + primal;
    if (t.has_tangent(a)) arguments += ", " + tangent;
  }
  if (!t.returns_list()) {
    for (std::size_t r = 0; r < t.results.size(); ++r) {
      arguments +=
          ", frame.primal(" + (t.several() ? "std::get<" + std::to_string(r) + ">(" + out + ")" : out) + ")";
    }
  }
  return "jvp_" + t.name + "(" + arguments + ")";
}

}  // namespace lanewise::codegen
