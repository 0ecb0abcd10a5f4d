#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/gradcheck.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Cube : Function<Cube> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double scale, const Tensor& shift) {
    EXPECT_FALSE(GradMode::is_enabled());
    ctx->save_for_backward({x});
    ctx->saved_data["scale"] = scale;
    return x * x * x * scale + shift;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const double scale = ctx->saved_data["scale"].toDouble();
    return {grads[0] * x * x * (3 * scale), Tensor(), ctx->needs_input_grad(1) ? grads[0] : Tensor()};
  }
};

TEST(Function, ForwardAndBackward) {
  const Tensor x = leaf({1, 2}), shift = leaf({10, 20});
  const Tensor y = Cube::apply(x, 2.0, shift);
  EXPECT_EQ(y.grad_fn()->name(), "CubeBackward");
  EXPECT_EQ(y.grad_fn()->next_edges().size(), 2u);
  EXPECT_VALUES(y, 12, 36);
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 6, 24);
  EXPECT_VALUES(shift.grad(), 1, 1);
  EXPECT_THAT(Call([&] { y.sum().backward(); }), ThrowsMessage<AutogradError>(HasSubstr("second time")));
}

TEST(Function, WithoutGradientsRecordsNothing) {
  EXPECT_FALSE(Cube::apply(constant({1}), 2.0, constant({0})).requires_grad());
  const NoGradGuard guard;
  EXPECT_FALSE(Cube::apply(leaf({1.0}), 2.0, constant({0})).requires_grad());
}

TEST(Function, IsDifferentiableTwice) {
  const Tensor x = leaf({1, -2}), shift = leaf({0.5, 1.0});
  const auto fn = [](const variable_list& in) { return variable_list{Cube::apply(in[0], 2.0, in[1])}; };
  EXPECT_TRUE(gradcheck(fn, {x, shift}));
  EXPECT_TRUE(gradgradcheck(fn, {x, shift}));
}

TEST(Function, SavedTensorsAreChecked) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  const Tensor out = Cube::apply(y, 1.0, constant({0, 0}));
  y.add_(1);
  EXPECT_THAT(Call([&] { out.sum().backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("modified by an inplace operation")));
}

/// Saves its own result.
struct Exp : Function<Exp> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = x.exp();
    ctx->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0]};
  }
};

TEST(Function, SavedOutputMakesNoCycle) {
  const Tensor x = leaf({0.5, -1.0});
  std::weak_ptr<Node> node;
  {
    const Tensor y = Exp::apply(x);
    node = y.grad_fn();
  }
  EXPECT_TRUE(node.expired());
  EXPECT_TRUE(gradgradcheck([](const variable_list& in) { return variable_list{Exp::apply(in[0])}; }, {x}));
}

/// Two outputs, of which one may stay unused; counts what arrives.
struct Split : Function<Split> {
  static inline int undefined = 0;
  static variable_list forward(AutogradContext* ctx, const Tensor& x, bool materialize) {
    ctx->set_materialize_grads(materialize);
    const Tensor index = x > 0;
    const Tensor second = x * 3;
    ctx->mark_non_differentiable({second});
    return {x * 2, second, x * 5, index};
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    undefined = 0;
    Tensor sum;
    for (std::size_t i : {0, 2}) {
      if (!grads[i].defined()) {
        ++undefined;
        continue;
      }
      const Tensor part = grads[i] * (i == 0 ? 2 : 5);
      sum = sum.defined() ? sum + part : part;
    }
    return {sum, Tensor()};
  }
};

TEST(Function, OutputsUnusedOrNotDifferentiable) {
  const Tensor x = leaf({1, -2});
  const variable_list out = Split::apply(x, false);
  EXPECT_TRUE(out[0].requires_grad());
  EXPECT_FALSE(out[1].requires_grad());
  EXPECT_FALSE(out[3].requires_grad());
  EXPECT_EQ(out[2].output_nr(), 2u);
  out[2].sum().backward();
  EXPECT_EQ(Split::undefined, 1);
  EXPECT_VALUES(x.grad(), 5, 5);
  Split::apply(x, true)[0].sum().backward();
  EXPECT_EQ(Split::undefined, 0);
  EXPECT_VALUES(x.grad(), 7, 7);
}

struct DoubleInPlace : Function<DoubleInPlace> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0] * 2}; }
};

