// Small programs of views, in-place ops, hooks and modes against what PyTorch 1.13 makes of them: which line
// raises an error, the graph node and edges of each variable, flags, versions, values, gradients, and what
// hooks saw in which order. tests/golden/make_autograd.py writes the cases.

#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <lanewise/lanewise.h>

namespace lanewise::autograd {
namespace {

using nlohmann::json;

std::vector<double> values(const Tensor& t) {
  const Tensor dense = t.detach().contiguous();
  const double* first = dense.const_data_ptr<double>();
  return {first, first + dense.numel()};
}

std::string compare(const Tensor& t, const json& want) {
  if (want.is_null()) return t.defined() ? "is defined, expected none" : "";
  if (!t.defined()) return "is undefined";
  const std::vector<double> found = values(t);
  if (found.size() != want.size()) return "has " + std::to_string(found.size()) + " elements";
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double expected = want[i].get<double>();
    if (std::abs(found[i] - expected) > 1e-10 * (1 + std::abs(expected))) {
      return "[" + std::to_string(i) + "] is " + std::to_string(found[i]) + ", expected " +
             std::to_string(expected);
    }
  }
  return {};
}

Tensor weights(const Tensor& t) { return arange(1, t.numel() + 1, kDouble).reshape(t.sizes()); }

class Machine {
 public:
  explicit Machine(const json& leaves) {
    for (const auto& [name, leaf] : leaves.items()) {
      const auto sizes = leaf["sizes"].get<std::vector<std::int64_t>>();
      Tensor t = empty(sizes, TensorOptions(kDouble));
      for (std::int64_t i = 0; i < t.numel(); ++i)
        t.data_ptr<double>()[i] = 0.25 * static_cast<double>(i + leaf["start"].get<std::int64_t>());
      if (leaf["grad"].get<bool>()) t.requires_grad_();
      vars[name] = t;
    }
  }

  void run(const json& line) {
    const std::string kind = line[0];
    if (kind == "call") {
      call(line);
    } else if (kind == "hook") {
      const std::string label = line[2];
      const double factor = line[3];
      var(line[1]).register_hook([this, label, factor](const Tensor& g) {
        see(label, g);
        return g * factor;
      });
    } else if (kind == "prehook" || kind == "posthook") {
      const std::string label = line[2];
      const auto node = var(line[1]).grad_fn();
      if (kind == "prehook") {
        register_prehook(node, [this, label](const variable_list& grads) {
          return see(label, grads[0]), variable_list();
        });
      } else {
        register_hook(node, [this, label](const variable_list&, const variable_list& grads) {
          return see(label, grads[0]), variable_list();
        });
      }
    } else if (kind == "retain") {
      var(line[1]).retain_grad();
    } else if (kind == "no_grad") {
      const NoGradGuard guard;
      run(line[1]);
    } else if (kind == "inference") {
      const InferenceMode guard;
      run(line[1]);
    } else if (kind == "requires_grad") {
      var(line[1]).requires_grad_(line[2].get<bool>());
    } else if (kind == "detach_") {
      var(line[1]).detach_();
    } else if (kind == "grad") {
      variable_list inputs;
      for (const json& name : line[2]) inputs.push_back(var(name));
      const Tensor out = var(line[1]);
      const variable_list found = grad({out}, inputs, {weights(out)}, true, false, true);
      for (std::size_t i = 0; i < found.size(); ++i) see("grad " + line[2][i].get<std::string>(), found[i]);
    } else {
      throw std::runtime_error("unknown line " + kind);
    }
  }

  void backward(const json& names) {
    variable_list outputs, gradients;
    for (const json& name : names) {
      outputs.push_back(var(name));
      gradients.push_back(weights(outputs.back()));
    }
    autograd::backward(outputs, gradients);
  }

  Tensor& var(const std::string& name) { return vars.at(name); }

  std::map<std::string, Tensor> vars;
  std::vector<std::pair<std::string, Tensor>> seen;

 private:
  void see(const std::string& label, const Tensor& g) {
    seen.emplace_back(label, g.defined() ? g.detach().clone() : g);
  }

  Value value_of(const json& arg) {
    if (arg.is_string() && arg.get<std::string>().starts_with("$"))
      return var(arg.get<std::string>().substr(1));
    if (arg.is_boolean()) return arg.get<bool>();
    if (arg.is_number_integer()) return arg.get<std::int64_t>();
    if (arg.is_number()) return arg.get<double>();
    return arg.get<std::vector<std::int64_t>>();
  }

