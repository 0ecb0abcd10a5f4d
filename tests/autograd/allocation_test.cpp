// A loop in its steady state takes nothing from the system: tensors, nodes and the engine's lists come from
// caches. This program counts every operator new.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace {

std::atomic<long> allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
// Not inlined: gcc would see a free() without its malloc().
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace lanewise {
namespace {

template <class Step>
long allocations_of(Step&& step) {
  for (int i = 0; i < 20; ++i) step();
  const long before = allocations;
  for (int i = 0; i < 100; ++i) step();
  return allocations - before;
}

TEST(Allocations, AreCounted) {
  EXPECT_GE(allocations_of([] {
              int* volatile made = new int;  // seen by nobody, it could be left out
              delete made;
            }),
            100);
}

TEST(Allocations, Polynomial) {
  const Tensor a = full({1}, 2.0, requires_grad()), b = full({1}, 6.0, requires_grad());
  EXPECT_EQ(allocations_of([&] {
              (3 * a.pow(3) - b.pow(2)).backward();
              a.mutable_grad() = Tensor();
              b.mutable_grad() = Tensor();
            }),
            0);
}

TEST(Allocations, Chain) {
  const Tensor a = ones({16}, requires_grad()), factor = full({16}, 1.01);
  EXPECT_EQ(allocations_of([&] {
              Tensor x = a;
              for (int i = 0; i < 100; ++i) x = mul(x, factor);
              x.sum().backward();
              a.mutable_grad() = Tensor();
            }),
            0);
}

TEST(Allocations, NetworkWithViewsAndInPlaceOps) {
  const Tensor w = rand({8, 4}).requires_grad_(), b = zeros({4}).requires_grad_(), x = rand({3, 8});
  EXPECT_EQ(allocations_of([&] {
              Tensor y = addmm(b, x, w);
              y.mul_(2);
              y.select(0, 1).add_(1);
              y.t().tanh().sum().backward();
              w.mutable_grad() = Tensor();
              b.mutable_grad() = Tensor();
            }),
            0);
}

}  // namespace
}  // namespace lanewise
