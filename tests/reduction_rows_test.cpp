// Reductions of rows: many short ones together, with gaps, of complex numbers: the same bits as one by one.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string_view>

#include <gtest/gtest.h>

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/norm.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/variance.h>

#include "reduction_support.h"
#include "thread_count.h"
#include "vec/guarded_page.h"

namespace lanewise {
namespace {

using namespace testing;

using OverOneDim = Tensor (*)(const Tensor&, std::int64_t);
constexpr std::pair<const char*, OverOneDim> kOverOneDim[] = {
    {"sum", [](const Tensor& t, std::int64_t d) { return ops::sum(t, IntArrayRef({d}), false); }},
    {"mean", [](const Tensor& t, std::int64_t d) { return ops::mean(t, IntArrayRef({d}), false); }},
    {"nansum", [](const Tensor& t, std::int64_t d) { return ops::nansum(t, IntArrayRef({d})); }},
    {"norm 1",
     [](const Tensor& t, std::int64_t d) { return ops::norm(t, Scalar(1), IntArrayRef({d}), false); }},
    {"norm 2",
     [](const Tensor& t, std::int64_t d) { return ops::norm(t, Scalar(2), IntArrayRef({d}), false); }},
    {"prod", [](const Tensor& t, std::int64_t d) { return ops::prod(t, d, false); }},
    {"var", [](const Tensor& t, std::int64_t d) { return ops::var(t, IntArrayRef({d}), Scalar(0), false); }},
    {"amax", [](const Tensor& t, std::int64_t d) { return ops::amax(t, IntArrayRef({d}), false); }},
    {"amin", [](const Tensor& t, std::int64_t d) { return ops::amin(t, IntArrayRef({d}), false); }},
    {"max", [](const Tensor& t, std::int64_t d) { return std::get<0>(ops::max(t, d, false)); }},
    {"min", [](const Tensor& t, std::int64_t d) { return std::get<0>(ops::min(t, d, false)); }},
    {"argmax", [](const Tensor& t, std::int64_t d) { return ops::argmax(t, d, false); }},
    {"argmin", [](const Tensor& t, std::int64_t d) { return ops::argmin(t, d, false); }},
    {"all", [](const Tensor& t, std::int64_t d) { return ops::all(t, d, false); }},
};

/// All values, signs of zeros included; one NaN is like another.
std::string spelled(const Tensor& t) {
  std::ostringstream text;
  for (const Wide v : values(t)) {
    for (const long double part : {v.real(), v.imag()}) {
      if (std::isnan(part)) {
        text << "nan ";
      } else {
        text << std::hexfloat << part << ' ';
      }
    }
  }
  return text.str();
}

TEST(ReductionRows, TogetherAreAsEachAlone) {
  Rng rng(2);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double specials[] = {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf, 1e-40, 0.0, -0.0};
  for (const std::int64_t n : {1,  2,  3,  5,  8,  10,  15,  16,  17,  31,  32,   33,   48,   63,  64,
                               65, 79, 95, 96, 97, 128, 130, 255, 511, 513, 1000, 1023, 1024, 1025}) {
    for (const std::int64_t count : {2, 7, 16, 17, 45}) {
      for (const ScalarType dtype :
           {kFloat, kDouble, kHalf, kBFloat16, kBool, kByte, kChar, kShort, kInt, kLong}) {
        const bool integer = isIntegralType(dtype, true);
        const bool special = !integer && pick(rng, 0, 2) == 0, zeros = pick(rng, 0, 3) == 0;
        std::vector<Wide> v(static_cast<std::size_t>(count * (n + 3)));
        for (Wide& x : v) {
          x = static_cast<double>(pick(rng, -999, 999)) / 128;
          if (special && pick(rng, 0, 40) == 0) x = specials[pick(rng, 0, 5)];
          if (zeros) x = specials[pick(rng, 4, 5)];
        }
        const Tensor all = make({count, n + 3}, dtype, v);
        const Tensor apart = detail::make_view(all, {count, n}, {n + 3, 1}, pick(rng, 0, 3));
        const Tensor dense = ops::contiguous(apart);
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          for (const auto& [name, op] : kOverOneDim) {
            if (integer && std::string_view("mean norm 1 norm 2 var").find(name) != std::string_view::npos)
              continue;
            SCOPED_TRACE(::testing::Message() << name << " of " << count << " x " << n << " " << dtype);
            std::string each;
            for (std::int64_t r = 0; r < count; ++r)
              each += spelled(op(detail::make_view(dense, {n}, {1}, r * n), 0));
            ASSERT_EQ(spelled(op(apart, 1)), each);
            ASSERT_EQ(spelled(op(dense, 1)), each);
          }
        }
      }
    }
  }
}

// More than a page from one row to the next.
TEST(ReductionRows, FewRowsFarApartAreAsEachAlone) {
  Rng rng(5);
  constexpr std::int64_t kColumns = 1103;
  for (const std::int64_t rows : {17, 24, 31, 40, 63}) {
    for (const ScalarType dtype : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
      const Tensor x = random_tensor(rng, {rows, kColumns}, dtype);
      const Tensor turned = ops::contiguous(detail::make_view(x, {kColumns, rows}, {1, kColumns}, 0));
      for (const std::string_view of : {"sum", "prod"}) {
        const auto op = std::ranges::find(kOverOneDim, of, [](const auto& o) { return o.first; })->second;
        std::string each;
        for (std::int64_t i = 0; i < kColumns; ++i)
          each += spelled(op(detail::make_view(turned, {rows}, {1}, i * rows), 0));
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          ASSERT_EQ(spelled(op(x, 0)), each) << of << " of " << rows << " rows " << dtype << " " << name(isa);
        }
      }
    }
  }
}