  void call(const json& line) {
    const std::string out = line[1], op = line[2];
    std::vector<Value> args;
    for (std::size_t i = 3; i < line.size(); ++i) args.push_back(value_of(line[i]));
    const std::vector<Tensor> results = lanewise::call(op, args);
    if (op == "unbind" || op == "split" || op == "chunk") {
      for (std::size_t i = 0; i < results.size(); ++i) vars[out + std::to_string(i)] = results[i];
    } else if (!out.empty()) {
      vars[out] = results[0];
    }
  }
};

/// Nodes that have, or have had, another name there.
std::string name_there(const std::string& name) {
  static const std::map<std::string, std::string> renamed = {{"ReshapeAliasBackward0", "ViewBackward0"}};
  const auto it = renamed.find(name);
  return it == renamed.end() ? name : it->second;
}

std::string check_state(const Tensor& t, const json& want) {
  if (t.sizes().vec() != want["sizes"].get<std::vector<std::int64_t>>()) return "has another shape";
  if (std::string problem = compare(t, want["values"]); !problem.empty()) return problem;
  if (t.requires_grad() != want.value("requires_grad", false)) return "has another requires_grad";
  if (t.is_inference() != want.value("inference", false)) return "has another is_inference";
  if (!t.is_inference() && t._version() != want.value("version", 0)) {
    return "is at version " + std::to_string(t._version()) + ", expected " +
           std::to_string(want.value("version", 0));
  }
  if (t.requires_grad() && t._is_view() != want.value("view", false)) return "has another is_view";
  if (t.is_leaf() != !want.contains("node")) return "has another is_leaf";
  if (!want.contains("node")) return {};
  const Node& node = *t.grad_fn();
  if (node.name() != name_there(want["node"]))
    return "has the node " + node.name() + ", expected " + want["node"].get<std::string>();
  std::string found, expected;
  for (const Edge& edge : node.next_edges())
    found += (edge.is_valid() ? edge.function->name() : "none") + " ";
  for (const json& edge : want["edges"]) expected += (edge.is_null() ? "none" : name_there(edge)) + " ";
  if (found != expected) return "has edges " + found + ", expected " + expected;
  if (t.output_nr() != want.value("output_nr", 0u)) return "has another output_nr";
  return {};
}

std::string check(const json& entry) {
  Machine machine(entry["leaves"]);
  for (std::size_t i = 0; i < entry["lines"].size(); ++i) {
    const bool fails = entry.contains("error") && entry["error"]["line"] == i;
    try {
      machine.run(entry["lines"][i]);
    } catch (const lanewise::Error& error) {
      return fails ? "" : "line " + std::to_string(i) + " raised: " + error.what();
    }
    if (fails)
      return "line " + std::to_string(i) + " raised nothing; expected " +
             entry["error"]["message"].get<std::string>();
  }
  for (const auto& [name, want] : entry["state"].items()) {
    std::string problem;
    try {
      if (want.contains("error")) {
        machine.var(name).grad_fn();
        problem = "raised nothing; expected " + want["error"].get<std::string>();
      } else {
        problem = check_state(machine.var(name), want);
      }
    } catch (const lanewise::Error& error) {
      problem = want.contains("error") ? "" : std::string("raised: ") + error.what();
    }
    if (!problem.empty()) return name + " " + problem;
  }
  if (entry.contains("backward")) {
    try {
      machine.backward(entry["backward"]);
      if (entry.contains("backward_error"))
        return "backward raised nothing; expected " + entry["backward_error"].get<std::string>();
    } catch (const lanewise::Error& error) {
      return entry.contains("backward_error") ? "" : std::string("backward raised: ") + error.what();
    }
    for (const auto& [name, want] : entry["grads"].items()) {
      if (std::string problem = compare(machine.var(name).grad(), want); !problem.empty())
        return name + ".grad " + problem;
    }
  }
  if (!entry.contains("seen")) return machine.seen.empty() ? "" : "hooks ran, expected none";
  const json& seen = entry["seen"];
  for (std::size_t i = 0; i < seen.size() || i < machine.seen.size(); ++i) {
    if (i >= seen.size() || i >= machine.seen.size() || seen[i][0] != json(machine.seen[i].first))
      return "hooks ran in another order";
    if (std::string problem = compare(machine.seen[i].second, seen[i][1]); !problem.empty())
      return "hook " + machine.seen[i].first + " " + problem;
  }
  return {};
}

const std::map<std::string, std::vector<json>>& groups() {
  static const auto all = [] {
    std::map<std::string, std::vector<json>> result;
    std::ifstream file(LANEWISE_GOLDEN_DIR "/autograd/programs.jsonl");
    for (std::string line; std::getline(file, line);) {
      json entry = json::parse(line);
      result[entry["group"]].push_back(std::move(entry));
    }
    return result;
  }();
  return all;
}

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const auto& [name, list] : groups()) names.push_back(name);
  return names;
}

class AutogradGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(AutogradGolden, AgreesWithPyTorch) {
  int shown = 0;
  for (const json& entry : groups().at(GetParam())) {
    const std::string problem = check(entry);
    if (!problem.empty() && ++shown <= 8)
      ADD_FAILURE() << problem << "\n  " << entry["leaves"].dump() << "\n  " << entry["lines"].dump();
  }
  EXPECT_EQ(shown, 0) << shown << " of " << groups().at(GetParam()).size() << " cases differ";
}

INSTANTIATE_TEST_SUITE_P(Group, AutogradGolden, ::testing::ValuesIn(group_names()), [](const auto& group) {
  std::string name = group.param;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
});

TEST(AutogradGoldenFile, IsThere) {
  std::size_t count = 0;
  for (const auto& [name, list] : groups()) count += list.size();
  EXPECT_GE(count, 400U);
}

}  // namespace
}  // namespace lanewise::autograd
