// Ops on rows that lie apart, of which cheap kernels take many in a call: the same bits as on contiguous copies, and nothing
// written between the rows.
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

Tensor numbers(IntArrayRef sizes, ScalarType dtype) { return (randn(sizes) * 4).round().to(dtype); }

/// A copy of t whose rows lie `gap` elements of 7 apart, and the memory that it is part of.
struct Apart {
  Tensor whole, rows;
  Apart(const Tensor& t, std::int64_t gap) {
    DimVector sizes(t.sizes());
    sizes.back() += gap;
    whole = full(sizes, 7, TensorOptions(t.scalar_type()));
    rows = whole.narrow(-1, 0, t.size(-1));
    rows.copy_(t);
  }
  bool gaps_are_whole() const {
    const Tensor gaps = whole.narrow(-1, rows.size(-1), whole.size(-1) - rows.size(-1));
    return equal(gaps, full_like(gaps, 7));
  }
};

using Op = std::function<Tensor(const Tensor& a, const Tensor& b)>;
using OpOut = std::function<void(Tensor& out, const Tensor& a, const Tensor& b)>;
struct Form {
  const char* name;
  Op op;
  OpOut out;
};

const std::vector<Form> kForms = {
    {"add", [](const Tensor& a, const Tensor& b) { return a + b; },
     [](Tensor& out, const Tensor& a, const Tensor& b) { add_out(out, a, b); }},
    {"mul", [](const Tensor& a, const Tensor& b) { return a * b; },
     [](Tensor& out, const Tensor& a, const Tensor& b) { mul_out(out, a, b); }},
    {"maximum", [](const Tensor& a, const Tensor& b) { return maximum(a, b); },
     [](Tensor& out, const Tensor& a, const Tensor& b) { maximum_out(out, a, b); }},
    {"clamp", [](const Tensor& a, const Tensor& b) { return clamp(a, b, b + 1); },
     [](Tensor& out, const Tensor& a, const Tensor& b) { clamp_out(out, a, b, b + 1); }},
    {"clamp by numbers", [](const Tensor& a, const Tensor&) { return clamp(a, 1, 2); },
     [](Tensor& out, const Tensor& a, const Tensor&) { clamp_out(out, a, 1, 2); }},
    {"where", [](const Tensor& a, const Tensor& b) { return where(a > b, a, b); },
     [](Tensor& out, const Tensor& a, const Tensor& b) { out.copy_(where(a > b, a, b)); }},
    {"add a number", [](const Tensor& a, const Tensor&) { return a + 3; },
     [](Tensor& out, const Tensor& a, const Tensor&) { add_out(out, a, 3); }},
    {"copy", [](const Tensor& a, const Tensor&) { return a.clone(MemoryFormat::Contiguous); },
     [](Tensor& out, const Tensor& a, const Tensor&) { out.copy_(a); }},
    {"fill", [](const Tensor& a, const Tensor&) { return full_like(a, 5); },
     [](Tensor& out, const Tensor&, const Tensor&) { out.fill_(5); }},
};

bool same(const Tensor& a, const Tensor& b) { return a.scalar_type() == b.scalar_type() && equal(a, b); }

TEST(Rows, AreAsTheirContiguousCopies) {
  manual_seed(11);
  for (const ScalarType dtype : {kFloat, kDouble, kChar, kShort, kLong, kBFloat16}) {
    for (const std::int64_t n : {8, 16, 17, 31, 32, 33, 50, 64, 97, 300}) {
      const Tensor a = numbers({5, 9, n}, dtype);
      // Rows beside them, one number for each row, one row for all, one number for all.
      for (const Tensor& b : {numbers({5, 9, n}, dtype), numbers({5, 9, 1}, dtype), numbers({9, 1}, dtype),
                              numbers({n}, dtype), numbers({1}, dtype)}) {
        for (const Form& form : kForms) {
          SCOPED_TRACE(::testing::Message() << form.name << " " << dtype << " " << n << " " << b.sizes());
          const Tensor expected = form.op(a, b.expand(a.sizes()).contiguous());
          const Apart x(a, 13), y(b, 13), out(zeros_like(a), 13), own(a, 3);
          EXPECT_TRUE(same(form.op(x.rows, y.rows), expected));
          Tensor to = out.rows, self = own.rows;
          form.out(to, x.rows, y.rows);
          EXPECT_TRUE(same(to, expected) && out.gaps_are_whole());
          form.out(self, self, y.rows);
          EXPECT_TRUE(same(self, expected) && own.gaps_are_whole()) << "in place";
        }
      }
    }
  }
}

