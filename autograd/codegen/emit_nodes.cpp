#include <algorithm>

#include "cpp_types.h"
#include "emit.h"
#include "formula.h"
#include "output.h"
#include "spent_gradient.h"
#include "words.h"

namespace lanewise::codegen {
namespace {

std::string number(std::size_t i) { return std::to_string(i); }

bool has_list_edge(const Op& op, const NodePlan& plan) {
  return plan.edges.size() == 1 && op.schema.find(plan.edges[0])->type.list;
}

bool is_list(const Op& op, const std::string& name) {
  const Argument* argument = op.schema.find(name);
  return argument != nullptr && argument->type.list;
}

void emit_class(Text& text, const OpList& list, const Op& op) {
  const NodePlan plan = plan_node(op);
  text.line("/// Of ", op.schema.full_name(), " in ", list.file, ".");
  text.line("struct ", op.node_class, " final : TraceableFunction {");
  text.line("  using TraceableFunction::TraceableFunction;");
  // Not left to the compiler, which would set the whole node to zero before the members are initialised.
  text.line("  ", op.node_class, "() {}");
  text.line("  std::string name() const override { return \"", op.node_name, "\"; }");
  const bool saves = !plan.inputs.empty() || !plan.results.empty();
  if (saves) text.line("  void release_variables() override;");
  text.line("");
  for (const auto* names : {&plan.inputs, &plan.results}) {
    for (const std::string& name : *names) {
      text.line(is_list(op, name) ? "  std::vector<SavedVariable> " : "  SavedVariable ", name, "_;");
    }
  }
  for (const SavedMetadata& saved : plan.metadata) {
    const Argument* argument = op.schema.find(saved.tensor);
    const std::string type = metadata_type(saved.method, argument != nullptr && argument->type.list);
    text.line("  ", type, " ", saved.member(), "{};");
  }
  for (const Argument* a : plan.values) text.line("  ", stored_type(a->type), " ", a->name, "_{};");
  text.line("\n protected:\n  variable_list apply(variable_list&& grads) override;");
  text.line("};\n");
}

std::size_t edge_of(const NodePlan& plan, const std::string& input) {
  return static_cast<std::size_t>(std::find(plan.edges.begin(), plan.edges.end(), input) -
                                  plan.edges.begin());
}

/// `wanted`: when, as an expression; empty: always.
void emit_unpack(Text& text, const Op& op, const std::string& name, const char* indent,
                 const std::string& wanted = "") {
  const std::string when = wanted.empty() ? "" : wanted + " ? ";
  if (is_list(op, name)) {
    text.line(indent, "const std::vector<Tensor> ", name, " = ", when, "unpack_list(", name, "_, this)",
              wanted.empty() ? ";" : " : std::vector<Tensor>();");
  } else {
    text.line(indent, "Tensor made_", name, ";\n", indent, "const Tensor& ", name, " = ", when, name,
              "_.unpack(this, made_", name, ")", wanted.empty() ? ";" : " : made_" + name + ";");
  }
}

bool reads(const FormulaUse& use, const std::string& name) {
  return std::find(use.tensors.begin(), use.tensors.end(), name) != use.tensors.end();
}

/// What more than one formula reads is unpacked once for all: hooks may not stand a second time.
bool is_shared(const NodePlan& plan, const std::string& name) {
  return std::count_if(plan.formulas.begin(), plan.formulas.end(),
                       [&](const FormulaUse& use) { return reads(use, name); }) > 1;
}

std::string should_compute(std::size_t edge) { return "task_should_compute_output(" + number(edge) + ")"; }

void emit_shared_unpacks(Text& text, const Op& op, const NodePlan& plan) {
  for (const auto* names : {&plan.inputs, &plan.results}) {
    for (const std::string& name : *names) {
      if (!is_shared(plan, name)) continue;
      std::vector<std::string> edges;
      for (std::size_t f = 0; f < plan.formulas.size(); ++f) {
        if (!reads(plan.formulas[f], name)) continue;
        for (const std::string& input : op.formulas[f].inputs)
          edges.push_back(should_compute(edge_of(plan, input)));
      }
      emit_unpack(text, op, name, "  ",
                  edges.size() < plan.edges.size() ? "(" + join(edges, " || ") + ")" : "");
    }
  }
}

void emit_unpacks(Text& text, const Op& op, const NodePlan& plan, const FormulaUse& use) {
  for (const std::string& name : use.tensors) {
    if (!is_shared(plan, name)) emit_unpack(text, op, name, "    ");
  }
}

/// Where the gradient's memory may take the result: if no formula after this one runs.
void emit_spare(Text& text, const OpList& list, const Op& op, const NodePlan& plan, std::size_t f) {
  if (!spends_gradient(list, plan.formulas[f].code)) return;
  std::string later;
  for (std::size_t g = f + 1; g < plan.formulas.size(); ++g) {
    for (const std::string& input : op.formulas[g].inputs) {
      later += (later.empty() ? "" : " && ") + ("!" + should_compute(edge_of(plan, input)));
    }
  }
  text.line("    const SpareGradient spare(grad", later.empty() ? "" : ", ", later, ");");
}

void emit_formula(Text& text, const OpList& list, const Op& op, const NodePlan& plan, std::size_t f) {
  std::vector<std::size_t> edges;
  for (const std::string& input : op.formulas[f].inputs) {
    edges.push_back(edge_of(plan, input));
  }
  std::string condition, mask, targets;
  for (const std::size_t e : edges) {
    const std::string wanted = should_compute(e);
    condition += (condition.empty() ? "" : " || ") + wanted;
    mask += (mask.empty() ? "" : ", ") + wanted;
    targets += (targets.empty() ? "" : ", ") + ("grad_inputs[" + number(e) + "]");
  }
  text.line("  if (", condition, ") {");
  emit_unpacks(text, op, plan, plan.formulas[f]);
  if (edges.size() == 1) {
    emit_spare(text, list, op, plan, f);
    text.line("    ", targets, " = ", plan.formulas[f].code, ";");
  } else {
    text.line("    const std::array<bool, ", number(edges.size()), "> grad_input_mask = {", mask, "};");
    text.line("    static_cast<void>(grad_input_mask);");
    text.line("    std::tie(", targets, ") = ", plan.formulas[f].code, ";");
  }
  text.line("  }");
}

bool mentions_grads(const NodePlan& plan) {
  return std::any_of(plan.formulas.begin(), plan.formulas.end(),
                     [](const FormulaUse& use) { return use.code.find("grads") != std::string::npos; });
}

void emit_apply(Text& text, const OpList& list, const Op& op) {
  const NodePlan plan = plan_node(op);
  text.line("// ", list.file, ":", number(static_cast<std::size_t>(op.line)), ": ", op.schema.full_name());
  text.line("variable_list ", op.node_class, "::apply(variable_list&& grads) {");
  const bool saves = !plan.inputs.empty() || !plan.results.empty();
  if (saves) text.line("  const std::lock_guard lock(mutex_);");
  if (has_list_edge(op, plan)) {
    text.line("  const Tensor& grad = grads[0];");
    text.line("  if (!grad.defined()) return make_variable_list(num_outputs());");
    emit_shared_unpacks(text, op, plan);
    emit_unpacks(text, op, plan, plan.formulas[0]);
    text.line("  return ", plan.formulas[0].code, ";\n}\n");
    return;
  }
  text.line("  variable_list grad_inputs = make_variable_list(", number(plan.edges.size()), ");");
  if (mentions_grads(plan)) {
    text.line(
        "  if (std::none_of(grads.begin(), grads.end(), [](const Tensor& g) { return g.defined(); })) return "
        "grad_inputs;");
  } else {
    text.line("  const Tensor& grad = grads[0];");
    text.line("  if (!grad.defined()) return grad_inputs;");
  }
  emit_shared_unpacks(text, op, plan);
  for (std::size_t f = 0; f < plan.formulas.size(); ++f) emit_formula(text, list, op, plan, f);
  text.line("  return grad_inputs;\n}");
  if (saves) {
    text.line("void ", op.node_class, "::release_variables() {");
    text.line("  const std::lock_guard lock(mutex_);");
    for (const auto* names : {&plan.inputs, &plan.results}) {
      for (const std::string& name : *names) {
        if (is_list(op, name)) {
          text.line("  for (SavedVariable& saved : ", name, "_) saved.reset_data();");
        } else {
          text.line("  ", name, "_.reset_data();");
        }
      }
    }
    text.line("}");
  }
  text.line("");
}

}  // namespace

std::string emit_nodes_header(const OpList& list) {
  Text text;
  text.line(banner(list.file));
  text.line("#pragma once\n");
  text.line("#include <optional>\n#include <string>\n#include <vector>\n");
  text.line("#include <lanewise/autograd/node.h>\n#include <lanewise/autograd/saved_variable.h>");
  text.line("#include <lanewise/tensor/dim_vector.h>\n#include <lanewise/tensor/scalar.h>\n");
  text.line("namespace lanewise::autograd::generated {\n");
  for (const Op& op : list.ops) {
    if (op.has_node()) emit_class(text, list, op);
  }
  text.line("}  // namespace lanewise::autograd::generated");
  return text.str();
}

std::string emit_nodes(const OpList& list, std::size_t shard) {
  Text text;
  text.line(banner(list.file));
  text.line("#include <lanewise/generated/nodes.h>\n");
  text.line("#include <algorithm>\n#include <array>\n#include <mutex>\n#include <tuple>\n");
  text.line(
      "#include <lanewise/autograd/detail/spare_gradient.h>\n#include "
      "<lanewise/autograd/formulas.h>\n#include <lanewise/generated/functions.h>\n");
  text.line("namespace lanewise::autograd::generated {\n\nusing namespace formulas;\n");
  for (const Op* op : shard_of(list, shard)) {
    if (op->has_node()) emit_apply(text, list, *op);
  }
  text.line("}  // namespace lanewise::autograd::generated");
  return text.str();
}

}  // namespace lanewise::codegen
