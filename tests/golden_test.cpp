// Calls by name against what PyTorch 1.13 answers: values, dtypes, strides, the names in the graph,
// gradients, and errors. The cases and the script that made them are in tests/golden.

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using nlohmann::json;

ScalarType dtype_of(const std::string& name) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (name == toString(static_cast<ScalarType>(i))) return static_cast<ScalarType>(i);
  }
  throw std::runtime_error("no dtype " + name);
}

double number_of(const json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto text = value.get<std::string>();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "nan" ? std::numeric_limits<double>::quiet_NaN() : text == "inf" ? infinity : -infinity;
}

std::vector<std::int64_t> ints_of(const json& list) { return list.get<std::vector<std::int64_t>>(); }

Tensor tensor_of(const json& description) {
  const ScalarType dtype = dtype_of(description["dtype"]);
  const bool complex = isComplexType(dtype);
  const Tensor wide = empty(ints_of(description["sizes"]), complex                       ? kComplexDouble
                                                           : isIntegralType(dtype, true) ? kLong
                                                                                         : kDouble);
  std::int64_t i = 0;
  for (const json& value : description["values"]) {
    if (complex) {
      static_cast<std::complex<double>*>(wide.data_ptr())[i++] = {number_of(value[0]), number_of(value[1])};
    } else if (wide.scalar_type() == kLong) {
      wide.data_ptr<std::int64_t>()[i++] = value.get<std::int64_t>();
    } else {
      wide.data_ptr<double>()[i++] = number_of(value);
    }
  }
  return wide.to(dtype);
}

Tensor apply_views(Tensor t, const json& views) {
  for (const json& view : views) {
    const std::string name = view[0];
    if (name == "transpose") t = t.transpose(view[1], view[2]);
    if (name == "expand") t = t.expand(ints_of(view[1]));
    if (name == "slice")
      t = t.slice(view[1].get<std::int64_t>(), view[2].get<std::int64_t>(), view[3].get<std::int64_t>(),
                  view[4].get<std::int64_t>());
  }
  return t;
}

/// How far two roundings of the same number may lie apart, relative to 1 + |value|.
double tolerance_of(ScalarType dtype) {
  switch (dtype) {
    case kHalf: return 2e-3;
    case kBFloat16: return 4e-2;  // sums are kept in bfloat16 there
    case kFloat:
    case kComplexFloat: return 2e-5;
    default: return 1e-10;
  }
}

struct Call {
  std::vector<Value> args;
  std::vector<NamedValue> kwargs;
  std::vector<Tensor> leaves;
  double tolerance = 1e-10;  ///< of the least precise tensor
};

Tensor tensor_argument(const json& content, Call& call) {
  Tensor leaf = tensor_of(content);
  if (content.value("requires_grad", false)) leaf.requires_grad_();
  call.leaves.push_back(leaf);
  if (leaf.is_floating_point() || leaf.is_complex())
    call.tolerance = std::max(call.tolerance, tolerance_of(leaf.scalar_type()));
  return apply_views(leaf, content.value("views", json::array()));
}

Value value_of(const json& arg, Call& call) {
  if (arg.is_null()) return {};
  const std::string kind = arg.begin().key();
  const json& content = arg.begin().value();
  if (kind == "tensor") return tensor_argument(content, call);
  if (kind == "tensors") {
    std::vector<Tensor> list;
    for (const json& item : content) list.push_back(item.is_null() ? Tensor() : tensor_argument(item, call));
    return list;
  }
  if (kind == "dtype") return dtype_of(content);
  if (kind == "bool") return content.get<bool>();
  if (kind == "int") return content.get<std::int64_t>();
  if (kind == "float") return number_of(content);
  if (kind == "complex") return std::complex<double>(number_of(content[0]), number_of(content[1]));
  if (kind == "string") return content.get<std::string>();
  return ints_of(content);
}

