#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/saved_tensor_hooks.h>
#include <lanewise/autograd/saved_variable.h>
#include <lanewise/generated/nodes.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::any keep(const Tensor& t) { return t; }
Tensor give(const std::any& packed) { return std::any_cast<Tensor>(packed); }

TEST(SavedTensorHooks, PackAndUnpack) {
  const Tensor x = leaf({2, 3});
  int packed = 0, unpacked = 0;
  Tensor y;
  {
    const SavedTensorHooks guard(
        [&](const Tensor& t) {
          ++packed;
          EXPECT_FALSE(GradMode::is_enabled());
          EXPECT_FALSE(t.requires_grad());
          return std::any(t * 10);
        },
        [&](const std::any& p) {
          ++unpacked;
          return std::any_cast<Tensor>(p);
        });
    y = x * x;
  }
  EXPECT_EQ(packed, 2);
  EXPECT_EQ(unpacked, 0);
  (y * x).sum();
  EXPECT_EQ(packed, 2);
  y.sum().backward();  // outside of the scope
  EXPECT_EQ(unpacked, 2);
  EXPECT_VALUES(x.grad(), 40, 60);
  EXPECT_THAT(Call([&] { y.sum().backward(); }), ThrowsMessage<AutogradError>(HasSubstr("second time")));
}

TEST(SavedTensorHooks, ResultsAndInnermostGuard) {
  const Tensor x = leaf({0.5});
  std::string order;
  const SavedTensorHooks outer(
      [&](const Tensor& t) {
        order += "o";
        return keep(t);
      },
      give);
  Tensor y;
  {
    const SavedTensorHooks inner(
        [&](const Tensor& t) {
          order += "i";
          return keep(t);
        },
        give);
    y = x.tanh();
  }
  const Tensor z = y.exp();
  EXPECT_EQ(order, "io");
  const Tensor first = grad({z}, {x}, {}, std::nullopt, /*create_graph=*/true)[0];
  const double t = std::tanh(0.5), slope = 1 - t * t, e = std::exp(t);
  EXPECT_NEAR(first.item<double>(), e * slope, 1e-14);
  EXPECT_NEAR(grad({first}, {x})[0].item<double>(), e * slope * slope - 2 * t * slope * e, 1e-14);
}

TEST(SavedTensorHooks, SecondDerivativesReachTheOriginals) {
  const Tensor x = leaf({2, 3});
  Tensor y;
  {
    const SavedTensorHooks guard(keep, [](const std::any& p) { return std::any_cast<Tensor>(p).clone(); });
    y = (x * x * x).sum();
  }
  const Tensor first = grad({y}, {x}, {}, std::nullopt, true)[0];
  EXPECT_VALUES(first, 12, 27);
  first.sum().backward();
  EXPECT_VALUES(x.grad(), 12, 18);
}

TEST(SavedTensorHooks, NodesAreFreed) {
  std::weak_ptr<Node> node;
  {
    const SavedTensorHooks guard(keep, give);
    const Tensor y = leaf({0.5}).tanh();
    node = y.grad_fn();
  }
  EXPECT_TRUE(node.expired());
}

TEST(SavedTensorHooks, PackHookMustNotModify) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * 1;
  const SavedTensorHooks guard(
      [](const Tensor& t) {
        Tensor same = t;
        same.add_(1);
        return std::any(same);
      },
      give);
  EXPECT_THAT(Call([&] { y* y; }),
              ThrowsMessage<AutogradError>(HasSubstr("pack hook is modifying its input in place")));
}

TEST(SavedTensorHooks, VersionsAreNotCheckedBehindThem) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * 1;
  Tensor z;
  {
    const SavedTensorHooks guard([](const Tensor& t) { return std::any(t.clone()); }, give);
    z = y * y;
  }
  y.mul_(10);
  z.backward();
  EXPECT_VALUES(x.grad(), 4);
}

TEST(SavedTensorHooks, Disabled) {
  {
    const DisableSavedTensorHooks off("not in this function");
    EXPECT_THAT(Call([] { SavedTensorHooks(keep, give); }),
                ThrowsMessage<AutogradError>(HasSubstr("not in this function")));
  }
  const SavedTensorHooks guard(keep, give);
  EXPECT_THROW(DisableSavedTensorHooks("too late"), AutogradError);
}

/// Counts, and gives back a multiple.
struct Scaled : SavedVariableHooks {
  explicit Scaled(double by) : factor(by) {}
  double factor;
  Tensor packed;
  void call_pack_hook(const Tensor& t) override { packed = t.clone(); }
  Tensor call_unpack_hook() override { return packed * factor; }
};

TEST(SavedTensorHooks, OfOneSavedVariable) {
  const Tensor x = leaf({2.0}), w = leaf({3.0});
  const Tensor y = x * w;
  auto& node = dynamic_cast<generated::MulBackward0&>(*y.grad_fn());
  node.other_.register_hooks(std::make_unique<Scaled>(100));
  EXPECT_THAT(Call([&] { node.other_.register_hooks(std::make_unique<Scaled>(1)); }),
              ThrowsMessage<AutogradError>(HasSubstr("hooks have already been set")));
  y.backward();
  EXPECT_VALUES(x.grad(), 300);
  EXPECT_VALUES(w.grad(), 2);
  EXPECT_THAT(Call([&] { node.self_.register_hooks(std::make_unique<Scaled>(1)); }),
              ThrowsMessage<AutogradError>(HasSubstr("after it has been freed")));
  SavedVariable nothing;
  EXPECT_THAT(Call([&] { nothing.register_hooks(std::make_unique<Scaled>(1)); }),
              ThrowsMessage<AutogradError>(HasSubstr("with value None")));
}

struct Square : Function<Square> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * 2 * ctx->get_saved_variables()[0]};
  }
};

TEST(SavedTensorHooks, OfCustomFunctions) {
  const Tensor x = leaf({2.0});
  int packed = 0;
  const SavedTensorHooks guard(
      [&](const Tensor& t) {
        ++packed;
        return std::any(t * 3);
      },
      give);
  Square::apply(x).backward();
  EXPECT_EQ(packed, 1);
  EXPECT_VALUES(x.grad(), 12);
}

}  // namespace
}  // namespace lanewise::autograd
