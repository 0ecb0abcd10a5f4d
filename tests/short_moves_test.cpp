// Ops that only move elements have ways of their own for short rows, few columns and small matrices: they give the very elements.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "same_bits.h"
#include "vec/guarded_page.h"

namespace lanewise {
namespace {

/// What only moves elements, of numbers that tell where they were.
class ShortMoves : public ::testing::TestWithParam<ScalarType> {
 protected:
  Tensor places(IntArrayRef sizes) const {
    std::int64_t n = 1;
    for (const std::int64_t size : sizes) n *= size;
    return arange(n).remainder(120).to(GetParam()).view(sizes);
  }
  /// Element by element, by way of indices.
  static Tensor slowly(const Tensor& t) {
    const Tensor flat = empty({t.numel()}, TensorOptions(t.scalar_type()));
    DimVector at(t.sizes().size(), 0);
    for (std::int64_t i = 0; i < t.numel(); ++i) {
      Tensor element = t;
      for (const std::int64_t index : at) element = element[index];
      flat[i].copy_(element);
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < t.sizes()[d]) break;
        at[d] = 0;
      }
    }
    return flat.view(t.sizes());
  }
};

TEST_P(ShortMoves, Rolled) {
  const int threads = get_num_threads();
  for (const DimVector& shape : {DimVector{5000, 3},
                                 {3000, 7, 2},
                                 {700, 2, 9},
                                 {40, 90, 13},
                                 {3, 1000, 2},
                                 {2, 5},
                                 {9, 4, 1, 6},
                                 {2, 3, 4, 800}}) {
    const Tensor t = places(shape), gaps = places({2, t.numel()}).select(0, 1).view(shape);
    for (std::int64_t d = 0; d < t.dim(); ++d) {
      const std::int64_t n = t.size(d);
      for (const std::int64_t shift : {std::int64_t{1}, std::int64_t{2}, n / 2, n - 1, -n - 1, n}) {
        const Tensor from = remainder(arange(n) - shift, n);
        for (const int count : {1, 3}) {
          set_num_threads(count);
          const auto what = ::testing::Message() << IntArrayRef(shape) << " over " << d << " by " << shift;
          EXPECT_TRUE(equal(t.roll(shift, d), t.index_select(d, from))) << what;
          EXPECT_TRUE(equal(gaps.roll(shift, d), gaps.index_select(d, from))) << what;
          EXPECT_TRUE(
              equal(t.transpose(0, -1).roll(shift, d), t.transpose(0, -1).contiguous().roll(shift, d)))
              << what;
        }
      }
    }
  }
  set_num_threads(threads);
}

TEST_P(ShortMoves, ElementsByAnIndex) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 15, 16, 17, 24, 33}) {
    const Tensor r = places({241, n}), wide = places({241, n, 3});
    for (const std::int64_t count : {1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 40}) {
      const Tensor index = remainder(arange(count) * 7 + count, n);
      for (const Tensor& t :
           {r, wide.select(2, 1), places({n, 241}).t(), places({241, n + 5}).narrow(1, 2, n)}) {
        const Tensor chosen = t.index_select(1, index);
        ASSERT_EQ(chosen.sizes(), IntArrayRef({241, count}));
        for (std::int64_t i = 0; i < count; ++i)
          ASSERT_TRUE(same_bits(chosen.select(1, i), t.select(1, index[i].item<std::int64_t>())))
              << n << ' ' << count << ' ' << t.strides();
      }
    }
  }
}

