// First and second derivatives of every differentiable op of the registry, by finite differences, with
// doubles and where the op takes them with complex numbers; and the in-place forms against the functions.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gradients/cases.h"

namespace lanewise {
namespace {

using namespace lanewise::testing;
using autograd::variable_list;

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    for (const auto topic : {unary_cases, binary_cases, ternary_cases, view_cases, reduction_cases,
                             pointwise_cases, activation_cases, loss_cases, more_reduction_cases,
                             normalization_cases, indexing_cases, rearranging_cases, linalg_cases}) {
      const std::vector<Case> part = topic();
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

bool is_leaf(const Tensor& t) { return t.defined() && t.requires_grad(); }

/// The leaves among the arguments.
variable_list leaves_of(const Args& args) {
  variable_list leaves;
  for (const Value& value : args) {
    if (const auto* t = value.get_if<Tensor>(); t != nullptr && t->requires_grad()) leaves.push_back(*t);
    if (const auto* list = value.get_if<std::vector<Tensor>>()) {
      std::copy_if(list->begin(), list->end(), std::back_inserter(leaves), is_leaf);
    }
  }
  return leaves;
}

/// The arguments with other tensors for the leaves.
Args with_leaves(Args args, const variable_list& leaves) {
  std::size_t next = 0;
  for (Value& value : args) {
    if (const auto* t = value.get_if<Tensor>(); t != nullptr && t->requires_grad()) {
      value = leaves[next++];
    } else if (const auto* list = value.get_if<std::vector<Tensor>>()) {
      std::vector<Tensor> replaced;
      for (const Tensor& item : *list) replaced.push_back(is_leaf(item) ? leaves[next++] : item);
      value = replaced;
    }
  }
  return args;
}

/// The tangents of the results along a fixed direction of all leaves.
variable_list tangents_of(const autograd::GradcheckFunction& run, const variable_list& leaves) {
  const autograd::forward_ad::dual_level level;
  variable_list duals, tangents;
  for (const Tensor& leaf : leaves) {
    const Tensor direction =
        linspace(-0.7, 0.9, leaf.numel(), kDouble).reshape(leaf.sizes()).to(leaf.scalar_type());
    duals.push_back(autograd::forward_ad::make_dual(leaf, direction));
  }
  for (const Tensor& result : run(duals)) {
    const Tensor tangent = autograd::forward_ad::unpack_dual(result).tangent;
    tangents.push_back(tangent.defined() ? tangent : zeros_like(result));
  }
  return tangents;
}

class OpGradients : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { manual_seed(1234); }
};

TEST_P(OpGradients, FiniteDifferences) {
  const Case& test = cases()[GetParam()];
  for (const ScalarType dtype : {kDouble, kComplexDouble}) {
    if (dtype == kComplexDouble && !test.complex) continue;
    SCOPED_TRACE(test.op + " " + toString(dtype));
    const Args args = test.args(dtype);
    const auto run = [&](const variable_list& leaves) {
      variable_list differentiable;
      for (Tensor& t : call(test.op, with_leaves(args, leaves), test.kwargs)) {
        // The buffer, and statistics, which have no derivative of their own.
        const bool several = test.op == "log_sigmoid_forward" ||
                             (test.op.starts_with("native_") && test.op.ends_with("_norm"));
        if (several && !differentiable.empty()) continue;
        if (isFloatingType(t.scalar_type()) || t.is_complex()) differentiable.push_back(std::move(t));
      }
      return differentiable;
    };
    const variable_list leaves = leaves_of(args);
    ASSERT_FALSE(leaves.empty());
    EXPECT_NO_THROW(autograd::gradcheck(run, leaves, {.check_forward_ad = true}));
    if (test.second) {
      EXPECT_NO_THROW(autograd::gradgradcheck(run, leaves, {}, {.check_forward_ad = true}));
      EXPECT_NO_THROW(
          autograd::gradcheck([&](const variable_list& l) { return tangents_of(run, l); }, leaves));
    }
  }
}

// In place and out of place have the same tangents.
void expect_same_tangents(const Case& test, const std::string& inplace, const variable_list& leaves) {
  const auto run = [&](bool in_place) {
    return tangents_of(
        [&](const variable_list& duals) {
          variable_list inputs = duals;
          if (in_place) inputs[0] = duals[0].clone();
          return call(in_place ? inplace : test.op, with_leaves(test.args(kDouble), inputs), test.kwargs);
        },
        leaves);
  };
  manual_seed(99);
  const variable_list wanted = run(false);
  manual_seed(99);
  const variable_list found = run(true);
  EXPECT_TRUE(allclose(wanted[0], found[0], 1e-12, 1e-12)) << test.op;
}

/// vmap of the op against the op of each slice, with gradients.
TEST_P(OpGradients, UnderVmap) {
  const Case& test = cases()[GetParam()];
  if (test.op.starts_with("as_strided")) GTEST_SKIP() << "looks at the memory behind the slices";
  const Args args = test.args(kDouble);
  // The slices of view_as_complex must be dense.
  const std::int64_t dim = test.op == "view_as_complex" ? 0 : -1;
  const auto run = [&](const variable_list& leaves) {
    variable_list differentiable;
    for (Tensor& t : call(test.op, with_leaves(args, leaves), test.kwargs)) {
      if (isFloatingType(t.scalar_type()) || t.is_complex()) differentiable.push_back(std::move(t));
    }
    return differentiable;
  };
  variable_list batches;
  for (const Tensor& leaf : leaves_of(args)) {
    const Tensor values = leaf.detach();
    batches.push_back(stack({values, values * 0.9, values * 0.8}, dim).requires_grad_());
  }
  variable_list mapped;
  try {
    mapped = func::vmap(run, std::vector<std::optional<std::int64_t>>(batches.size(), dim))(batches);
  } catch (const NotImplementedError& error) {
    GTEST_SKIP() << error.what();  // a view without a rule
  }
  std::vector<variable_list> slices(mapped.size());
  for (std::int64_t b = 0; b < 3; ++b) {
    variable_list inputs;
    for (const Tensor& batch : batches) inputs.push_back(batch.select(dim, b));
    const variable_list results = run(inputs);
    for (std::size_t o = 0; o < results.size(); ++o) slices[o].push_back(results[o]);
  }
  for (std::size_t o = 0; o < mapped.size(); ++o) {
    const Tensor wanted = stack(slices[o]);
    ASSERT_EQ(mapped[o].sizes(), wanted.sizes()) << test.op;
    ASSERT_EQ(mapped[o].scalar_type(), wanted.scalar_type()) << test.op;
    EXPECT_TRUE(allclose(mapped[o], wanted, 1e-10, 1e-12)) << test.op;
    if (!wanted.requires_grad()) continue;
    const auto gradients = [&](const Tensor& result) {
      // Results may share a node.
      return autograd::grad({(result * result.detach()).abs().sum()}, batches, {}, true, false, true);
    };
    const variable_list found = gradients(mapped[o]), expected = gradients(wanted);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      ASSERT_EQ(found[i].defined(), expected[i].defined()) << test.op << " " << i;
      if (found[i].defined()) {
        EXPECT_TRUE(allclose(found[i], expected[i], 1e-10, 1e-12)) << test.op << " " << i;
      }
    }
  }
}

/// "mul_.Tensor" of "mul.Tensor".
std::string inplace_name(const std::string& op) {
  const std::size_t dot = op.find('.');
  return op.substr(0, dot) + "_" + (dot == std::string::npos ? "" : op.substr(dot));
}

/// The cases whose op has an in-place form.
std::vector<std::size_t> inplace_cases() {
  std::vector<std::size_t> with_form;
  const auto schemas = registry();
  for (std::size_t i = 0; i < cases().size(); ++i) {
    const std::string name = inplace_name(cases()[i].op);
    // The one takes its arguments in another order, the others have no derivative by self (tests/golden has theirs).
    if (name == "polygamma_" || name == "igamma_" || name == "igammac_") continue;
    if (std::none_of(schemas.begin(), schemas.end(), [&](const Schema& s) { return s.full_name() == name; }))
      continue;
    // In place nothing broadcasts self.
    const Args args = cases()[i].args(kDouble);
    if (call(cases()[i].op, args, cases()[i].kwargs)[0].is_same_size(std::get<Tensor>(args[0].content())))
      with_form.push_back(i);
  }
  return with_form;
}

class InPlaceGradients : public OpGradients {};

TEST_P(InPlaceGradients, AreThoseOfTheFunction) {
  const Case& test = cases()[GetParam()];
  const std::string inplace = inplace_name(test.op);
  const Args args = test.args(kDouble);
  const variable_list leaves = leaves_of(args);
  const auto gradients = [&](bool in_place) {
    variable_list inputs = leaves;
    if (in_place) inputs[0] = leaves[0] * 1;
    const auto result = call(in_place ? inplace : test.op, with_leaves(args, inputs), test.kwargs);
    if (in_place) {
      EXPECT_TRUE(result[0].is_same(inputs[0]));
    }
    return autograd::grad({(result[0] * result[0].detach()).sum()}, leaves, {}, false, false, true);
  };
  expect_same_tangents(test, inplace, leaves);
  const auto wanted = gradients(false), found = gradients(true);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    ASSERT_EQ(wanted[i].defined(), found[i].defined());
    if (wanted[i].defined()) {
      EXPECT_TRUE(allclose(wanted[i], found[i], 1e-12, 1e-12)) << test.op << " " << i;
    }
  }
}

