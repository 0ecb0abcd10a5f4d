#include <algorithm>
#include <map>
#include <string>

#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "output.h"

namespace lanewise::codegen {
namespace {

/// One row of the registry.
struct Row {
  const Op* op;
  Schema schema;
  bool inplace = false;
  bool out = false;
};

std::vector<Row> rows_of(const OpList& list) {
  std::vector<Row> rows;
  for (const Op& op : list.ops) {
    // Of those written by hand out= forms are entries of their own.
    const bool is_out = std::any_of(op.schema.arguments.begin(), op.schema.arguments.end(),
                                    [](const Argument& a) { return a.written && a.kwarg_only; });
    const bool writes = op.schema.is_inplace() || op.schema.returns[0].written;
    rows.push_back({&op, op.schema, writes && !is_out, is_out});
    if (op.inplace) rows.push_back({&op, inplace_schema(op), true, false});
    if (op.out) rows.push_back({&op, out_schema(op), false, true});
  }
  return rows;
}

std::string base_name(BaseType base) {
  switch (base) {
    case BaseType::Tensor: return "Tensor";
    case BaseType::Scalar: return "Scalar";
    case BaseType::Int: return "Int";
    case BaseType::Float: return "Float";
    case BaseType::Bool: return "Bool";
    case BaseType::Str: return "Str";
    case BaseType::ScalarType: return "ScalarType";
    case BaseType::MemoryFormat: return "MemoryFormat";
  }
  return "";
}

std::string accessor(const Argument& argument) {
  const Type& type = argument.type;
  if (type.is_tensor_list()) return "tensors";
  if (type.is_tensor()) return argument.written ? "mutable_tensor" : "tensor";
  if (type.list) return type.optional ? "optional_integers" : "integers";
  std::string name;
  switch (type.base) {
    case BaseType::Tensor: break;
    case BaseType::Scalar: name = "scalar"; break;
    case BaseType::Int: name = "integer"; break;
    case BaseType::Float: name = "floating"; break;
    case BaseType::Bool: name = "boolean"; break;
    case BaseType::Str: name = "string"; break;
    case BaseType::ScalarType: name = "dtype"; break;
    case BaseType::MemoryFormat: name = "memory_format"; break;
  }
  return type.optional ? "optional_" + name : name;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

void emit_handwritten(Text& text, const Row& row, std::size_t index) {
  const Schema& schema = row.schema;
  text.line("std::vector<Tensor> call_", std::to_string(index),
            "(RegisteredOp::Function, [[maybe_unused]] const Arguments& a) {");
  for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
    const Argument& a = schema.arguments[i];
    const std::string type = a.written ? "Tensor " : a.type.is_tensor() ? "const Tensor& " : "const auto ";
    text.line("  [[maybe_unused]] ", type, a.name, " = a.", accessor(a), "(", std::to_string(i), ");");
  }
  text.line("  return pack(", row.op->forward, ");\n}");
}

/// The row of a public function, with the type that picks it among its overloads. Every part is spelt out, so
/// that the table needs no code that fills it when the library is loaded.
std::string registered(const Row& row) {
  const Schema& schema = row.schema;
  std::string name = schema.name;
  std::string types;
  std::size_t outs = 0;
  const auto add = [&](const Argument& a) { types += (types.empty() ? "" : ", ") + parameter_type(a); };
  if (row.out) {
    name = row.op->schema.name + "_out";
    outs = out_names(*row.op).size();
    for (std::size_t i = schema.arguments.size() - outs; i < schema.arguments.size(); ++i)
      add(schema.arguments[i]);
  }
  for (std::size_t i = 0; i + outs < schema.arguments.size(); ++i) add(schema.arguments[i]);
  const std::string result = return_type(schema);
  return "{&call_function<" + std::to_string(outs) + ", " + result + (types.empty() ? "" : ", " + types) +
         ">, reinterpret_cast<RegisteredOp::Function>(static_cast<" + result + " (*)(" + types +
         ")>(&lanewise::" + name + ")), ";
}

std::string arguments_of(const Row& row) {
  Text text;
  for (const Argument& a : row.schema.arguments) {
    text.line("    {", quoted(a.name), ", ", quoted(to_string(a.type)), ", {Base::", base_name(a.type.base),
              ", ", a.type.list ? "true" : "false", ", ", a.type.optional ? "true" : "false", "}, ",
              quoted(a.default_value.value_or("")), ", ", a.kwarg_only ? "true" : "false", "},");
  }
  return text.str();
}

/// The rows' lists of arguments. Many rows share one; a list that begins another, as that of a function begins
/// that of its out= form, is the first part of it.
class ArgumentLists {
 public:
  explicit ArgumentLists(const std::vector<Row>& rows) {
    for (const Row& row : rows) places_.try_emplace(arguments_of(row));
    // In order of their text a list stands right before those that it begins.
    const std::string* longer = nullptr;
    std::size_t count = 0;
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
      if (longer == nullptr || !longer->starts_with(place->first)) {
        longer = &place->first;
        ++count;
      }
      place->second = {count, longer};
    }
  }

