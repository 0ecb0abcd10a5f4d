#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/vmap.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Vmap, RunsOnceForAllSlices) {
  const Tensor x = constant({{1, 2}, {3, 4}, {5, 6}});
  int runs = 0;
  const auto fn = [&](const Tensor& row) {
    ++runs;
    EXPECT_EQ(row.sizes(), IntArrayRef({2}));
    return row.dot(row) + row.sum();
  };
  EXPECT_VALUES(func::vmap(fn)(x), 8, 32, 72);
  EXPECT_EQ(runs, 1);
  EXPECT_VALUES(func::vmap(fn, 1)(x.t().contiguous()), 8, 32, 72);
}

TEST(Vmap, Dims) {
  const Tensor x = constant({{1, 2, 3}, {4, 5, 6}}), y = constant({10, 20});
  const auto scaled = func::vmap([](const Tensor& a, const Tensor& b) { return a * b; }, {0, 0}, 1);
  EXPECT_EQ(scaled(x, y).sizes(), IntArrayRef({3, 2}));
  EXPECT_VALUES(scaled(x, y), 10, 80, 20, 100, 30, 120);
  const auto columns =
      func::vmap([](const Tensor& a, const Tensor& b) { return a + b; }, {-1, std::nullopt}, 0);
  EXPECT_VALUES(columns(x, y), 11, 24, 12, 25, 13, 26);
  const auto constant_result = func::vmap([&](const Tensor&) { return y; });
  EXPECT_VALUES(constant_result(x), 10, 20, 10, 20);
}

TEST(Vmap, SlicesWithoutDimensionsPromoteAsNumbers) {
  const Tensor ints = tensor({1, 2}, TensorOptions(kLong)),
               floats = tensor({0.5f, 1.5f}, TensorOptions(kFloat));
  const Tensor doubles = constant({1, 2});
  // A 0-dim double does not widen a float vector.
  const auto add = func::vmap([&](const Tensor& d) { return floats + d; });
  EXPECT_EQ(add(doubles).scalar_type(), kFloat);
  // Two 0-dim tensors widen each other.
  const Tensor number = tensor(2.0, TensorOptions(kDouble));
  EXPECT_EQ(func::vmap([&](const Tensor& f) { return f + number; })(floats).scalar_type(), kDouble);
  EXPECT_EQ(func::vmap([](const Tensor& i) { return i / 2; })(ints).scalar_type(), kFloat);
}

TEST(Vmap, Nests) {
  const Tensor a = constant({{1, 2}, {3, 4}}), b = constant({{5, 6}, {7, 8}, {9, 10}});
  const auto all_pairs =
      func::vmap([&](const Tensor& x) { return func::vmap([&](const Tensor& y) { return x.dot(y); })(b); });
  EXPECT_TRUE(allclose(all_pairs(a), a.mm(b.t())));
  const Tensor cube = arange(24).to(kDouble).reshape({2, 3, 4});
  const auto outer_inner = func::vmap(
      [](const Tensor& m) { return func::vmap([](const Tensor& r) { return r.sum() * r; }, 1, 1)(m); });
  EXPECT_TRUE(allclose(outer_inner(cube), cube.sum(IntArrayRef{1}, true) * cube));
}

TEST(Vmap, PerSampleGradients) {
  const Tensor w = constant({{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}}),
               x = constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  const auto loss = [&](const Tensor& weight, const Tensor& sample) {
    return weight.mv(sample).tanh().sum();
  };
  const auto per_sample = func::vmap([&](const Tensor& sample) {
    return func::grad([&](const Tensor& weight) { return loss(weight, sample); })(w);
  });
  const Tensor grads = per_sample(x);
  ASSERT_EQ(grads.sizes(), IntArrayRef({4, 3, 2}));
  for (std::int64_t i = 0; i < 4; ++i) {
    const Tensor leaf_w = w.clone().requires_grad_();
    EXPECT_TRUE(allclose(grads[i], grad({loss(leaf_w, x[i])}, {leaf_w})[0]));
  }
}

TEST(Vmap, GradientsFlowThrough) {
  const Tensor x = leaf({{1, 2}, {3, 4}}), w = leaf({2, 3});
  const Tensor y = func::vmap([&](const Tensor& row) { return (row * w).prod(); })(x);
  const Tensor plain = (x * w).prod(1);
  EXPECT_TRUE(allclose(y, plain));
  const auto found = grad({(y * y).sum()}, {x, w}), wanted = grad({(plain * plain).sum()}, {x, w});
  EXPECT_TRUE(allclose(found[0], wanted[0]));
  EXPECT_TRUE(allclose(found[1], wanted[1]));
}

TEST(Vmap, JacobianByRows) {
  const Tensor x = constant({0.1, 0.2, 0.3});
  const auto fn = [](const Tensor& t) { return t.exp() * t.sum(); };
  const auto [y, back] = func::vjp(fn, x);
  EXPECT_TRUE(allclose(func::vmap(back)(eye(3, kDouble)), func::jacrev(fn)(x)));
  const auto push = [&](const Tensor& v) { return func::jvp(fn, x, v).second; };
  EXPECT_TRUE(allclose(func::vmap(push, 0, 1)(eye(3, kDouble)), func::jacrev(fn)(x)));
}

