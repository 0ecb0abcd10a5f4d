// Forms of reductions: out= of several results, sequences that lie in rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

TEST(SeveralOuts, AreWrittenAndReturned) {
  const Tensor x = tensor({3., 1., 2., 5., 4., 0.}).reshape({2, 3});
  Tensor values = empty({0}), indices = empty({7}, kLong);
  const std::tuple<Tensor&, Tensor&> both = max_out(values, indices, x, 1, true);
  EXPECT_TRUE(std::get<0>(both).is_same(values));
  EXPECT_TRUE(std::get<1>(both).is_same(indices));
  EXPECT_TRUE(equal(values, tensor({3., 5.}).reshape({2, 1})));
  EXPECT_TRUE(equal(indices, zeros({2, 1}, kLong)));
  Tensor low = empty({0}), high = empty({0});
  aminmax_out(low, high, x, 0);
  EXPECT_TRUE(equal(low, tensor({3., 1., 0.})));
  EXPECT_TRUE(equal(high, tensor({5., 4., 2.})));
  cummin_out(low, indices, x, 1);
  EXPECT_TRUE(equal(low, tensor({3., 1., 1., 5., 4., 0.}).reshape({2, 3})));
}

TEST(SeveralOuts, ByName) {
  const Tensor x = tensor({3., 1., 2.});
  const Tensor values = empty({0}), indices = empty({0}, kLong);
  call("median.dim_out", {x, 0}, {{"values", values}, {"indices", indices}});
  EXPECT_EQ(values.item<float>(), 2);
  EXPECT_EQ(indices.item<std::int64_t>(), 2);
}

TEST(SeveralOuts, MustHoldTheResult) {
  Tensor values = empty({0}, kInt), indices = empty({0}, kLong);
  EXPECT_THROW(max_out(values, indices, rand({3}), 0), DtypeError);
  // Not one that the result could be cast to, and none is written before all are checked.
  Tensor wide = empty({0}, kDouble), whole = full({1}, 7.0), repeated = full({1}, 7, kLong).expand({2});
  EXPECT_THROW(max_out(wide, indices, rand({3}), 0), DtypeError);
  EXPECT_THROW(argmax_out(wide, rand({3}), 0), DtypeError);
  whole.resize_({2}).fill_(7);
  EXPECT_THROW(max_out(whole, repeated, rand({2, 3}), 1), StorageError);
  EXPECT_TRUE(equal(whole, full({2}, 7.0)));
}

TEST(OutOfSums, DecidesWhatTheyComputeIn) {
  const Tensor x = tensor({1.5, 2.7});
  Tensor byte = empty({}, kByte), whole = empty({}, kLong), real = empty({});
  EXPECT_EQ(sum_out(byte, x).item<std::int64_t>(), 3);
  EXPECT_EQ(prod_out(whole, x).item<std::int64_t>(), 2);
  EXPECT_EQ(sum_out(byte, x, IntArrayRef(0)).item<std::int64_t>(), 3);
  Tensor run = empty({2}, kLong);
  EXPECT_TRUE(equal(cumsum_out(run, x, 0), tensor({1, 3})));
  EXPECT_THROW(sum_out(byte, x, kFloat), DtypeError);
  EXPECT_THROW(cumsum_out(run, x, 0, kFloat), DtypeError);
  EXPECT_EQ(sum_out(real, tensor({std::complex<double>(1, 2)}).to(kComplexFloat)).item<double>(), 1);
  EXPECT_THROW(ones({3}, kHalf).cumsum_(0, kFloat), DtypeError);
}

TEST(OutOfTruth, IsBoolOrBytes) {
  const Tensor bytes = tensor({0, 3, 0}).to(kByte);
  Tensor truth = empty({7}, kBool), byte = empty({0}, kByte), real = empty({0}), undefined;
  EXPECT_TRUE(equal(any_out(truth, bytes), tensor(true)));
  EXPECT_TRUE(equal(all_out(truth, bytes.reshape({3, 1}), 1), tensor({false, true, false})));
  EXPECT_TRUE(equal(any_out(byte, tensor({false, true})), tensor(1).to(kByte)));
  EXPECT_EQ(all_out(undefined, bytes).scalar_type(), kByte);
  EXPECT_THROW(any_out(real, bytes, 0), DtypeError);
  EXPECT_EQ(real.numel(), 0);
}