TEST_P(ShortMoves, CopiesInAnotherOrder) {
  for (const std::int64_t n : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 33, 70}) {
    const Tensor m = places({129, n, 2}), r = places({241, n});
    const Tensor backward = arange(n - 1, -1, -1), upward = arange(240, -1, -1);
    EXPECT_TRUE(same_bits(r.flip({1}), slowly(r.index_select(1, backward)))) << n;
    EXPECT_TRUE(same_bits(r.flip({0}), slowly(r.index_select(0, upward)))) << n;
    EXPECT_TRUE(same_bits(r.flip({0, 1}), slowly(r.flip({0}).index_select(1, backward)))) << n;
    EXPECT_TRUE(same_bits(m.flip({1}), slowly(m.index_select(1, backward)))) << n;
    for (const Tensor& t :
         {places({67, n, n}).diagonal(0, 1, 2), places({150}).unfold(0, n, 1), places({n, 331}).t(),
          places({3, n, 70}).transpose(1, 2), places({50, 70}).narrow(0, 0, 9).narrow(1, 0, n)})
      EXPECT_TRUE(same_bits(t.contiguous(), slowly(t))) << n << ' ' << t.sizes() << ' ' << t.strides();
    for (const Tensor& t :
         {m.transpose(1, 2), m.permute({1, 0, 2}), m.narrow(1, 1, n - 1), m.select(2, 1), r.unfold(1, 2, 1),
          r.slice(1, 0, n, 2), r.slice(1, 1, n, 2), r.unsqueeze(1).expand({241, 3, n}),
          m.slice(0, 3, 129, 2).transpose(1, 2), r.narrow(0, 1, 239).slice(1, 0, n, 3)})
      EXPECT_TRUE(same_bits(t.contiguous(), slowly(t))) << n << ' ' << t.sizes() << ' ' << t.strides();
  }
}

// In several registers, with gaps, in more dimensions, and up to the end of what may be read.
TEST_P(ShortMoves, SmallMatricesTurned) {
  constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {{2, 9},  {3, 6},  {2, 16}, {2, 20}, {3, 20},
                                                               {8, 5},  {5, 13}, {17, 5}, {4, 16}, {2, 33},
                                                               {2, 48}, {2, 64}, {3, 42}, {11, 11}};
  for (const auto& [rows, columns] : kShapes) {
    for (const std::int64_t count : {1, 2, 3, 19}) {
      const Tensor m = places({count, rows, columns}), wide = places({count, rows, columns + 1}),
                   apart = places({count, 2, rows, columns});
      for (const Tensor& t :
           {m.transpose(1, 2), m.transpose(1, 2).flip({1}), wide.narrow(2, 1, columns).transpose(1, 2),
            wide.narrow(2, 0, columns).transpose(1, 2), apart.permute({1, 0, 3, 2}),
            apart.select(1, 1).transpose(1, 2)})
        ASSERT_TRUE(same_bits(t.contiguous(), slowly(t)))
            << count << " x " << t.sizes() << ' ' << t.strides();
    }
  }
}

// Elements that are there many times are few in memory.
TEST_P(ShortMoves, SmallMatricesThatRepeat) {
  const Tensor m = places({5, 8});
  for (const std::int64_t n : {2, 3, 8, 20, 33}) {
    for (const Tensor& t : {m.slice(1, 0, 8, 2).unsqueeze(1).expand({5, n, 4}),
                            places({5, 3, 4}).transpose(1, 2).unsqueeze(1).expand({5, n, 4, 3}),
                            places({5, 3 * n}).unfold(1, n, 2).transpose(1, 2),
                            m.t().unsqueeze(2).expand({8, 5, n}).transpose(0, 2)})
      ASSERT_TRUE(same_bits(t.contiguous(), slowly(t))) << n << ' ' << t.sizes() << ' ' << t.strides();
  }
}

