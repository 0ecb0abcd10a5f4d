#include "node_recorder.h"

#include <algorithm>

#include "words.h"

namespace lanewise::codegen {

void NodeRecorder::make_node(const std::string& indent) {
  text_.line(indent, "node = autograd::make_node_of<autograd::generated::", op_.node_class, ">(",
             join(plan_.edges), ");");
}

// A tensor is kept only if an input whose derivative uses it wants one.
void NodeRecorder::save_inputs(const std::string& indent, bool in_place) {
  for (const std::string& name : plan_.inputs) {
    const std::vector<std::size_t> users = plan_.edges_using(op_, name);
    std::string condition;
    if (users.size() < plan_.edges.size()) {
      for (const std::size_t e : users) {
        condition +=
            (condition.empty() ? "" : " || ") + ("node->should_compute_output(" + std::to_string(e) + ")");
      }
      condition = "if (" + condition + ") ";
    }
    if (const Argument* list = op_.schema.find(name); list != nullptr && list->type.list) {
      text_.line(indent, condition, "node->", name, "_ = autograd::save_list(", name, ");");
      continue;
    }
    // What the op overwrites is kept as a copy, with its history, also where it comes in twice (x.mul_(x)).
    std::string value = in_place && name == "self" ? "self.clone()" : name;
    const Argument* argument = op_.schema.find(name);
    if (in_place && name != "self" && argument != nullptr && !argument->type.list &&
        !argument->type.optional) {
      value = name + ".is_same(self) ? self.clone() : " + name;
    }
    text_.line(indent, condition, "node->", name, "_.save(", value, ", false);");
  }
  for (const SavedMetadata& saved : plan_.metadata) {
    const Argument* argument = op_.schema.find(saved.tensor);
    if (argument == nullptr) continue;
    const std::string value = argument->type.list
                                  ? "autograd::formulas::list_" + saved.method + "(" + saved.tensor + ")"
                                  : saved.tensor + "." + saved.method + "()";
    text_.line(indent, "node->", saved.member(), " = ", value, ";");
  }
  for (const Argument* a : plan_.values) {
    std::string value = a->name;
    if (a->type.list && a->type.optional) value = "autograd::formulas::keep(" + a->name + ")";
    if (a->type.base == BaseType::Str) {
      value = a->type.optional ? "autograd::formulas::keep(" + a->name + ")" : "std::string(" + a->name + ")";
    }
    text_.line(indent, "node->", a->name, "_ = ", value, ";");
  }
}

void NodeRecorder::save_results(const std::string& indent) {
  for (const SavedMetadata& saved : plan_.metadata) {
    if (op_.schema.find(saved.tensor) != nullptr) continue;
    text_.line(indent, "node->", saved.member(), " = ", saved.tensor, ".", saved.method, "();");
  }
  for (const std::string& name : plan_.results) {
    // An output outside of the graph is an ordinary tensor to keep.
    const bool is_output = differentiable(name);
    text_.line(indent, "node->", name, "_.save(", name, ", ", is_output ? "true" : "false", ");");
  }
}

bool NodeRecorder::differentiable(const std::string& result) const {
  const auto names = result_names(op_.schema);
  const auto place = std::find(names.begin(), names.end(), result) - names.begin();
  return op_.output_differentiability[static_cast<std::size_t>(place)];
}

}  // namespace lanewise::codegen
