// Grad mode, inference mode, determinism, and what crosses to other threads.

#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/saved_tensor_hooks.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ForBoth : public ::testing::TestWithParam<bool> {
 protected:
  const bool requires_grad = GetParam();
  Tensor make() const { return ones({1, 2, 3}).set_requires_grad(requires_grad); }
};
INSTANTIATE_TEST_SUITE_P(RequiresGrad, ForBoth, ::testing::Bool());

TEST_P(ForBoth, NoGradMode) {
  const AutoGradMode mode(false);
  Tensor c = make();
  EXPECT_FALSE((c * c).requires_grad());
  EXPECT_TRUE((c * c).is_leaf());
  c.mul_(2);
  EXPECT_EQ(c.requires_grad(), requires_grad);
  const Tensor view = c.view({2, 3});
  EXPECT_EQ(view.requires_grad(), requires_grad);  // as PyTorch: its base does
  EXPECT_TRUE(view.is_leaf());
}

TEST_P(ForBoth, ViewOfNoGradModeOutsideOfIt) {
  Tensor a = make().clone(), view;
  {
    const NoGradGuard guard;
    view = a.view({2, 3});
  }
  const Tensor out = view * view;
  EXPECT_EQ(out.requires_grad(), requires_grad);
  if (!requires_grad) {
    view.mul_(2);
    return;
  }
  out.sum().backward();
  WarningCapture warnings;
  EXPECT_FALSE(view.grad().defined());
  EXPECT_THAT(Call([&] { view.mul_(2); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("A view was created in no_grad mode and is being modified inplace")));
  a.mul_(2);
  EXPECT_THAT(Call([&] { view.grad_fn(); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("its base or another view of its base has been modified inplace")));
}

TEST_P(ForBoth, InsideInferenceMode) {
  const InferenceMode guard;
  EXPECT_FALSE(GradMode::is_enabled());
  Tensor c = make();
  EXPECT_EQ(c.requires_grad(), requires_grad);
  EXPECT_TRUE(c.is_inference());
  EXPECT_TRUE((c * c).is_inference());
  EXPECT_FALSE((c * c).requires_grad());
  c.mul_(2);
  EXPECT_EQ(c.requires_grad(), requires_grad);
  const Tensor view = c.view({2, 3});
  EXPECT_TRUE(view.is_inference());
  EXPECT_FALSE(view.requires_grad());
}

TEST_P(ForBoth, InferenceTensorOutside) {
  Tensor c;
  {
    const InferenceMode guard;
    c = make();
  }
  const Tensor view = c.view({2, 3});
  EXPECT_TRUE(view.is_inference());
  EXPECT_FALSE(view.requires_grad());
  EXPECT_FALSE(view.is_view());
  EXPECT_TRUE(view.is_leaf());
  EXPECT_THAT(Call([&] { c.mul_(2); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("Inplace update to inference tensor outside InferenceMode is not allowed")));
  EXPECT_VALUES(c, 1, 1, 1, 1, 1, 1);
  EXPECT_THROW(c._version(), AutogradError);

  EXPECT_FALSE((c * c).requires_grad());  // inference tensors alone record nothing
  EXPECT_FALSE((c * c).is_inference());

  // add saves nothing, so an inference tensor may take part, and a leaf among them gets a gradient; mul
  // saves.
  const Tensor s = make();
  const Tensor out = c.add(s);
  EXPECT_FALSE(out.is_inference());
  EXPECT_EQ(out.requires_grad(), requires_grad);
  if (requires_grad) {
    out.backward(ones_like(out));
    EXPECT_VALUES(c.grad(), 1, 1, 1, 1, 1, 1);
    EXPECT_THAT(Call([&] { c.mul(s); }),
                ThrowsMessage<AutogradError>(HasSubstr("Inference tensors cannot be saved for backward.")));
    Tensor a = s.clone();
    EXPECT_THAT(Call([&] { a.mul_(c); }),
                ThrowsMessage<AutogradError>(HasSubstr("Inference tensors cannot be saved for backward.")));
    EXPECT_VALUES(a, 1, 1, 1, 1, 1, 1);
    EXPECT_THAT(
        Call([&] { mul_out(c, s, s); }),
        ThrowsMessage<AutogradError>(HasSubstr("out=... arguments don't support automatic differentiation")));
  } else {
    EXPECT_THAT(Call([&] { mul_out(c, s, s); }),
                ThrowsMessage<AutogradError>(
                    HasSubstr("Inplace update to inference tensor outside InferenceMode is not allowed")));
  }
}

TEST_P(ForBoth, NormalTensorModifiedInInferenceMode) {
  Tensor a = make().clone();
  const std::int64_t version = a._version();
  Tensor view, of_view;
  {
    const InferenceMode guard;
    a.mul_(1);
    EXPECT_EQ(a._version(), version + 1);
    EXPECT_FALSE(a.is_inference());
    EXPECT_EQ(a.requires_grad(), requires_grad);
    view = a.view({2, 3});
    of_view = view.view({6});
    for (const Tensor& v : {view, of_view}) {
      EXPECT_FALSE(v.is_inference());
      EXPECT_EQ(v.requires_grad(), requires_grad);
      EXPECT_TRUE(v.is_leaf());
    }
    EXPECT_EQ(a._version(), of_view._version());
  }
  EXPECT_EQ((view * view).requires_grad(), requires_grad);
  if (!requires_grad) {
    view.mul_(2);
    view.grad_fn();
    return;
  }
  EXPECT_THAT(Call([&] { view.mul_(2); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("A view was created in inference mode and is being modified inplace")));
  Tensor again;
  {
    const NoGradGuard guard;
    again = view.view({6});
  }
  EXPECT_THAT(Call([&] { again.mul_(2); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("A view was created in inference mode and is being modified inplace")));
  {
    const InferenceMode guard;
    of_view.mul_(1);
    EXPECT_EQ(a._version(), of_view._version());
  }
  EXPECT_THAT(Call([&] { view.grad_fn(); }),
              ThrowsMessage<AutogradError>(HasSubstr("A view was created in inference mode and its base or "
                                                     "another view of its base has been modified")));
}

TEST(Inference, NestsAndIsNoticedBySavedTensors) {
  EXPECT_FALSE(InferenceMode::is_enabled());
  const Tensor a = leaf({1, 2}).clone();
  const Tensor out = (a * a).sum();
  {
    const InferenceMode guard;
    {
      const InferenceMode off(false);
      EXPECT_FALSE(InferenceMode::is_enabled());
      EXPECT_TRUE(GradMode::is_enabled());
      EXPECT_FALSE(ones({2}).is_inference());
    }
    EXPECT_TRUE(InferenceMode::is_enabled());
    Tensor same = a;
    same.mul_(1);
  }
  EXPECT_THAT(Call([&] { out.backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("modified by an inplace operation")));
}

TEST(Inference, BecomesNormalByClone) {
  Tensor t;
  {
    const InferenceMode guard;
    t = ones({2});
  }
  t.set_requires_grad(false);
  EXPECT_THAT(Call([&] { t.set_requires_grad(true); }),
              ThrowsMessage<AutogradError>(HasSubstr(
                  "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed")));
  EXPECT_TRUE(t.clone().set_requires_grad(true).requires_grad());
}

TEST(Inference, CountsNoVersions) {
  Tensor t;
  {
    const InferenceMode guard;
    t = ones({2});
    t.unsafeGetTensorImpl()->bump_version();
  }
  EXPECT_FALSE(t.unsafeGetTensorImpl()->version_counter().enabled());
  const auto no_versions =
      ThrowsMessage<AutogradError>(HasSubstr("Inference tensors do not track version counter."));
  EXPECT_THAT(Call([&] { t._version(); }), no_versions);
  EXPECT_THAT(Call([&] { t.unsafeGetTensorImpl()->version(); }), no_versions);
  EXPECT_THAT(Call([&] { t.unsafeGetTensorImpl()->version_counter().current_version(); }), no_versions);
  EXPECT_THAT(Call([&] { t.unsafeGetTensorImpl()->bump_version(); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("Inplace update to inference tensor outside InferenceMode is not allowed")));
  const Tensor normal = ones({2});
  const VariableVersion counter = normal.unsafeGetTensorImpl()->version_counter();
  Tensor(normal.view({2})).add_(1);
  EXPECT_EQ(counter.current_version(), 1U);
  counter.bump();
  EXPECT_EQ(normal._version(), 2);
}

TEST(Inference, AStaleViewIsALeafAsLongAsNobodyAsksForItsHistory) {
  const Tensor a = leaf({1, 2});
  Tensor base = a * 1, plain = ones({2}, kDouble), view;
  {
    const InferenceMode guard;
    view = base.view({2, 1}).view({2});
    view.mul_(1);
  }
  base.mul_(2);
  EXPECT_TRUE(view.is_leaf());
  EXPECT_THAT(Call([&] { view.grad_fn(); }), ThrowsMessage<AutogradError>(HasSubstr("inference mode")));
  EXPECT_TRUE(view.is_leaf());

  const Tensor later = plain.view({2});
  plain.mul_(a);
  EXPECT_TRUE(later.is_leaf());
  EXPECT_TRUE(later.requires_grad());
  EXPECT_NE(later.grad_fn(), nullptr);
  EXPECT_FALSE(later.is_leaf());
}

/// Notes the modes that its backward sees.
struct SeesModes : Function<SeesModes> {
  static inline bool grad_mode, inference, multithreading;
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list grads) {
    grad_mode = GradMode::is_enabled();
    inference = InferenceMode::is_enabled();
    multithreading = is_multithreading_enabled();
    return grads;
  }
};

TEST(Modes, OfABackward) {
  const Tensor y = SeesModes::apply(leaf({1.0}));
  {
    const MultithreadingGuard off(false);
    y.backward({}, true);
    EXPECT_FALSE(SeesModes::multithreading);
  }
  EXPECT_FALSE(SeesModes::grad_mode);
  EXPECT_FALSE(SeesModes::inference);
  y.backward({}, true);
  EXPECT_TRUE(SeesModes::multithreading);
  const NoGradGuard guard;
  const Tensor x = leaf({1.0});
  grad({y}, {y}, {}, true);
  y.backward({}, true, /*create_graph=*/true);
  EXPECT_TRUE(SeesModes::grad_mode);
  EXPECT_FALSE(GradMode::is_enabled());
}

/// A backward in a backward, so deep that it goes on in another thread; there the modes are the same.
struct DeepModes : Function<DeepModes> {
  static inline bool same;
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int depth) {
    ctx->saved_data["depth"] = depth;
    return x * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto depth = static_cast<int>(ctx->saved_data["depth"].toInt());
    if (depth == 0) {
      same = !is_multithreading_enabled() && !AutoFwGradMode::is_enabled() &&
             SavedTensorHooksOfThread::innermost() != nullptr;
      return {grads[0], Tensor()};
    }
    const EnableGradGuard guard;
    const Tensor x = leaf({1.0});
    DeepModes::apply(x, depth - 1).backward();
    return {grads[0], Tensor()};
  }
};

TEST(Modes, CrossToTheThreadOfADeepBackward) {
  const MultithreadingGuard off(false);
  const AutoFwGradMode forward_off(false);
  const SavedTensorHooks hooks([](const Tensor& t) { return std::any(t); },
                               [](const std::any& p) { return std::any_cast<Tensor>(p); });
  DeepModes::same = false;
  DeepModes::apply(leaf({1.0}), 200).backward();
  EXPECT_TRUE(DeepModes::same);
}

TEST(Deterministic, AlertsWhereAskedTo) {
  EXPECT_FALSE(is_deterministic());
  EXPECT_NO_THROW(alert_not_deterministic("my_op"));
  set_deterministic(true);
  EXPECT_TRUE(is_deterministic());
  EXPECT_THAT(Call([] { alert_not_deterministic("my_op"); }),
              ThrowsMessage<AutogradError>(HasSubstr("my_op: does not have a deterministic implementation")));
  set_deterministic(true, /*warn_only=*/true);
  {
    WarningCapture warnings;
    alert_not_deterministic("my_op");
    EXPECT_EQ(warnings.messages().size(), 1u);
  }
  set_deterministic(false);
}

}  // namespace
}  // namespace lanewise::autograd
