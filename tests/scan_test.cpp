// Running sums and products against plain C++: every type, sequences as rows and as columns, however they lie in memory.
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>
#include <lanewise/ops/scan.h>

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
  if (found.numel() == 0) return;
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

TEST(Scan, IntoTruthCountsWhatIsNotZero) {
  const Tensor x = tensor({0.0, 0.5, 0.5, -0.5});
  EXPECT_TRUE(cumsum(x, 0, kBool).equal(tensor({false, true, true, true})));
  Tensor out = empty({3}, kBool);
  EXPECT_TRUE(cumprod_out(out, x.slice(0, 1), 0).equal(ones({3}, kBool)));
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

// Columns that fill a register, or two, in part: whole ones are read and written only where others follow.
TEST(Scan, OfFewColumns) {
  manual_seed(17);
  for (const ScalarType type : {kDouble, kFloat, kLong, kBFloat16, kComplexFloat}) {
    for (std::int64_t columns = 1; columns <= 34; ++columns) {
      for (const std::int64_t n : {1, 2, 5, 12}) {
        const Tensor x = numbers({3, n, columns}, type);
        const Tensor sums = expected(x, 1, false), products = expected(x, 1, true);
        const std::string what =
            std::string(toString(type)) + " " + std::to_string(n) + " x " + std::to_string(columns);
        Tensor around = full({5, n, columns}, 7, TensorOptions().dtype(type)), out = around.narrow(0, 1, 3);
        cumsum_out(out, x, 1);
        expect_same_bits(out.contiguous(), sums, what);
        cumprod_out(out, x, 1);
        expect_same_bits(out.contiguous(), products, what);
        EXPECT_TRUE(around[0].eq(7).all().item<bool>() && around[4].eq(7).all().item<bool>()) << what;
        expect_same_bits(x.clone().cumsum_(1), sums, what + " in place");
        const Tensor gaps = cat({x, x}, 2).narrow(2, 0, columns);
        expect_same_bits(gaps.cumsum(1), sums, what + " with gaps");
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

TEST(Scan, BackwardsOfIntegers) {
  manual_seed(14);
  for (const std::int64_t n : {1, 7, 8, 9, 300}) {
    for (const Tensor& x : matrices(5, n, kLong)) {
      for (const std::int64_t dim : {0, 1})
        expect_same_bits(ops::reverse_cumsum(x, dim), x.flip({dim}).cumsum(dim).flip({dim}), "int64");
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

/// A view, and the memory around it.
struct Window {
  Tensor whole, view;
};
constexpr int kAround = 3;

/// Of [a, n]: contiguous, transposed, rows of longer ones, every second, columns of longer ones, every second row and every
/// third element.
std::vector<Window> windows(std::int64_t a, std::int64_t n, ScalarType type) {
  std::vector<Window> all;
  const auto add = [&](IntArrayRef shape, auto view) {
    const Tensor whole = full(shape, kAround, TensorOptions(type));
    all.push_back({whole, view(whole)});
  };
  add({a, n}, [](const Tensor& t) { return t; });
  add({n, a}, [](const Tensor& t) { return t.t(); });
  add({a, n + 5}, [n](const Tensor& t) { return t.narrow(1, 2, n); });
  add({a, 2 * n}, [n](const Tensor& t) { return t.slice(1, 0, 2 * n, 2); });
  add({n, a + 3}, [a](const Tensor& t) { return t.narrow(1, 1, a).t(); });
  add({2 * a, 3 * n}, [a, n](const Tensor& t) { return t.slice(0, 1, 2 * a, 2).slice(1, 2, 3 * n, 3); });
  return all;
}

/// `found` with these values, and nothing written beside it.
void expect_only(Window& found, const Tensor& values, const std::string& what) {
  expect_same_bits(found.view.contiguous(), values, what);
  found.view.fill_(kAround);
  EXPECT_TRUE(
      equal(found.whole, full(found.whole.sizes(), kAround, TensorOptions(found.whole.scalar_type()))))
      << what;
}

TEST(Scan, IntoEveryLayout) {
  manual_seed(15);
  for (const ScalarType type : {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble,
                                kComplexFloat, kComplexDouble}) {
    for (const auto& [a, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 1}, {1, 300}, {3, 7}, {5, 8}, {18, 33}, {67, 129}, {600, 9}, {0, 4}, {4, 0}}) {
      const std::vector<Tensor> inputs =
          a * n > 0 ? matrices(a, n, type) : std::vector<Tensor>{numbers({a, n}, type)};
      for (const std::int64_t dim : {0, 1}) {
        const Tensor sum = inputs[0].cumsum(dim).to(type), product = inputs[0].cumprod(dim).to(type);
        const auto layouts = windows(a, n, type).size();
        for (std::size_t i = 0; i < layouts; ++i) {
          const std::string what = std::string(toString(type)) + " " + std::to_string(a) + " x " +
                                   std::to_string(n) + ", dim " + std::to_string(dim) + ", result " +
                                   std::to_string(i);
          Window own = windows(a, n, type)[i];
          own.view.copy_(inputs[0]);
          own.view.cumsum_(dim, type);
          expect_only(own, sum, "sum in place, " + what);
          own.view.copy_(inputs[0]);
          own.view.cumprod_(dim, type);
          expect_only(own, product, "product in place, " + what);
          own.view.copy_(inputs[0]);
          Tensor again = own.view.view(own.view.sizes());  // the same elements as another tensor
          cumsum_out(again, own.view, dim, type);
          expect_only(own, sum, "onto the input, " + what);
          for (const Tensor& x : inputs) {
            Window out = windows(a, n, type)[i];
            cumsum_out(out.view, x, dim, type);
            expect_only(out, x.cumsum(dim).to(type), "out of " + what);
            cumprod_out(out.view, x, dim, type);
            expect_only(out, x.cumprod(dim).to(type), "product, out of " + what);
          }
        }
      }
    }
  }
}

TEST(Scan, IntoThreeDimensions) {
  manual_seed(16);
  for (const ScalarType type : {kFloat, kBFloat16, kChar, kComplexDouble}) {
    const Tensor plain = numbers({5, 12, 19}, type);
    const auto whole = [&](IntArrayRef shape) { return full(shape, kAround, TensorOptions(type)); };
    for (const std::int64_t dim : {0, 1, 2}) {
      for (int layout = 0; layout < 5; ++layout) {
        const auto window = [&]() -> Window {
          const Tensor t = whole(layout == 0   ? std::vector<std::int64_t>{19, 5, 12}
                                 : layout == 1 ? std::vector<std::int64_t>{12, 5, 19}
                                 : layout == 2 ? std::vector<std::int64_t>{5, 12, 40}
                                 : layout == 3 ? std::vector<std::int64_t>{5, 15, 19}
                                               : std::vector<std::int64_t>{19, 12, 6});
          return {t, layout == 0   ? t.permute({1, 2, 0})
                     : layout == 1 ? t.transpose(0, 1)
                     : layout == 2 ? t.slice(2, 1, 39, 2)
                     : layout == 3 ? t.narrow(1, 2, 12)
                                   : t.narrow(2, 0, 5).permute({2, 1, 0})};
        };
        const std::string what = std::string(toString(type)) + ", layout " + std::to_string(layout);
        Window own = window(), out = window();
        own.view.copy_(plain);
        own.view.cumsum_(dim, type);
        expect_only(own, plain.cumsum(dim).to(type), what);
        cumprod_out(out.view, plain, dim, type);
        expect_only(out, plain.cumprod(dim).to(type), what);
      }
    }
  }
}

/// What is read after it was written, or written twice, goes through a copy or is refused.
TEST(Scan, IntoWhatOverlaps) {
  manual_seed(17);
  for (const ScalarType type : {kFloat, kLong, kBFloat16}) {
    const Tensor data = numbers({41, 40}, type);
    for (const std::int64_t dim : {0, 1}) {
      const auto check = [&](auto input, auto output) {
        const Tensor whole = data.clone();
        const Tensor from = input(whole);
        const Tensor expected = from.clone().cumsum(dim);
        Tensor out = output(whole);
        cumsum_out(out, from, dim, type);
        expect_same_bits(out.contiguous(), expected, toString(type));
      };
      const auto upper = [](const Tensor& t) { return t.narrow(0, 0, 40); };
      const auto lower = [](const Tensor& t) { return t.narrow(0, 1, 40); };
      const auto turned = [](const Tensor& t) { return t.narrow(0, 0, 40).t(); };
      const auto even = [](const Tensor& t) { return t.slice(1, 0, 40, 2); };
      const auto odd = [](const Tensor& t) { return t.slice(1, 1, 40, 2); };
      const auto left = [](const Tensor& t) { return t.narrow(1, 0, 20); };
      check(upper, lower);
      check(lower, upper);
      check(upper, turned);
      check(turned, upper);
      check(even, odd);
      check(even, left);
      check(left, odd);

      Tensor repeated = ones({1, 40}, TensorOptions(type)).expand({41, 40});
      EXPECT_THROW(cumsum_out(repeated, data, dim, type), StorageError);
      EXPECT_THROW(repeated.cumsum_(dim, type), StorageError);
      EXPECT_TRUE(equal(repeated, ones({41, 40}, TensorOptions(type))));
      // Elements that meet in some other way are written in order.
      Tensor memory = zeros({80}, TensorOptions(type));
      Tensor meeting = as_strided(memory, {41, 40}, {1, 1});
      const Tensor sums = data.cumsum(dim);
      cumsum_out(meeting, data, dim, type);
      EXPECT_TRUE(equal(memory.narrow(0, 40, 40), sums[40]));
    }
  }
  Tensor bits = ones({3, 4}).to(kBool), number = full({}, 4.0);
  EXPECT_THROW(bits.cumsum_(0), DtypeError);
  EXPECT_TRUE(bits.all().item<bool>());
  EXPECT_TRUE(equal(number.cumsum_(0), full({}, 4.0)));
  Tensor element = zeros({3}).select(0, 1);
  EXPECT_TRUE(equal(cumprod_out(element, number, 0), full({}, 4.0)));
}

/// Results that go past the caches, with gaps.
TEST(Scan, OfLargeResultsWithGaps) {
  manual_seed(18);
  const Tensor x = numbers({1 << 12, (1 << 11) + 40}, kFloat);
  for (const std::int64_t dim : {0, 1}) {
    const Tensor sums = x.cumsum(dim);
    for (const int layout : {0, 1, 2}) {
      Window out{full({1 << 12, (2 << 11) + 80}, kAround, TensorOptions(kFloat)), {}};
      out.view = layout == 0 ? out.whole.narrow(1, 3, x.size(1)) : out.whole.slice(1, 0, 2 * x.size(1), 2);
      if (layout == 2) {
        out.view.copy_(x);
        out.view.cumsum_(dim);
      } else {
        cumsum_out(out.view, x, dim);
      }
      expect_only(out, sums, "layout " + std::to_string(layout));
    }
  }
}

TEST(LogCumSumExp, OfRowsAndOfColumnsHasTheSameBits) {
  manual_seed(3);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
    for (const std::int64_t rows : {1, 2, 3, 5, 10, 11, 17}) {
      for (const std::int64_t n : {1, 7, 63, 64, 65, 300}) {
        Tensor x = randn({rows, n}).mul(5).to(dtype);
        if (n > 60) {
          x.select(1, 3).fill_(-inf);
          x.select(1, 50).fill_(rows % 2 == 0 ? inf : nan);
        }
        const Tensor columns = x.t().contiguous();
        EXPECT_TRUE(allclose(x.logcumsumexp(1), columns.logcumsumexp(0).t(), 0, 0, true))
            << dtype << rows << " " << n;
        const Tensor back = x.flip({1}).logcumsumexp(1), back_columns = columns.flip({0}).logcumsumexp(0).t();
        EXPECT_TRUE(allclose(back, back_columns, 0, 0, true)) << dtype << rows << " " << n;
      }
    }
  }
}

TEST(LogCumSumExp, KeepsSmallSumsAndInfinities) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor small = tensor({0., -45., -50.}, kDouble).logcumsumexp(0);
  EXPECT_NEAR(small[1].item<double>() / std::exp(-45.), 1, 1e-14);
  EXPECT_NEAR(small[2].item<double>() / (std::exp(-45.) + std::exp(-50.)), 1, 1e-14);
  const Tensor t = tensor({-inf, -inf, 1., -inf, inf, 2., inf}, kDouble).logcumsumexp(0);
  EXPECT_TRUE(t.equal(tensor({-inf, -inf, 1., 1., inf, inf, inf}, kDouble))) << t;
}

}  // namespace
}  // namespace lanewise