TEST(ReductionRows, IntegersUpToAPageEnd) {
  test::GuardedPage page;
  const auto check = [&]<class T>(T) {
    for (int n = 1; n <= 200; ++n) {
      T* const x = page.last<T>(2 * n);
      long double sums[2] = {}, most[2] = {-1e30L, -1e30L};
      for (int i = 0; i < 2 * n; ++i) {
        x[i] = static_cast<T>(i * 37 + n);
        sums[i / n] += x[i];
        most[i / n] = std::max<long double>(most[i / n], x[i]);
      }
      const Tensor t = from_blob(x, {2, n}, TensorOptions().dtype(scalar_type_of<T>));
      for (const Isa isa : available_isas()) {
        const IsaGuard tier(isa);
        ASSERT_EQ(values(ops::sum(t, IntArrayRef({1}), false)), std::vector<Wide>(sums, sums + 2)) << n;
        ASSERT_EQ(values(ops::amax(t, IntArrayRef({1}), false)), std::vector<Wide>(most, most + 2)) << n;
      }
    }
  };
  check(std::uint8_t());
  check(std::int8_t());
  check(std::int16_t());
  check(std::int32_t());
  check(std::int64_t());
}

// Columns of batches whose results lie next to each other are reduced some batches at a time.
TEST(ReductionRows, ColumnsOfBatchesAreAsEachAlone) {
  Rng rng(4);
  for (const std::int64_t rows : {3, 17, 20, 24, 31, 33, 40, 63, 64, 65, 100, 128, 200, 256, 257}) {
    for (const std::int64_t columns : {2, 3, 7, 8, 9, 16, 24, 32, 33}) {
      const std::int64_t batches = columns < 4 ? 45 : 4;
      for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kComplexFloat, kInt, kByte}) {
        const bool integer = isIntegralType(dtype, true), complex = isComplexType(dtype);
        const std::int64_t row = columns + pick(rng, 0, 1), batch = rows * row + pick(rng, 0, 1) * 5;
        std::vector<Wide> v(static_cast<std::size_t>(batches * batch));
        for (Wide& x : v) x = static_cast<double>(pick(rng, integer ? 0 : -999, 999)) / (integer ? 9 : 128);
        const Tensor all = make({batches * batch}, dtype, v);
        const Tensor x = detail::make_view(all, {batches, rows, columns}, {batch, row, 1}, 0);
        const Tensor turned =
            ops::contiguous(detail::make_view(x, {batches, columns, rows}, {batch, 1, row}, 0));
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          for (const auto& [name, op] : kOverOneDim) {
            const std::string_view of = name;
            if (integer && std::string_view("mean norm 1 norm 2 var").find(of) != std::string_view::npos)
              continue;
            if (complex && of != "sum" && of != "mean" && of != "prod") continue;
            SCOPED_TRACE(::testing::Message()
                         << name << " of " << batches << " x " << rows << " x " << columns << " " << dtype);
            std::string each;
            for (std::int64_t i = 0; i < batches * columns; ++i)
              each += spelled(op(detail::make_view(turned, {rows}, {1}, i * rows), 0));
            for (const int threads : {1, 3}) {
              const ThreadCount guard(threads);
              ASSERT_EQ(spelled(op(x, 1)), each) << threads << " threads";
            }
          }
        }
      }
    }
  }
}

