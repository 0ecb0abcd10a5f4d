// Calling ops by name: which overload is meant, how arguments are given, what errors say.
#include <complex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Tensor leaf(IntArrayRef sizes = {2, 3}) { return rand(sizes).add_(0.5).requires_grad_(); }

std::string node_of(const std::vector<Tensor>& results) {
  return results.at(0).grad_fn() ? results[0].grad_fn()->name() : "none";
}

TEST(Registry, NamesAreUniqueAndDocumented) {
  std::set<std::string> seen;
  for (const Schema& schema : registry()) {
    EXPECT_TRUE(seen.insert(schema.full_name()).second) << schema.full_name();
    EXPECT_FALSE(schema.doc.empty()) << schema.full_name();
    for (const SchemaArgument& argument : schema.arguments)
      EXPECT_FALSE(argument.name.empty()) << schema.full_name();
  }
  EXPECT_GT(seen.size(), 300U);
}

TEST(Registry, ListsTheSpine) {
  std::set<std::string_view> names;
  for (const Schema& schema : registry()) names.insert(schema.name);
  for (const char* op : {"add",         "sub",         "rsub",
                         "mul",         "div",         "neg",
                         "abs",         "reciprocal",  "sqrt",
                         "rsqrt",       "square",      "pow",
                         "exp",         "log",         "sin",
                         "cos",         "tanh",        "sigmoid",
                         "relu",        "gelu",        "maximum",
                         "minimum",     "clamp",       "where",
                         "eq",          "ne",          "lt",
                         "le",          "gt",          "ge",
                         "logical_not", "logical_and", "logical_or",
                         "conj",        "real",        "imag",
                         "fill_",       "copy_",       "to",
                         "addcmul",     "addcdiv",     "lerp",
                         "sum",         "mean",        "max",
                         "amax",        "argmax",      "softmax",
                         "log_softmax", "nll_loss",    "cross_entropy_loss",
                         "mm",          "addmm",       "matmul",
                         "view",        "reshape",     "permute",
                         "transpose",   "t",           "expand",
                         "select",      "slice",       "narrow",
                         "squeeze",     "unsqueeze",   "flatten",
                         "contiguous",  "mul_",        "zeros",
                         "arange"}) {
    EXPECT_TRUE(names.contains(op)) << op;
  }
}

TEST(Registry, SchemasSayWhatAnOpIs) {
  int found = 0;
  for (const Schema& schema : registry()) {
    const std::string name = schema.full_name();
    found += name == "expand" || name == "mul_.Tensor" || name == "mul.out" || name == "eq.Tensor" ? 1 : 0;
    if (schema.full_name() == "expand") {
      EXPECT_TRUE(schema.is_view && schema.differentiable && !schema.is_inplace);
      EXPECT_EQ(schema.to_string(), "expand(Tensor self, int[] size, *, bool implicit=False) -> Tensor");
    }
    if (schema.full_name() == "mul_.Tensor") {
      EXPECT_TRUE(schema.is_inplace && schema.differentiable);
    }
    if (schema.full_name() == "mul.out") {
      EXPECT_TRUE(schema.is_out && !schema.differentiable);
    }
    if (schema.name == "eq") {
      EXPECT_FALSE(schema.differentiable);
    }
  }
  EXPECT_EQ(found, 4);
}

TEST(Call, PicksTheOverloadByTheArguments) {
  const Tensor x = leaf(), y = leaf();
  EXPECT_EQ(node_of(call("mul", {x, y})), "MulBackward0");
  EXPECT_EQ(node_of(call("mul", {x, 3})), "MulBackward0");
  EXPECT_EQ(node_of(call("mul.Scalar", {x, 3})), "MulBackward1");
  EXPECT_EQ(node_of(call("add", {x, 2.5})), "AddBackward0");
  EXPECT_EQ(node_of(call("add.Scalar", {x, 2.5})), "AddBackward1");
  EXPECT_EQ(node_of(call("pow", {x, 2})), "PowBackward0");
  EXPECT_EQ(node_of(call("pow", {x, y})), "PowBackward1");
  EXPECT_EQ(node_of(call("pow", {2, x})), "PowBackward2");
  EXPECT_EQ(node_of(call("sum", {x})), "SumBackward0");
  EXPECT_EQ(node_of(call("sum", {x, {0, 1}})), "SumBackward1");
  EXPECT_EQ(node_of(call("mean", {x})), "MeanBackward0");
  EXPECT_EQ(node_of(call("mean", {x, 1})), "MeanBackward1");
  EXPECT_EQ(node_of(call("max", {x, 0})), "MaxBackward0");
  EXPECT_EQ(node_of(call("max", {x})), "MaxBackward1");
  EXPECT_EQ(call("max", {x, 0}).size(), 2U);
  EXPECT_EQ(node_of(call("max", {x, y})), "MaximumBackward0");
  EXPECT_EQ(node_of(call("squeeze", {x})), "SqueezeBackward0");
  EXPECT_EQ(node_of(call("squeeze", {x, 0})), "SqueezeBackward1");
}