std::string case_name(const ::testing::TestParamInfo<std::size_t>& info_of_case) {
  std::string name = cases()[info_of_case.param].op + "_" + std::to_string(info_of_case.param);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Op, OpGradients, ::testing::Range<std::size_t>(0, cases().size()), case_name);
INSTANTIATE_TEST_SUITE_P(Op, InPlaceGradients, ::testing::ValuesIn(inplace_cases()), case_name);

/// d (g . w) / d x, with g the gradient of the sum of f(x).
Tensor second_derivative(const Tensor& x, const std::function<Tensor(const Tensor&)>& f, const Tensor& w) {
  const Tensor g = autograd::grad({f(x).sum()}, {x}, {}, true, true)[0];
  return autograd::grad({g}, {x}, {w})[0];
}

TEST(SecondDerivatives, AreFiniteAtZeros) {
  const Tensor x = zeros({3}, kDouble).requires_grad_();
  const Tensor w = arange(1, 4, kDouble);
  for (const double p : {2.0, 3.0, 3.5}) {
    const auto norm = [p](const Tensor& t) { return linalg_vector_norm(t, p); };
    EXPECT_TRUE(second_derivative(x, norm, w).equal(zeros({3}, kDouble))) << p;
  }
  const auto elu_of = [](const Tensor& t) { return elu(t, 0.7); };
  EXPECT_TRUE(second_derivative(x, elu_of, w).equal(zeros({3}, kDouble)));

  // One product of 0, 2 and 3: the derivative by the zero is that of the others' product, 6.
  const Tensor factors = tensor({0.0, 2.0, 3.0}, kDouble).requires_grad_();
  const auto product = [](const Tensor& t) {
    return ones({1}, kDouble).scatter_reduce(0, zeros({3}, kLong), t, "prod");
  };
  EXPECT_TRUE(second_derivative(factors, product, tensor({1.0, 0.0, 0.0}, kDouble))
                  .equal(tensor({0.0, 3.0, 2.0}, kDouble)));
}