TEST(Function, DirtyInputs) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  y.retain_grad();
  y.sum().backward({}, true);
  const Tensor z = DoubleInPlace::apply(y);
  EXPECT_FALSE(y.grad().defined()) << "it was that of another value";
  x.mutable_grad() = Tensor();
  EXPECT_TRUE(z.is_same(y));
  EXPECT_EQ(y.grad_fn()->name(), "DoubleInPlaceBackward");
  z.sum().backward();
  EXPECT_VALUES(x.grad(), 6, 6);
  EXPECT_THAT(Call([&] { DoubleInPlace::apply(leaf({1.0})); }),
              ThrowsMessage<AutogradError>(HasSubstr("leaf Variable that requires grad")));
  const Tensor u = x * 3;
  const Tensor row = u.slice(0, 0, 1);
  DoubleInPlace::apply(row);
  EXPECT_EQ(u.grad_fn()->name(), "CopySlices");
  EXPECT_VALUES(grad({u.sum()}, {x})[0], 6, 3);
  const Tensor whole = x * 3;
  EXPECT_VALUES(grad({DoubleInPlace::apply(whole.view({2})).sum()}, {x})[0], 6, 6);
}

struct Passes : Function<Passes> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
  static variable_list backward(AutogradContext*, variable_list grads) { return {-grads[0]}; }
};

TEST(Function, ReturnedInputGetsItsOwnNode) {
  const Tensor x = leaf({1, 2});
  const Tensor y = Passes::apply(x);
  EXPECT_FALSE(y.is_same(x));
  EXPECT_TRUE(y.is_alias_of(x));
  EXPECT_TRUE(x.is_leaf());
  y.sum().backward();
  EXPECT_VALUES(x.grad(), -1, -1);
}

struct Lists : Function<Lists> {
  static Tensor forward(AutogradContext* ctx, const std::vector<Tensor>& list, std::optional<Tensor> extra) {
    ctx->saved_data["has_extra"] = extra.has_value();
    Tensor sum = list[0];
    for (std::size_t i = 1; i < list.size(); ++i) sum = sum + list[i] * static_cast<double>(i + 1);
    return extra ? sum + *extra : sum;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0], grads[0] * 2, ctx->saved_data["has_extra"].toBool() ? grads[0] : Tensor()};
  }
};

TEST(Function, ListsAndOptionals) {
  const Tensor x = leaf({1.0}), y = leaf({2.0});
  const std::optional<Tensor> nothing;
  Lists::apply(std::vector<Tensor>{x, y}, nothing).backward();
  EXPECT_VALUES(x.grad(), 1);
  EXPECT_VALUES(y.grad(), 2);
}

struct Wrong : Function<Wrong> {
  static Tensor forward(AutogradContext*, const Tensor& x, double) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0], grads[0]}; }
};

TEST(Function, GradientForANumberIsAnError) {
  const Tensor y = Wrong::apply(leaf({1.0}), 1.0);
  EXPECT_THAT(Call([&] { y.backward(); }), ThrowsMessage<AutogradError>(HasSubstr("WrongBackward")));
}

TEST(Function, SavedData) {
  AutogradContext ctx;
  ctx.saved_data["i"] = 3;
  ctx.saved_data["s"] = "text";
  ctx.saved_data["t"] = constant({1});
  EXPECT_EQ(ctx.saved_data["i"].toInt(), 3);
  EXPECT_EQ(ctx.saved_data["i"].toDouble(), 3.0);
  EXPECT_EQ(ctx.saved_data["s"].toStringRef(), "text");
  EXPECT_VALUES(ctx.saved_data["t"].toTensor(), 1);
  EXPECT_TRUE(ctx.saved_data["none"].isNone());
  EXPECT_THROW(ctx.saved_data["s"].toInt(), ValueError);
  ctx.saved_data["sizes"] = constant({1, 2}).sizes();
  EXPECT_EQ(ctx.saved_data["sizes"].toIntList(), (std::vector<std::int64_t>{2}));
  for (const Scalar& number : {Scalar(true), Scalar(2), Scalar(2.5), Scalar(std::complex<double>(1, 2))}) {
    ctx.saved_data["number"] = number;
    EXPECT_TRUE(ctx.saved_data["number"].isScalar());
    const Scalar read = ctx.saved_data["number"].toScalar();
    EXPECT_EQ(read.type(), number.type());
    EXPECT_EQ(read.to<std::complex<double>>(), number.to<std::complex<double>>());
  }
  EXPECT_FALSE(ctx.saved_data["sizes"].isScalar());
  EXPECT_EQ(ctx.saved_data["number"].to<Scalar>().type(), kComplexDouble);
  EXPECT_THROW(ctx.saved_data["sizes"].toScalar(), ValueError);
  ctx.saved_data["number"] = SavedValue(std::complex<float>(1, 2));
  EXPECT_EQ(ctx.saved_data["number"].toComplexDouble(), std::complex<double>(1, 2));
  ctx.saved_data["number"] = std::nullopt;
  EXPECT_TRUE(ctx.saved_data["number"].isNone());
  ctx.saved_data["maybe"] = std::optional<double>(2.5);
  EXPECT_EQ(ctx.saved_data["maybe"].toOptional<double>(), 2.5);
  ctx.saved_data["maybe"] = std::optional<Tensor>();
  EXPECT_EQ(ctx.saved_data["maybe"].toOptional<std::int64_t>(), std::nullopt);
  const tensor_list two{constant({1}), constant({2})};
  ctx.saved_data["two"] = two;
  EXPECT_EQ(ctx.saved_data["two"].toTensorList().size(), 2U);
}

