#include <algorithm>
#include <optional>
#include <string>

#include <lanewise/autograd/detail/arguments.h>
#include <lanewise/autograd/registry.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {
namespace {

using detail::RegisteredOp;

bool is_number(const Value& value) {
  return value.get_if<bool>() != nullptr || value.get_if<std::int64_t>() != nullptr ||
         value.get_if<double>() != nullptr || value.get_if<std::complex<double>>() != nullptr;
}

Scalar number_of(const Value& value) { return detail::Arguments({value}).scalar(0); }

/// `value` as what the argument asks for, or nothing. `lenient` also takes a 0-dim tensor for a number.
std::optional<Value> convert(const Value& value, const SchemaType& type, bool numbers_as_tensors,
                             bool lenient) {
  using Base = SchemaType::Base;
  const auto accept = [&](bool fits) { return fits ? std::optional<Value>(value) : std::nullopt; };
  if (value.is_none()) return accept(type.optional);
  switch (type.base) {
    case Base::Tensor:
      if (type.list) return accept(value.get_if<std::vector<Tensor>>() != nullptr);
      if (numbers_as_tensors && is_number(value)) return Value(detail::wrapped_number(number_of(value)));
      return accept(value.get_if<Tensor>() != nullptr);
    case Base::Scalar: {
      const auto* tensor = value.get_if<Tensor>();
      return accept(is_number(value) || (lenient && tensor != nullptr && tensor->defined() &&
                                         tensor->dim() == 0 && !tensor->requires_grad()));
    }
    case Base::Int:
      return accept(value.get_if<std::int64_t>() != nullptr ||
                    (type.list && value.get_if<std::vector<std::int64_t>>() != nullptr));
    case Base::Float:
      return accept(value.get_if<double>() != nullptr || value.get_if<std::int64_t>() != nullptr);
    case Base::Bool: return accept(value.get_if<bool>() != nullptr);
    case Base::ScalarType: return accept(value.get_if<ScalarType>() != nullptr);
    case Base::Str:
    case Base::MemoryFormat: return accept(value.get_if<std::string>() != nullptr);
  }
  return std::nullopt;
}

/// Fits the arguments of a call to one schema.
class Binder {
 public:
  Binder(const Schema& schema, const RegisteredOp& op, bool lenient)
      : schema_(schema), op_(op), lenient_(lenient) {}

  /// Nothing if they do not fit; problem() says why.
  std::optional<std::vector<Value>> bind(std::span<const Value> args, std::span<const NamedValue> kwargs) {
    const std::size_t n = schema_.arguments.size();
    std::vector<std::optional<Value>> bound(n);
    std::size_t positional = 0;
    while (positional < n && !schema_.arguments[positional].kwarg_only) ++positional;
    if (args.size() > positional) {
      return fail("takes at most " + std::to_string(positional) + " positional arguments, " +
                  std::to_string(args.size()) + " were given");
    }
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!set(bound, i, args[i])) return std::nullopt;
    }
    for (const NamedValue& named : kwargs) {
      const auto place = std::find_if(schema_.arguments.begin(), schema_.arguments.end(),
                                      [&](const SchemaArgument& a) { return a.name == named.name; });
      if (place == schema_.arguments.end()) return fail("has no argument '" + std::string(named.name) + "'");
      const auto i = static_cast<std::size_t>(place - schema_.arguments.begin());
      if (bound[i]) return fail("argument '" + std::string(named.name) + "' is given twice");
      if (!set(bound, i, named.value)) return std::nullopt;
    }
    std::vector<Value> values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      const SchemaArgument& argument = schema_.arguments[i];
      if (!bound[i]) {
        // `to` of random_(from, to) may be None, but one number alone is the other overload's.
        if (!argument.has_default() && !(argument.parsed.optional && lenient_)) {
          return fail("argument '" + std::string(argument.name) + "' (" + std::string(argument.type) +
                      ") is missing");
        }
        bound[i] = argument.has_default() ? detail::parse_default(argument) : Value();
      }
      values.push_back(std::move(*bound[i]));
    }
    return values;
  }

  const std::string& problem() const { return problem_; }

 private:
  std::nullopt_t fail(std::string problem) {
    problem_ = std::move(problem);
    return std::nullopt;
  }

  bool set(std::vector<std::optional<Value>>& bound, std::size_t i, const Value& value) {
    const SchemaArgument& argument = schema_.arguments[i];
    bound[i] = convert(value, argument.parsed, op_.numbers_as_tensors && !argument.kwarg_only, lenient_);
    if (bound[i]) return true;
    problem_ = "argument '" + std::string(argument.name) + "' (position " + std::to_string(i) +
               "): expected " + std::string(argument.type) + ", found " + value.type_name();
    return false;
  }

  const Schema& schema_;
  const RegisteredOp& op_;
  bool lenient_;
  std::string problem_;
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
    }
  }
  return row[b.size()];
}

