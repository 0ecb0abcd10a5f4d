// Tensors that compute when static and thread_local objects die, after all that a thread keeps for the next op is gone.
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

/// Everything that takes memory of the thread: products, strided sums, a backward pass, a tangent.
void compute(const Tensor& t) {
  const Tensor x = t.detach().requires_grad_();
  mm(x.t(), x).sum(0).sum().backward();
  const Tensor slope = func::jvp([](const Tensor& at) { return at.exp(); }, t, t).second;
  const Tensor rows = 2 * t.sum(1, true).expand(t.sizes());
  if (!x.grad().equal(rows) || !slope.equal(t.exp() * t))
    std::abort();  // nobody is left to hear of a failure
}

struct ComputesLate {
  Tensor t;
  ComputesLate() = default;
  ComputesLate(const ComputesLate&) = delete;
  ComputesLate& operator=(const ComputesLate&) = delete;
  ~ComputesLate() {
    if (t.defined()) compute(t);
  }
};
ComputesLate at_exit;

TEST(LateDestruction, ComputesAfterTheThreadsEnd) {
  const Tensor x = ones({20, 10});
  at_exit.t = x;
  thread_local ComputesLate with_thread;
  with_thread.t = x;
  std::thread([&] {
    thread_local ComputesLate inner;  // dies after what the ops below make for this thread
    inner.t = x;
    compute(x);
  }).join();
}

}  // namespace
}  // namespace lanewise