TEST(Call, TheConstantOfAProductHasAnEmptyEdge) {
  const Tensor x = leaf();
  const Tensor product = call("mul", {x, 3})[0];
  const auto& edges = product.grad_fn()->next_edges();
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].function->name(), "AccumulateGrad");
  EXPECT_FALSE(edges[1].is_valid());
}

TEST(Call, NumbersDoNotPromoteBeyondTheirCategory) {
  EXPECT_EQ(call("mul", {ones({2}, kHalf), 2.5})[0].scalar_type(), kHalf);
  EXPECT_EQ(call("mul", {ones({2}, kInt), 2.5})[0].scalar_type(), kFloat);
  EXPECT_EQ(call("mul", {ones({2}, kFloat), std::complex<double>(0, 1)})[0].scalar_type(), kComplexFloat);
}

TEST(Call, ArgumentsByNameAndDefaults) {
  const Tensor x = rand({2, 3});
  EXPECT_TRUE(call("sum", {x}, {{"dim", 1}, {"keepdim", true}})[0].equal(x.sum(1, true)));
  EXPECT_TRUE(call("add", {x, x}, {{"alpha", 2}})[0].equal(x.add(x, 2)));
  EXPECT_EQ(call("sum", {x}, {{"dtype", kDouble}})[0].scalar_type(), kDouble);
  EXPECT_TRUE(call("gelu", {x})[0].equal(gelu(x)));
  EXPECT_TRUE(call("gelu", {x}, {{"approximate", "tanh"}})[0].equal(gelu(x, "tanh")));
  EXPECT_TRUE(call("clamp", {x, std::nullopt, 0.5})[0].equal(x.clamp(std::nullopt, 0.5)));
  EXPECT_TRUE(call("slice", {x, 1, 0, 2})[0].equal(x.slice(1, 0, 2)));
  EXPECT_TRUE(call("div", {x, 0.3}, {{"rounding_mode", "floor"}})[0].equal(x.div(0.3, "floor")));
  EXPECT_TRUE(call("cat", {std::vector<Tensor>{x, x}, 1})[0].equal(cat({x, x}, 1)));
}

TEST(Call, InPlaceAndOut) {
  const Tensor x = ones({2}), out = zeros({2});
  EXPECT_TRUE(call("mul_", {x, 3})[0].is_same(x));
  EXPECT_EQ(x[1].item<float>(), 3);
  EXPECT_TRUE(call("add", {x, x}, {{"out", out}})[0].is_same(out));
  EXPECT_EQ(out[0].item<float>(), 6);
  call("mul.out", {x, x}, {{"out", out}});
  EXPECT_EQ(out[0].item<float>(), 9);
  call("mul_out", {x, 2}, {{"out", out}});
  EXPECT_EQ(out[0].item<float>(), 6);
}