TEST(Prod, OfComplexNumbersTakenAsRealOnes) {
  using C = std::complex<double>;
  const Tensor x = tensor({C(-0.5, 3), C(2, 1), C(4, -1)}).requires_grad_();
  x.prod(kDouble).backward();
  EXPECT_TRUE(x.grad().equal(tensor({C(8), C(-2), C(-1)})));
}

bool identical(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() &&
         (a.nbytes() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0);
}

/// Rows of any length, apart or not.
TEST(JoinedRows, HaveTheBitsOfTheContiguousSequence) {
  manual_seed(1);
  const int threads = get_num_threads();
  for (const std::int64_t length : {256, 300, 777, 1000, 1024, 1025, 1500, 2048, 5000}) {
    const Tensor wide = randn({40, 3, length});
    // [40, length] over dims 0 and 2: rows apart by 3 * length.
    const Tensor rows = wide.select(1, 1), packed = rows.contiguous();
    for (const int n : {1, 3}) {
      set_num_threads(n);
      EXPECT_TRUE(equal(rows.sum(), packed.sum())) << length;
      EXPECT_TRUE(equal(rows.amax(), packed.amax())) << length;
      EXPECT_TRUE(equal(wide.sum(IntArrayRef{0, 2}).select(0, 1), packed.sum())) << length;
      EXPECT_TRUE(equal(wide.to(kDouble).mean(IntArrayRef{0, 2}).select(0, 1), packed.to(kDouble).mean()))
          << length;
    }
  }
  set_num_threads(threads);
}

/// Rows that are columns in memory.
TEST(TransposedRows, HaveTheBitsOfTheContiguousSequence) {
  manual_seed(2);
  const int threads = get_num_threads();
  for (const std::int64_t rows : {1, 3, 255, 256, 300}) {
    const Tensor t = randn({2048, rows}).t(), packed = t.contiguous();
    const Tensor wide = randn({3, 1024, rows}).transpose(1, 2), wide_packed = wide.contiguous();
    for (const int n : {1, 3}) {
      set_num_threads(n);
      EXPECT_TRUE(equal(t.sum(), packed.sum())) << rows;
      EXPECT_TRUE(equal(t.amin(), packed.amin())) << rows;
      EXPECT_TRUE(equal(t.var(true), packed.var(true))) << rows;
      EXPECT_TRUE(equal(wide.sum(IntArrayRef{1, 2}), wide_packed.sum(IntArrayRef{1, 2}))) << rows;
    }
  }
  set_num_threads(threads);
}

/// Columns that are a part of a leaf, one, or some, in numbers that leave a part of a leaf and of a register over.
TEST(TransposedColumns, HaveTheBitsOfTheContiguousSequence) {
  manual_seed(4);
  const int threads = get_num_threads();
  for (const ScalarType dtype : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
    for (const std::int64_t length : {128, 256, 512, 1024, 2048, 3072}) {
      for (const std::int64_t columns : {2, 3, 4, 7, 8, 31, 66, 261}) {
        const Tensor t = randn({length, columns + 1}, dtype).narrow(1, 1, columns).t(),
                     packed = t.contiguous();
        for (const int n : {1, 3}) {
          set_num_threads(n);
          EXPECT_TRUE(identical(t.sum(), packed.sum())) << dtype << ' ' << length << " x " << columns;
          EXPECT_TRUE(identical(t.div(2).mean(), packed.div(2).mean())) << length << " x " << columns;
          EXPECT_TRUE(identical(t.prod(), packed.prod())) << dtype << ' ' << length << " x " << columns;
        }
      }
    }
  }
  set_num_threads(threads);
}

TEST(OrderFree, IntegersInAnyLayout) {
  manual_seed(3);
  const Tensor x = randint(-1000, 1000, {7, 33, 65}, kLong);
  for (const Tensor& t : {x.transpose(0, 2), x.permute({1, 2, 0}), x.slice(2, 0, 65, 2)}) {
    const Tensor packed = t.contiguous();
    EXPECT_TRUE(equal(t.sum(), packed.sum()));
    EXPECT_TRUE(equal(t.sum(IntArrayRef{0, 2}), packed.sum(IntArrayRef{0, 2})));
    EXPECT_TRUE(equal(t.amax(IntArrayRef{0, 1}), packed.amax(IntArrayRef{0, 1})));
    EXPECT_TRUE(equal(t.count_nonzero(IntArrayRef{1, 2}), packed.count_nonzero(IntArrayRef{1, 2})));
    EXPECT_TRUE(equal(t.argmax(), packed.argmax()));
  }
}