TEST_P(ShortMoves, SmallMatricesUpToAPageEnd) {
  test::GuardedPage page;
  const std::int64_t size = elementSize(GetParam());
  for (const std::int64_t rows : {2, 3, 5, 7, 16}) {
    for (std::int64_t columns = 2; rows * columns * size <= 600; columns += 3) {
      for (const std::int64_t count : {1, 2, 5}) {
        const Tensor m = places({count, rows, columns});
        char* const bytes = page.last<char>(static_cast<int>(m.numel() * size));
        const Tensor at_end = from_blob(bytes, m.sizes(), TensorOptions(GetParam()));
        at_end.copy_(m);
        ASSERT_TRUE(same_bits(at_end.transpose(1, 2).contiguous(), slowly(m.transpose(1, 2))))
            << count << " x " << rows << " x " << columns;
        const Tensor written = from_blob(bytes, {count, columns, rows}, TensorOptions(GetParam()));
        written.copy_(m.transpose(1, 2));
        ASSERT_TRUE(same_bits(written, slowly(m.transpose(1, 2))))
            << count << " x " << rows << " x " << columns;
      }
    }
  }
}

// Beyond all caches, where results go past them.
TEST_P(ShortMoves, LongRowsTurnedRound) {
  const std::int64_t columns = (64 << 20) / elementSize(GetParam()) / 300 + 5;
  const Tensor m = arange(7)
                       .to(GetParam())
                       .repeat({300 * columns / 7 + 1})
                       .narrow(0, 0, 300 * columns)
                       .view({300, columns});
  for (const auto& dims : {std::vector<std::int64_t>{1}, {0, 1}}) {
    const Tensor turned = m.flip(dims);
    for (const std::int64_t row : {0, 1, 150, 298, 299}) {
      const Tensor from = m[dims.size() == 2 ? 299 - row : row];
      EXPECT_TRUE(equal(turned[row], from.index_select(0, arange(columns - 1, -1, -1)))) << row;
    }
    EXPECT_TRUE(same_bits(turned.flip(dims), m));
  }
}

TEST_P(ShortMoves, WrittenToAFewColumns) {
  for (const std::int64_t n : {2, 3, 4, 7, 9, 17}) {
    for (const std::int64_t step : {1, 2, 3}) {
      const Tensor target = places({150, n}), expected = target.clone();
      Tensor columns = target.slice(1, 0, n, step);
      const Tensor values = places(columns.sizes()).flip({0, 1});
      columns.copy_(values);
      for (std::int64_t r = 0; r < 150; ++r) {
        for (std::int64_t c = 0; c < columns.size(1); ++c) expected[r][c * step].copy_(values[r][c]);
      }
      EXPECT_TRUE(same_bits(target, expected)) << n << ' ' << step;
      columns.fill_(1);
      for (std::int64_t c = 0; c < columns.size(1); ++c) expected.select(1, c * step).copy_(ones({150}));
      EXPECT_TRUE(same_bits(target, expected)) << n << ' ' << step;
    }
  }
}

// In any order: as of sequences.
TEST_P(ShortMoves, ReducedOverManyRowsOfFewColumns) {
  if (isComplexType(GetParam())) return;
  for (const std::int64_t columns : {1, 2, 3, 5, 8, 21, 32, 33}) {
    for (const std::int64_t rows : {127, 128, 129, 500, 4001}) {
      const Tensor x = places({rows, columns}), turned = x.t().contiguous();
      EXPECT_TRUE(same_bits(x.amax(0), turned.amax(1))) << rows << ' ' << columns;
      EXPECT_TRUE(same_bits(x.amin(0), turned.amin(1))) << rows << ' ' << columns;
      EXPECT_TRUE(same_bits(x.sum(0), turned.sum(1))) << rows << ' ' << columns;
      EXPECT_TRUE(same_bits(x.gt(118).any(0), turned.gt(118).any(1))) << rows << ' ' << columns;
      EXPECT_TRUE(same_bits(x.lt(119).all(0), turned.lt(119).all(1))) << rows << ' ' << columns;
      EXPECT_TRUE(same_bits(x.count_nonzero(std::vector<std::int64_t>{0}),
                            turned.count_nonzero(std::vector<std::int64_t>{1})))
          << rows << ' ' << columns;
      EXPECT_TRUE(same_bits(std::get<1>(x.aminmax(0)), std::get<1>(turned.aminmax(1))))
          << rows << ' ' << columns;
      EXPECT_TRUE(same_bits(x.to(kLong).amax(0), turned.to(kLong).amax(1))) << rows << ' ' << columns;
    }
  }
}

