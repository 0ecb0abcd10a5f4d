#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "formula.h"
#include "forward_call.h"
#include "node_names.h"
#include "node_recorder.h"
#include "output.h"
#include "words.h"

namespace lanewise::codegen {
namespace {

/// Writes the forms of one op.
class FunctionEmitter {
 public:
  FunctionEmitter(Text& text, const OpList& list, const Op& op)
      : text_(text),
        list_(list),
        op_(op),
        plan_(op.has_node() ? plan_node(op) : NodePlan()),
        recorder_(text, op, plan_) {}

  void emit() {
    if (op_.kind == Kind::Handwritten) return;
    text_.line("// ", list_.file, ":", std::to_string(op_.line), ": ", op_.schema.full_name());
    if (!op_.alias.empty()) return forward_to_alias();
    if (op_.wraps_numbers) return forward_wrapped();
    const bool has_body = op_.kind != Kind::Composite;
    if (op_.kind == Kind::Pointwise) {
      text_.line("constexpr PointwiseOp ", pointwise_constant(op_), "{.name = \"", op_.schema.name,
                 "\", .kernel = &kernels::KernelTable::", op_.kernel,
                 op_.floating ? ", .promote_integers_to_float = true" : "",
                 op_.out_dtype == OutDtype::Exact ? ", .exact_out = true" : "", "};");
    }
    if (has_body) {
      if (op_.schema.is_inplace()) {
        inplace(op_.schema);
      } else {
        functional();
      }
    }
    if (op_.method) method(op_.schema);
    if (op_.inplace) {
      const Schema schema = inplace_schema(op_);
      if (has_body) inplace(schema);
      if (op_.method) method(schema);
    }
    if (op_.out) out();
    text_.line("");
  }

 private:
  // Another name: every form calls that form of the op it names.
  void forward_to_alias() {
    const auto forward = [&](const Schema& schema, const std::string& name, const std::string& target,
                             const std::string& out) {
      text_.line(return_type(schema), " ", name, "(", out.empty() ? "" : "Tensor& " + out + ", ",
                 parameter_list(op_.schema, false), ") {");
      defined(schema, op_.schema.name);
      text_.line("  return lanewise::", target, "(", out.empty() ? "" : out + ", ", argument_list(op_.schema),
                 ");\n}");
    };
    const std::string& name = op_.schema.name;
    forward(op_.schema, name, op_.alias, "");
    if (op_.method) method(op_.schema);
    if (op_.inplace) {
      const Schema schema = inplace_schema(op_);
      text_.line("Tensor& ", schema.name, "(", parameter_list(schema, false), ") {");
      defined(schema, schema.name);
      text_.line("  return lanewise::", op_.alias, "_(", argument_list(schema), ");\n}");
      if (op_.method) method(schema);
    }
    if (op_.out) {
      Schema schema = out_schema(op_);
      forward(schema, name + "_out", op_.alias + "_out", "out");
    }
    text_.line("");
  }

  // Numbers become wrapped numbers, and the overload that takes tensors is called.
  void forward_wrapped() {
    std::string arguments;
    for (const Argument& a : op_.schema.arguments) {
      const bool number = a.type.base == BaseType::Scalar;
      arguments +=
          (arguments.empty() ? "" : ", ") + (number ? "detail::wrapped_number(" + a.name + ")" : a.name);
    }
    for (const bool out : {false, true}) {
      if (out && !op_.out) continue;
      const Schema schema = out ? out_schema(op_) : op_.schema;
      text_.line(return_type(schema), " ", op_.schema.name, out ? "_out(Tensor& out, " : "(",
                 parameter_list(op_.schema, false), ") {");
      text_.line("  return lanewise::", op_.schema.name, out ? "_out(out, " : "(", arguments, ");\n}");
    }
    text_.line("");
  }

  void method(const Schema& schema) {
    const std::string type = return_type(schema);
    text_.line(type, " Tensor::", schema.name, "(", parameter_list(schema, false, "self"), ") const {");
    const bool writes = type == "Tensor&";
    text_.line("  return lanewise::", schema.name, "(",
               argument_list(schema, "self", writes ? "const_cast<Tensor&>(*this)" : "*this"), ");");
    text_.line("}");
  }