/// Fused products of complex numbers, which some compilers make unasked, are other ones.
TEST(ReductionRows, ComplexProductsAreThoseOfColumns) {
  Rng rng(3);
  for (const ScalarType dtype : {kComplexFloat, kComplexDouble}) {
    for (const std::int64_t n : {2, 3, 7, 8, 16, 31, 40, 64, 100, 1024, 1500, 9000, 20000}) {
      for (const std::int64_t count : {1, 3, 9}) {
        std::vector<Wide> v(static_cast<std::size_t>(count * n));
        for (Wide& x : v) {
          const double angle = static_cast<double>(pick(rng, 0, 6283)) / 1000;
          x = Wide(std::cos(angle), std::sin(angle)) * static_cast<long double>(pick(rng, 999, 1002)) /
              1000.0L;
        }
        const Tensor rows = make({count, n}, dtype, v);
        const Tensor columns = ops::contiguous(detail::make_view(rows, {n, count}, {1, n}, 0));
        std::string first;
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          const std::string products = spelled(ops::prod(rows, 1, false));
          if (first.empty()) first = products;
          ASSERT_EQ(products, first) << n << " " << dtype;
          ASSERT_EQ(spelled(ops::prod(columns, 0, false)), first) << n << " " << dtype;
        }
      }
    }
  }
}

TEST(ReductionRows, WithGapsAreAsTheirCopy) {
  Rng rng(4);
  using Whole = Tensor (*)(const Tensor&);
  const std::pair<const char*, Whole> whole[] = {
      {"sum", [](const Tensor& t) { return ops::sum(t); }},
      {"prod", [](const Tensor& t) { return ops::prod(t); }},
      {"amax", [](const Tensor& t) { return ops::amax(t); }},
      {"amin", [](const Tensor& t) { return ops::amin(t); }},
      {"all", [](const Tensor& t) { return ops::all(t); }},
      {"any", [](const Tensor& t) { return ops::any(t); }},
      {"argmax", [](const Tensor& t) { return ops::argmax(t); }},
      {"count_nonzero", [](const Tensor& t) { return ops::count_nonzero(t, std::nullopt); }}};
  for (const ScalarType dtype :
       {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble}) {
    for (const std::int64_t n : {100, 257, 600, 1500, 5000}) {
      for (const std::int64_t count : {2, 5, 90}) {
        std::vector<Wide> v(static_cast<std::size_t>(count * (n + 7)));
        const std::int64_t low = pick(rng, -3, 1);
        for (Wide& x : v) x = static_cast<double>(pick(rng, low, 4));
        const Tensor all = make({count, n + 7}, dtype, v);
        const Tensor apart = detail::make_view(all, {count, n}, {n + 7, 1}, pick(rng, 0, 7));
        const Tensor dense = ops::contiguous(apart);
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          for (const auto& [name, op] : whole)
            ASSERT_EQ(spelled(op(apart)), spelled(op(dense)))
                << name << " of " << count << " x " << n << " " << dtype;
        }
      }
    }
  }
}

/// Elements with steps along the rows, short rows and few columns with gaps, windows and repetitions: gathered before they are reduced.
TEST(ReductionRows, GatheredAreAsTheirCopy) {
  Rng rng(7);
  struct Layout {
    DimVector sizes, strides;
  };
  std::vector<Layout> layouts;
  for (const std::int64_t n : {2, 3, 13, 16, 20, 48, 64, 100, 513}) {
    for (const std::int64_t count : {2, 70}) {
      layouts.push_back({{count, n}, {2 * n, 2}});
      layouts.push_back({{count, n}, {3 * n + 1, 3}});
      layouts.push_back({{count, n}, {n + 3, 1}});
      layouts.push_back({{count, n}, {0, 1}});
      layouts.push_back({{count, n}, {1, 0}});
      layouts.push_back({{count, n}, {1, 1}});
      layouts.push_back({{3, count, n}, {0, n + 1, 1}});
      layouts.push_back({{count, 3, n}, {7 * n, 2, 7}});
    }
  }
  for (const std::int64_t columns : {2, 3, 8, 16}) {
    for (const std::int64_t rows : {64, 100, 2048, 5001})
      layouts.push_back({{rows, columns}, {columns + 2, 1}});
  }
  for (const auto& [sizes, strides] : layouts) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kBool, kByte, kInt, kLong, kComplexFloat}) {
      const Tensor t = detail::make_view(random_tensor(rng, {last + 1}, dtype), sizes, strides, 0);
      const Tensor dense = ops::contiguous(t);
      for (const Isa isa : available_isas()) {
        const IsaGuard tier(isa);
        for (const auto& [name, op] : kOverOneDim) {
          if (isIntegralType(dtype, true) &&
              std::string_view("mean norm 1 norm 2 var").find(name) != std::string_view::npos)
            continue;
          if (isComplexType(dtype) &&
              std::string_view("sum mean prod norm 2").find(name) == std::string_view::npos)
            continue;
          for (std::int64_t d = 0; d < t.dim(); ++d) {
            const Tensor found = op(t, d), expected = op(dense, d);
            if (std::memcmp(found.data_ptr(), expected.data_ptr(), expected.nbytes()) == 0) continue;
            ASSERT_EQ(spelled(found), spelled(expected))
                << name << " over " << d << " of " << IntArrayRef(sizes) << ' ' << IntArrayRef(strides) << ' '
                << dtype << ' ' << lanewise::name(isa);
          }
        }
      }
    }
  }
}

