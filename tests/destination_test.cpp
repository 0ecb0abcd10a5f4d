// In-place and out= forms that write straight into their tensor: what they say is what the op itself returns, wherever the tensor
// lies and whatever it shares memory with, and errors leave it alone.
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

const std::vector<std::function<Tensor(const Tensor&)>> kLayouts = {
    [](const Tensor& t) { return t.clone(); },
    [](const Tensor& t) { return t.t().contiguous().t(); },
    [](const Tensor& t) {
      return cat({t, t}, 1).narrow(1, 0, t.size(1));
    },
    [](const Tensor& t) {
      return stack({t, t}, 2).select(2, 1);
    },
    [](const Tensor& t) {
      return cat({t, t}, 0).t().contiguous().t().narrow(0, t.size(0), t.size(0));
    },
};

Tensor numbers(IntArrayRef sizes, ScalarType dtype) {
  const Tensor t = (randn(sizes) * 3).round();
  return dtype == kByte || dtype == kBool ? t.abs().to(dtype) : t.to(dtype);
}

struct Case {
  const char* name;
  std::function<Tensor(const Tensor&)> op;
  std::function<void(Tensor&, const Tensor&)> out;
  std::function<void(Tensor&)> inplace;  ///< empty if there is none: then out= may not be the input either
};

std::vector<Case> cases(const Tensor& rows, const Tensor& places) {
  return {
      {"tril", [](const Tensor& x) { return tril(x, 1); },
       [](Tensor& out, const Tensor& x) { tril_out(out, x, 1); }, [](Tensor& x) { x.tril_(1); }},
      {"triu", [](const Tensor& x) { return triu(x, -2); },
       [](Tensor& out, const Tensor& x) { triu_out(out, x, -2); }, [](Tensor& x) { x.triu_(-2); }},
      {"cumsum 0", [](const Tensor& x) { return cumsum(x, 0, x.scalar_type()); },
       [](Tensor& out, const Tensor& x) { cumsum_out(out, x, 0, x.scalar_type()); },
       [](Tensor& x) { x.cumsum_(0, x.scalar_type()); }},
      {"cumsum 1", [](const Tensor& x) { return cumsum(x, 1, x.scalar_type()); },
       [](Tensor& out, const Tensor& x) { cumsum_out(out, x, 1, x.scalar_type()); },
       [](Tensor& x) { x.cumsum_(1, x.scalar_type()); }},
      {"cumprod 1", [](const Tensor& x) { return cumprod(x, 1, x.scalar_type()); },
       [](Tensor& out, const Tensor& x) { cumprod_out(out, x, 1, x.scalar_type()); },
       [](Tensor& x) { x.cumprod_(1, x.scalar_type()); }},
      {"cat",
       [](const Tensor& x) {
         return cat({x, x}, 1);
       },
       [](Tensor& out, const Tensor& x) {
         cat_out(out, {x, x}, 1);
       },
       {}},
      {"index_select",
       [=](const Tensor& x) { return index_select(x, 0, rows); },
       [=](Tensor& out, const Tensor& x) { index_select_out(out, x, 0, rows); },
       {}},
      {"gather",
       [=](const Tensor& x) { return gather(x, 1, places); },
       [=](Tensor& out, const Tensor& x) { gather_out(out, x, 1, places); },
       {}},
      {"index_select 1",
       [=](const Tensor& x) { return index_select(x, 1, places.select(0, 0)); },
       [=](Tensor& out, const Tensor& x) { index_select_out(out, x, 1, places.select(0, 0)); },
       {}},
      {"gather 0",
       [=](const Tensor& x) { return gather(x, 0, places.remainder(x.size(0))); },
       [=](Tensor& out, const Tensor& x) { gather_out(out, x, 0, places.remainder(x.size(0))); },
       {}},
      {"take",
       [=](const Tensor& x) { return take(x, places); },
       [=](Tensor& out, const Tensor& x) { take_out(out, x, places); },
       {}},
  };
}

bool same(const Tensor& a, const Tensor& b) { return a.scalar_type() == b.scalar_type() && equal(a, b); }