TEST(Vmap, InsideForwardMode) {
  const Tensor x = constant({{1, 2}, {3, 4}}), v = constant({{1, 0}, {0, 1}});
  const auto fn = func::vmap([](const Tensor& row) { return row.prod() * row; });
  const auto [y, tangent] = func::jvp(fn, x, v);
  const auto plain = [](const Tensor& t) { return t.prod(1, true) * t; };
  EXPECT_TRUE(allclose(tangent, func::jvp(plain, x, v).second));
}

TEST(Vmap, InPlaceAndViews) {
  Tensor x = constant({{1, 2, 3}, {4, 5, 6}});
  const Tensor scale = constant({10, 100});
  const auto fn = func::vmap(
      [](const Tensor& row, const Tensor& s) {
        Tensor copy = row.clone();
        Tensor tail = copy.slice(0, 1);
        tail.mul_(s);
        copy[0].fill_(7);
        return copy;
      },
      {0, 0});
  EXPECT_VALUES(fn(x, scale), 7, 20, 30, 7, 500, 600);
  // In place on what the caller gave.
  func::vmap([](const Tensor& row) { return Tensor(row).add_(1); })(x);
  EXPECT_VALUES(x, 2, 3, 4, 5, 6, 7);
  Tensor plain = constant({0, 0, 0});
  EXPECT_THAT(Call([&] { func::vmap([&](const Tensor& row) { return plain.add_(row); })(x); }),
              ThrowsMessage<AutogradError>(HasSubstr("vmap: in-place arithmetic is not possible")));
}

TEST(Vmap, TellsWhatIsWrong) {
  const Tensor x = constant({{1, 2}, {3, 4}});
  const auto item = [](const Tensor& row) { return row.sum().item<double>() > 2 ? row : row * 2; };
  EXPECT_THAT(Call([&] { func::vmap(item)(x); }),
              ThrowsMessage<AutogradError>(HasSubstr("item: vmap: a batched tensor cannot be read")));
  const auto add = func::vmap([](const Tensor& a, const Tensor& b) { return a + b; });
  EXPECT_THROW(add(x, constant({1, 2, 3})), ValueError);
  EXPECT_THROW(add(constant(1), x), ValueError);
  const auto none =
      func::vmap([](const Tensor& a, const Tensor& b) { return a + b; }, {std::nullopt, std::nullopt});
  EXPECT_THROW(none(x, x), ValueError);
  EXPECT_THROW(func::vmap([](const Tensor& t) { return t; }, 2)(x), IndexError);
}

struct Sine : Function<Sine> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x.sin();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0].cos()};
  }
};

TEST(Vmap, FactoriesLikeASliceHaveItsBatch) {
  const Tensor x = constant({{1, 2}, {3, 4}});
  const auto accumulated = func::vmap([](const Tensor& row) {
    const Tensor sum = zeros_like(row);
    for (int i = 0; i < 3; ++i) sum.add_(row);
    return sum.mul_(ones_like(row).add_(row));
  });
  EXPECT_VALUES(accumulated(x), 6, 18, 36, 60);
  const auto written = func::vmap([](const Tensor& row) {
    const Tensor wide = row.new_zeros({3});
    wide.slice(0, 1, 3).copy_(row);
    wide[0].fill_(row.sum());
    return wide;
  });
  EXPECT_VALUES(written(x), 3, 1, 2, 7, 3, 4);
  const auto nested =
      func::vmap(func::vmap([](const Tensor& number) { return full_like(number, 5).add_(number); }));
  EXPECT_VALUES(nested(x), 6, 7, 8, 9);
  EXPECT_FALSE(zeros_like(x).requires_grad());
  const auto gradient = func::grad([&](const Tensor& t) { return accumulated(t).sum(); });
  EXPECT_VALUES(gradient(x), 9, 15, 21, 27);
}

TEST(Vmap, SplitsWithoutViews) {
  const Tensor x = constant({{1, 2, 3}, {4, 5, 6}});
  const auto halves = func::vmap([](const Tensor& row) {
    const std::vector<Tensor> parts = row.unsafe_split(2);
    return parts[0].sum() * parts[1];
  });
  EXPECT_VALUES(halves(x), 9, 54);
  const auto chunks = func::vmap([](const Tensor& row) { return row.unsafe_chunk(3)[1]; });
  EXPECT_VALUES(chunks(x), 2, 5);
}

TEST(Vmap, CustomFunctions) {
  const Tensor x = constant({{0.1, 0.2}, {0.3, 0.4}});
  const auto gradient = func::grad([](const Tensor& row) { return Sine::apply(row).sum(); });
  EXPECT_TRUE(allclose(func::vmap(gradient)(x), x.cos()));
}

}  // namespace
}  // namespace lanewise::autograd