[[noreturn]] void unknown_op(std::string_view op) {
  const std::string_view name = op.substr(0, op.find('.'));
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const Schema& schema : registry()) {
    const bool overload_of = schema.name == name;
    const std::size_t distance = overload_of ? 0 : edit_distance(name, schema.name);
    if (distance > 1 + name.size() / 4) continue;
    std::string candidate = overload_of ? schema.full_name() : std::string(schema.name);
    const std::pair entry(distance, std::move(candidate));
    if (std::find(near.begin(), near.end(), entry) == near.end()) near.push_back(entry);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string hint;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 5); ++i) {
    hint += (i == 0 ? "; did you mean " : ", ") + near[i].second;
  }
  if (hint.empty()) hint = "; registry() lists what there is";
  LANEWISE_CHECK(ValueError, false, "call: there is no op \"", op, "\"", hint);
  std::abort();
}

/// Rows of the registry that `op` may mean.
std::vector<std::size_t> candidates(std::string_view op) {
  std::string_view name = op;
  std::string_view overload;
  const std::size_t dot = op.find('.');
  if (dot != std::string_view::npos) {
    name = op.substr(0, dot);
    overload = op.substr(dot + 1);
  }
  const auto schemas = registry();
  const auto collect = [&](auto&& fits) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      if (fits(schemas[i])) rows.push_back(i);
    }
    return rows;
  };
  auto rows = collect([&](const Schema& s) {
    return s.name == name && (dot == std::string_view::npos || s.overload == overload);
  });
  if (rows.empty() && overload == "out")
    rows = collect([&](const Schema& s) { return s.name == name && s.is_out; });
  if (rows.empty() && dot == std::string_view::npos && name.ends_with("_out")) {
    const std::string_view base = name.substr(0, name.size() - 4);
    rows = collect([&](const Schema& s) { return s.name == base && s.is_out; });
  }
  return rows;
}

[[noreturn]] void no_overload(std::string_view op, std::span<const std::size_t> rows,
                              std::span<const Value> args, std::span<const NamedValue> kwargs) {
  std::string found;
  for (const Value& value : args) found += (found.empty() ? "" : ", ") + value.type_name();
  for (const NamedValue& named : kwargs) {
    found += (found.empty() ? "" : ", ") + std::string(named.name) + "=" + named.value.type_name();
  }
  std::string reasons;
  for (const std::size_t row : rows) {
    Binder binder(registry()[row], detail::registered_ops()[row], true);
    binder.bind(args, kwargs);
    reasons += "\n  " + registry()[row].to_string() + ": " + binder.problem();
  }
  LANEWISE_CHECK(ValueError, false, op, ": does not take (", found, ")", reasons);
  std::abort();
}

}  // namespace

std::vector<Tensor> call(std::string_view op, std::span<const Value> args,
                         std::span<const NamedValue> kwargs) {
  const std::vector<std::size_t> rows = candidates(op);
  if (rows.empty()) unknown_op(op);
  for (const bool lenient : {false, true}) {
    for (const std::size_t row : rows) {
      const RegisteredOp& registered = detail::registered_ops()[row];
      Binder binder(registry()[row], registered, lenient);
      if (auto values = binder.bind(args, kwargs))
        return registered(detail::Arguments(std::move(*values)));
    }
  }
  no_overload(op, rows, args, kwargs);
}

std::vector<Tensor> call(std::string_view op, std::span<const Value> args,
                         std::initializer_list<NamedValue> kwargs) {
  return call(op, args, std::span<const NamedValue>(kwargs.begin(), kwargs.size()));
}

std::vector<Tensor> call(std::string_view op, std::initializer_list<Value> args,
                         std::initializer_list<NamedValue> kwargs) {
  return call(op, std::span<const Value>(args.begin(), args.size()),
              std::span<const NamedValue>(kwargs.begin(), kwargs.size()));
}

}  // namespace lanewise