TEST(Destination, HoldsWhatTheOpReturns) {
  manual_seed(4);
  for (const auto& [n, m] :
       {std::pair<std::int64_t, std::int64_t>{7, 7}, {3, 40}, {40, 3}, {70, 130}, {1, 1}}) {
    const Tensor rows = randint(0, n, {n + 2}, TensorOptions(kLong));
    const Tensor places = randint(0, m, {n, m}, TensorOptions(kLong));
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kByte, kLong, kComplexFloat, kComplexDouble}) {
      const Tensor plain = numbers({n, m}, dtype);
      for (const Case& c : cases(rows, places)) {
        const Tensor expected = c.op(plain);
        for (const auto& of_input : kLayouts) {
          SCOPED_TRACE(::testing::Message() << c.name << " " << plain.sizes() << " " << dtype);
          const Tensor x = of_input(plain);
          for (const auto& of_result : kLayouts) {
            Tensor out = of_result(zeros_like(expected) + 1).to(dtype);
            const void* before = out.data_ptr();
            c.out(out, x);
            EXPECT_TRUE(same(out, expected));
            EXPECT_EQ(out.data_ptr(), before);
          }
          Tensor fresh, small = zeros({0}, TensorOptions(dtype));
          c.out(fresh, x);
          c.out(small, x);
          EXPECT_TRUE(same(fresh, expected) && same(small, expected));
          if (expected.sizes() == x.sizes()) {
            Tensor own = of_input(plain);
            if (c.inplace) {
              c.out(own, own);
              EXPECT_TRUE(same(own, expected)) << "out is the input";
            } else {
              EXPECT_THROW(c.out(own, own), StorageError);
              EXPECT_TRUE(same(own, plain));
            }
          }
          if (!c.inplace) continue;
          Tensor self = of_input(plain);
          c.inplace(self);
          EXPECT_TRUE(same(self, expected)) << "in place";
          EXPECT_TRUE(same(x, plain));
        }
      }
    }
  }
}

TEST(Destination, LimitsAndSquaresInPlace) {
  manual_seed(5);
  for (const ScalarType dtype : {kFloat, kBFloat16, kByte, kLong}) {
    const Tensor plain = numbers({9, 33}, dtype);
    for (const auto& of_input : kLayouts) {
      Tensor x = of_input(plain), y = of_input(plain), z = of_input(plain), w = of_input(plain),
             out = of_input(plain);
      EXPECT_TRUE(same(x.clamp_(1, 2), clamp(plain, 1, 2)));
      EXPECT_TRUE(same(y.square_(), square(plain)));
      EXPECT_TRUE(same(z.clamp_(plain, plain + 1), plain));
      EXPECT_TRUE(same(w.pow_(1), plain));
      EXPECT_TRUE(same(clamp_out(out, plain, std::nullopt, 1), clamp_max(plain, 1)));
      EXPECT_TRUE(same(square_out(out, plain), square(plain)));
    }
  }
  Tensor whole = ones({3}, TensorOptions(kLong));
  EXPECT_THROW(whole.clamp_(0.5, 1), DtypeError);
  EXPECT_THROW(whole.clamp_(std::optional<Scalar>(), std::nullopt), ValueError);
  EXPECT_TRUE(same(whole, ones({3}, TensorOptions(kLong))));
}

