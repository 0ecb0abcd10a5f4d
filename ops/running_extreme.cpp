#include <algorithm>
#include <type_traits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/extent.h>
#include <lanewise/ops/scan.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// Elements that make it worth waking another thread.
constexpr std::int64_t kParallelElements = 1 << 15;
/// Columns that are walked down together: what came before them stays in L1.
constexpr std::int64_t kColumns = 512;
/// Elements that are asked at once whether any of them is a new extreme; later in a sequence few are.
constexpr std::int64_t kBlock = 16;

/// Running maxima, or minima, of lines or columns of T, and where they were. Of equal ones the later, and NaN
/// above all.
template <bool kMax, class T>
struct RunningExtreme {
  std::int64_t stride;  ///< from one element of a column to the next
  const T* x;
  T* values;
  std::int64_t* indices;

  static bool takes(T element, T best) noexcept {
    const bool beyond = kMax ? element >= best : element <= best;
    if constexpr (std::is_floating_point_v<T>) {
      return (element != element) | (beyond & (best == best));
    } else {
      return beyond;
    }
  }

  /// False only if no element of a block takes the place of its best.
  template <class Best>
  static bool any_takes(const T* element, Best best) noexcept {
    using Flag = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    Flag found = 0;
    for (std::int64_t i = 0; i < kBlock; ++i)
      found |= static_cast<Flag>(kMax ? !(element[i] < best(i)) : !(element[i] > best(i)));
    return found != 0;
  }

  void line(std::int64_t first, std::int64_t n) const {
    const T* from = x + first;
    T* to = values + first;
    std::int64_t* index = indices + first;
    T best = from[0];
    std::int64_t at = 0, i = 0;
    // Without branches: among numbers of few values, ties come at any time.
    const auto steps = [&](std::int64_t end) {
      for (; i < end; ++i) {
        const bool take = takes(from[i], best);
        best = take ? from[i] : best;
        at = take ? i : at;
        to[i] = best;
        index[i] = at;
      }
    };
    while (i + kBlock <= n) {
      // Where the last block had a new extreme, this one has one too as often as not.
      if (at >= i - kBlock || any_takes(from + i, [best](std::int64_t) { return best; })) {
        steps(i + kBlock);
      } else {
        std::fill_n(to + i, kBlock, best);
        std::fill_n(index + i, kBlock, at);
        i += kBlock;
      }
    }
    steps(n);
  }

  /// Few columns, some rows at a time that stay in L1 for the next one: two take 0.4 of the time that they take row by row, eight as long.
  static constexpr std::int64_t kFewColumns = 8;
  void few_columns(std::int64_t first, std::int64_t n, std::int64_t count) const {
    constexpr std::int64_t kRows = 256;
    for (std::int64_t row = 1; row < n; row += kRows) {
      const std::int64_t end = std::min(row + kRows, n);
      for (std::int64_t place = first + row * stride; place < first + row * stride + count; ++place) {
        T best = values[place - stride];
        std::int64_t at = indices[place - stride];
        for (std::int64_t i = row, p = place; i < end; ++i, p += stride) {
          const bool take = takes(x[p], best);
          best = take ? x[p] : best;
          at = take ? i : at;
          values[p] = best;
          indices[p] = at;
        }
      }
    }
  }

  void columns(std::int64_t first, std::int64_t n, std::int64_t count) const {
    std::copy_n(x + first, count, values + first);
    std::fill_n(indices + first, count, 0);
    if (count < kFewColumns) return few_columns(first, n, count);
    for (std::int64_t row = 1; row < n; ++row) {
      const T* from = x + first + row * stride;
      T* __restrict to = values + first + row * stride;
      std::int64_t* __restrict index = indices + first + row * stride;
      const T* best = to - stride;
      const std::int64_t* at = index - stride;
      const auto steps = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const bool take = takes(from[i], best[i]);
          to[i] = take ? from[i] : best[i];
          index[i] = at[i] + ((row - at[i]) & -static_cast<std::int64_t>(take));
        }
      };
      std::int64_t i = 0;
      for (; i + kBlock <= count; i += kBlock) {
        if (any_takes(from + i, [best, i](std::int64_t j) { return best[i + j]; })) {
          steps(i, i + kBlock);
        } else {
          std::copy_n(best + i, kBlock, to + i);
          std::copy_n(at + i, kBlock, index + i);
        }
      }
      steps(i, count);
    }
  }
};

template <bool kMax>
std::tuple<Tensor, Tensor> running(const char* op, const Tensor& self, std::int64_t dim) {
  const Extent extent(op, self, dim);
  LANEWISE_CHECK(DtypeError, !self.is_complex(), op, ": complex numbers have no order, found ",
                 self.scalar_type());
  const ScalarType compute = kernels::compute_type(self.scalar_type());
  const Tensor x = dense(self, compute);
  const Tensor values = detail::empty_cpu(self.sizes(), compute);
  const Tensor indices = detail::empty_cpu(self.sizes(), kLong);
  const auto [batches, n, columns] = extent;
  const std::int64_t width = std::min(columns, kColumns);
  if (self.numel() == 0) return {dense(values, self.scalar_type()), indices};
  const std::int64_t blocks = divup(columns, width);
  visit_dtype(compute == kBool ? kByte : compute, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const RunningExtreme<kMax, T> running{columns, static_cast<const T*>(x.const_data_ptr()),
                                            static_cast<T*>(values.data_ptr()),
                                            indices.data_ptr<std::int64_t>()};
      parallel_for(0, batches * blocks, std::max<std::int64_t>(1, kParallelElements / (n * width)),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                       const std::int64_t column = i % blocks * width;
                       const std::int64_t first = i / blocks * n * columns + column;
                       if (columns == 1) {
                         running.line(first, n);
                       } else {
                         running.columns(first, n, std::min(width, columns - column));
                       }
                     }
                   });
    }
  });
  return {dense(values, self.scalar_type()), indices};
}

}  // namespace

std::tuple<Tensor, Tensor> cummax(const Tensor& self, std::int64_t dim) {
  return running<true>("cummax", self, dim);
}
std::tuple<Tensor, Tensor> cummin(const Tensor& self, std::int64_t dim) {
  return running<false>("cummin", self, dim);
}

}  // namespace lanewise::ops
