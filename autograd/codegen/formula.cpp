#include "formula.h"

#include <algorithm>
#include <map>

#include "error.h"
#include "words.h"

namespace lanewise::codegen {
namespace {

const std::map<std::string, std::string> kMetadata = {
    {"sizes", "DimVector"}, {"strides", "DimVector"},      {"scalar_type", "ScalarType"}, {"dim", "int64_t"},
    {"numel", "int64_t"},   {"storage_offset", "int64_t"}, {"options", "TensorOptions"},
};

class Rewriter {
 public:
  Rewriter(const Op& op, NodePlan& plan) : op_(op), plan_(plan), results_(result_names(op.schema)) {}

  FormulaUse rewrite(const std::string& text) {
    check_brackets(text);
    FormulaUse use;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == '"') {
        const std::size_t end = text.find('"', i + 1);
        if (end == std::string::npos) throw SyntaxError("formula: unclosed string in '" + text + "'");
        use.code += text.substr(i, end + 1 - i);
        i = end + 1;
      } else if (is_word(text[i])) {
        std::size_t end = i;
        while (end < text.size() && is_word(text[end])) ++end;
        const bool member = i > 0 && (text[i - 1] == '.' || text[i - 1] == ':');
        const bool called = end < text.size() && text[end] == '(';
        const std::string word = text.substr(i, end - i);
        i = end;
        use.code += member || called ? word : replace(word, text, i, use);
      } else {
        use.code += text[i++];
      }
    }
    return use;
  }

 private:
  static void check_brackets(const std::string& text) {
    std::string open;
    for (const char c : text) {
      if (c == '(' || c == '[' || c == '{') open += c;
      if (c != ')' && c != ']' && c != '}') continue;
      const char partner = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != partner) {
        throw SyntaxError("formula: unbalanced '" + std::string(1, c) + "' in '" + text + "'");
      }
      open.pop_back();
    }
    if (!open.empty())
      throw SyntaxError("formula: '" + std::string(1, open.back()) + "' is not closed in '" + text + "'");
  }

  // Returns what stands for `word`, and moves `position` past a metadata call.
  std::string replace(const std::string& word, const std::string& text, std::size_t& position,
                      FormulaUse& use) {
    const Argument* argument = op_.schema.find(word);
    const bool is_result = std::find(results_.begin(), results_.end(), word) != results_.end();
    if (argument == nullptr && !is_result) return word;
    if (is_result || argument->type.base == BaseType::Tensor) {
      for (const auto& [method, type] : kMetadata) {
        const std::string call = "." + method + "()";
        if (text.compare(position, call.size(), call) != 0) continue;
        position += call.size();
        const SavedMetadata saved{word, method};
        if (std::find(plan_.metadata.begin(), plan_.metadata.end(), saved) == plan_.metadata.end()) {
          plan_.metadata.push_back(saved);
        }
        return saved.member();
      }
      use.tensors.insert(word);
      return word;
    }
    if (std::find(plan_.values.begin(), plan_.values.end(), argument) == plan_.values.end()) {
      plan_.values.push_back(argument);
    }
    return argument->type.list && argument->type.optional ? "optional_ref(" + word + "_)" : word + "_";
  }

  const Op& op_;
  NodePlan& plan_;
  std::vector<std::string> results_;
};

}  // namespace

std::vector<std::string> result_names(const Schema& schema) {
  if (schema.returns.size() == 1) return {"result"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < schema.returns.size(); ++i) {
    names.push_back(schema.returns[i].name.empty() ? "result" + std::to_string(i) : schema.returns[i].name);
  }
  return names;
}

std::string metadata_type(const std::string& method, bool of_list) {
  const std::string& type = kMetadata.at(method);
  return of_list ? "std::vector<" + type + ">" : type;
}

std::vector<std::size_t> NodePlan::edges_using(const Op& op, const std::string& tensor) const {
  std::vector<std::size_t> result;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (std::size_t f = 0; f < formulas.size(); ++f) {
      const auto& of = op.formulas[f].inputs;
      if (std::find(of.begin(), of.end(), edges[e]) != of.end() && formulas[f].tensors.contains(tensor)) {
        result.push_back(e);
      }
    }
  }
  return result;
}

NodePlan plan_node(const Op& op) {
  NodePlan plan;
  Rewriter rewriter(op, plan);
  for (const Formula& formula : op.formulas) plan.formulas.push_back(rewriter.rewrite(formula.text));
  for (const Argument& a : op.schema.arguments) {
    for (const Formula& formula : op.formulas) {
      if (std::find(formula.inputs.begin(), formula.inputs.end(), a.name) != formula.inputs.end()) {
        plan.edges.push_back(a.name);
      }
    }
    if (!plan.edges_using(op, a.name).empty() ||
        std::any_of(plan.formulas.begin(), plan.formulas.end(),
                    [&](const FormulaUse& use) { return use.tensors.contains(a.name); })) {
      plan.inputs.push_back(a.name);
    }
  }
  for (const std::string& name : result_names(op.schema)) {
    for (const FormulaUse& use : plan.formulas) {
      if (!use.tensors.contains(name)) continue;
      plan.results.push_back(name);
      break;
    }
  }
  return plan;
}

}  // namespace lanewise::codegen