// Rows of a sequence that lie apart have accumulators of their own: of some columns, of many steps, cut by threads in the middle of a row.
TEST(OrderFree, RowsApartAreAsTheirCopy) {
  manual_seed(5);
  const int threads = get_num_threads();
  const std::vector<std::int64_t> shapes[] = {{2, 1, 70},     {1000, 3, 20}, {700, 2, 131}, {3, 700, 33},
                                              {40, 5000, 16}, {2, 3, 5000},  {90, 40, 100}, {6, 5, 2049}};
  for (const ScalarType dtype : {kByte, kShort, kInt, kLong, kFloat, kDouble}) {
    for (const std::vector<std::int64_t>& shape : shapes) {
      const Tensor x = randint(0, 120, shape, kLong).to(dtype);
      for (const Tensor& t : {x, x.slice(2, 1), x.slice(0, 0, shape[0], 2), x.slice(1, shape[1] / 2),
                              x.transpose(0, 1), x.slice(2, 1).transpose(0, 1)}) {
        for (std::int64_t kept = 0; kept < 3; ++kept) {
          const std::int64_t dims[] = {kept == 0 ? 1 : 0, kept == 2 ? 1 : 2};
          const Tensor sequences = t.transpose(0, kept).contiguous().flatten(1);
          for (const int count : {1, 3}) {
            set_num_threads(count);
            const auto what = ::testing::Message() << dtype << " " << t.sizes() << " " << t.strides() << " "
                                                   << kept << ", " << count << " threads";
            EXPECT_TRUE(equal(t.amax(dims), sequences.amax(IntArrayRef{1}))) << what;
            EXPECT_TRUE(equal(t.amin(dims), sequences.amin(IntArrayRef{1}))) << what;
            EXPECT_TRUE(equal(t.count_nonzero(dims), sequences.count_nonzero(IntArrayRef{1}))) << what;
            if (isIntegralType(dtype, false)) {
              EXPECT_TRUE(equal(t.sum(dims), sequences.sum(IntArrayRef{1}))) << what;
            }
          }
        }
      }
    }
  }
  set_num_threads(threads);
}

// Of zeros the largest is +0 and the smallest -0, NaN counts wherever it stands, whatever way the elements are read.
TEST(OrderFree, FloatsOfBothZerosAndNan) {
  const auto is_best = [](double found, const std::vector<double>& x, bool max) {
    double best = x[0];
    for (const double v : x) {
      if (std::isnan(v)) return std::isnan(found);
      const bool better = v == best ? std::signbit(v) != max && std::signbit(best) == max : max == (v > best);
      if (better) best = v;
    }
    return found == best && std::signbit(found) == std::signbit(best);
  };
  std::mt19937_64 random(7);
  for (const ScalarType dtype : {kFloat, kDouble, kHalf}) {
    for (const std::int64_t rows : {1, 2, 5, 9, 70}) {
      for (const std::int64_t cols : {1, 3, 17, 100, 1100}) {
        std::vector<double> values(static_cast<std::size_t>(rows * cols));
        for (const double highest : {-0.0, 0.0, 3.0}) {
          for (double& v : values) {
            const auto one = random() % 16;
            v = one < 3 ? -1.0 : one < 9 ? -0.0 : std::min(0.0, highest);
            if (one == 10) v = highest;
            if (highest > 0 && random() % 999 == 0) v = std::numeric_limits<double>::quiet_NaN();
          }
          const Tensor t = tensor(values).view({rows, cols}).to(dtype);
          for (const bool max : {true, false}) {
            const Tensor x = max ? t : -t;
            const auto found = [&](const Tensor& of, IntArrayRef dims) {
              return (max ? of.amax(dims) : of.amin(dims)).to(kDouble).contiguous();
            };
            const Tensor by_column = found(x, {0}), by_row = found(x, {1});
            EXPECT_TRUE(identical(by_column, found(x.t(), {1}))) << rows << " x " << cols;
            EXPECT_TRUE(identical(by_row, found(x.t().contiguous(), {0}))) << rows << " x " << cols;
            EXPECT_TRUE(identical(found(x, {0, 1}), found(x.t(), {0, 1}))) << rows << " x " << cols;
            const auto sign = [&](double v) { return max ? v : -v; };
            for (std::int64_t c = 0; c < cols; ++c) {
              std::vector<double> column;
              for (std::int64_t r = 0; r < rows; ++r)
                column.push_back(sign(values[static_cast<std::size_t>(r * cols + c)]));
              ASSERT_TRUE(is_best(by_column.data_ptr<double>()[c], column, max)) << rows << " x " << cols;
            }
            for (std::int64_t r = 0; r < rows; ++r) {
              std::vector<double> row;
              for (std::int64_t c = 0; c < cols; ++c)
                row.push_back(sign(values[static_cast<std::size_t>(r * cols + c)]));
              ASSERT_TRUE(is_best(by_row.data_ptr<double>()[r], row, max)) << rows << " x " << cols;
            }
          }
        }
      }
    }
  }
}

