#include <lanewise/autograd/graph_printer.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Q {
  Tensor a = tensor(2.0).requires_grad_();
  Tensor b = tensor(6.0).requires_grad_();
  Tensor x = pow(a, 3);
  Tensor y = 3 * x;
  Tensor z = pow(b, 2);
  Tensor q = y - z;
};

TEST(Graph, NamesAndEdges) {
  const Q f;
  EXPECT_FLOAT_EQ(f.q.item<float>(), -12);
  const Node& q = *f.q.grad_fn();
  EXPECT_EQ(q.name(), "SubBackward0");
  ASSERT_EQ(q.next_edges().size(), 2u);
  EXPECT_EQ(q.next_edge(0).function, f.y.grad_fn());
  EXPECT_EQ(q.next_edge(1).function, f.z.grad_fn());
  EXPECT_EQ(f.x.grad_fn()->name(), "PowBackward0");
  EXPECT_EQ(next_name(*f.x.grad_fn(), 0), "AccumulateGrad");
  EXPECT_EQ(f.y.grad_fn()->name(), "MulBackward0");
  ASSERT_EQ(f.y.grad_fn()->next_edges().size(), 2u);
  EXPECT_EQ(f.y.grad_fn()->next_edge(0).function, f.x.grad_fn());
  EXPECT_FALSE(f.y.grad_fn()->next_edge(1).is_valid());  // the 3
  EXPECT_EQ(f.z.grad_fn()->name(), "PowBackward0");
  EXPECT_EQ(f.a.grad_fn(), nullptr);
  EXPECT_TRUE(f.a.is_leaf());
  EXPECT_FALSE(f.q.is_leaf());
}

TEST(Graph, QDifference) {
  const Tensor a = tensor(2.0).requires_grad_();
  const Tensor b = tensor(6.0).requires_grad_();
  const Tensor q = pow(a, 3) - pow(b, 2);
  EXPECT_FLOAT_EQ(q.item<float>(), -28);
  q.backward(tensor(1.0));
  EXPECT_FLOAT_EQ(a.grad().item<float>(), 12);
  EXPECT_FLOAT_EQ(b.grad().item<float>(), -12);
}

TEST(Graph, SequenceAndTopologicalNumbers) {
  const Q f;
  EXPECT_LT(f.x.grad_fn()->sequence_nr(), f.y.grad_fn()->sequence_nr());
  EXPECT_LT(f.y.grad_fn()->sequence_nr(), f.z.grad_fn()->sequence_nr());
  EXPECT_LT(f.z.grad_fn()->sequence_nr(), f.q.grad_fn()->sequence_nr());
  EXPECT_EQ(f.x.grad_fn()->topological_nr(), 1u);
  EXPECT_EQ(f.y.grad_fn()->topological_nr(), 2u);
  EXPECT_EQ(f.q.grad_fn()->topological_nr(), 3u);
  const std::shared_ptr<Node> end = f.x.grad_fn()->next_edge(0).function;
  EXPECT_EQ(end->sequence_nr(), kMaxSequenceNr);
  EXPECT_EQ(end->topological_nr(), 0u);
}

TEST(Graph, InputMetadata) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  const Tensor y = x * 2;
  ASSERT_EQ(y.grad_fn()->num_inputs(), 1u);
  EXPECT_EQ(y.grad_fn()->input_metadata(0).shape(), IntArrayRef({2, 3}));
  EXPECT_EQ(y.grad_fn()->input_metadata(0).dtype(), kDouble);
}

TEST(Graph, MeanOfSquares) {
  const Tensor x = ones({2, 2}).requires_grad_();
  const Tensor y = x + 2;
  const Tensor z = y * y * 3;
  const Tensor out = z.mean();
  EXPECT_EQ(out.grad_fn()->name(), "MeanBackward0");
  EXPECT_FLOAT_EQ(out.item<float>(), 27);
  out.backward();
  EXPECT_VALUES(x.grad(), 4.5, 4.5, 4.5, 4.5);
}

TEST(Graph, TwoMatmulsAndTanh) {
  const Tensor w_h = leaf({{0.1, 0.2}, {0.3, -0.4}}), h = constant({{0.5}, {-1.0}});
  const Tensor w_x = leaf({{0.7, -0.1}, {0.2, 0.6}}), x = constant({{1.5}, {0.25}});
  const Tensor i2h = matmul(w_x, x);
  const Tensor h2h = matmul(w_h, h);
  const Tensor next = (i2h + h2h).tanh();
  EXPECT_EQ(next.grad_fn()->name(), "TanhBackward0");
  EXPECT_EQ(next_name(*next.grad_fn(), 0), "AddBackward0");
  EXPECT_EQ(i2h.grad_fn()->name(), "MmBackward0");
  next.sum().backward();
  const std::vector<double> t = values(next);
  for (std::size_t row = 0; row < 2; ++row) {
    const double slope = 1 - t[row] * t[row];
    EXPECT_NEAR(values(w_x.grad())[2 * row], slope * 1.5, 1e-12);
    EXPECT_NEAR(values(w_x.grad())[2 * row + 1], slope * 0.25, 1e-12);
    EXPECT_NEAR(values(w_h.grad())[2 * row], slope * 0.5, 1e-12);
    EXPECT_NEAR(values(w_h.grad())[2 * row + 1], slope * -1.0, 1e-12);
  }
}