// Of whole numbers, which no rounding tells apart.
TEST_P(ShortMoves, RunningSums) {
  const ScalarType sums = isIntegralType(GetParam(), true) ? kLong : GetParam();
  for (const std::int64_t columns : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}) {
    for (const std::int64_t rows : {1, 2, 6, 7, 31, 32, 33, 150}) {
      const Tensor m = arange(rows * columns).remainder(3).sub(1).to(GetParam()).view({rows, columns});
      for (const Tensor& x : {m, m.t().contiguous().t(), cat({m, m}, 1).narrow(1, 1, columns)}) {
        for (const std::int64_t dim : {0, 1}) {
          const std::int64_t n = x.size(dim);
          std::vector<Tensor> parts;
          Tensor sum = zeros_like(x.select(dim, 0), TensorOptions(kComplexDouble));
          for (std::int64_t i = 0; i < n; ++i)
            parts.push_back(sum = sum + x.select(dim, i).to(kComplexDouble));
          const Tensor expected = stack(parts, dim).to(sums);
          EXPECT_TRUE(equal(x.cumsum(dim), expected)) << x.sizes() << x.strides() << dim;
          Tensor in_place = x.clone();
          if (sums == GetParam()) {
            EXPECT_TRUE(equal(in_place.cumsum_(dim), expected)) << x.sizes() << dim;
          }
          if (isFloatingType(GetParam())) {  // whose gradient is a sum from the other end
            const Tensor leaf = x.detach().requires_grad_(), weights = x.flip({dim}).contiguous();
            leaf.cumsum(dim).backward(weights);
            EXPECT_TRUE(equal(leaf.grad(), weights.flip({dim}).cumsum(dim).flip({dim}))) << x.sizes() << dim;
          }
        }
      }
    }
  }
}

TEST_P(ShortMoves, ColumnsJoined) {
  for (const std::int64_t n : {2, 3, 5, 40}) {
    const Tensor m = places({9000, n});
    EXPECT_TRUE(same_bits(stack(m.unbind(1), 1), m)) << n;
    std::vector<Tensor> alone;
    for (const Tensor& column : m.unbind(1)) alone.push_back(column.clone().unsqueeze(1));
    EXPECT_TRUE(same_bits(cat(alone, 1), m)) << n;
    EXPECT_TRUE(same_bits(stack(m.view({3000, 3, n}).unbind(2), 2), m.view({3000, 3, n}))) << n;
  }
}

TEST_P(ShortMoves, Triangles) {
  for (const std::int64_t n : {1, 2, 5, 8, 9, 17}) {
    for (const std::int64_t diagonal : {-2, 0, 1}) {
      for (const Tensor& m : {places({3, 7, n}), places({3, n, 7}).transpose(1, 2)}) {
        const Tensor row = arange(7).view({7, 1}), column = arange(n).view({1, n});
        const Tensor lower = m.contiguous().masked_fill(column > row + diagonal, 0);
        EXPECT_TRUE(same_bits(m.tril(diagonal), lower)) << n << ' ' << diagonal;
        EXPECT_TRUE(same_bits(m.triu(diagonal + 1), m.contiguous().masked_fill(column <= row + diagonal, 0)));
        for (const Tensor& t : {m, m.transpose(1, 2)}) {
          for (const std::int64_t d : {-9, -3, 0, 2, 9}) {
            const Tensor below = t.tril(d), above = t.triu(d);
            EXPECT_TRUE(same_bits(t.clone().tril_(d), below)) << n << ' ' << d;
            EXPECT_TRUE(same_bits(t.clone().triu_(d), above)) << n << ' ' << d;
            EXPECT_TRUE(same_bits(t.contiguous().clone().tril_(d), below)) << n << ' ' << d;
            EXPECT_TRUE(same_bits(t.contiguous().clone().triu_(d), above)) << n << ' ' << d;
          }
        }
      }
    }
  }
}