// The first elements of a leaf are those that all are measured from: data that moves away from them loses nothing.
TEST(Variance, OfDataThatBeginsElsewhere) {
  const auto check = [](const char* name, const std::vector<double>& x) {
    long double sum = 0, squares = 0;
    for (const double v : x) sum += static_cast<float>(v);
    const long double mean = sum / static_cast<long double>(x.size());
    for (const double v : x) squares += (static_cast<float>(v) - mean) * (static_cast<float>(v) - mean);
    const auto want = static_cast<double>(squares / static_cast<long double>(x.size() - 1));
    const Tensor t = tensor(x).to(kFloat);
    const auto [variance, average] = var_mean(t, IntArrayRef(0), true, false);
    EXPECT_NEAR(variance.item<double>() / want, 1, 4e-6) << name;
    EXPECT_NEAR(average.item<double>(), static_cast<double>(mean),
                2e-7 * (std::abs(static_cast<double>(mean)) + std::sqrt(want)))
        << name;
    const Tensor columns = t.view({-1, 1}).expand({t.numel(), 70}).contiguous();
    EXPECT_TRUE(identical(var(columns, IntArrayRef(0), true, false), variance.expand({70}).contiguous()))
        << name;
  };
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (const std::size_t n : {2, 63, 64, 65, 500, 1024, 1025, 5000}) {
    std::vector<double> ramp(n), far(n), begins_apart(n), ends_apart(n);
    for (std::size_t i = 0; i < n; ++i) {
      ramp[i] = static_cast<double>(i);
      far[i] = 1000 + normal(random);
      begins_apart[i] = (i % 1024 < 64 ? 1000 : 0) + normal(random);
      ends_apart[i] = (i + 1 == n ? 1000 : 0) + normal(random);
    }
    check("ramp", ramp);
    check("far", far);
    check("begins apart", begins_apart);
    check("ends apart", ends_apart);
  }
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const std::int64_t at : {0, 100}) {
    Tensor t = ones({1000});
    t[at].fill_(kInf);
    const auto [variance, average] = var_mean(t, IntArrayRef(0), true, false);
    EXPECT_EQ(average.item<float>(), kInf) << at;
    EXPECT_TRUE(std::isnan(variance.item<float>())) << at;
  }
  EXPECT_EQ(var(full({3000}, 7.25f)).item<float>(), 0);
}

TEST(OfNothing, HasNormsAndMedians) {
  const Tensor none = zeros({2, 0});
  for (const double p : {double{INFINITY}, -double{INFINITY}, -1.0, 2.0})
    EXPECT_TRUE(norm(none, p, {1}).equal(zeros({2}))) << p;
  EXPECT_THROW(linalg_vector_norm(none, INFINITY, IntArrayRef(1)), ValueError);
  EXPECT_EQ(median(empty({0}, kInt)).item<int>(), std::numeric_limits<int>::min());
}