TEST(Graph, SecondBackwardSaysWhatToDo) {
  const Q f;
  f.q.backward();
  EXPECT_THAT(Call([&] { f.q.backward(); }),
              ThrowsMessage<AutogradError>(::testing::AllOf(
                  HasSubstr("backward through the graph a second time"), HasSubstr("retain_graph=true"))));
}

TEST(Graph, RetainGraphAccumulates) {
  const Q f;
  f.q.backward({}, true);
  f.q.backward();
  EXPECT_FLOAT_EQ(f.a.grad().item<float>(), 72);
  EXPECT_FLOAT_EQ(f.b.grad().item<float>(), -24);
}

TEST(Graph, RootErrors) {
  const Tensor x = leaf({1, 2, 3});
  EXPECT_THAT(
      Call([&] { (x * 2).backward(); }),
      ThrowsMessage<AutogradError>(HasSubstr("grad can be implicitly created only for scalar outputs")));
  EXPECT_THAT(Call([&] {
                (x * 2).backward(constant({1, 2}));
              }),
              ThrowsMessage<AutogradError>(HasSubstr("invalid gradient at index 0 - got [2]")));
  EXPECT_THAT(Call([&] { constant({1}).backward(); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("element 0 of tensors does not require grad and does not have a grad_fn")));
}

TEST(Graph, SumsAGradientThatTheRootBroadcastsTo) {
  const Tensor x = leaf({1, 2, 3});
  (x * x).sum().backward(ones({2, 2}, kDouble));
  EXPECT_TRUE(equal(x.grad(), constant({8, 16, 24})));
  EXPECT_TRUE(equal(grad({x}, {x}, {ones({5, 3})})[0], constant({5, 5, 5})));
  EXPECT_TRUE(equal(grad({x.sum()}, {x}, {tensor(2)})[0], constant({2, 2, 2})));
  // Differentiable, where the backward is recorded.
  const Tensor weight = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  const Tensor first = grad({x * x}, {x}, {weight}, true, true)[0];
  EXPECT_TRUE(equal(grad({first.sum()}, {weight})[0], stack({constant({2, 4, 6}), constant({2, 4, 6})})));
}

TEST(Graph, RequiresGradErrors) {
  EXPECT_THAT(Call([] {
                tensor({1, 2}).requires_grad_();
              }),
              ThrowsMessage<DtypeError>(HasSubstr("can require gradients")));
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  EXPECT_THAT(Call([&] { y.requires_grad_(false); }),
              ThrowsMessage<AutogradError>(HasSubstr("leaf variables")));
  y.requires_grad_(true);
  EXPECT_FALSE(y.is_leaf());
}

TEST(Graph, NoGradRecordsNothing) {
  const Tensor x = leaf({1, 2});
  {
    const NoGradGuard guard;
    EXPECT_FALSE((x * 2).requires_grad());
    const EnableGradGuard again;
    EXPECT_TRUE((x * 2).requires_grad());
  }
  EXPECT_TRUE((x * 2).requires_grad());
  EXPECT_FALSE(x.detach().requires_grad());
}

TEST(Graph, MillionNodesRunAndAreFreed) {
  const Tensor x = leaf({1.0});
  Tensor y = x + 0.0;
  for (int i = 1; i < 1'000'000; ++i) y = y + 1.0;
  EXPECT_VALUES(y, 1.0 + 999'999);
  y.backward();
  EXPECT_VALUES(x.grad(), 1);
  Tensor z = x * 1.0;
  for (int i = 1; i < 1'000'000; ++i) z = z * 1.0;
  z = Tensor();  // never run
}

TEST(Graph, ChainThroughSavedTensorsIsFreedWithoutRecursion) {
  const Tensor x = leaf({0.5});
  Tensor y = x * x;
  for (int i = 0; i < 300'000; ++i) y = y.tanh() * x;
  y = Tensor();
  EXPECT_EQ(impl::try_get_grad_accumulator(x), nullptr);
}

TEST(Graph, Prints) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.tanh() - constant({1, 1});
  EXPECT_EQ(graph_to_text(y),
            "#0 SubBackward0 Double [2] -> #1 -\n"
            "#1 TanhBackward0 Double [2] -> #2\n"
            "#2 AccumulateGrad Double [2]\n");
  EXPECT_EQ(graph_to_text(y, 1), "#0 SubBackward0 Double [2] -> ... -\n...\n");
  EXPECT_EQ(graph_to_text(constant({1})), "");
  EXPECT_THAT(graph_to_dot(y), HasSubstr("n0 -> n1;\n"));
}

TEST(Graph, AccumulatorIsHeldWeakly) {
  const Tensor x = leaf({1.0});
  EXPECT_EQ(impl::try_get_grad_accumulator(x), nullptr);
  {
    const Tensor y = x * 2;
    EXPECT_NE(impl::try_get_grad_accumulator(x), nullptr);
    EXPECT_EQ(gradient_edge(x).function, impl::try_get_grad_accumulator(x));
  }
  EXPECT_EQ(impl::try_get_grad_accumulator(x), nullptr);
}

}  // namespace
}  // namespace lanewise::autograd