TEST(Destination, IsLeftAloneByErrors) {
  const Tensor x = arange(12).to(kFloat).view({3, 4});
  const Tensor wrong = full({3, 4}, 4, TensorOptions(kLong));
  Tensor out = full({3, 4}, -1.0);
  EXPECT_THROW(gather_out(out, x, 1, wrong), IndexError);
  EXPECT_THROW(index_select_out(out, x, 0, wrong.select(0, 0)), IndexError);
  EXPECT_THROW(take_out(out, x, wrong * 3), IndexError);
  Tensor whole = full({3, 4}, -1, TensorOptions(kLong));
  EXPECT_THROW(cat_out(whole, {x}, 0), DtypeError);
  EXPECT_THROW(cumsum_out(whole, x, 0, kDouble), DtypeError);
  EXPECT_TRUE(equal(out, full({3, 4}, -1.0)));
  EXPECT_TRUE(equal(whole, full({3, 4}, -1, TensorOptions(kLong))));
  const std::int64_t far = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(equal(tril(x, far), x) && equal(triu(x, -far - 1), x));
  EXPECT_TRUE(equal(tril(x, -far - 1), zeros_like(x)) && equal(triu(x, far), zeros_like(x)));
  EXPECT_TRUE(equal(x.t().clone().t().triu_(-far - 1), x));
  Tensor vector = ones({3}), repeated = ones({1, 3}).expand({3, 3});
  EXPECT_THROW(vector.tril_(), ShapeError);
  EXPECT_THROW(repeated.tril_(), StorageError);
}

TEST(Destination, OfSeveralResultsIsWrittenWholeOrNotAtAll) {
  const Tensor x = arange(12).to(kFloat).view({3, 4});
  std::array<std::int64_t, 2> memory{};
  Tensor values = full({4}, -1.0), outside = from_blob(memory.data(), {2}, kLong);
  EXPECT_THROW(max_out(values, outside, x, 0), StorageError);
  EXPECT_THROW(sort_out(values, outside, x), StorageError);
  Tensor wrong = full({4}, -1.0);
  EXPECT_THROW(max_out(values, wrong, x, 0), DtypeError);
  EXPECT_TRUE(equal(values, full({4}, -1.0)) && equal(wrong, full({4}, -1.0)));
  const Tensor both = full({8}, -1, TensorOptions(kLong)), whole = x.to(kLong);
  Tensor lower = both.slice(0, 0, 4), upper = both.slice(0, 3, 7);
  EXPECT_THROW(max_out(lower, upper, whole, 0), StorageError);
  Tensor none = both.slice(0, 0, 0), nothing = both.slice(0, 0, 0);
  EXPECT_THROW(max_out(none, nothing, whole, 0), StorageError);  // they would grow into each other
  EXPECT_TRUE(equal(both, full({8}, -1, TensorOptions(kLong))));
  Tensor apart = both.slice(0, 4, 8);
  max_out(lower, apart, whole, 0);
  EXPECT_TRUE(equal(lower, whole.select(0, 2)) && equal(apart, full({4}, 2, TensorOptions(kLong))));
}

TEST(Destination, OneValueWhereAMaskSays) {
  manual_seed(6);
  for (const auto& of_input : kLayouts) {
    const Tensor plain = randn({13, 21});
    const Tensor mask = plain > 0.3, expected = where(mask, full({}, 7.0), plain);
    Tensor a = of_input(plain), b = of_input(plain), c = of_input(plain);
    EXPECT_TRUE(equal(a.index_put_({mask}, full({}, 7.0)), expected));
    EXPECT_TRUE(equal(index_put_(b, {mask}, full({1, 1}, 7.0)), expected));
    EXPECT_TRUE(equal(c.masked_fill_(mask, 7), expected));
    EXPECT_TRUE(equal(a.index({mask}), full({mask.sum().item<std::int64_t>()}, 7.0)));
    // A mask over several dimensions beside other indices.
    const Tensor cube = of_input(plain).view_as(plain).reshape({13, 3, 7});
    const Tensor plane = cube.select(2, 1) > 0;
    EXPECT_TRUE(equal(cube.index({plane, 2}), cube.select(2, 2).index({plane})));
    EXPECT_TRUE(equal(cube.index({plane, indexing::Slice(1, 3)}), cube.slice(2, 1, 3).index({plane})));
    const Tensor third = tensor({4, 0}, TensorOptions(kLong)).unsqueeze(1);
    EXPECT_TRUE(equal(cube.index({plane, third})[0], cube.select(2, 4).index({plane})));
  }
}

