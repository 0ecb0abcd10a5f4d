#include "reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <yaml-cpp/yaml.h>

#include "error.h"
#include "formula.h"
#include "node_names.h"
#include "words.h"

namespace lanewise::codegen {
namespace {

const std::set<std::string> kFields = {"op",
                                       "doc",
                                       "kernel",
                                       "inputs",
                                       "params",
                                       "check",
                                       "constant",
                                       "inplace_check",
                                       "unless",
                                       "forward",
                                       "composite",
                                       "handwritten",
                                       "variants",
                                       "alias",
                                       "into",
                                       "jvp",
                                       "node",
                                       "numbers_as_tensors",
                                       "non_differentiable",
                                       "output_differentiability",
                                       "not_implemented",
                                       "vmap",
                                       "inplace_forward",
                                       "inplace_view",
                                       "check_mem_overlap",
                                       "rare",
                                       "out_dtype",
                                       "wraps_numbers"};

constexpr const char* kNotImplemented = "not_implemented";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    parts.push_back(part.substr(begin, part.find_last_not_of(' ') - begin + 1));
  }
  return parts;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(std::filesystem::path(path).filename().string()) {
    if (!std::filesystem::exists(path)) throw SyntaxError(path + ": no such file");
    try {
      root_ = YAML::LoadFile(path);
    } catch (const YAML::Exception& error) {
      throw SourceError(file_, error.mark.line + 1, error.msg);
    }
  }

  OpList read() {
    list_.file = file_;
    if (!root_.IsSequence()) fail(root_, "expected a list of `- op:` entries");
    for (const YAML::Node& entry : root_) read_entry(entry);
    name_nodes(list_.ops);
    for (Op& op : list_.ops) name_out_form(op);
    for (Op& op : list_.ops) resolve_alias(op);
    for (Op& op : list_.ops) resolve_numbers(op);
    for (const Op& op : list_.ops) check_formulas(op);
    return std::move(list_);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& at, const std::string& message) const {
    throw SourceError(file_, at.Mark().line + 1, message);
  }

  void read_entry(const YAML::Node& entry) {
    if (!entry.IsMap()) fail(entry, "expected an entry that begins with `- op:` or `- kernels:`");
    if (entry["kernels"]) {
      for (const YAML::Node& name : entry["kernels"]) add_kernel(name.as<std::string>());
      return;
    }
    if (!entry["op"]) fail(entry, "entry without `op:`");
    Op op;
    op.line = entry.Mark().line + 1;
    try {
      op.schema = parse_schema(entry["op"].as<std::string>());
    } catch (const SyntaxError& error) {
      fail(entry["op"], error.what());
    }
    if (const auto [place, inserted] = seen_.try_emplace(op.schema.full_name(), op.line); !inserted) {
      fail(entry["op"],
           op.schema.full_name() + " is already defined in line " + std::to_string(place->second));
    }
    if (entry["alias"]) {
      op.doc = "Another name of " + entry["alias"].as<std::string>() + ".";
    } else {
      if (!entry["doc"]) fail(entry, op.schema.full_name() + ": `doc:` is missing");
      op.doc = entry["doc"].as<std::string>();
    }
    read_kind(entry, op);
    read_variants(entry, op);
    read_derivatives(entry, op);
    list_.ops.push_back(std::move(op));
  }