  void emit(Text& text) const {
    for (const auto& [arguments, place] : places_)
      if (place.longest == &arguments && !arguments.empty())
        text.line("constexpr SchemaArgument kArguments", std::to_string(place.array), "[] = {\n", arguments,
                  "};");
  }

  std::string span_of(const Row& row) const {
    if (row.schema.arguments.empty()) return "{}";
    return "{kArguments" + std::to_string(places_.at(arguments_of(row)).array) + ", " +
           std::to_string(row.schema.arguments.size()) + "}";
  }

 private:
  struct Place {
    std::size_t array = 0;
    const std::string* longest = nullptr;  ///< what the array holds
  };
  std::map<std::string, Place> places_;
};

}  // namespace

std::string emit_registry(const OpList& list) {
  const std::vector<Row> rows = rows_of(list);
  Text text;
  text.line(banner(list.file));
  text.line("#include <lanewise/autograd/registry.h>\n");
  text.line(
      "#include <lanewise/autograd/factories_out.h>\n#include <lanewise/autograd/detail/factory_options.h>\n#include "
      "<lanewise/autograd/detail/registered_op.h>");
  text.line(
      "#include <lanewise/generated/functions.h>\n#include <lanewise/ops/factories.h>\n#include "
      "<lanewise/ops/window_functions.h>\n");
  text.line("namespace lanewise {\nnamespace {\n");
  text.line(
      "using detail::Arguments;\nusing detail::factory_options;\nusing detail::pack;\nusing "
      "detail::call_function;\nusing detail::RegisteredOp;\nusing Base = "
      "SchemaType::Base;\n");
  text.line("constexpr std::string_view kTensor[] = {\"Tensor\", \"Tensor\", \"Tensor\"};");
  text.line("constexpr std::string_view kTensorList[] = {\"Tensor[]\"};\n");
  const ArgumentLists lists(rows);
  lists.emit(text);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].op->kind == Kind::Handwritten) emit_handwritten(text, rows[i], i);
  text.line("\nconstexpr Schema kSchemas[] = {");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Schema& schema = rows[i].schema;
    const bool differentiable = rows[i].op->has_derivative() ||
                                (rows[i].op->kind == Kind::Composite && !rows[i].op->non_differentiable);
    const std::string returns = schema.returns[0].type.is_tensor_list()
                                    ? "kTensorList"
                                    : "{kTensor, " + std::to_string(schema.returns.size()) + "}";
    text.line("    {", quoted(schema.name), ", ", quoted(schema.overload), ", ", lists.span_of(rows[i]), ", ",
              returns, ", ", quoted(rows[i].op->doc), ", ", differentiable && !rows[i].out ? "true" : "false",
              ", ", schema.is_view() ? "true" : "false", ", ", rows[i].inplace ? "true" : "false", ", ",
              rows[i].out ? "true" : "false", "},");
  }
  // Not constexpr, since a function's type is taken away; yet gcc and clang write the rows into the file.
  text.line("};\n\nconst RegisteredOp kOps[] = {");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Op& op = *rows[i].op;
    const std::string functions =
        op.kind == Kind::Handwritten ? "{&call_" + std::to_string(i) + ", nullptr, " : registered(rows[i]);
    text.line("    ", functions, op.numbers_as_tensors ? "true" : "false", "},");
  }
  text.line("};\n\n}  // namespace\n");
  text.line("std::span<const Schema> registry() noexcept { return kSchemas; }\n");
  text.line("std::span<const detail::RegisteredOp> detail::registered_ops() noexcept { return kOps; }\n");
  text.line("}  // namespace lanewise");
  return text.str();
}

}  // namespace lanewise::codegen