bool close(double found, double want, double tolerance) {
  if (std::isnan(want) || std::isnan(found)) return std::isnan(want) == std::isnan(found);
  if (std::isinf(want) || std::isinf(found)) return found == want;
  return std::abs(found - want) <= tolerance * (1 + std::abs(want));
}

/// Empty if `found` is what `want` describes, else what differs.
std::string difference(const Tensor& found, const json& want, double tolerance, bool strides_count = true) {
  std::ostringstream text;
  if (!found.defined()) return "is undefined";
  if (toString(found.scalar_type()) != want["dtype"].get<std::string>()) {
    text << "has dtype " << found.scalar_type() << ", expected " << want["dtype"];
    return text.str();
  }
  if (found.sizes().vec() != ints_of(want["sizes"])) {
    text << "has shape " << found.sizes() << ", expected " << want["sizes"];
    return text.str();
  }
  if (strides_count && want.contains("strides") && found.strides().vec() != ints_of(want["strides"])) {
    text << "has strides " << found.strides() << ", expected " << want["strides"];
    return text.str();
  }
  const Tensor wanted = tensor_of(want);
  const bool complex = found.is_complex();
  const Tensor a = found.detach().to(complex ? kComplexDouble : kDouble).contiguous(),
               b = wanted.to(complex ? kComplexDouble : kDouble).contiguous();
  const auto* x = static_cast<const double*>(a.data_ptr());
  const auto* y = static_cast<const double*>(b.data_ptr());
  for (std::int64_t i = 0; i < a.numel() * (complex ? 2 : 1); ++i) {
    if (!close(x[i], y[i], tolerance)) {
      text << "differs at " << (complex ? i / 2 : i) << ": " << x[i] << ", expected " << y[i];
      return text.str();
    }
  }
  return {};
}

/// 1, 2, 3 ... in logical order; over real and imaginary parts in turn for a complex result.
Tensor gradient_for(const Tensor& result) {
  if (!result.is_complex())
    return arange(1, result.numel() + 1, kDouble).to(result.scalar_type()).reshape(result.sizes());
  return view_as_complex(arange(1, 2 * result.numel() + 1, kDouble).reshape({result.numel(), 2}))
      .to(result.scalar_type())
      .reshape(result.sizes());
}

std::vector<std::string> edge_names(const autograd::Node& node) {
  std::vector<std::string> names;
  for (const auto& edge : node.next_edges()) names.push_back(edge.function ? edge.function->name() : "None");
  return names;
}

std::string check_gradients(const std::vector<Tensor>& results, const Call& call, const json& want) {
  autograd::variable_list roots, gradients;
  for (const Tensor& result : results) {
    if (!result.requires_grad()) continue;
    roots.push_back(result);
    gradients.push_back(gradient_for(result));
  }
  if (roots.empty()) return "requires no grad";
  autograd::backward(roots, gradients);
  for (std::size_t i = 0; i < call.leaves.size(); ++i) {
    const Tensor& grad = call.leaves[i].grad();
    if (want[i].is_null()) {
      if (grad.defined()) return "input " + std::to_string(i) + " has a gradient, expected none";
      continue;
    }
    const std::string problem = difference(grad, want[i], call.tolerance);
    if (!problem.empty()) return "gradient of input " + std::to_string(i) + " " + problem;
  }
  return {};
}

std::string check_raises(const std::vector<Tensor>& results) {
  if (!results[0].requires_grad()) return "requires no grad, expected a backward that raises";
  try {
    autograd::backward({results[0]}, {gradient_for(results[0])});
  } catch (const NotImplementedError&) {
    return {};
  }
  return "has a backward, expected an error";
}