TEST(SecondDerivatives, OfPowersOfZeroByTheGradient) {
  const Tensor x = zeros({4}, kDouble), e = tensor({0.5, 2., 3., 3.7}, kDouble).requires_grad_();
  const Tensor w = ones({4}, kDouble).requires_grad_();
  const Tensor slope = autograd::grad({(pow(x, e) * w).sum()}, {e}, {}, true, true)[0];
  EXPECT_TRUE(autograd::grad({slope.sum()}, {w})[0].equal(zeros({4}, kDouble)));
}

/// As the vectors of libtorch 1.13 have them, on every lane.
TEST(Gradients, BesideNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto slope = [](auto op, double at) {
    const Tensor x = full({5}, at, kDouble).requires_grad_();
    op(x).sum().backward();
    return x.grad()[4].item<double>();
  };
  EXPECT_TRUE(std::isnan(slope([](const Tensor& x) { return elu(x); }, nan)));
  EXPECT_TRUE(std::isnan(slope([](const Tensor& x) { return selu(x); }, nan)));
  EXPECT_TRUE(std::isnan(slope([](const Tensor& x) { return hardswish(x); }, nan)));
  EXPECT_TRUE(std::isnan(slope([](const Tensor& x) { return smooth_l1_loss(x, zeros_like(x)); }, nan)));
  EXPECT_EQ(slope([](const Tensor& x) { return hardtanh(x); }, nan), 0);
  EXPECT_EQ(slope([](const Tensor& x) { return softshrink(x); }, nan), 0);
  EXPECT_EQ(slope([](const Tensor& x) { return hardswish(x); }, 3), 1);
}

TEST(OpGradientsTable, CoversEveryDifferentiableOp) {
  std::set<std::string> covered;
  for (const Case& test : cases()) covered.insert(test.op);
  for (const Schema& schema : registry()) {
    if (!schema.differentiable || schema.is_inplace || schema.is_out) continue;
    if (schema.name == "isclose") continue;  // its result is bool
    if (schema.name == "bernoulli" || schema.name == "normal" || schema.name == "poisson" ||
        schema.name == "_standard_gamma")
      continue;  // a new draw each time; distributions_test
    EXPECT_TRUE(covered.contains(schema.full_name())) << schema.full_name();
  }
}

// Where finite differences see nothing.
TEST(Gradients, OfI1eAtDenormals) {
  const Tensor x = tensor({1e-40, -1e-39, 0., 1e-30}, kFloat).requires_grad_();
  special_i1e(x).sum().backward();
  EXPECT_TRUE(equal(x.grad(), full({4}, 0.5, kFloat)));
}
TEST(Gradients, OfNoCombinations) {
  const Tensor none = combinations(ones({1}).requires_grad_(), 2);
  EXPECT_EQ(none.sizes(), IntArrayRef({0, 2}));
  EXPECT_TRUE(none.requires_grad());
}

}  // namespace
}  // namespace lanewise