struct ComplexSlope : Function<ComplexSlope> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0].to(kComplexDouble) * Scalar(std::complex<double>(1, 2))};
  }
};

TEST(Function, ComplexGradientForARealTensorIsAnError) {
  const Tensor x = leaf({1.0});
  const Tensor y = ComplexSlope::apply(x * 1), z = ComplexSlope::apply(x);
  for (const Tensor& t : {y, z})
    EXPECT_THAT(Call([&] { t.backward(); }), ThrowsMessage<AutogradError>(HasSubstr("is complex")));
  EXPECT_FALSE(x.grad().defined());
}

struct Asking : Function<Asking> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y) {
    return (ctx->needs_input_grad(0) ? x : x * 2) + (ctx->needs_input_grad(1) ? y : y * 2);
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0], grads[0]}; }
};

TEST(Function, KnowsInForwardWhatNeedsGradients) {
  const Tensor x = leaf({1.0}), y = constant({10.0});
  EXPECT_VALUES(Asking::apply(x, y), 21);
  EXPECT_VALUES(Asking::apply(y, y), 40);
  const NoGradGuard guard;
  EXPECT_VALUES(Asking::apply(x, y), 22);
}

struct HandBack : Function<HandBack> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool flat, bool differentiable) {
    const Tensor y = flat ? x.view({-1}) : x;
    if (!differentiable) ctx->mark_non_differentiable({y});
    return y;
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0].view({2}), Tensor(), Tensor()};
  }
};

TEST(Function, ThatHandsAnInputBackUnrecordedGivesAView) {
  const Tensor x = constant({1.0, 2.0});
  Tensor y = HandBack::apply(x, false, true);
  EXPECT_FALSE(y.is_same(x));
  EXPECT_TRUE(y.is_view());
  EXPECT_EQ(y.data_ptr(), x.data_ptr());
  y.requires_grad_();
  EXPECT_FALSE(x.requires_grad());

  const Tensor part = leaf({1.0, 2.0}) * 1;
  const auto detached = [&](bool flat, bool differentiable) {
    const Tensor z = HandBack::apply(part, flat, differentiable);
    EXPECT_EQ(z.data_ptr(), part.data_ptr());
    EXPECT_EQ(z.grad_fn(), nullptr);
    EXPECT_EQ(z.is_view(), flat);
    return !z.requires_grad();
  };
  // Views stay with their base, which tells what may be written to them.
  EXPECT_TRUE(detached(false, false));
  EXPECT_FALSE(detached(true, false));
  const NoGradGuard guard;
  EXPECT_TRUE(detached(false, true));
  EXPECT_FALSE(detached(true, true));
}

struct MarksAnotherTensor : Function<MarksAnotherTensor> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->mark_non_differentiable({x * 2});  // dies, and its memory may become that of the result
    return x * 3;
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0] * 3}; }
};

TEST(Function, MarksATensorNotAnAddress) {
  const Tensor x = leaf({1.0});
  const Tensor y = MarksAnotherTensor::apply(x);
  EXPECT_TRUE(y.requires_grad());
  y.backward();
  EXPECT_VALUES(x.grad(), 3);
}

struct WritesBoth : Function<WritesBoth> {
  static variable_list forward(AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->mark_dirty({a, b});
    ctx->save_for_backward({a});
    return {a, b};
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return grads; }
};

TEST(Function, ThatIsRefusedHalfWayLeavesNoCycle) {
  std::weak_ptr<Node> node;
  {
    const Tensor a = leaf({1.0}) * 2, b = leaf({1.0});
    EXPECT_THROW(WritesBoth::apply(a, b), AutogradError);
    node = a.grad_fn();
  }
  EXPECT_TRUE(node.expired());
}

TEST(Function, ThatRecordsNothingDoesNotAskForTheHistoryOfItsInputs) {
  const Tensor part = (leaf({1.0, 2.0}) * 1).unbind(0)[0];
  const NoGradGuard guard;
  part.mul_(3);
  EXPECT_THROW(part.grad_fn(), AutogradError);
  EXPECT_VALUES(ComplexSlope::apply(part), 6);
}

}  // namespace
}  // namespace lanewise::autograd
