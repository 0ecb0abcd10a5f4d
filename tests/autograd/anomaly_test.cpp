#include <lanewise/autograd/anomaly_mode.h>
#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/hooks.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

TEST(Anomaly, SaysWhereTheForwardWas) {
  const DetectAnomalyGuard guard;
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const Tensor z = y * y;
  y.add_(1);
  WarningCapture warnings;
  EXPECT_THAT(Call([&] { z.sum().backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("modified by an inplace operation")));
  ASSERT_THAT(warnings.messages(), SizeIs(1));
  EXPECT_THAT(
      warnings.messages()[0],
      AllOf(HasSubstr("Error detected in MulBackward0. Traceback of forward call that caused the error:"),
            HasSubstr("#1 "), HasSubstr("autograd_test")));
}

/// The derivative of x^1.5 at 0 is 0, that of the derivative is not a number times 0.
void second_derivative_is_nan() {
  const Tensor x = leaf({0.0});
  const Tensor first = grad({x.pow(1.5)}, {x}, {}, true, /*create_graph=*/true)[0];
  grad({first}, {x}, {constant({0.0})});
}

TEST(Anomaly, NanIsAnError) {
  EXPECT_NO_THROW(second_derivative_is_nan());
  const DetectAnomalyGuard guard;
  WarningCapture warnings;
  EXPECT_THAT(Call([] { second_derivative_is_nan(); }),
              ThrowsMessage<AutogradError>(
                  AllOf(HasSubstr("Function 'PowBackward0' returned nan values in its 0th output."))));
  ASSERT_THAT(warnings.messages(), SizeIs(2));
  EXPECT_THAT(warnings.messages()[0], HasSubstr("Traceback of forward call that caused the error"));
  EXPECT_THAT(
      warnings.messages()[1],
      HasSubstr("Previous calculation was induced by PowBackward0. Traceback of forward call that induced"));
  {
    const DetectAnomalyGuard without(/*check_nan=*/false);
    EXPECT_FALSE(AnomalyMode::should_check_nan());
    EXPECT_NO_THROW(second_derivative_is_nan());
  }
  EXPECT_TRUE(AnomalyMode::should_check_nan());
}

TEST(Anomaly, NodesOutsideOfItHaveNoStack) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * x;
  EXPECT_EQ(y.grad_fn()->hooks(), nullptr);
  x.detach().add_(1);
  WarningCapture warnings;
  const DetectAnomalyGuard guard;
  EXPECT_THROW(y.sum().backward(), AutogradError);
  ASSERT_THAT(warnings.messages(), SizeIs(1));
  EXPECT_THAT(warnings.messages()[0], HasSubstr("enable anomaly mode during the forward too"));
}

TEST(Anomaly, ParentIsTheNodeOfTheBackward) {
  const DetectAnomalyGuard guard;
  const Tensor x = leaf({2.0});
  const Tensor y = x * x;
  const Tensor first = grad({y}, {x}, {}, std::nullopt, true)[0];
  const Node* inner = first.grad_fn().get();
  EXPECT_EQ(inner->name(),
            "AddBackward0");  // the engine's sum of both factors' gradients: no node was running
  const std::shared_ptr<Node> mul = inner->next_edge(0).function;
  EXPECT_EQ(mul->metadata()->parent(), y.grad_fn());
}

TEST(Warnings, GradOfAResult) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * 2;
  {
    WarningCapture warnings;
    EXPECT_FALSE(y.grad().defined());
    ASSERT_THAT(warnings.messages(), SizeIs(1));
    EXPECT_THAT(warnings.messages()[0], HasSubstr("is not a leaf"));
  }
  WarningCapture warnings;
  y.retain_grad();
  EXPECT_FALSE(y.grad().defined());
  EXPECT_FALSE(x.grad().defined());
  EXPECT_THAT(warnings.messages(), SizeIs(0));
}

TEST(Warnings, CycleOfCreateGraph) {
  const WarningUtils::WarnAlways always;
  const Tensor x = leaf({2.0});
  WarningCapture warnings;
  (x * x).backward({}, std::nullopt, true);
  ASSERT_THAT(warnings.messages(), SizeIs(1));
  EXPECT_THAT(warnings.messages()[0], HasSubstr("Using backward() with create_graph=True"));
  x.mutable_grad() = Tensor();
}

}  // namespace
}  // namespace lanewise::autograd