  // Calls itself once more inside of a frame while a profiler observes.
  void observe(const std::string& name, const std::string& type, const std::string& outs,
               const Schema& schema, const std::string& form) {
    std::vector<std::string> types, arguments;
    for (const std::string& out : outs.empty() ? std::vector<std::string>() : out_names(op_)) {
      types.push_back("Tensor&");
      arguments.push_back(out);
    }
    for (const Argument& a : schema.arguments) {
      types.push_back(parameter_type(a));
      arguments.push_back(a.name);
    }
    const char* work = op_.kind == Kind::Pointwise ? "Pointwise" : op_.schema.is_view() ? "View" : "Other";
    text_.line("  if (profiler::detail::enters()) [[unlikely]] {");
    text_.line("    static constexpr profiler::detail::OpInfo kOp{\"", form,
               "\", profiler::detail::Work::", work, "};");
    text_.line("    return autograd::profiled(kOp, static_cast<", type, " (*)(", join(types),
               ")>(lanewise::", name, ")", arguments.empty() ? "" : ", ", join(arguments), ");\n  }");
  }

  // Operands that must be there, are. Names the form that the user called.
  void defined(const Schema& schema, const std::string& form) {
    std::string operands;
    for (const Argument& a : schema.arguments) {
      const bool is_out = a.written && a.kwarg_only;  // undefined it becomes the result
      if (a.type.base != BaseType::Tensor || a.type.optional || a.type.optional_elements || is_out) continue;
      operands += ", \"" + a.name + "\", " + a.name;
    }
    if (!operands.empty()) text_.line("  ops::check_defined(\"", form, "\"", operands, ");");
  }

  void check() {
    if (!op_.check.empty()) text_.line("  ops::", op_.check, ";");
    if (!op_.unless.empty()) text_.line("  if (", op_.unless, ") return self;");
    for (const std::string& name : op_.constants)
      text_.line("  autograd::check_constant(\"", op_.schema.name, "\", \"", name, "\", ", name, ");");
  }

  void functional() {
    text_.line(return_type(op_.schema), " ", op_.schema.name, "(", parameter_list(op_.schema, false), ") {");
    observe(op_.schema.name, return_type(op_.schema), "", op_.schema, op_.schema.name);
    defined(op_.schema, op_.schema.name);
    transform(op_.schema);
    unused();
    check();
    const std::string call = as_view(op_, forward_call(op_));
    if (!op_.has_node()) {
      text_.line("  return ", call, ";\n}");
      return;
    }
    text_.line("  if (!autograd::compute_requires_grad(", join(plan_.edges), ")) [[likely]] return ", call,
               ";");
    recorder_.make_node("  auto ");
    recorder_.save_inputs("  ", false);
    const auto names = result_names(op_.schema);
    if (names.size() == 1) {
      text_.line("  ", return_type(op_.schema),
                 " result = ", as_view(op_, "(" + batched_or_forward_call(op_) + ")"), ";");
    } else {
      text_.line("  auto [", join(names), "] = ", as_view(op_, batched_or_forward_call(op_)), ";");
    }
    const bool keeps_node = !plan_.results.empty() || names.size() > 1;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!op_.output_differentiability[i]) continue;
      text_.line("  autograd::set_history(", names[i], ", ", keeps_node ? "node" : "std::move(node)", ");");
    }
    recorder_.save_results("  ");
    if (names.size() == 1) {
      text_.line("  return result;\n}");
    } else {
      std::vector<std::string> moved;
      for (const std::string& name : names) moved.push_back("std::move(" + name + ")");
      text_.line("  return {", join(moved), "};\n}");
    }
  }

  // Dual and batched arguments.
  void transform(const Schema& schema) {
    const bool writes = return_type(schema) == "Tensor&";
    if (!is_transformed(op_)) return;
    const std::string call = "autograd::transformed::op_" + transform_name(schema) + "(";
    if (writes) {
      text_.line("  if (autograd::transforms_on() && ", call, argument_list(schema), ")) return self;");
      return;
    }
    text_.line("  if (autograd::transforms_on()) {\n    ", return_type(schema), " transformed;");
    text_.line("    if (", call, "transformed", schema.arguments.empty() ? "" : ", ", argument_list(schema),
               ")) return transformed;\n  }");
  }

