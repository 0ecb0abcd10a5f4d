// Ops on rows that lie apart, of which cheap kernels take many in a call: the same bits as on contiguous copies, and nothing
// written between the rows.
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

Tensor numbers(IntArrayRef sizes, ScalarType dtype) {
  const Tensor t = (randn(sizes) * 4).round();
  return dtype == kByte || dtype == kBool ? t.abs().to(dtype) : t.to(dtype);
}

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
    for (const std::int64_t n : {31, 32, 33, 50, 64, 97, 300}) {
      const Tensor a = numbers({5, 9, n}, dtype);
      // Rows beside them, one number for each row, one row for all, one number for all.
      for (const Tensor& b : {numbers({5, 9, n}, dtype), numbers({5, 9, 1}, dtype), numbers({9, 1}, dtype),
                              numbers({n}, dtype), numbers({1}, dtype)}) {
        for (const Form& form : kForms) {
          SCOPED_TRACE(::testing::Message() << form.name << " " << dtype << " " << n << " " << b.sizes());
          const Tensor expected = form.op(a, b);
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

TEST(Rows, OfQuotients) {
  manual_seed(12);
  const Tensor a = randn({40, 70}), columns = randn({40, 1});
  const Apart x(a, 10);
  EXPECT_TRUE(same(x.rows / 3, a / 3));
  EXPECT_TRUE(same(x.rows / 4, a / 4));
  EXPECT_TRUE(same(x.rows / columns, a / columns.expand({40, 70}).contiguous()));
}

TEST(Rows, ThatGoPastTheCaches) {
  const Tensor a = rand({4096, 4100}), columns = rand({4096, 1});
  const Tensor product = a * columns;
  for (const std::int64_t r : {0, 1, 2047, 4095}) EXPECT_TRUE(same(product[r], a[r] * columns[r].item()));
}

}  // namespace
}  // namespace lanewise
