// What a small op may cost: no call of operator new besides the result's own memory, which comes from a
// cache.

#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include <lanewise/iterator/loops.h>
#include <lanewise/lanewise.h>
#include <lanewise/tensor/detail/block_cache.h>

namespace {
constinit thread_local long allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
// Not inlined: gcc would see a free() without its malloc().
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace lanewise {
namespace {

/// Calls of operator new in a call, once everything has been called before.
template <class F>
long allocations_of(F&& f) {
  for (int i = 0; i < 3; ++i) f();
  const long before = allocations;
  f();
  return allocations - before;
}

TEST(Overhead, NoHeapUpToFourOperandsAndSixDimensions) {
  if (!LANEWISE_CACHES_BLOCKS) GTEST_SKIP() << "caches are off under AddressSanitizer";
  const NoGradGuard no_grad;
  const Tensor a = ones({2, 3, 2, 3, 2, 3}), row = ones({3}), column = ones({2, 1, 1, 1, 1, 1}),
               number = ones({});
  const Tensor permuted = ones({3, 2, 3, 2, 3, 2}).permute({5, 4, 3, 2, 1, 0}),
               doubles = ones({2, 1}, kDouble);
  const Tensor half = ones({2, 3, 2, 3, 2, 3}, kBFloat16), mask = a.gt(0), out = empty({2, 3, 2, 3, 2, 3});
  EXPECT_EQ(allocations_of([&] { a.add(a); }), 0);
  EXPECT_EQ(allocations_of([&] { a.add(1.5); }), 0);
  EXPECT_EQ(allocations_of([&] { a.add(row); }), 0);
  EXPECT_EQ(allocations_of([&] { column.mul(row); }), 0);
  EXPECT_EQ(allocations_of([&] { a.add(permuted); }), 0);
  EXPECT_EQ(allocations_of([&] { a.add(doubles); }), 0);
  EXPECT_EQ(allocations_of([&] { half.add(half); }), 0);
  EXPECT_EQ(allocations_of([&] { half.mul(row); }), 0);
  EXPECT_EQ(allocations_of([&] { where(mask, permuted, row); }), 0);
  EXPECT_EQ(allocations_of([&] { lerp(a, permuted, column); }), 0);
  EXPECT_EQ(allocations_of([&] { out.copy_(permuted); }), 0);
  EXPECT_EQ(allocations_of([&] { permuted.exp(); }), 0);
  EXPECT_EQ(allocations_of([&] { a.select(0, 1).add(number); }), 0);
  const auto fused = [&] {
    TensorIterator iter;
    TensorIteratorConfig config("fused");
    config.add_borrowed_output(out).add_borrowed_input(a).add_borrowed_input(permuted).add_borrowed_input(
        row);
    iter.build(config);
    cpu_kernel(iter, [](float x, float y, float z) { return x * y + z; });
  };
  EXPECT_EQ(allocations_of(fused), 0);
  void* volatile escaped = nullptr;
  EXPECT_EQ(allocations_of([&] {
              escaped = ::operator new(8);
              ::operator delete(escaped);
            }),
            1);  // counts at all
}

}  // namespace
}  // namespace lanewise
