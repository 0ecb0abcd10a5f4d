#include <atomic>
#include <thread>

#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/dispatch_isa/threads.h>

#include "../thread_count.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using testing::ThreadCount;  // several, on any machine

/// Sixteen branches from two leaves, that meet again; values whose sums depend on the order.
struct Wide {
  Tensor x = (arange(1, 2001, kFloat) / 777).requires_grad_();
  Tensor w = (arange(1, 2001, kFloat) / 1333).requires_grad_();
  Tensor out;
  Wide() {
    for (int i = 0; i < 16; ++i) {
      Tensor branch = x * (0.1 + i) + w;
      for (int j = 0; j < 4; ++j) branch = (branch * w).sin() + x;
      out = out.defined() ? out + branch * 0.37 : branch;
    }
    out = out.sum();
  }
};

std::vector<float> floats(const Tensor& t) {
  const Tensor dense = t.detach().contiguous();
  return {dense.const_data_ptr<float>(), dense.const_data_ptr<float>() + dense.numel()};
}

TEST(ParallelBackward, GivesTheSameBits) {
  const ThreadCount threads(4);
  const Wide serial;
  serial.out.backward();
  for (int round = 0; round < 20; ++round) {
    const Wide parallel;
    const ParallelBackwardGuard guard;
    parallel.out.backward();
    ASSERT_EQ(floats(parallel.x.grad()), floats(serial.x.grad()));
    ASSERT_EQ(floats(parallel.w.grad()), floats(serial.w.grad()));
  }
}

TEST(ParallelBackward, OfSecondDerivativesAndAskedGradients) {
  const ThreadCount threads(3);
  const auto run = [](bool enabled) {
    const Wide f;
    const ParallelBackwardGuard guard(enabled);
    const Tensor first = grad({f.out}, {f.x}, {}, std::nullopt, /*create_graph=*/true)[0];
    const variable_list second = grad({first.sum()}, {f.w, f.x}, {}, std::nullopt, false, true);
    std::vector<float> all = floats(first);
    for (const Tensor& t : second) {
      const std::vector<float> more = floats(t);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  };
  EXPECT_EQ(run(true), run(false));
}

/// Notes the threads that it runs in, and waits until there are two of them.
struct Meets : Function<Meets> {
  static inline std::atomic<int> inside = 0;
  static inline std::atomic<bool> met = false;
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext*, variable_list grads) {
    ++inside;
    for (int i = 0; i < 2000 && !met; ++i) {
      if (inside > 1) met = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    --inside;
    return {grads[0] * 2};
  }
};

TEST(ParallelBackward, BranchesRunAtTheSameTime) {
  const ThreadCount threads(2);
  const Tensor x = leaf({1.0});
  const Tensor out = Meets::apply(x) + Meets::apply(x);
  const ParallelBackwardGuard guard;
  Meets::met = false;
  out.backward();
  EXPECT_TRUE(Meets::met);
  EXPECT_VALUES(x.grad(), 4);
}

TEST(ParallelBackward, IsOffWithoutMultithreading) {
  const ThreadCount threads(2);
  const ParallelBackwardGuard guard;
  const MultithreadingGuard off(false);
  const Tensor x = leaf({1.0});
  const std::thread::id caller = std::this_thread::get_id();
  Tensor out;
  for (int i = 0; i < 8; ++i) {
    const Tensor y = x * i;
    y.register_hook([=](const Tensor&) { EXPECT_EQ(std::this_thread::get_id(), caller); });
    out = out.defined() ? out + y : y;
  }
  out.backward();
  EXPECT_VALUES(x.grad(), 28);
}

TEST(ParallelBackward, HooksRunOneAtATimeAndModesCross) {
  const ThreadCount threads(4);
  const Tensor x = leaf({1.0});
  Tensor out;
  int calls = 0, together = 0;
  bool modes = true;
  for (int i = 0; i < 32; ++i) {
    const Tensor y = (x * i).sin();
    y.register_hook([&](const Tensor&) {
      modes = modes && ++together == 1 && !GradMode::is_enabled();
      ++calls;
      --together;
    });
    out = out.defined() ? out + y : y;
  }
  const ParallelBackwardGuard guard;
  out.backward();
  EXPECT_EQ(calls, 32);
  EXPECT_TRUE(modes);
}

TEST(ParallelBackward, ErrorsReachTheCaller) {
  const ThreadCount threads(4);
  const Tensor x = leaf({1.0});
  Tensor out;
  unsigned handle = 0;
  Tensor bad;
  for (int i = 0; i < 16; ++i) {
    const Tensor y = x * i;
    if (i == 7) {
      bad = y;
      handle = y.register_hook([](const Tensor&) { throw std::logic_error("stop"); });
    }
    out = out.defined() ? out + y : y;
  }
  const ParallelBackwardGuard guard;
  EXPECT_THROW(out.backward({}, true), std::logic_error);
  x.mutable_grad() = Tensor();
  bad.remove_hook(handle);
  out.backward();
  EXPECT_VALUES(x.grad(), 120);
}

TEST(ParallelBackward, NestsAndQueuesCallbacks) {
  const ThreadCount threads(4);
  const Tensor x = leaf({2.0}), inner = leaf({3.0});
  Tensor out;
  std::atomic<int> finals = 0;
  for (int i = 0; i < 8; ++i) {
    const Tensor y = x * i;
    y.register_hook([&](const Tensor&) {
      const EnableGradGuard enable;
      (inner * inner).backward();
      Engine::get_default_engine().queue_callback([&] { ++finals; });
    });
    out = out.defined() ? out + y : y;
  }
  const ParallelBackwardGuard guard;
  out.backward();
  EXPECT_VALUES(inner.grad(), 48);
  EXPECT_EQ(finals, 8);
}

}  // namespace
}  // namespace lanewise::autograd