TEST(Destination, RowsOfAnyLayoutAtIndices) {
  manual_seed(8);
  const Tensor plain = randn({9, 4, 10}), index = tensor({5, 0, 8, 5}, TensorOptions(kLong));
  const Tensor dense = randn({4, 4, 10}), pairs = stack({index, index}, 0);
  const Tensor twice = cat({dense, dense}, 2).narrow(2, 0, 10),
               turned = dense.transpose(0, 1).contiguous().transpose(0, 1);
  for (const Tensor& from :
       {twice, turned, dense.flip({0}).flip({0}), dense.transpose(1, 2).contiguous().transpose(1, 2)}) {
    EXPECT_TRUE(equal(plain.clone().index_copy_(0, index, from), index_copy(plain, 0, index, dense)));
    EXPECT_TRUE(equal(plain.clone().index_add_(0, index, from), index_add(plain, 0, index, dense)));
    EXPECT_TRUE(equal(plain.clone().index_put_({index}, from), index_put(plain, {index}, dense)));
    EXPECT_TRUE(equal(plain.clone().index_put_({index}, from, true), index_put(plain, {index}, dense, true)));
  }
  // One row, or rows, for more than there are.
  for (const Tensor& from : {dense[0], dense.slice(0, 0, 1), dense.slice(1, 0, 1), dense[0][0]}) {
    const Tensor whole = from.expand({2, 4, 4, 10}).contiguous();
    EXPECT_TRUE(equal(plain.clone().index_put_({pairs}, from, true), index_put(plain, {pairs}, whole, true)));
    EXPECT_TRUE(equal(plain.clone().index_put_({pairs}, from), index_put(plain, {pairs}, whole)));
  }
}

TEST(Destination, ScatteredInTheOrderOfMemory) {
  manual_seed(7);
  for (const std::int64_t dim : {0, 1, 2}) {
    const Tensor plain = randn({6, 11, 17}), src = randn({5, 9, 17});
    const Tensor index = randint(0, plain.size(dim), {5, 9, 17}, TensorOptions(kLong));
    const auto turned = [](const Tensor& t) { return t.permute({2, 0, 1}).contiguous().permute({1, 2, 0}); };
    for (const Tensor& from : {src, turned(src)}) {
      for (const Tensor& at : {index, turned(index)}) {
        EXPECT_TRUE(equal(turned(plain).scatter_(dim, at, from), scatter(plain, dim, index, src)));
        EXPECT_TRUE(equal(turned(plain).scatter_(dim, at, 3), scatter(plain, dim, index, 3)));
        EXPECT_TRUE(equal(turned(plain).scatter_add_(dim, at, from), scatter_add(plain, dim, index, src)));
        EXPECT_TRUE(equal(turned(plain).scatter_reduce_(dim, at, from, "amax"),
                          scatter_reduce(plain, dim, index, src, "amax")));
      }
    }
  }
}