TEST_P(ShortMoves, Chosen) {
  manual_seed(5);
  for (const std::int64_t n : {1, 2, 3, 4, 7, 16, 33}) {
    const Tensor m = places({45, n}), turned = places({n, 45}).t(), deep = places({6, 5, n});
    for (const std::int64_t k : {std::int64_t{1}, n, 2 * n + 1}) {
      const Tensor index = randint(0, n, {45, k}, TensorOptions(kLong)),
                   rows = randint(0, 45, {k}, TensorOptions(kLong)),
                   columns = randint(0, n, {k}, TensorOptions(kLong)),
                   middle = randint(0, 5, {k}, TensorOptions(kLong));
      for (const Tensor& from : {m, turned}) {
        const Tensor found = from.gather(1, index), by_columns = from.index_select(1, columns),
                     by_rows = from.index_select(0, rows);
        for (std::int64_t j = 0; j < k; ++j) {
          const std::int64_t i = (7 * j) % 45;
          EXPECT_TRUE(equal(found[i][j], from[i][index[i][j].item<std::int64_t>()]));
          EXPECT_TRUE(equal(by_columns.select(1, j), from.select(1, columns[j].item<std::int64_t>())));
          EXPECT_TRUE(equal(by_rows[j], from[rows[j].item<std::int64_t>()]));
        }
      }
      const Tensor chosen = deep.index_select(1, middle);
      for (std::int64_t j = 0; j < k; ++j)
        EXPECT_TRUE(equal(chosen.select(1, j), deep.select(1, middle[j].item<std::int64_t>())));
      // The last of several writes to one place stays.
      const Tensor src = places({45, k});
      Tensor written = m.clone(), expected = m.clone();
      written.scatter_(1, index, src);
      for (std::int64_t i = 0; i < 45; ++i) {
        for (std::int64_t j = 0; j < k; ++j) expected[i][index[i][j].item<std::int64_t>()].copy_(src[i][j]);
      }
      EXPECT_TRUE(same_bits(written, expected)) << n << ' ' << k;
      Tensor added = zeros({45, n}, TensorOptions(GetParam()));
      added.scatter_add_(1, index, ones({45, k}, TensorOptions(GetParam())));
      EXPECT_TRUE(equal(added.to(kLong).sum(1), full({45}, k, TensorOptions(kLong)))) << n << ' ' << k;
    }
  }
}

TEST_P(ShortMoves, OutOfBounds) {
  const Tensor m = places({45, 3}), index = zeros({45, 3}, TensorOptions(kLong));
  index[44][2].fill_(3);
  EXPECT_THROW(m.gather(1, index), IndexError);
  Tensor self = m.clone();
  EXPECT_THROW(self.scatter_(1, index, m), IndexError);
  EXPECT_THROW(self.scatter_add_(1, index, m), IndexError);
  EXPECT_TRUE(same_bits(self, m));
  EXPECT_THROW(m.scatter(1, index, m), IndexError);
  EXPECT_THROW(m.gather(1, index.narrow(1, 2, 1)), IndexError);
  try {
    m.unsqueeze(0).scatter(2, index.unsqueeze(0), m.unsqueeze(0));
    FAIL();
  } catch (const IndexError& e) {
    EXPECT_NE(std::string(e.what()).find("index 3 is out of bounds for dimension 2 with size 3"),
              std::string::npos)
        << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Dtype, ShortMoves, ::testing::Values(kByte, kShort, kFloat, kDouble, kComplexDouble),
                         [](const auto& dtype) { return std::string(toString(dtype.param)); });

}  // namespace
}  // namespace lanewise