  void read_kind(const YAML::Node& entry, Op& op) {
    int kinds = 0;
    if (entry["kernel"]) {
      ++kinds;
      op.kind = Kind::Pointwise;
      const auto parts = split(entry["kernel"].as<std::string>(), ',');
      if (parts.empty()) fail(entry["kernel"], "`kernel:` names no kernel");
      op.kernel = parts[0];
      for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i] != "floating") {
          fail(entry["kernel"], "unknown kernel option '" + parts[i] + "'; known: floating");
        }
        op.floating = true;
      }
      add_kernel(op.kernel);
      read_operands(entry, op);
    }
    if (entry["forward"]) {
      ++kinds;
      op.kind = Kind::Forward;
      op.forward = entry["forward"].as<std::string>();
      if (entry["into"]) op.into = entry["into"].as<std::string>();
    }
    if (entry["composite"]) {
      ++kinds;
      op.kind = Kind::Composite;
    }
    if (entry["alias"]) {
      ++kinds;
      op.kind = Kind::Composite;
      op.alias = entry["alias"].as<std::string>();
    }
    if (entry["wraps_numbers"]) {
      ++kinds;
      op.kind = Kind::Composite;
      op.wraps_numbers = entry["wraps_numbers"].as<bool>();
    }
    if (entry["handwritten"]) {
      ++kinds;
      op.kind = Kind::Handwritten;
      op.forward = entry["handwritten"].as<std::string>();
    }
    if (kinds != 1) {
      fail(entry, op.schema.full_name() +
                      ": exactly one of `kernel:`, `forward:`, `composite:`, `alias:`, `wraps_numbers:`, "
                      "`handwritten:` is needed");
    }
    if (entry["check_mem_overlap"]) {
      op.check_mem_overlap = entry["check_mem_overlap"].as<bool>();
      if (!op.schema.is_inplace() || op.kind == Kind::Composite)
        fail(entry["check_mem_overlap"], "`check_mem_overlap:` belongs to `forward:` ops that end in _");
    }
    if (entry["inplace_view"]) {
      op.inplace_view = entry["inplace_view"].as<bool>();
      if (!op.schema.is_inplace())
        fail(entry["inplace_view"], "`inplace_view:` belongs to ops that end in _");
    }
    if (entry["inplace_forward"]) {
      if (op.kind != Kind::Forward)
        fail(entry["inplace_forward"], "`inplace_forward:` belongs to `forward:` ops");
      op.inplace_forward = entry["inplace_forward"].as<std::string>();
    }
    op.rare = !op.alias.empty() || op.wraps_numbers || (entry["rare"] && entry["rare"].as<bool>());
    if (entry["check"]) op.check = entry["check"].as<std::string>();
    if (entry["unless"]) op.unless = entry["unless"].as<std::string>();
    if (entry["inplace_check"]) op.inplace_check = entry["inplace_check"].as<std::string>();
    for (const YAML::Node& name : entry["constant"]) {
      op.constants.push_back(name.as<std::string>());
      require_argument(name, op, op.constants.back());
    }
    if (entry["out_dtype"]) read_out_dtype(entry["out_dtype"], op);
  }

  void read_out_dtype(const YAML::Node& node, Op& op) const {
    const auto rule = node.as<std::string>();
    if (rule != "exact" && rule != "decides") fail(node, "`out_dtype:` is exact or decides");
    if (!op.into.empty() || (op.kind == Kind::Pointwise && rule == "decides"))
      fail(node,
           "`out_dtype:` belongs to ops whose out= form takes over a result, and `exact` to kernels too");
    if (rule == "decides") require_argument(node, op, "dtype");
    op.out_dtype = rule == "exact" ? OutDtype::Exact : OutDtype::Decides;
  }

  // Operands default to the positional tensors and numbers, parameters to the keyword-only numbers.
  void read_operands(const YAML::Node& entry, Op& op) {
    for (const Argument& a : op.schema.arguments) {
      const bool operand = a.type.is_tensor() || a.type.base == BaseType::Scalar;
      if (!entry["inputs"] && operand && !a.kwarg_only && !listed(entry["params"], a.name)) {
        op.inputs.push_back(a.name);
      }
      if (!entry["params"] && operand && a.kwarg_only) op.params.push_back(a.name);
    }
    for (const auto& [field, names] : {std::pair{"inputs", &op.inputs}, {"params", &op.params}}) {
      if (!entry[field]) continue;
      for (const YAML::Node& name : entry[field]) {
        names->push_back(name.as<std::string>());
        if (is_identifier(names->back())) require_argument(name, op, names->back());
      }
    }
    if (op.schema.returns.size() != 1) fail(entry, "a pointwise op has one result");
  }

  static bool is_identifier(const std::string& text) {
    return std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::all_of(text.begin(), text.end(), is_word);
  }

  static bool listed(const YAML::Node& list, const std::string& name) {
    if (!list) return false;
    return std::any_of(list.begin(), list.end(),
                       [&](const YAML::Node& item) { return item.as<std::string>() == name; });
  }

  void require_argument(const YAML::Node& at, const Op& op, const std::string& name) const {
    if (op.schema.find(name) != nullptr) return;
    std::string known;
    for (const Argument& a : op.schema.arguments) known += (known.empty() ? "" : ", ") + a.name;
    fail(at, op.schema.full_name() + " has no argument '" + name + "'; it has: " + known);
  }

  void read_variants(const YAML::Node& entry, Op& op) const {
    op.method = op.kind != Kind::Handwritten && op.schema.find("self") != nullptr;
    if (op.kind == Kind::Pointwise || !op.alias.empty()) op.inplace = op.out = true;
    if (!entry["variants"]) return;
    op.method = op.inplace = op.out = false;
    for (const std::string& variant : split(entry["variants"].as<std::string>(), ',')) {
      if (variant == "method") {
        if (op.schema.find("self") == nullptr) fail(entry["variants"], "a method needs an argument 'self'");
        op.method = true;
      } else if (variant == "inplace") {
        op.inplace = true;
      } else if (variant == "out") {
        op.out = true;
      } else if (variant != "function") {
        fail(entry["variants"], "unknown variant '" + variant + "'; known: function, method, inplace, out");
      }
    }
    if (op.inplace && op.kind == Kind::Handwritten)
      fail(entry["variants"], "a handwritten op has no variants");
  }

  void read_derivatives(const YAML::Node& entry, Op& op) const {
    if (entry["numbers_as_tensors"]) op.numbers_as_tensors = entry["numbers_as_tensors"].as<bool>();
    op.non_differentiable = entry["non_differentiable"] && entry["non_differentiable"].as<bool>();
    op.output_differentiability.assign(op.schema.returns.size(), true);
    if (const YAML::Node flags = entry["output_differentiability"]) {
      if (flags.size() != op.schema.returns.size()) {
        fail(flags, "`output_differentiability:` needs a flag per result");
      }
      for (std::size_t i = 0; i < flags.size(); ++i) op.output_differentiability[i] = flags[i].as<bool>();
    }
    for (const auto& field : entry) {
      const std::string key = field.first.as<std::string>();
      if (kFields.contains(key)) continue;
      Formula formula;
      formula.line = field.second.Mark().line + 1;
      formula.inputs = split(key, ',');
      for (const std::string& input : formula.inputs) require_input(field.first, op, input);
      formula.text = field.second.as<std::string>();
      op.formulas.push_back(std::move(formula));
    }
    read_not_implemented(entry, op);
    read_jvp(entry, op);
    read_vmap(entry, op);
    if (entry["node"]) {
      op.node_name = entry["node"].as<std::string>();
      if (op.formulas.empty() && !op.non_differentiable) fail(entry["node"], "`node:` without a derivative");
    }
    const bool leaf = op.kind == Kind::Pointwise || op.kind == Kind::Forward;
    if (leaf && op.formulas.empty() && !op.non_differentiable) {
      fail(entry, op.schema.full_name() + ": give a derivative per input or `non_differentiable: true`");
    }
    if (!leaf && !op.formulas.empty()) {
      fail(entry, op.schema.full_name() + ": derivatives belong to `kernel:` and `forward:` ops only");
    }
  }

  void read_vmap(const YAML::Node& entry, Op& op) const {
    static const std::map<std::string, Vmap> kNames = {
        {"loop", Vmap::Loop}, {"pointwise", Vmap::Pointwise}, {"rule", Vmap::Rule}, {"none", Vmap::None}};
    if (op.kind == Kind::Pointwise) op.vmap = Vmap::Pointwise;
    if (!entry["vmap"]) return;
    const auto name = kNames.find(entry["vmap"].as<std::string>());
    if (name == kNames.end())
      fail(entry["vmap"], op.schema.full_name() + ": `vmap:` is one of loop, pointwise, rule, none");
    op.vmap = name->second;
  }

  // The word becomes a call that raises, with the reason.
  void read_not_implemented(const YAML::Node& entry, Op& op) const {
    for (Formula& formula : op.formulas) {
      if (formula.text != kNotImplemented) continue;
      if (!entry[kNotImplemented])
        fail(entry, op.schema.full_name() + ": '" + formula.inputs[0] +
                        "' has no derivative; say why in `not_implemented:`");
      formula.implemented = false;
      formula.text = std::string(kNotImplemented) + "(\"" + op.schema.name + "\", \"" + formula.inputs[0] +
                     "\", \"" + entry[kNotImplemented].as<std::string>() + "\")";
    }
  }

  void read_jvp(const YAML::Node& entry, Op& op) const {
    const auto implemented =
        std::count_if(op.formulas.begin(), op.formulas.end(), [](const Formula& f) { return f.implemented; });
    const auto all = static_cast<std::ptrdiff_t>(op.formulas.size());
    // Where some inputs have a derivative, their tangents go through it.
    if (const YAML::Node reason = entry[kNotImplemented];
        reason && (implemented == 0 || implemented == all)) {
      if (entry["jvp"])
        fail(reason, op.schema.full_name() + ": `not_implemented:` and `jvp:` exclude each other");
      op.jvp = Jvp::NotImplemented;
      op.tangents = {reason.as<std::string>()};
      return;
    }
    const YAML::Node jvp = entry["jvp"];
    if (!jvp) {
      if (op.kind == Kind::Pointwise) op.jvp = Jvp::Elementwise;
      return;
    }
    if (jvp.IsSequence()) {
      for (const YAML::Node& part : jvp) op.tangents.push_back(part.as<std::string>());
    } else {
      op.tangents.push_back(jvp.as<std::string>());
    }
    static const std::map<std::string, Jvp> kNames = {{"elementwise", Jvp::Elementwise},
                                                      {"linear", Jvp::Linear},
                                                      {"multilinear", Jvp::Multilinear},
                                                      {"transposed", Jvp::Transposed},
                                                      {"zero", Jvp::Zero}};
    const auto name = kNames.find(op.tangents.front());
    op.jvp = name == kNames.end() ? Jvp::Expression : name->second;
    const bool one_each = std::all_of(op.formulas.begin(), op.formulas.end(),
                                      [](const Formula& f) { return f.inputs.size() == 1; });
    if (op.jvp == Jvp::Elementwise && (op.schema.returns.size() != 1 || !one_each)) {
      fail(jvp, op.schema.full_name() +
                    ": `jvp: elementwise` needs one result and a derivative for each input of its own");
    }
    if (op.formulas.empty() && op.kind != Kind::Pointwise && op.kind != Kind::Forward) {
      fail(jvp, op.schema.full_name() + ": `jvp:` belongs to `kernel:` and `forward:` ops only");
    }
  }

  void require_input(const YAML::Node& at, const Op& op, const std::string& name) const {
    const Argument* argument = op.schema.find(name);
    if (argument == nullptr) {
      std::string known;
      for (const Argument& a : op.schema.arguments) known += (known.empty() ? "" : ", ") + a.name;
      fail(at, op.schema.full_name() + ": '" + name +
                   "' is neither a field nor an argument; its arguments: " + known);
    }
    if (argument->type.base != BaseType::Tensor) {
      fail(at, op.schema.full_name() + ": '" + name + "' is not a Tensor, it has no derivative");
    }
    for (const Formula& other : op.formulas) {
      if (std::find(other.inputs.begin(), other.inputs.end(), name) != other.inputs.end()) {
        fail(at, op.schema.full_name() + ": two derivatives for '" + name + "'");
      }
    }
  }

  // As in ATen: mul.Tensor has mul.out, but where an overload without a name exists that one has it.
  void name_out_form(Op& op) const {
    const bool unnamed = seen_.contains(op.schema.name);
    op.plain_out = op.schema.overload.empty() || (op.schema.overload == "Tensor" && !unnamed);
  }

  // Another name is differentiable if what it names is.
  void resolve_alias(Op& op) const {
    if (op.alias.empty()) return;
    bool known = false, differentiable = false;
    for (const Op& target : list_.ops) {
      const bool written = target.inplace && target.schema.name + "_" == op.alias;
      if (target.schema.name != op.alias && !written) continue;
      known = true;
      differentiable |= !target.non_differentiable;
    }
    if (!known)
      throw SourceError(file_, op.line, op.schema.full_name() + ": there is no op '" + op.alias + "'");
    op.non_differentiable = !differentiable;
  }

  // Differentiable if the overload that takes tensors is, by one of the tensors that there are.
  void resolve_numbers(Op& op) const {
    if (!op.wraps_numbers) return;
    const auto takes_tensors = [&](const Op& target) {
      return target.schema.name == op.schema.name && !target.wraps_numbers &&
             std::none_of(target.schema.arguments.begin(), target.schema.arguments.end(),
                          [](const Argument& a) { return a.type.base == BaseType::Scalar; });
    };
    const auto target = std::find_if(list_.ops.begin(), list_.ops.end(), takes_tensors);
    if (target == list_.ops.end())
      throw SourceError(file_, op.line, op.schema.full_name() + ": no overload takes tensors alone");
    op.non_differentiable =
        std::none_of(target->formulas.begin(), target->formulas.end(), [&](const Formula& formula) {
          return formula.implemented &&
                 std::any_of(formula.inputs.begin(), formula.inputs.end(), [&](const std::string& input) {
                   return op.schema.find(input)->type.is_tensor();
                 });
        });
  }

  void check_formulas(const Op& op) const {
    for (const Formula& formula : op.formulas) {
      Op alone = op;
      alone.formulas = {formula};
      try {
        plan_node(alone);
      } catch (const SyntaxError& error) {
        throw SourceError(file_, formula.line, op.schema.full_name() + ": " + error.what());
      }
    }
  }

  void add_kernel(const std::string& name) {
    if (std::find(list_.kernels.begin(), list_.kernels.end(), name) == list_.kernels.end()) {
      list_.kernels.push_back(name);
    }
  }

  std::string file_;
  YAML::Node root_;
  OpList list_;
  std::map<std::string, int> seen_;
};

}  // namespace

OpList read_ops(const std::string& path) { return Reader(path).read(); }

}  // namespace lanewise::codegen