// The masked ends of rows reach into the rows that follow, which are done in turns then.
TEST(Rows, InPlaceBesideEachOther) {
  manual_seed(15);
  const int threads = get_num_threads();
  for (const ScalarType dtype : {kFloat, kDouble, kChar, kShort}) {
    for (const std::int64_t n : {9, 17, 23, 40, 65, 70, 129}) {
      const Tensor a = numbers({3, 701, n}, dtype), b = numbers({3, 701, n}, dtype),
                   column = numbers({3, 701, 1}, dtype);
      for (const int t : {1, 3}) {
        set_num_threads(t);
        const Apart x(a, 1), y(b, 1), z(a, 2), v(a, 1);
        Tensor product = x.rows, sum = z.rows, by_column = v.rows;
        product.mul_(y.rows);
        sum.add_(3);
        by_column.mul_(column);
        EXPECT_TRUE(same(by_column, a * column.expand(a.sizes()).contiguous()) && v.gaps_are_whole());
        EXPECT_TRUE(same(product, a * b) && x.gaps_are_whole()) << dtype << " " << n;
        EXPECT_TRUE(same(sum, a + 3) && z.gaps_are_whole()) << dtype << " " << n;
      }
    }
  }
  set_num_threads(threads);
}

// Elements that rows share are written in order, by one path whatever the tier.
TEST(Rows, ThatOverlapAreTheSameOnEveryTier) {
  manual_seed(16);
  for (const std::int64_t n : {12, 20, 40, 80, 200}) {
    const Tensor start = randn({60 * n}), y = randn({100, n});
    Tensor expected;
    for (const Isa isa : available_isas()) {
      const IsaGuard guard(isa);
      const Tensor memory = start.clone();
      Tensor x = memory.as_strided({100, n}, {n / 2, 1});
      sub_out(x, y, x);
      x.add_(1);
      if (!expected.defined()) expected = memory;
      EXPECT_TRUE(equal(memory, expected)) << n << " " << name(isa);
    }
  }
}

TEST(Rows, OfQuotients) {
  manual_seed(12);
  for (const std::int64_t n : {70, 300}) {
    const Tensor a = randn({40, n}), columns = randn({40, 1}), three = full({40, n}, 3),
                 four = full({40, n}, 4);
    const Apart x(a, 10);
    EXPECT_TRUE(same(x.rows / 3, a / three));
    EXPECT_TRUE(same(x.rows / 4, a / four));
    EXPECT_TRUE(same(x.rows / columns, a / columns.expand({40, n}).contiguous()));
  }
}

TEST(Rows, OfComparisonsAndOfSeveralResults) {
  manual_seed(13);
  const Tensor a = randn({9, 70}), b = randn({9, 70});
  const Apart x(a, 6), y(b, 6), truth(zeros({9, 70}, TensorOptions(kByte)), 6);
  Tensor to = truth.rows.view(kBool);
  gt_out(to, x.rows, y.rows);
  EXPECT_TRUE(equal(to, a > b) && truth.gaps_are_whole());
  const auto [mantissa, exponent] = frexp(x.rows);
  EXPECT_TRUE(equal(ldexp(mantissa, exponent), a));
}

