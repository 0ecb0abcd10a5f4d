#include "spent_gradient.h"

#include <algorithm>
#include <set>
#include <vector>

#include "words.h"

namespace lanewise::codegen {
namespace {

// Functions in formulas.h and forwards of ops, written by hand, that hand the gradient to one pointwise op.
const std::set<std::string> kReadOnce = {"mul_tensor_backward",      "mul_scalar_backward",
                                         "div_tensor_self_backward", "div_scalar_backward",
                                         "pow_scalar_gradient",      "gelu_backward"};

/// The function among whose arguments position `at` stands; empty if there is none.
std::string caller_at(const std::string& formula, std::size_t at) {
  int closed = 0;
  for (std::size_t open = at; open-- > 0;) {
    if (formula[open] == ')') ++closed;
    if (formula[open] != '(' || closed-- > 0) continue;
    std::size_t begin = open;
    while (begin > 0 && is_word(formula[begin - 1])) --begin;
    const bool is_method = begin > 0 && formula[begin - 1] == '.';
    return is_method ? std::string() : formula.substr(begin, open - begin);
  }
  return {};
}

bool is_pointwise(const OpList& list, const std::string& name) {
  bool found = false;
  for (const Op& op : list.ops) {
    if (op.schema.name != name) continue;
    if (op.kind != Kind::Pointwise) return false;
    found = true;
  }
  return found;
}

}  // namespace

bool spends_gradient(const OpList& list, const std::string& formula) {
  const std::vector<std::size_t> places = places_of("grad", formula);
  if (places.size() != 1 || formula.find("grads[") != std::string::npos) return false;
  const std::size_t at = places[0];
  const std::string rest = formula.substr(at + 4);
  const auto follows = [&](const char* text) { return rest.starts_with(text); };
  if (follows(" * ") || follows(" / ") || (at > 0 && formula[at - 1] == '-')) return true;
  if (!follows(",") && !follows(")")) return false;
  const std::string caller = caller_at(formula, at);
  return kReadOnce.contains(caller) || is_pointwise(list, caller);
}

}  // namespace lanewise::codegen