TEST(Call, Factories) {
  EXPECT_EQ(call("zeros", {{2, 3}})[0].sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(call("arange", {5})[0].scalar_type(), kLong);
  EXPECT_EQ(call("arange", {1, 5, 2})[0].numel(), 2);
  EXPECT_TRUE(call("ones", {3}, {{"dtype", kDouble}, {"requires_grad", true}})[0].requires_grad());
}

TEST(Call, ErrorsNameTheOpAndTheArgument) {
  const Tensor x = rand({2});
  EXPECT_THAT(Call([&] {
                call("mull", {x, x});
              }),
              ThrowsMessage<ValueError>(AllOf(HasSubstr("no op \"mull\""), HasSubstr("did you mean mul"))));
  EXPECT_THAT(Call([&] { call("mul.Tenser", {x, x}); }), ThrowsMessage<ValueError>(HasSubstr("mul.Tensor")));
  EXPECT_THAT(Call([&] { call("tanh", {"x"}); }),
              ThrowsMessage<ValueError>(
                  AllOf(HasSubstr("tanh"), HasSubstr("'self' (position 0): expected Tensor, found str"))));
  EXPECT_THAT(Call([&] { call("tanh", {}); }),
              ThrowsMessage<ValueError>(HasSubstr("'self' (Tensor) is missing")));
  EXPECT_THAT(Call([&] {
                call("tanh", {x, x});
              }),
              ThrowsMessage<ValueError>(HasSubstr("at most 1 positional")));
  EXPECT_THAT(Call([&] {
                call("tanh", {x}, {{"dim", 0}});
              }),
              ThrowsMessage<ValueError>(HasSubstr("has no argument 'dim'")));
  EXPECT_THAT(Call([&] {
                call("add", {x, x}, {{"other", x}});
              }),
              ThrowsMessage<ValueError>(HasSubstr("'other' is given twice")));
  EXPECT_THAT(Call([&] {
                call("pow", {x, "two"});
              }),
              ThrowsMessage<ValueError>(AllOf(HasSubstr("(Tensor, str)"),
                                              HasSubstr("pow.Tensor_Scalar(Tensor self, Scalar exponent)"))));
  EXPECT_THAT(Call([&] {
                call("maximum", {x, 2});
              }),
              ThrowsMessage<ValueError>(HasSubstr("expected Tensor, found int")));
}

TEST(OutForms, AreNotDifferentiable) {
  Tensor out = zeros({2});
  const Tensor x = leaf({2});
  EXPECT_THAT(Call([&] { add_out(out, x, x); }), ThrowsMessage<AutogradError>(HasSubstr("add")));
  const NoGradGuard guard;
  add_out(out, x, x);
  EXPECT_TRUE(out.equal(x + x));
}

TEST(OutForms, AreResizedButKeepTheirDtype) {
  Tensor out = zeros({5}, kDouble);
  add_out(out, ones({2, 2}), ones({2, 2}));
  EXPECT_EQ(out.sizes(), IntArrayRef({2, 2}));
  EXPECT_EQ(out.scalar_type(), kDouble);
  Tensor integers = zeros({2}, kInt);
  EXPECT_THROW(add_out(integers, ones({2}), ones({2})), DtypeError);
  EXPECT_THROW(pow_out(integers, ones({2}), 2), DtypeError);
  EXPECT_THROW(mm_out(out, ones({2, 3}), ones({3, 4})),
               DtypeError);  // a product is computed where it is wanted: of its dtype, as in PyTorch
  mm_out(out, ones({2, 3}, kDouble), ones({3, 4}, kDouble));
  EXPECT_EQ(out.sizes(), IntArrayRef({2, 4}));
  sum_out(out, ones({2, 3}), 1);
  EXPECT_TRUE(out.equal(full({2}, 3)));
}

TEST(InPlace, KeepsWhatTheFormulaNeeds) {
  const Tensor w = leaf({3});
  const Tensor before = w.detach().clone();
  Tensor y = w * 1;
  const Tensor factor = leaf({3});
  y.mul_(factor);
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  y.sum().backward();
  EXPECT_TRUE(factor.grad().equal(before));
  EXPECT_TRUE(w.grad().equal(factor.detach()));
}

TEST(InPlace, ComparisonsCutTheGradient) {
  const Tensor w = leaf({3});
  Tensor y = w * 1;
  y.gt_(0);
  EXPECT_EQ(y.grad_fn()->name(), "GtBackward0");
  (y.sum() + w.sum()).backward();
  EXPECT_TRUE(w.grad().equal(ones({3})));
}

TEST(InPlace, ResultMustFit) {
  EXPECT_THROW(ones({2}, kInt).mul_(2.5), DtypeError);
  EXPECT_THROW(ones({2}, kInt).pow_(0.5), DtypeError);
  EXPECT_THROW(ones({2}).add_(ones({3, 2})), ShapeError);
}

TEST(Checks, FactorsAndBools) {
  const Tensor integers = ones({2}, kInt), flags = ones({2}, kBool);
  EXPECT_THAT(Call([&] { integers.add(integers, 0.5); }),
              ThrowsMessage<DtypeError>(HasSubstr("the floating factor 0.5")));
  EXPECT_THROW(ones({2}).add(ones({2}), std::complex<double>(0, 1)), DtypeError);
  EXPECT_THAT(Call([&] { flags.sub(flags); }), ThrowsMessage<DtypeError>(HasSubstr("logical_xor")));
  EXPECT_THROW(flags.neg(), DtypeError);
  EXPECT_THAT(Call([&] { integers.remainder(zeros({2}, kInt)); }),
              ThrowsMessage<ValueError>(HasSubstr("divided by zero")));
  EXPECT_THROW(integers.div(0, "floor"), ValueError);
  EXPECT_THAT(Call([&] { integers.pow(-1); }), ThrowsMessage<ValueError>(HasSubstr("The power is -1")));
  EXPECT_THROW(ones({2}).div(ones({2}), "up"), ValueError);
  EXPECT_THROW(gelu(ones({2}), "sigmoid"), ValueError);
  EXPECT_THROW(clamp(ones({2}), std::optional<Scalar>(), std::nullopt), ValueError);
  EXPECT_THROW(lerp(ones({2}), ones({2}, kDouble), 0.5), DtypeError);
  EXPECT_THROW(lerp(ones({2}), ones({2}), Scalar(std::complex<double>(0, 1))), ValueError);
  EXPECT_THROW(addcdiv(integers, integers, integers), DtypeError);
}

}  // namespace
}  // namespace lanewise
