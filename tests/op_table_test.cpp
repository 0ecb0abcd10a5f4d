// Every row of the op table: values for each tier, dtype and layout against its reference, the in-place and
// out= forms, the same bits whatever the layout and the tier, and gradients of first and second order by
// finite differences.

#include "op_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "vec/guarded_page.h"

namespace lanewise::testing {
namespace {

using autograd::variable_list;

/// How an input lies in memory; the values in logical order are the same for all.
enum class Layout { Contiguous, Transposed, Stride2, Offset };
constexpr Layout kLayouts[] = {Layout::Contiguous, Layout::Transposed, Layout::Stride2, Layout::Offset};

Tensor with_layout(const Tensor& values, Layout layout) {
  const std::int64_t rows = values.size(0), cols = values.size(1);
  switch (layout) {
    case Layout::Contiguous: return values;
    case Layout::Transposed: return values.t().contiguous().t();
    case Layout::Stride2: {
      Tensor wide = zeros({rows, 2 * cols}, values.options());
      Tensor view = wide.slice(1, 0, 2 * cols, 2);
      view.copy_(values);
      return view;
    }
    case Layout::Offset: {
      Tensor longer = zeros({rows * cols + 3}, values.options());
      Tensor view = longer.slice(0, 3).view({rows, cols});
      view.copy_(values);
      return view;
    }
  }
  return values;
}

Tensor random_values(IntArrayRef sizes, ScalarType dtype, std::array<double, 2> range, std::mt19937& random) {
  const bool integral = isIntegralType(dtype, true);
  const bool unsigned_type = dtype == kByte;
  const double low = integral ? std::ceil(unsigned_type ? std::max(range[0], 0.0) : range[0]) : range[0];
  const double high = integral ? std::floor(range[1]) : range[1];
  Tensor wide = empty(sizes, isComplexType(dtype) ? kComplexDouble : kDouble);
  auto* numbers = static_cast<double*>(wide.data_ptr());
  const std::int64_t count = wide.numel() * (isComplexType(dtype) ? 2 : 1);
  for (std::int64_t i = 0; i < count; ++i) {
    numbers[i] = integral ? static_cast<double>(std::uniform_int_distribution<int>(
                                static_cast<int>(low), static_cast<int>(high))(random))
                          : std::uniform_real_distribution<double>(low, high)(random);
  }
  return wide.to(dtype);
}

std::vector<Tensor> run(const OpRow& row, std::span<const Tensor> inputs) {
  std::vector<Value> args(inputs.begin(), inputs.end());
  return call(row.name, args);
}

Tensor result_of(const OpRow& row, std::span<const Tensor> inputs) { return run(row, inputs)[0]; }

Real expected(const OpRow& row, std::span<const double> x) {
  switch (row.inputs()) {
    case 1: return std::get<OpRow::One>(row.reference)(x[0]);
    case 2: return std::get<OpRow::Two>(row.reference)(x[0], x[1]);
    default: return std::get<OpRow::Three>(row.reference)(x[0], x[1], x[2]);
  }
}

/// Distance between neighbours of `dtype` around `value`.
Real ulp_of(Real value, ScalarType dtype) {
  const auto [digits, least] = dtype == kFloat    ? std::pair(24, -125)
                               : dtype == kDouble ? std::pair(53, -1021)
                               : dtype == kHalf   ? std::pair(11, -13)
                                                  : std::pair(8, -125);
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(Real{1}, std::max(exponent, least) - digits);
}

std::vector<double> doubles(const Tensor& t) {
  const Tensor wide = t.to(kDouble).contiguous();
  const double* data = wide.data_ptr<double>();
  return {data, data + wide.numel()};
}

void expect_values(const OpRow& row, std::span<const Tensor> inputs, const Tensor& result) {
  std::vector<std::vector<double>> columns;
  for (const Tensor& input : inputs) columns.push_back(doubles(input));
  const std::vector<double> found = doubles(result);
  const ScalarType dtype = result.scalar_type();
  // A half is computed in float and rounded once: half a unit, and a little for double rounding at a tie.
  const double allowed = dtype == kHalf || dtype == kBFloat16 ? 0.5 + row.max_ulp / 64 : row.max_ulp;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::array<double, 3> x{};
    for (std::size_t k = 0; k < columns.size(); ++k) x[k] = columns[k][i];
    const Real want = expected(row, x);
    const Real error = std::abs(static_cast<Real>(found[i]) - want);
    if (isIntegralType(dtype, true)) {
      EXPECT_EQ(found[i], static_cast<double>(want))
          << toString(dtype) << " at " << x[0] << ", " << x[1] << ", " << x[2];
    } else {
      const Real ulp = ulp_of(want, dtype);
      ASSERT_LE(error, ulp * (static_cast<Real>(allowed) + 1e-3L))
          << toString(dtype) << " of " << toString(inputs[0].scalar_type()) << " at " << x[0] << ", " << x[1]
          << ", " << x[2] << ": " << found[i] << " against " << static_cast<double>(want) << ", "
          << static_cast<double>(error / ulp) << " ULP";
    }
  }
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return x.scalar_type() == y.scalar_type() && x.sizes() == y.sizes() &&
         (x.nbytes() == 0 || std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0);
}

std::vector<ScalarType> dtypes_of(const OpRow& row) {
  std::vector<ScalarType> dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  if (row.types != Types::Floating) dtypes.insert(dtypes.end(), {kByte, kChar, kShort, kInt, kLong});
  return dtypes;
}

class OpTable : public ::testing::TestWithParam<OpRow> {
 protected:
  std::vector<Tensor> inputs(IntArrayRef sizes, ScalarType dtype) {
    std::vector<Tensor> result;
    for (int i = 0; i < GetParam().inputs(); ++i)
      result.push_back(random_values(sizes, dtype, GetParam().range, random_));
    if (dtype == kByte && GetParam().name.ends_with("sub")) {  // keep the difference of bytes above zero
      Tensor& larger = GetParam().name == "sub" ? result[0] : result[1];
      larger = larger + 3;
    }
    return result;
  }
  std::mt19937 random_{20240607};
};

bool promotes(const OpRow& row, ScalarType dtype) {
  return row.types == Types::Promoted && isIntegralType(dtype, true);
}

TEST_P(OpTable, ValuesOnEachTierDtypeAndLayout) {
  const OpRow& row = GetParam();
  for (const ScalarType dtype : dtypes_of(row)) {
    if (dtype == kByte && row.name == "neg") continue;  // wraps; the kernels' tests have it
    const auto values = inputs({7, 19}, dtype);  // 133 elements: whole vectors and a tail on every tier
    Tensor first;
    for (const Isa isa : available_isas()) {
      const IsaGuard guard(isa);
      SCOPED_TRACE(name(isa));
      for (const Layout layout : kLayouts) {
        std::vector<Tensor> args;
        for (const Tensor& v : values) args.push_back(with_layout(v, layout));
        const Tensor result = result_of(row, args);
        EXPECT_EQ(result.scalar_type(), promotes(row, dtype) ? kFloat : dtype);
        ASSERT_NO_FATAL_FAILURE(expect_values(row, values, result));
        if (std::string_view(name(isa)) == "sse4_2")
          continue;  // no fused multiply-add: within max_ulp, not bit for bit
        if (!first.defined()) first = result.contiguous();
        EXPECT_TRUE(same_bits(result, first)) << toString(dtype) << ", layout " << static_cast<int>(layout);
      }
    }
  }
}

/// A copy whose last byte is the last one of a page.
Tensor at_page_end(const Tensor& t, test::GuardedPage& page) {
  void* data = page.last<char>(static_cast<int>(t.nbytes()));
  return from_blob(data, t.sizes(), t.options()).copy_(t);
}

TEST_P(OpTable, OperandsAtTheEndsOfPages) {
  const OpRow& row = GetParam();
  std::vector<ScalarType> dtypes = dtypes_of(row);
  if (!std::holds_alternative<std::monostate>(row.complex_reference))
    dtypes.insert(dtypes.end(), {kComplexFloat, kComplexDouble});
  std::array<test::GuardedPage, 3> pages;
  for (const ScalarType dtype : dtypes) {
    const auto values = inputs({37}, dtype);
    for (const Isa isa : available_isas()) {
      const IsaGuard guard(isa);
      for (const std::int64_t n : {1, 3, 37}) {
        for (const bool last_is_one : {false, true}) {
          std::vector<Tensor> inside, at_end;
          for (std::size_t k = 0; k < values.size(); ++k) {
            const bool one = last_is_one && k + 1 == values.size();
            inside.push_back(one ? values[k].select(0, 0) : values[k].slice(0, 0, n));
            at_end.push_back(at_page_end(inside[k], pages[k]));
          }
          EXPECT_TRUE(same_bits(result_of(row, at_end), result_of(row, inside)))
              << toString(dtype) << " on " << name(isa) << ", " << n << " elements";
        }
      }
    }
  }
}

TEST_P(OpTable, ComplexValues) {
  const OpRow& row = GetParam();
  if (std::holds_alternative<std::monostate>(row.complex_reference)) GTEST_SKIP() << "a real op";
  for (const ScalarType dtype : {kComplexFloat, kComplexDouble}) {
    const auto values = inputs({5, 9}, dtype);
    std::vector<std::vector<std::complex<double>>> columns;
    for (const Tensor& v : values) {
      const Tensor wide = v.to(kComplexDouble).contiguous();
      const auto* data = static_cast<const std::complex<double>*>(wide.data_ptr());
      columns.emplace_back(data, data + wide.numel());
    }
    const Real epsilon = dtype == kComplexFloat ? Real{1.2e-7L} : Real{2.3e-16L};
    for (const Isa isa : available_isas()) {
      const IsaGuard guard(isa);
      const Tensor found = result_of(row, values).to(kComplexDouble).contiguous();
      const auto* data = static_cast<const std::complex<double>*>(found.data_ptr());
      for (std::size_t i = 0; i < columns[0].size(); ++i) {
        const Complex x(columns[0][i]);
        const Complex want =
            row.inputs() == 1 ? std::get<OpRow::ComplexOne>(row.complex_reference)(x)
                              : std::get<OpRow::ComplexTwo>(row.complex_reference)(x, Complex(columns[1][i]));
        EXPECT_LE(std::abs(Complex(data[i]) - want),
                  epsilon * static_cast<Real>(row.complex_error) * std::abs(want))
            << toString(dtype) << " on " << name(isa) << " at " << columns[0][i] << ": " << data[i];
      }
    }
  }
}

TEST_P(OpTable, InPlaceAndOutAgreeWithTheFunction) {
  const OpRow& row = GetParam();
  const auto values = inputs({7, 19}, kFloat);
  const Tensor want = result_of(row, values);
  const auto schemas = registry();
  const auto has = [&](const std::string& op) {
    return std::any_of(schemas.begin(), schemas.end(),
                       [&](const Schema& schema) { return schema.name == op; });
  };
  if (has(row.name + "_")) {
    std::vector<Value> args(values.begin(), values.end());
    const Tensor self = values[0].clone();
    args[0] = self;
    call(row.name + "_", args);
    EXPECT_TRUE(same_bits(self, want));
  }
  const bool has_out = std::any_of(schemas.begin(), schemas.end(), [&](const Schema& schema) {
    return schema.name == row.name && schema.is_out;
  });
  if (!has_out) return;  // celu, as in PyTorch
  for (const Layout layout : kLayouts) {
    Tensor out = with_layout(zeros({7, 19}), layout);
    const std::vector<Value> args(values.begin(), values.end());
    const std::vector<NamedValue> named = {{"out", out}};
    call(row.name, args, named);
    EXPECT_TRUE(same_bits(out, want)) << "layout " << static_cast<int>(layout);
  }
}

TEST_P(OpTable, Gradients) {
  const OpRow& row = GetParam();
  if (!row.differentiable) GTEST_SKIP() << "not differentiable";
  const auto function = [&](const variable_list& args) { return run(row, args); };
  std::vector<std::vector<Tensor>> cases = {inputs({3, 2}, kDouble), inputs({2, 3}, kDouble),
                                            inputs({0, 2}, kDouble)};
  for (Tensor& t : cases[1]) t = t.t();
  if (row.inputs() > 1) {
    auto broadcast = inputs({3, 2}, kDouble);
    broadcast[1] = broadcast[1].select(0, 0);
    broadcast[0] = broadcast[0].slice(1, 0, 1);
    cases.push_back(std::move(broadcast));
    auto scalars = inputs({2, 2}, kDouble);
    scalars[1] = scalars[1].select(0, 0).select(0, 0);
    cases.push_back(std::move(scalars));
  }
  if (!std::holds_alternative<std::monostate>(row.complex_reference))
    cases.push_back(inputs({2, 2}, kComplexDouble));
  for (auto& args : cases) {
    for (Tensor& t : args) t = t.detach().requires_grad_();
    EXPECT_TRUE(autograd::gradcheck(function, args))
        << args[0].sizes() << " " << toString(args[0].scalar_type());
    EXPECT_TRUE(autograd::gradgradcheck(function, args))
        << args[0].sizes() << " " << toString(args[0].scalar_type());
  }
}

INSTANTIATE_TEST_SUITE_P(Op, OpTable, ::testing::ValuesIn(op_table()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace lanewise::testing
