#include <atomic>
#include <thread>

#include <lanewise/autograd/custom_function.h>

#include "helpers.h"

namespace lanewise::autograd {
namespace {

constexpr int kThreads = 8;

template <class F>
void in_threads(F&& work) {
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Concurrency, SeparateGraphs) {
  std::vector<double> results(kThreads);
  in_threads([&](int i) {
    for (int round = 0; round < 200; ++round) {
      const Tensor x = leaf({1.0 + i});
      (x * x * x).backward();
      results[static_cast<std::size_t>(i)] = x.grad().item<double>();
    }
  });
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)], 3.0 * (1 + i) * (1 + i));
}

TEST(Concurrency, SharedGraphAndLeaf) {
  const Tensor x = leaf({2.0});
  Tensor y = x * 1.0;
  for (int i = 0; i < 20; ++i) y = y * 1.0 + x * 0.5;
  const double once = grad({y}, {x}, {}, true)[0].item<double>();
  constexpr int kRounds = 50;
  in_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) y.backward({}, true);
  });
  EXPECT_EQ(x.grad().item<double>(), once * kThreads * kRounds);
}

TEST(Concurrency, SharedLeafSeparateGraphs) {
  const Tensor x = leaf({2.0});
  in_threads([&](int) {
    for (int round = 0; round < 200; ++round) (x * 3).backward();
  });
  EXPECT_VALUES(x.grad(), 3.0 * kThreads * 200);
}

TEST(Concurrency, GraphFreedByAnotherThread) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = leaf({2.0});
    Tensor y = x * 1.0;
    for (int i = 0; i < 1000; ++i) y = y * 1.0;
    std::thread([moved = std::move(y)]() mutable { moved = Tensor(); }).join();
    EXPECT_EQ(impl::try_get_grad_accumulator(x), nullptr);
  }
}

TEST(Reentrant, BackwardInsideAHook) {
  const Tensor x = leaf({2.0}), inner = leaf({5.0});
  const Tensor y = x * x;
  y.register_hook([&](const Tensor& g) {
    const EnableGradGuard guard;
    (inner * inner).backward();
    return g * inner.grad();
  });
  (y * 1).backward();
  EXPECT_VALUES(inner.grad(), 10);
  EXPECT_VALUES(x.grad(), 40);
}

TEST(Reentrant, OverNodesOfTheOuterRun) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * x;
  const Tensor z = y * 3;
  Tensor inside;
  z.register_hook([&](const Tensor&) { inside = grad({y}, {x}, {}, true)[0]; });
  z.backward();
  EXPECT_VALUES(inside, 4);
  EXPECT_VALUES(x.grad(), 12);
}

/// Its backward runs the backward of a copy of itself, `depth` times.
struct Nested : Function<Nested> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int depth) {
    ctx->saved_data["depth"] = depth;
    return x * 2;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto depth = static_cast<int>(ctx->saved_data["depth"].toInt());
    if (depth == 0) return {grads[0], Tensor()};
    const EnableGradGuard guard;
    const Tensor x = leaf({1.0});
    Nested::apply(x, depth - 1).backward();
    return {x.grad() + grads[0], Tensor()};
  }
};

TEST(Reentrant, Deep) {
  const Tensor x = leaf({1.0});
  Nested::apply(x, 1000).backward();
  EXPECT_VALUES(x.grad(), 1001);
}

}  // namespace
}  // namespace lanewise::autograd