// Memory is asked for ahead of the rows, by several or by one, from 4 and from 16 MiB on.
TEST(Rows, FromBeyondTheCachesAndOfThreads) {
  manual_seed(14);
  const int threads = get_num_threads();
  for (const std::int64_t rows : {4000, 8000, 24000}) {
    const Tensor a = randn({rows, 80}), b = randn({rows, 80}), columns = randn({rows, 1});
    const Apart x(a, 40), y(b, 40);
    for (const int n : {1, 3}) {
      set_num_threads(n);
      EXPECT_TRUE(same(x.rows * y.rows, a * b));
      EXPECT_TRUE(same(x.rows * columns, a * columns.expand({rows, 80}).contiguous()));
      EXPECT_TRUE(same(x.rows.clone(MemoryFormat::Contiguous), a));
      const Apart own(a, 40);
      Tensor self = own.rows;
      self.add_(y.rows);
      EXPECT_TRUE(same(self, a + b) && own.gaps_are_whole());
    }
  }
  set_num_threads(threads);
}

TEST(Rows, ThatGoPastTheCaches) {
  const Tensor a = rand({4096, 4100}), columns = rand({4096, 1});
  const Tensor product = a * columns;
  for (const std::int64_t r : {0, 1, 2047, 4095}) EXPECT_TRUE(same(product[r], a[r] * columns[r].item()));
}

// Pieces of every length on both sides of where they are joined row by row; some tensors have none.
TEST(Rows, JoinedSideBySide) {
  for (const ScalarType dtype : {kByte, kFloat, kComplexDouble}) {
    for (const std::int64_t columns : {1, 2, 3, 40, 100, 250, 513, 1031, 70000}) {
      const std::int64_t rows = columns > 1031 ? 3 : 67;
      const Tensor a = numbers({2, rows, columns}, dtype), b = numbers({2, rows, columns + 600}, dtype),
                   none = numbers({2, rows, 0}, dtype);
      const Tensor joined = cat({a, none, b, a}, 2);
      ASSERT_EQ(joined.sizes(), IntArrayRef({2, rows, 3 * columns + 600}));
      EXPECT_TRUE(equal(joined.narrow(2, 0, columns), a)) << columns;
      EXPECT_TRUE(equal(joined.narrow(2, columns, columns + 600), b)) << columns;
      EXPECT_TRUE(equal(joined.narrow(2, 2 * columns + 600, columns), a)) << columns;
      const Tensor below = cat({a, numbers({2, 1, columns}, dtype), a}, 1);
      EXPECT_TRUE(equal(below.narrow(1, rows + 1, rows), a)) << columns;
      Tensor out = full({2, rows, 2 * columns + 600}, 7, dtype);
      cat_out(out, {b, a}, -1);
      EXPECT_TRUE(equal(out, cat({b, a.transpose(0, 1).contiguous().transpose(0, 1)}, 2))) << columns;
      Tensor odd = full({rows, 1, columns}, 7, dtype).as_strided({rows, 1, columns}, {columns, 5, 1});
      cat_out(odd, {a[0].unsqueeze(1)}, 1);
      EXPECT_TRUE(equal(odd.squeeze(1), a[0])) << columns;
    }
  }
}

TEST(Indices, OfInt32OnlyWherePyTorchTakesThem) {
  const Tensor x = ones({3}), i = tensor({0, 1}, kInt);
  EXPECT_THROW(gather(x, 0, i), DtypeError);
  EXPECT_THROW(scatter(x, 0, i, 1), DtypeError);
  EXPECT_THROW(take(x, i), DtypeError);
  EXPECT_THROW(put(x, i, ones({2})), DtypeError);
  EXPECT_EQ(index_select(x, 0, i).numel(), 2);
  EXPECT_EQ(index_add(x, 0, i, ones({2})).sum().item<float>(), 5);
}

}  // namespace
}  // namespace lanewise