TEST(OfNothing, HasMeansWhoseGradientHasAGradient) {
  const Tensor none = zeros({0}, kDouble).requires_grad_(), grad = ones({}, kDouble).requires_grad_();
  const Tensor once = autograd::grad({mean(none)}, {none}, {grad}, true, true)[0];
  EXPECT_EQ(autograd::grad({once.sum()}, {grad})[0].item<double>(), 0);
}

TEST(ScatterReduce, HasGradientsOfASourceLargerThanTheIndex) {
  const Tensor self = ones({4, 1}, kDouble).requires_grad_(), index = zeros({3, 1}, kLong);
  const Tensor src = (arange(6, kDouble).view({3, 2}) + 1).requires_grad_();
  for (const char* reduce : {"sum", "prod", "mean", "amax"}) {
    const auto of = [&](const Tensor& s) {
      return autograd::grad({scatter_reduce(self, 1, index, s, reduce)}, {s},
                            {arange(1, 5, kDouble).view({4, 1})})[0];
    };
    const Tensor fitting = src.detach().narrow(1, 0, 1).clone().requires_grad_();
    EXPECT_TRUE(of(src).narrow(1, 0, 1).equal(of(fitting))) << reduce;
    EXPECT_TRUE(of(src).narrow(1, 1, 1).equal(zeros({3, 1}, kDouble))) << reduce;
  }
  const Tensor product = scatter_reduce(self, 1, index, src, "prod");
  const Tensor once = autograd::grad({product.sum()}, {self}, {}, true, true)[0];
  EXPECT_TRUE(autograd::grad({once.sum()}, {src})[0].equal(
      tensor({1.0, 0.0, 1.0, 0.0, 1.0, 0.0}).to(kDouble).view({3, 2})));
}

// The squares of such numbers are outside of f32, their root is not.
TEST(Std, OfTinyAndHugeNumbers) {
  for (const ScalarType dtype : {kFloat, kBFloat16}) {
    for (const double scale : {1e-30, 1e-22, 1e-10, 1e19, 1e37}) {
      const Tensor x = (arange(1, 9, kDouble) * scale).to(dtype);
      const Tensor expected = x.to(kDouble).std().to(dtype);
      const auto expect_near = [&](const Tensor& found, const Tensor& wanted) {
        EXPECT_TRUE(allclose(found, wanted, dtype == kFloat ? 1e-5 : 1e-2, 0)) << found << wanted;
      };
      expect_near(x.std(), expected);
      expect_near(std::get<0>(std_mean(stack({x, x}), 1)), stack({expected, expected}));
      expect_near(x.reshape({2, 2, 2}).std(IntArrayRef({0, 2}), true, true),
                  x.reshape({2, 2, 2}).to(kDouble).std(IntArrayRef({0, 2}), true, true).to(dtype));
      expect_near(std::get<1>(std_mean(x)), x.to(kDouble).mean().to(dtype));
    }
  }
  const Tensor ordinary = arange(1, 9, kFloat), tiny = ordinary * 1e-30;  // rows do not depend on each other
  const Tensor constant = full({8}, 0.1) * 1e-21, infinite = ordinary / 0;
  const Tensor rows = stack({ordinary, tiny, constant, infinite});
  EXPECT_TRUE(rows.std(1)[3].isnan().item<bool>());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(equal(rows.std(1)[i], rows[i].std())) << i;
  EXPECT_TRUE(equal(full({2, 4}, 3e38).var(1), zeros({2})));
  EXPECT_TRUE(equal(full({4}, 3e38).var(), zeros({})));
  EXPECT_TRUE(equal(zeros({4}).std(), zeros({})));
  const Tensor nan = full({4}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(nan.std().isnan().item<bool>());
  Tensor x = (arange(1, 9) * 1e-30).requires_grad_();
  x.std().backward();
  Tensor unit = arange(1, 9, kFloat).requires_grad_();
  unit.std().backward();
  EXPECT_TRUE(allclose(x.grad(), unit.grad()));
  const Tensor z = lanewise::complex(x.detach(), x.detach());
  EXPECT_TRUE(allclose(z.std(), z.to(kComplexDouble).std().to(kFloat), 1e-5, 0));
}

TEST(Median, OfNoIntegers) {
  for (const ScalarType dtype : {kByte, kChar, kShort}) EXPECT_EQ(zeros({0}, dtype).median().item<int>(), 0);
}

}  // namespace
}  // namespace lanewise
