// Every op of the registry with an undefined tensor in place of each argument that must be there: a typed
// error that names the op and the argument, before anything else is looked at.
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using Base = SchemaType::Base;

/// Something of the argument's type; what it is does not matter.
Value any_value(const SchemaType& type) {
  switch (type.base) {
    case Base::Tensor: return type.list ? Value(std::vector<Tensor>{ones({2, 2})}) : Value(ones({2, 2}));
    case Base::Scalar: return 1.0;
    case Base::Int: return type.list ? Value(std::vector<std::int64_t>{0}) : Value(1);
    case Base::Float: return 0.5;
    case Base::Bool: return true;
    case Base::Str: return "mean";
    case Base::ScalarType: return kFloat;
    case Base::MemoryFormat: return "Contiguous";
  }
  return {};
}

bool must_be_there(const Schema& schema, const SchemaArgument& argument) {
  // An undefined out becomes the result. The holes of Tensor?[] are its meaning.
  const bool is_out = schema.is_out && argument.kwarg_only && argument.parsed.base == Base::Tensor;
  const bool holes = argument.type == "Tensor?[]";
  return argument.parsed.base == Base::Tensor && !argument.parsed.optional && !is_out && !holes;
}

/// What the op says where its argument number `at` is undefined; nothing if it does not mind.
std::optional<std::string> complaint(const Schema& schema, std::size_t at) {
  std::vector<NamedValue> arguments;
  for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
    const SchemaArgument& a = schema.arguments[i];
    if (i != at && (a.has_default() || a.parsed.optional)) continue;
    Value value = any_value(a.parsed);
    if (i == at) value = a.parsed.list ? Value(std::vector<Tensor>{Tensor()}) : Value(Tensor());
    arguments.push_back({a.name, value});
  }
  try {
    call(schema.full_name(), {}, std::span<const NamedValue>(arguments));
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

TEST(UndefinedArguments, AreNamedByEveryOp) {
  std::size_t tried = 0;
  for (const Schema& schema : registry()) {
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
      const SchemaArgument& argument = schema.arguments[i];
      if (!must_be_there(schema, argument)) continue;
      SCOPED_TRACE(schema.full_name() + " " + std::string(argument.name));
      ++tried;
      const auto found = complaint(schema, i);
      ASSERT_TRUE(found.has_value()) << "takes an undefined tensor";
      EXPECT_EQ(found->find(std::string(schema.name) + ": "), 0U) << *found;
      EXPECT_NE(found->find("argument '" + std::string(argument.name) + "' is an undefined tensor"),
                std::string::npos)
          << *found;
    }
  }
  EXPECT_GT(tried, 1500U);
}

TEST(UndefinedArguments, OptionalOnesMayBeUndefined) {
  const Tensor x = ones({2, 3});
  EXPECT_TRUE(layer_norm(x, {3}, Tensor(), Tensor()).defined());
  EXPECT_TRUE(linear(x, ones({4, 3}), Tensor()).defined());
  Tensor out;
  EXPECT_TRUE(add_out(out, x, x).equal(ones({2, 3}) * 2));
}

TEST(UndefinedArguments, NothingIsWritten) {
  Tensor x = ones({2}), out = zeros({2});
  EXPECT_THROW(x.add_(Tensor()), ValueError);
  EXPECT_THROW(add_out(out, x, Tensor()), ValueError);
  EXPECT_THROW(cat({x, Tensor()}), ValueError);
  EXPECT_TRUE(x.equal(ones({2})));
  EXPECT_TRUE(out.equal(zeros({2})));
}

}  // namespace
}  // namespace lanewise