  /// What gets zeros for gradients from the in-place form of an op that has no derivatives: self, or all tensors if the op
  /// has a `node:`. Each with `prefix` before it.
  std::string zero_inputs(const Schema& schema, const std::string& prefix) const {
    std::string list = prefix + "self";
    for (const Argument& a : schema.arguments) {
      if (!op_.node_name.empty() && a.name != "self" && a.type.is_tensor()) list += ", " + prefix + a.name;
    }
    return list;
  }

  void inplace(const Schema& schema) {
    text_.line("Tensor& ", schema.name, "(", parameter_list(schema, false), ") {");
    observe(schema.name, "Tensor&", "", schema, schema.name);
    defined(schema, schema.name);
    transform(schema);
    unused();
    check();
    if (!op_.inplace_check.empty()) text_.line("  ops::", op_.inplace_check, ";");
    const std::string inputs = op_.has_node() ? join(plan_.edges) : zero_inputs(schema, "");
    text_.line("  const bool any_requires_grad = autograd::compute_requires_grad(", inputs, ");");
    text_.line("  autograd::", op_.check_mem_overlap && !op_.inplace_view ? "check_written" : "check_inplace",
               "(self, any_requires_grad, \"", schema.name, "\");");
    const std::string node_class = op_.has_node() ? "generated::" + op_.node_class : "ZeroBackward";
    text_.line("  std::shared_ptr<autograd::", node_class, "> node;");
    text_.line("  if (any_requires_grad) [[unlikely]] {");
    if (op_.has_node()) {
      recorder_.make_node("    ");
      recorder_.save_inputs("    ", true);
    } else {
      text_.line("    node = autograd::make_node<autograd::ZeroBackward>(\"", zero_node_name(op_),
                 "\", autograd::collect_next_edges(", inputs, "), std::initializer_list<const Tensor*>{",
                 zero_inputs(schema, "&"), "});");
    }
    text_.line("  }");
    text_.line("  if (autograd::transforms_on() && autograd::batching::any(", tensor_pointers(schema),
               ")) {");
    text_.line("    autograd::transformed::batch_", transform_name(schema), "(", argument_list(schema),
               ");\n  } else {");
    if (op_.kind == Kind::Pointwise) {
      text_.line("  pointwise_inplace(", pointwise_constant(op_), ", self, ", pointwise_operands(op_), ");");
    } else if (op_.schema.is_inplace()) {
      text_.line("  ", forward_call(op_), ";");
    } else if (!op_.into.empty()) {
      text_.line("  ", forward_into_call(op_, schema.name, "self", false), ";");
    } else if (!op_.inplace_forward.empty()) {
      const bool called = op_.inplace_forward.find('(') != std::string::npos;
      text_.line("  ops::", op_.inplace_forward, called ? "" : "(" + argument_list(schema) + ")", ";");
    } else {
      text_.line("  ops::assign_result(\"", schema.name, "\", self, ", forward_call(op_), ");");
    }
    text_.line("  }\n  autograd::increment_version(self);");
    const bool keeps_node = !plan_.results.empty();
    if (op_.inplace_view) {
      text_.line("  autograd::set_view_history(self, std::move(node));");
    } else if (!keeps_node) {
      text_.line("  if (node) [[unlikely]] autograd::rebase_history(self, std::move(node));");
    } else {
      text_.line("  if (node) [[unlikely]] {");
      text_.line("    autograd::rebase_history(self, node);");
      text_.line("    const Tensor& result = self;");
      recorder_.save_results("    ");
      text_.line("  }");
    }
    // Last: it asks a view for its grad_fn, which is of this op by now.
    if (!op_.has_node() && is_transformed(op_))
      text_.line("  if (autograd::transforms_on()) autograd::forward_ad::zero_tangents(self);");
    text_.line("  return self;\n}");
  }

