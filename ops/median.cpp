#include <algorithm>
#include <limits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/median.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/room.h>
#include <lanewise/ops/select_key.h>
#include <lanewise/ops/sort_keys.h>
#include <lanewise/ops/sort_line.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// Position of the median in x.
struct Median {
  bool ignore_nan;

  template <class T>
  using Scratch = Room<typename SortKey<T>::Key>;

  template <class T>
  std::int64_t operator()(const T* x, std::int64_t n, const Scratch<T>& keys) const {
    std::int64_t numbers = n;
    if constexpr (SortKey<T>::kFloating) {
      const auto is_nan = [](T element) { return SortKey<T>::of(element) == SortKey<T>::kNaN; };
      numbers -= std::count_if(x, x + n, is_nan);
      if (numbers < n && (!ignore_nan || numbers == 0)) return std::find_if(x, x + n, is_nan) - x;
    }
    return position_of_rank(x, n, (numbers - 1) / 2, keys.get());  // NaN ranks behind all numbers
  }
};

/// Last position of the most frequent element of x, the smallest of several.
struct Mode {
  template <class T>
  struct Scratch {
    SortRoom room;
    Room<T> sorted;
    Room<std::int64_t> order;
    explicit Scratch(std::int64_t n) : room(n), sorted(n), order(n) {}
  };

  template <class T>
  std::int64_t operator()(const T* x, std::int64_t n, const Scratch<T>& scratch) const {
    const T* sorted = scratch.sorted.get();
    sort_line(x, n, false, scratch.room, n, scratch.sorted.get(), scratch.order.get());
    std::int64_t first = 0, longest = 0, best = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i > 0 && SortKey<T>::of(sorted[i]) != SortKey<T>::of(sorted[i - 1])) first = i;
      if (i - first < longest) continue;
      longest = i - first + 1;
      best = i;
    }
    return scratch.order[best];
  }
};

/// choose(row, n, scratch) for every sequence along dim; scratch is the thread's own.
template <class Choose>
std::tuple<Tensor, Tensor> along(const char* op, const Tensor& self, std::int64_t dim, bool keepdim,
                                 Choose choose) {
  const std::int64_t d = wrap_dim(op, dim, self.dim());
  LANEWISE_CHECK(DtypeError, !self.is_complex(), op, ": not defined for ", self.scalar_type(), " elements");
  LANEWISE_CHECK(IndexError, self.dim() == 0 || self.size(d) > 0, op, ": Expected reduction dim ", d,
                 " to have non-zero size, found shape ", self.sizes());
  const Tensor rows = self.dim() == 0 ? dense(self) : dense(transpose(self, d, -1));
  const std::int64_t n = self.dim() == 0 ? 1 : self.size(d);
  DimVector sizes(rows.sizes());
  if (!sizes.empty()) sizes.back() = 1;
  Tensor values = lanewise::detail::empty_cpu(sizes, self.scalar_type());
  Tensor indices = lanewise::detail::empty_cpu(sizes, kLong);
  auto* at = indices.data_ptr<std::int64_t>();
  visit_dtype(self.scalar_type(), [&]<class T>() {
    if constexpr (!is_complex(scalar_type_of<T>)) {
      const T* data = static_cast<const T*>(rows.const_data_ptr());
      T* to = static_cast<T*>(values.data_ptr());
      parallel_for(0, indices.numel(), std::max<std::int64_t>(1, 4096 / n),
                   [&](std::int64_t begin, std::int64_t end) {
                     const typename Choose::template Scratch<T> scratch(n);
                     for (std::int64_t i = begin; i < end; ++i) {
                       at[i] = choose(data + i * n, n, scratch);
                       to[i] = data[i * n + at[i]];
                     }
                   });
    }
  });
  if (self.dim() == 0) return {values, indices};
  const DimVector shape = reduced_shape(self.sizes(), DimMask{1} << d, keepdim);
  const auto shaped = [&](const Tensor& t) { return view(dense(transpose(t, d, -1)), shape); };
  return {shaped(values), shaped(indices)};
}

void check_median(const char* op, const Tensor& self) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool && !self.is_complex(), op, ": not defined for ",
                 self.scalar_type(), " elements");
}

Tensor median_of_all(const char* op, const Tensor& self, bool ignore_nan) {
  check_median(op, self);
  if (self.numel() == 0) {
    if (self.is_floating_point())
      return filled(self, ~DimMask{0}, false, self.scalar_type(), std::numeric_limits<double>::quiet_NaN());
    // What PyTorch gives: NaN as an integer.
    return filled(self, ~DimMask{0}, false, self.scalar_type(), std::numeric_limits<std::int64_t>::min());
  }
  const Tensor flat = view(dense(self), IntArrayRef{self.numel()});
  return std::get<0>(along(op, flat, 0, false, Median{ignore_nan}));
}

std::tuple<Tensor, Tensor> median_along(const char* op, const Tensor& self, std::int64_t dim, bool keepdim,
                                        bool ignore_nan) {
  check_median(op, self);
  return along(op, self, dim, keepdim, Median{ignore_nan});
}

}  // namespace

Tensor median(const Tensor& self) { return median_of_all("median", self, false); }
Tensor nanmedian(const Tensor& self) { return median_of_all("nanmedian", self, true); }
std::tuple<Tensor, Tensor> median(const Tensor& self, std::int64_t dim, bool keepdim) {
  return median_along("median", self, dim, keepdim, false);
}
std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, std::int64_t dim, bool keepdim) {
  return median_along("nanmedian", self, dim, keepdim, true);
}
std::tuple<Tensor, Tensor> mode(const Tensor& self, std::int64_t dim, bool keepdim) {
  return along("mode", self, dim, keepdim, Mode{});
}

}  // namespace lanewise::ops