/// Rows that are columns in memory; fractions, so that the order of the sum shows.
TEST(ReductionRows, TransposedAreAsTheirCopy) {
  Rng rng(5);
  using Whole = Tensor (*)(const Tensor&);
  const std::pair<const char*, Whole> whole[] = {
      {"sum", [](const Tensor& t) { return ops::sum(t); }},
      {"mean", [](const Tensor& t) { return ops::mean(t); }},
      {"prod", [](const Tensor& t) { return ops::prod(t); }},
      {"norm 1", [](const Tensor& t) { return ops::norm(t, Scalar(1)); }},
      {"norm 2", [](const Tensor& t) { return ops::norm(t, Scalar(2)); }},
      {"norm 3", [](const Tensor& t) { return ops::norm(t, Scalar(3)); }}};
  for (const ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble, kComplexFloat}) {
    for (const auto& [rows, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {3, 1024}, {130, 2048}, {33, 3072}, {37, 4096}, {257, 1024}, {40, 1000}, {40, 1025}}) {
      const Tensor lines = random_tensor(rng, {n, rows}, dtype);
      const Tensor turned = detail::make_view(lines, {rows, n}, {1, rows}, 0);
      const Tensor dense = ops::contiguous(turned);
      for (const Isa isa : available_isas()) {
        const IsaGuard tier(isa);
        for (const int threads : {1, 3}) {
          const ThreadCount guard(threads);
          for (const auto& [name, op] : whole)
            ASSERT_EQ(spelled(op(turned)), spelled(op(dense)))
                << name << " of " << rows << " x " << n << " " << dtype << " " << lanewise::name(isa);
        }
      }
    }
  }
}

// The CPU decides what is asked of memory, so that a machine takes one way only: here kernels are called for both.
TEST(ReductionRows, AskAheadWhatTheyMay) {
  Rng rng(6);
  const auto reduced = [](const kernels::ReductionKernel& kernel, const Tensor& x, std::int64_t cols,
                          kernels::RowPrefetch prefetch) {
    const auto type = static_cast<std::size_t>(x.scalar_type());
    alignas(64) static char acc[1 << 15];
    kernel.outer[type](static_cast<const char*>(x.const_data_ptr()), x.size(0),
                       x.strides()[0] * x.element_size(), cols, 0, prefetch, acc);
    return std::string(acc, static_cast<std::size_t>(cols * kernel.acc_size[type]));
  };
  for (const ScalarType dtype : {kFloat, kDouble}) {
    for (const std::int64_t cols : {1, 15, 33, 127, 1100}) {
      for (const std::int64_t rows : {1, 6, 65, 1027}) {
        std::vector<Wide> v(static_cast<std::size_t>(rows * (cols + 1)));
        for (Wide& x : v) x = static_cast<double>(pick(rng, -40, 40));
        const Tensor x = make({rows, cols + 1}, dtype, v);
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          const kernels::ReductionTable& table = *kernels::active_kernels().reductions;
          for (const auto* kernel : {table.amax, table.amin, table.argmax, table.argmin, table.var_mean})
            ASSERT_EQ(reduced(*kernel, x, cols, kernels::RowPrefetch::ToL2),
                      reduced(*kernel, x, cols, kernels::RowPrefetch::ByCpu))
                << rows << " rows of " << cols << " " << dtype << " " << lanewise::name(isa);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lanewise
