// Running sums and products against plain C++: every type, sequences as rows and as columns, however they lie in memory.
#include <complex>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

/// What the elements of `type` are carried in.
ScalarType carried_in(ScalarType type) {
  return isComplexType(type) ? kComplexDouble : isFloatingType(type) ? kDouble : kLong;
}

template <class T>
T next(T carry, T x, bool product) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const auto a = static_cast<std::uint64_t>(carry), b = static_cast<std::uint64_t>(x);
    return static_cast<T>(product ? a * b : a + b);
  } else if constexpr (std::is_same_v<T, double>) {
    return product ? carry * x : carry + x;
  } else {
    if (!product) return carry + x;
    return {carry.real() * x.real() - carry.imag() * x.imag(),
            carry.real() * x.imag() + carry.imag() * x.real()};
  }
}

template <class T>
Tensor scanned(const Tensor& x, std::int64_t dim, bool product) {
  Tensor result = x.to(carried_in(x.scalar_type())).contiguous().clone();
  std::int64_t n = x.size(dim), columns = 1;
  for (std::int64_t d = dim + 1; d < x.dim(); ++d) columns *= x.size(d);
  T* at = result.data_ptr<T>();
  for (std::int64_t line = 0; line < result.numel() / n; ++line) {
    T* first = at + line / columns * n * columns + line % columns;
    T carry = product ? T(1) : T(0);
    for (std::int64_t i = 0; i < n; ++i) {
      carry = next(carry, first[i * columns], product);
      first[i * columns] = carry;
    }
  }
  // Halves are rounded from f32.
  const ScalarType type = x.scalar_type();
  if (type == kHalf || type == kBFloat16) return result.to(kFloat).to(type);
  return isIntegralType(type, true) ? result : result.to(type);
}

Tensor expected(const Tensor& x, std::int64_t dim, bool product) {
  switch (carried_in(x.scalar_type())) {
    case kLong: return scanned<std::int64_t>(x, dim, product);
    case kDouble: return scanned<double>(x, dim, product);
    default: return scanned<std::complex<double>>(x, dim, product);
  }
}

void expect_same_bits(const Tensor& found, const Tensor& reference, const std::string& what) {
  ASSERT_EQ(found.scalar_type(), reference.scalar_type()) << what;
  ASSERT_EQ(found.sizes(), reference.sizes()) << what;
  ASSERT_TRUE(found.is_contiguous()) << what;
  EXPECT_EQ(std::memcmp(found.const_data_ptr(), reference.contiguous().const_data_ptr(),
                        static_cast<std::size_t>(found.numel() * found.element_size())),
            0)
      << what;
}

Tensor numbers(IntArrayRef shape, ScalarType type) {
  if (type == kBool) return randint(0, 2, shape).to(kBool);
  if (!isFloatingType(type) && !isComplexType(type)) return randint(-5, 7, shape).to(type);
  // Around 1, so that products stay finite for a while.
  const Tensor real = randn(shape, kDouble) * 0.3 + 1;
  return (isComplexType(type) ? complex(real, randn(shape, kDouble) * 0.3) : real).to(type);
}

/// [a, n] along dim 1 and 0: contiguous, rows of longer ones, transposed, every second, expanded.
std::vector<Tensor> matrices(std::int64_t a, std::int64_t n, ScalarType type) {
  const Tensor wide = numbers({a, 2 * n}, type);
  return {numbers({a, n}, type), wide.narrow(1, 1, n), numbers({n, a}, type).t(), wide.slice(1, 0, 2 * n, 2),
          numbers({1, n}, type).expand({a, n})};
}

TEST(Scan, OfEveryTypeAndLayout) {
  manual_seed(11);
  for (const ScalarType type : {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble,
                                kComplexFloat, kComplexDouble}) {
    for (const std::int64_t n : {1, 2, 7, 8, 9, 10, 33, 127, 128, 129, 300}) {
      for (const std::int64_t a : {1, 3, 4, 5, 18, 67}) {
        int layout = 0;
        for (const Tensor& x : matrices(a, n, type)) {
          const std::string what = std::string(toString(type)) + " " + std::to_string(a) + " x " +
                                   std::to_string(n) + ", layout " + std::to_string(layout++);
          for (const std::int64_t dim : {0, 1}) {
            expect_same_bits(x.cumsum(dim), expected(x, dim, false), "sum of " + what);
            expect_same_bits(x.cumprod(dim), expected(x, dim, true), "product of " + what);
          }
        }
      }
    }
  }
}

TEST(Scan, OfThreeDimensions) {
  manual_seed(12);
  for (const ScalarType type : {kFloat, kBFloat16, kLong, kComplexFloat}) {
    const Tensor whole = numbers({5, 20, 33}, type);
    for (const Tensor& x : {whole, whole.permute({2, 0, 1}), whole.transpose(0, 1), whole.narrow(1, 3, 9),
                            whole.narrow(2, 3, 17), whole.narrow(2, 4, 1).expand({5, 20, 40})}) {
      for (const std::int64_t dim : {0, 1, 2}) {
        expect_same_bits(x.cumsum(dim), expected(x, dim, false), toString(type));
        expect_same_bits(x.cumprod(dim), expected(x, dim, true), toString(type));
      }
    }
  }
}

TEST(Scan, BackwardsIsThatOfTheReverse) {
  manual_seed(13);
  for (const ScalarType type : {kFloat, kDouble, kBFloat16, kComplexFloat}) {
    for (const std::int64_t n : {5, 12, 128, 300}) {
      for (const std::int64_t a : {1, 6, 40}) {
        for (const Tensor& g : matrices(a, n, type)) {
          for (const std::int64_t dim : {0, 1}) {
            Tensor x = numbers({a, n}, type).requires_grad_(true);
            x.cumsum(dim).backward(g);
            expect_same_bits(x.grad(), g.flip({dim}).cumsum(dim).flip({dim}), toString(type));
          }
        }
      }
    }
  }
}

/// Results that go past the caches.
TEST(Scan, OfLargeResults) {
  manual_seed(14);
  for (const auto& shape :
       {std::vector<std::int64_t>{1 << 13, 1 << 10}, {(1 << 23) / 10, 10}, {3, 2900000}}) {
    for (const ScalarType type : {kFloat, kBFloat16}) {
      const std::int64_t copies = type == kFloat ? 1 : 2;
      const Tensor x = numbers({copies * shape[0], shape[1]}, type);
      for (const std::int64_t dim : {0, 1})
        expect_same_bits(x.cumsum(dim), expected(x, dim, false), toString(type));
      expect_same_bits(x.t().cumsum(1), expected(x.t(), 1, false), toString(type));
    }
  }
}

}  // namespace
}  // namespace lanewise