  void out() {
    const std::string& name = op_.schema.name;
    const std::vector<std::string> outs = out_names(op_);
    std::string parameters, pointers;
    for (const std::string& out : outs) {
      parameters += "Tensor& " + out + ", ";
      pointers += (pointers.empty() ? "&" : ", &") + out;
    }
    text_.line(return_type(out_schema(op_)), " ", name, "_out(", parameters,
               parameter_list(op_.schema, false), ") {");
    observe(name + "_out", return_type(out_schema(op_)), parameters, op_.schema, name + ".out");
    defined(op_.schema, name);
    unused();
    check();
    // Results that are constant between jumps hide no gradient.
    const bool hides_gradient = !op_.non_differentiable && op_.node_name != "NotImplemented";
    std::vector<std::string> tensors = outs;
    for (const Argument& a : op_.schema.arguments) {
      if (hides_gradient && a.type.base == BaseType::Tensor) tensors.push_back(a.name);
    }
    text_.line("  if (autograd::transforms_on()) autograd::forward_ad::check_out(\"", name, "\", ",
               tensor_pointers(op_.schema, pointers), ");");
    for (const std::string& out : outs) {
      const bool first = out == outs.front();
      text_.line("  autograd::check_out(\"", name, "\", ", out, ", ",
                 first ? "autograd::compute_requires_grad(" + join(tensors) + ")" : "false", ");");
    }
    if (op_.out_dtype == OutDtype::Decides)
      text_.line("  if (!dtype && out.defined()) dtype = out.scalar_type();");
    const std::string call =
        op_.kind == Kind::Composite ? name + "(" + argument_list(op_.schema) + ")" : forward_call(op_);
    if (outs.size() > 1) {
      out_of_several(name, outs, call);
      return;
    }
    if (op_.kind == Kind::Pointwise) {
      text_.line("  pointwise_out(", pointwise_constant(op_), ", out, ", pointwise_operands(op_), ");");
    } else if (!op_.into.empty()) {
      text_.line("  ", forward_into_call(op_, name, "out", true), ";");
    } else {
      const std::string assign = op_.out_dtype == OutDtype::Castable ? "resize_result" : "exact_result";
      text_.line("  ops::", assign, "(\"", name, "\", out, ", call, ");");
    }
    text_.line("  autograd::increment_version(out);\n  return out;\n}");
  }

  void out_of_several(const std::string& name, const std::vector<std::string>& outs,
                      const std::string& call) {
    text_.line("  const auto results = ", call, ";");
    std::vector<std::string> pairs;
    for (std::size_t i = 0; i < outs.size(); ++i)
      pairs.push_back("{" + outs[i] + ", std::get<" + std::to_string(i) + ">(results)}");
    text_.line("  ops::write_results(\"", name, "\", {", join(pairs), "}, ",
               op_.out_dtype == OutDtype::Exact ? "true" : "false", ");");
    for (const std::string& out : outs) text_.line("  autograd::increment_version(", out, ");");
    text_.line("  return {", join(outs), "};\n}");
  }

  // Arguments that are there for compatibility only.
  void unused() {
    const std::string code =
        op_.kind == Kind::Composite ? argument_list(op_.schema) : forward_call(op_) + " " + op_.check;
    for (const Argument& a : op_.schema.arguments) {
      if (!mentions(code, a.name)) text_.line("  static_cast<void>(", a.name, ");");
    }
  }

  Text& text_;
  const OpList& list_;
  const Op& op_;
  const NodePlan plan_;
  NodeRecorder recorder_;
};

}  // namespace

std::string emit_functions(const OpList& list, std::size_t shard) {
  Text text;
  text.line(banner(list.file));
  text.line("#include <lanewise/generated/functions.h>\n");
  text.line("#include <memory>\n#include <string>\n#include <utility>\n");
  text.line(
      "#include <lanewise/autograd/formulas.h>\n#include <lanewise/autograd/detail/batching.h>\n#include "
      "<lanewise/autograd/detail/forward_frame.h>\n#include "
      "<lanewise/autograd/detail/profiled_op.h>\n#include <lanewise/autograd/record.h>");
  text.line(
      "#include <lanewise/autograd/zero_backward.h>\n#include <lanewise/generated/nodes.h>\n#include "
      "<lanewise/generated/transforms.h>");
  text.line("#include <lanewise/tensor/make_tensor.h>");
  text.line("#include <lanewise/iterator/pointwise.h>\n#include <lanewise/kernels/kernel_table.h>");
  text.line(
      "#include <lanewise/ops/checks.h>\n#include <lanewise/ops/forwards.h>\n#include "
      "<lanewise/ops/result.h>\n");
  text.line("namespace lanewise {\n");
  for (const Op* op : shard_of(list, shard)) FunctionEmitter(text, list, *op).emit();
  text.line("}  // namespace lanewise");
  return text.str();
}

}  // namespace lanewise::codegen
