#include <algorithm>

#include <lanewise/autograd/detail/arguments.h>
#include <lanewise/lanewise.h>

#include "bench/case.h"
#include "bench/operands.h"

namespace lanewise::tools {
namespace {

bool has_tensor(const Schema& schema) {
  return std::any_of(schema.arguments.begin(), schema.arguments.end(),
                     [](const SchemaArgument& a) { return a.parsed.base == SchemaType::Base::Tensor; });
}

// The names of the arguments but `out` and the overload without its ".out".
bool is_out_form_of(const Schema& out, const Schema& op) {
  if (!out.is_out || out.name != op.name || out.arguments.size() != op.arguments.size() + 1) return false;
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (out.arguments[i].name != op.arguments[i].name || out.arguments[i].type != op.arguments[i].type)
      return false;
  }
  return out.arguments.back().name == "out";
}

Value widened(const Value& value) {
  const auto wide = [](const Tensor& t) {
    if (!t.defined() || is_integral(t.scalar_type(), true)) return t;
    return t.to(is_complex(t.scalar_type()) ? kComplexDouble : kDouble);
  };
  if (const auto* tensor = value.get_if<Tensor>()) return wide(*tensor);
  if (const auto* list = value.get_if<std::vector<Tensor>>()) {
    std::vector<Tensor> result;
    for (const Tensor& t : *list) result.push_back(wide(t));
    return result;
  }
  return value;
}

}  // namespace

PreparedCase::PreparedCase(const BenchCase& c) {
  const auto schemas = registry();
  const auto fits = [&](const Schema& schema) {
    return c.op.find('.') == std::string::npos ? schema.name == c.op && !schema.is_out
                                               : schema.full_name() == c.op;
  };
  std::string problem;  // of the first overload whose arguments cannot be made
  for (std::size_t i = 0; i < schemas.size() && index_ == kNone; ++i) {
    if (!fits(schemas[i])) continue;
    LANEWISE_CHECK(ValueError, has_tensor(schemas[i]), c.op,
                   ": takes no tensor, so there is nothing to vary");
    LANEWISE_CHECK(ValueError, !schemas[i].is_inplace && !schemas[i].is_out, c.op,
                   ": give the plain form, it is timed with out= where there is one");
    try {
      values_ = make_operands(c, schemas[i]);
      index_ = i;
    } catch (const ValueError& error) {
      if (problem.empty()) problem = error.what();
    }
  }
  LANEWISE_CHECK(ValueError, problem.empty() || index_ != kNone, problem);
  if (index_ == kNone)
    static_cast<void>(call(c.op, std::span<const Value>()));  // its message names what is near
  LANEWISE_CHECK(ValueError, index_ != kNone, c.op, ": cannot be timed");
  const std::vector<Tensor> result = results();
  for (std::size_t i = 0; result.size() == 1 && i < schemas.size(); ++i) {
    if (!is_out_form_of(schemas[i], schemas[index_])) continue;
    std::vector<Value> values = values_;
    values.emplace_back(empty_like(result[0]));
    arguments_ = std::make_shared<detail::Arguments>(std::move(values));
    timed_ = &detail::registered_ops()[i];
    return;
  }
  arguments_ = std::make_shared<detail::Arguments>(values_);
  timed_ = &detail::registered_ops()[index_];
}

void PreparedCase::run() { (*timed_)(*arguments_); }

std::vector<Tensor> PreparedCase::results() const {
  return detail::registered_ops()[index_](detail::Arguments(values_));
}

std::vector<Tensor> PreparedCase::reference() const {
  const IsaGuard guard(available_isas().front());
  std::vector<Value> wide;
  for (const Value& value : values_) wide.push_back(widened(value));
  return detail::registered_ops()[index_](detail::Arguments(std::move(wide)));
}

}  // namespace lanewise::tools