/// A result that shares memory with the input is what the op says of the input as it was; one that repeats its elements is refused.
TEST(Destination, MayOverlapTheInput) {
  manual_seed(9);
  const std::int64_t n = 12;
  const Tensor rows = randint(0, n, {n}, TensorOptions(kLong)),
               places = randint(0, n, {n, n}, TensorOptions(kLong));
  using View = std::function<Tensor(const Tensor&)>;
  const std::vector<std::pair<View, View>> views = {
      {[=](const Tensor& t) { return t.narrow(0, 0, n).narrow(1, 0, n); },
       [=](const Tensor& t) { return t.narrow(0, 1, n).narrow(1, 0, n); }},
      {[=](const Tensor& t) { return t.narrow(0, 1, n).narrow(1, 1, n); },
       [=](const Tensor& t) { return t.narrow(0, 0, n).narrow(1, 0, n); }},
      {[=](const Tensor& t) { return t.narrow(0, 0, n).narrow(1, 0, n); },
       [=](const Tensor& t) { return t.narrow(0, 0, n).narrow(1, 0, n).t(); }},
      {[=](const Tensor& t) { return t.narrow(0, 0, n).slice(1, 0, 2 * n, 2); },
       [=](const Tensor& t) { return t.narrow(0, 0, n).slice(1, 1, 2 * n, 2); }},
      {[=](const Tensor& t) { return t.narrow(0, 0, n).slice(1, 0, 2 * n, 2); },
       [=](const Tensor& t) { return t.narrow(0, 0, n).narrow(1, 3, n); }},
  };
  for (const ScalarType dtype : {kFloat, kBFloat16, kLong, kComplexFloat}) {
    const Tensor memory = numbers({n + 1, 2 * n}, dtype);
    for (const Case& c : cases(rows, places)) {
      SCOPED_TRACE(::testing::Message() << c.name << " " << dtype);
      for (const auto& [input, result] : views) {
        const Tensor own = memory.clone(), x = input(own);
        const Tensor expected = c.op(x.clone());
        Tensor out = result(own);
        if (expected.sizes() != out.sizes()) continue;
        c.out(out, x);
        EXPECT_TRUE(same(out, expected));
      }
      const Tensor x = memory.narrow(1, 0, n).narrow(0, 0, n).clone();
      const Tensor expected = c.op(x);
      Tensor repeated = full({1, expected.size(1)}, 1, TensorOptions(dtype)).expand(expected.sizes());
      EXPECT_THROW(c.out(repeated, x), StorageError);
      EXPECT_TRUE(equal(repeated, ones(repeated.sizes(), TensorOptions(dtype))));
    }
  }
}

TEST(Destination, OfNothingAndOfNumbers) {
  for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{0, 4}, {4, 0}, {0, 0}}) {
    const Tensor x = zeros({n, m}), none = zeros({n, 0}, TensorOptions(kLong));
    Tensor out = zeros({m, n + 2}).narrow(1, 1, n).t(), short_one = zeros({0, n + 2}).narrow(1, 1, n).t();
    EXPECT_EQ(cumsum_out(out, x, 1).sizes(), x.sizes());
    EXPECT_EQ(tril_out(out, x).sizes(), x.sizes());
    EXPECT_EQ(gather_out(short_one, x, 1, none).sizes(), none.sizes());
  }
  const Tensor number = full({}, 5.0), first = zeros({}, TensorOptions(kLong));
  Tensor element = zeros({3}).select(0, 1);
  EXPECT_TRUE(equal(gather_out(element, number, 0, first), number));
  EXPECT_THROW(gather_out(element, number, 0, first + 1), IndexError);
  EXPECT_TRUE(equal(element, number));
  Tensor vector = zeros({8}).slice(0, 0, 8, 3);
  EXPECT_TRUE(
      equal(gather_out(vector, arange(4).to(kFloat), 0, tensor({3, 0, 2})), tensor({3, 0, 2}).to(kFloat)));
}

