#include <algorithm>

#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "output.h"

namespace lanewise::codegen {
namespace {

// No line of derivatives.yaml here: every user of the header would be built again when an entry moves.
void document(Text& text, const Op& op) { text.line("/// ", op.doc); }

/// How many arguments a call must give.
std::size_t required(const Schema& schema) {
  return static_cast<std::size_t>(
      std::count_if(schema.arguments.begin(), schema.arguments.end(),
                    [](const Argument& a) { return !a.default_value.has_value(); }));
}

/// The op's schema as C++ declares it. Where an overload before it can be called with no more than the same arguments,
/// clamp(x), its first default is left out: the call would be ambiguous.
Schema declared(const OpList& list, const Op& op, Schema schema) {
  const std::size_t first = required(op.schema);
  if (first == op.schema.arguments.size()) return schema;
  for (const Op& other : list.ops) {
    if (&other == &op) break;
    if (other.schema.name != op.schema.name || required(other.schema) != first) continue;
    bool same = other.schema.arguments.size() > first;
    for (std::size_t i = 0; i < first; ++i)
      same = same && parameter_type(other.schema.arguments[i]) == parameter_type(op.schema.arguments[i]);
    if (same) schema.arguments[first].default_value.reset();
  }
  return schema;
}

/// var(x, 0) means a dimension, as in libtorch, where C++ would take the 0 for the bool of this overload.
bool takes_unbiased(const Op& op) {
  return op.schema.arguments.size() == 2 && op.schema.arguments[1].name == "unbiased";
}

/// `special_` of `special_expm1` becomes a namespace.
std::string emit_namespace(const OpList& list, const std::string& prefix) {
  Text text;
  text.line(banner(list.file));
  text.line("#pragma once\n");
  text.line("#include <optional>\n#include <string_view>\n#include <tuple>\n");
  text.line("#include <lanewise/generated/functions.h>\n");
  text.line("/// The ops whose names begin with ", prefix, "_, under libtorch's C++ names.");
  text.line("namespace lanewise::", prefix, " {\n");
  for (const Op& op : list.ops) {
    if (op.kind == Kind::Handwritten || !op.schema.name.starts_with(prefix + "_")) continue;
    const std::string name = op.schema.name.substr(prefix.size() + 1);
    const Schema schema = declared(list, op, op.schema);
    text.line("inline ", return_type(op.schema), " ", name, "(", parameter_list(schema, true), ") {");
    text.line("  return lanewise::", op.schema.name, "(", argument_list(op.schema), ");\n}");
    if (!op.out) continue;
    std::string outs, passed;
    for (const std::string& out : out_names(op)) {
      outs += "Tensor& " + out + ", ";
      passed += out + ", ";
    }
    text.line("inline ", return_type(out_schema(op)), " ", name, "_out(", outs, parameter_list(schema, true),
              ") {");
    text.line("  return lanewise::", op.schema.name, "_out(", passed, argument_list(op.schema), ");\n}");
  }
  text.line("\n}  // namespace lanewise::", prefix);
  return text.str();
}

}  // namespace

std::string shard_name(std::size_t shard) { return shard == kRareShard ? "rare" : std::to_string(shard); }

std::vector<const Op*> shard_of(const OpList& list, std::size_t shard) {
  std::vector<const Op*> ops;
  std::size_t usual = 0;
  for (const Op& op : list.ops) {
    if ((op.rare ? kRareShard : usual++ % kShards) == shard) ops.push_back(&op);
  }
  return ops;
}

std::string emit_tensor_methods(const OpList& list) {
  Text text;
  text.line(banner(list.file), "// Included inside class Tensor.");
  for (const Op& op : list.ops) {
    if (!op.method) continue;
    document(text, op);
    text.line(return_type(op.schema), " ", op.schema.name, "(",
              parameter_list(declared(list, op, op.schema), true, "self"), ") const;");
    if (takes_unbiased(op)) {
      text.line("template <class T>\n  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)");
      text.line(return_type(op.schema), " ", op.schema.name, "(T dim) const {");
      text.line("  return ", op.schema.name, "(IntArrayRef(static_cast<std::int64_t>(dim)));\n}");
    }
    if (!op.inplace) continue;
    const Schema schema = declared(list, op, inplace_schema(op));
    text.line(return_type(schema), " ", schema.name, "(", parameter_list(schema, true, "self"), ") const;");
  }
  return text.str();
}

std::string emit_functions_header(const OpList& list) {
  Text text;
  text.line(banner(list.file));
  text.line("#pragma once\n");
  text.line("#include <optional>\n#include <string_view>\n#include <tuple>\n#include <vector>\n");
  text.line("#include <lanewise/dispatch_isa/api.h>\n#include <lanewise/tensor/array_ref.h>");
  text.line("#include <lanewise/tensor/scalar.h>\n#include <lanewise/tensor/tensor.h>\n");
  text.line("namespace lanewise {\n");
  for (const Op& op : list.ops) {
    if (op.kind == Kind::Handwritten) continue;
    document(text, op);
    const Schema own = declared(list, op, op.schema);
    text.line("LANEWISE_API ", return_type(op.schema), " ", op.schema.name, "(", parameter_list(own, true),
              ");");
    if (op.inplace) {
      const Schema schema = declared(list, op, inplace_schema(op));
      text.line("LANEWISE_API Tensor& ", schema.name, "(", parameter_list(schema, true), ");");
    }
    if (op.out) {
      std::string outs;
      for (const std::string& name : out_names(op)) outs += "Tensor& " + name + ", ";
      text.line("LANEWISE_API ", return_type(out_schema(op)), " ", op.schema.name, "_out(", outs,
                parameter_list(own, true), ");");
    }
  }
  for (const Op& op : list.ops) {  // after the overloads that they call
    if (!takes_unbiased(op)) continue;
    text.line("template <class T>\n  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)");
    text.line(return_type(op.schema), " ", op.schema.name, "(const Tensor& self, T dim) {");
    text.line("  return ", op.schema.name, "(self, IntArrayRef(static_cast<std::int64_t>(dim)));\n}");
  }
  text.line("\n}  // namespace lanewise");
  return text.str();
}

std::string emit_special_header(const OpList& list) { return emit_namespace(list, "special"); }
std::string emit_linalg_header(const OpList& list) { return emit_namespace(list, "linalg"); }

}  // namespace lanewise::codegen