/// Empty if the case holds, else what went wrong.
std::string check(const json& entry) {
  Call call;
  const std::string op = entry["op"];
  for (const json& arg : entry["args"]) call.args.push_back(value_of(arg, call));
  if (entry.contains("kwargs")) {
    for (const auto& [name, value] : entry["kwargs"].items())
      call.kwargs.push_back({name, value_of(value, call)});
  }
  if (op.ends_with("_")) call.args[0] = std::get<Tensor>(call.args[0].content()).clone();
  std::vector<Tensor> results;
  try {
    results = lanewise::call(op, call.args, call.kwargs);
  } catch (const Error& error) {
    return entry.contains("error") ? "" : std::string("raised: ") + error.what();
  }
  if (entry.contains("error")) return "expected an error like: " + entry["error"].get<std::string>();
  const json& wanted = entry["results"];
  if (results.size() != wanted.size()) return "gave " + std::to_string(results.size()) + " results";
  // Where dtypes differ, PyTorch lays out the result after copies that it makes of the operands; here there
  // are none.
  const bool one_dtype = std::all_of(call.leaves.begin(), call.leaves.end(), [&](const Tensor& leaf) {
    return leaf.scalar_type() == call.leaves[0].scalar_type();
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double tolerance = std::max(call.tolerance, tolerance_of(results[i].scalar_type()));
    const std::string problem = difference(results[i], wanted[i], tolerance, one_dtype);
    if (!problem.empty()) return "result " + std::to_string(i) + " " + problem;
  }
  if (entry.contains("node")) {
    // reshape and the views inside matmul have had other names there since.
    static const std::map<std::string, std::string> renamed = {{"ReshapeAliasBackward0", "ViewBackward0"},
                                                               {"SqueezeBackward3", "SqueezeBackward4"}};
    const auto now = [&](const std::string& name) {
      return renamed.count(name) != 0 ? renamed.at(name) : name;
    };
    const std::string expected = now(entry["node"]);
    const auto& node = results[0].grad_fn();
    if (node == nullptr) return "has no grad_fn, expected " + entry["node"].get<std::string>();
    if (node->name() != expected) return "grad_fn is " + node->name() + ", expected " + expected;
    std::vector<std::string> edges;
    for (const json& edge : entry["edges"]) edges.push_back(edge.is_null() ? "None" : now(edge));
    if (edge_names(*node) != edges)
      return "edges are " + json(edge_names(*node)).dump() + ", expected " + json(edges).dump();
  }
  if (entry.contains("backward_error")) return check_raises(results);
  if (entry.contains("grads")) return check_gradients(results, call, entry["grads"]);
  return {};
}

using Cases = std::map<std::string, std::vector<json>>;

const Cases& cases() {
  static const Cases all = [] {
    Cases result;
    for (const auto& item : std::filesystem::directory_iterator(LANEWISE_GOLDEN_DIR)) {
      if (item.path().extension() != ".jsonl") continue;
      std::ifstream file(item.path());
      for (std::string line; std::getline(file, line);) {
        json entry = json::parse(line);
        result[entry["op"]].push_back(std::move(entry));
      }
    }
    return result;
  }();
  return all;
}

std::vector<std::string> ops() {
  std::vector<std::string> names;
  for (const auto& [name, list] : cases()) names.push_back(name);
  return names;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, AgreesWithPyTorch) {
  int shown = 0;
  for (const json& entry : cases().at(GetParam())) {
    std::string problem;
    try {
      problem = check(entry);
    } catch (const std::exception& error) {
      problem = std::string("raised: ") + error.what();
    }
    if (problem.empty()) continue;
    if (++shown <= 6) {
      ADD_FAILURE() << GetParam() << " " << problem << "\n  args " << entry["args"].dump().substr(0, 600)
                    << " kwargs " << entry.value("kwargs", json::object()).dump();
    }
  }
  EXPECT_EQ(shown, 0) << shown << " of " << cases().at(GetParam()).size() << " cases differ";
}

INSTANTIATE_TEST_SUITE_P(Op, Golden, ::testing::ValuesIn(ops()), [](const auto& op) { return op.param; });

TEST(GoldenFile, IsThere) {
  std::size_t count = 0;
  for (const auto& [name, list] : cases()) count += list.size();
  EXPECT_GE(count, 3000U);
}

}  // namespace
}  // namespace lanewise