/// Of any layout of self, index and result, three dimensions, and with indices that choose whole slices; around the result nothing
/// changes.
TEST(Destination, GathersIntoAnyLayout) {
  manual_seed(10);
  using View = std::function<Tensor(const Tensor&)>;  // of a tensor made large enough
  const std::int64_t a = 5, b = 6, c = 21;
  struct Layout {
    std::vector<std::int64_t> sizes;
    View view;
  };
  const std::vector<Layout> layouts = {
      {{a, b, c}, [](const Tensor& t) { return t; }},
      {{a, b, c + 4}, [=](const Tensor& t) { return t.narrow(2, 1, c); }},
      {{a, b, 2 * c}, [=](const Tensor& t) { return t.slice(2, 1, 2 * c, 2); }},
      {{c, a, b},
       [](const Tensor& t) {
         return t.permute({1, 2, 0});
       }},
      {{b + 2, c, a},
       [=](const Tensor& t) {
         return t.narrow(0, 1, b).permute({2, 0, 1});
       }},
      {{b, a, c}, [](const Tensor& t) { return t.transpose(0, 1); }},
  };
  for (const ScalarType dtype : {kBool, kBFloat16, kFloat, kDouble, kComplexDouble}) {
    const Tensor plain = numbers({a, b, c}, dtype);
    for (const std::int64_t dim : {0, 1, 2}) {
      const Tensor index = randint(0, plain.size(dim), {a, b, c}, TensorOptions(kLong));
      DimVector vector_shape(3, 1);
      vector_shape[static_cast<std::size_t>(dim)] = plain.size(dim);
      const Tensor slices = randint(0, plain.size(dim), vector_shape, TensorOptions(kLong)).expand({a, b, c});
      for (const Layout& from : layouts) {
        const Tensor x = from.view(zeros(from.sizes, TensorOptions(dtype))).copy_(plain);
        for (const Layout& of_index : layouts) {
          const Tensor at = of_index.view(zeros(of_index.sizes, TensorOptions(kLong))).copy_(index);
          EXPECT_TRUE(same(gather(x, dim, at), gather(plain, dim, index)));
          for (const Layout& to : layouts) {
            for (const Tensor& chosen : {at, slices}) {
              const Tensor whole = ones(to.sizes, TensorOptions(dtype));
              Tensor out = to.view(whole);
              gather_out(out, x, dim, chosen);
              EXPECT_TRUE(same(out, gather(plain, dim, chosen.contiguous().to(kLong))))
                  << dtype << " " << dim;
              out.fill_(1);
              EXPECT_TRUE(equal(whole, ones(to.sizes, TensorOptions(dtype)))) << dtype << " " << dim;
              const Tensor wrong = chosen.clone();
              wrong.select(0, a - 1).select(0, b - 1).select(0, c - 1).fill_(plain.size(dim));
              EXPECT_THROW(gather_out(out, x, dim, wrong), IndexError);
              EXPECT_TRUE(equal(whole, ones(to.sizes, TensorOptions(dtype)))) << dtype << " " << dim;
            }
          }
        }
      }
    }
  }
}

TEST(Destination, NoIntegerIsInfinite) {
  for (const ScalarType dtype : {kBool, kByte, kChar, kLong}) {
    for (const auto& of_input : kLayouts) {
      const Tensor x = of_input(numbers({5, 9}, dtype)), none = zeros({5, 9}, TensorOptions(kBool));
      EXPECT_TRUE(same(isposinf(x), none) && same(isneginf(x), none));
      Tensor out = of_input(none == none), number = of_input(ones({5, 9}));
      EXPECT_TRUE(same(isposinf_out(out, x), none));
      EXPECT_THROW(isneginf_out(number, x), DtypeError);
    }
  }
  const double infinite = std::numeric_limits<double>::infinity();
  const Tensor x = tensor({1.0, infinite, -infinite});
  EXPECT_TRUE(equal(isposinf(x), tensor({0, 1, 0}).to(kBool)) &&
              equal(isneginf(x), tensor({0, 0, 1}).to(kBool)));
}

TEST(Destination, ScatterThatReduces) {
  const Tensor self = tensor({1., 2., 3.}), index = tensor({0, 0, 2}, kLong), src = tensor({10., 20., 30.});
  for (const char* reduce : {"add", "multiply"}) {
    Tensor out = empty({0}, self.options());
    scatter_out(out, self, 0, index, src, reduce);
    EXPECT_TRUE(equal(out, self.scatter(0, index, src, reduce)));
    scatter_out(out, self, 0, index, 5, reduce);
    EXPECT_TRUE(equal(out, self.scatter(0, index, 5, reduce)));
    Tensor other = zeros({3}, kInt);
    EXPECT_THROW(scatter_out(other, self, 0, index, src, reduce), DtypeError);
    EXPECT_TRUE(equal(other, zeros({3}, kInt)));
  }
}

TEST(Destination, AllAreCheckedBeforeOneIsResized) {
  float memory[2] = {};
  const Tensor first = empty({0}), second = from_blob(memory, {2});
  EXPECT_THROW(TensorIteratorConfig().add_output(first).add_output(second).add_input(ones({3, 4})).build(),
               StorageError);
  EXPECT_EQ(first.numel(), 0);
  EXPECT_EQ(first.dim(), 1);
}

}  // namespace
}  // namespace lanewise
