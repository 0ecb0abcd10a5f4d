#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/median.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// NaN after everything.
template <class T>
bool before(T a, T b) {
  return a < b || (b != b && a == a);
}

/// Position of the median in x; `order` is scratch.
template <class T>
std::int64_t median_of(const T* x, std::int64_t n, bool ignore_nan, std::vector<std::int64_t>& order) {
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if constexpr (std::is_floating_point_v<T>) {
    const auto numbers =
        std::stable_partition(order.begin(), order.end(), [&](std::int64_t i) { return x[i] == x[i]; });
    const std::int64_t count = numbers - order.begin();
    if (count < n && (!ignore_nan || count == 0)) return *numbers;
    n = count;
  }
  const auto middle = order.begin() + (n - 1) / 2;
  std::nth_element(order.begin(), middle, order.begin() + n,
                   [&](std::int64_t a, std::int64_t b) { return x[a] < x[b] || (x[a] == x[b] && a < b); });
  return *middle;
}

template <class T>
std::int64_t mode_of(const T* x, std::int64_t n, std::vector<std::int64_t>& order) {
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return before(x[a], x[b]) || (!before(x[b], x[a]) && a < b);
  });
  std::int64_t best = order[0], longest = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && !before(x[order[first]], x[order[last + 1]])) ++last;
    if (static_cast<std::int64_t>(last - first) + 1 > longest) {
      longest = static_cast<std::int64_t>(last - first) + 1;
      best = order[last];
    }
    first = last + 1;
  }
  return best;
}

/// choose(row, n, scratch) for every sequence along dim.
template <class Choose>
std::tuple<Tensor, Tensor> along(const char* op, const Tensor& self, std::int64_t dim, bool keepdim,
                                 Choose choose) {
  const std::int64_t d = wrap_dim(op, dim, self.dim());
  LANEWISE_CHECK(DtypeError, !self.is_complex(), op, ": not defined for ", self.scalar_type(), " elements");
  LANEWISE_CHECK(IndexError, self.dim() == 0 || self.size(d) > 0, op, ": Expected reduction dim ", d,
                 " to have non-zero size, found shape ", self.sizes());
  const Tensor rows = self.dim() == 0 ? dense(self) : dense(transpose(self, d, -1));
  const Tensor x = dense(rows, kernels::compute_type(self.scalar_type()));
  const std::int64_t n = self.dim() == 0 ? 1 : self.size(d);
  DimVector sizes(rows.sizes());
  if (!sizes.empty()) sizes.back() = 1;
  Tensor values = detail::empty_cpu(sizes, self.scalar_type());
  Tensor indices = detail::empty_cpu(sizes, kLong);
  auto* at = indices.data_ptr<std::int64_t>();
  visit_dtype(x.scalar_type(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      const T* data = static_cast<const T*>(x.const_data_ptr());
      parallel_for(0, indices.numel(), std::max<std::int64_t>(1, 4096 / n),
                   [&](std::int64_t begin, std::int64_t end) {
                     std::vector<std::int64_t> order;
                     for (std::int64_t i = begin; i < end; ++i) at[i] = choose(data + i * n, n, order);
                   });
    }
  });
  visit_dtype(self.scalar_type(), [&]<class T>() {
    const T* data = static_cast<const T*>(rows.const_data_ptr());
    T* to = static_cast<T*>(values.data_ptr());
    for (std::int64_t i = 0; i < indices.numel(); ++i) to[i] = data[i * n + at[i]];
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
  return std::get<0>(along(op, flat, 0, false, [&](const auto* x, std::int64_t n, auto& order) {
    return median_of(x, n, ignore_nan, order);
  }));
}

std::tuple<Tensor, Tensor> median_along(const char* op, const Tensor& self, std::int64_t dim, bool keepdim,
                                        bool ignore_nan) {
  check_median(op, self);
  return along(op, self, dim, keepdim, [&](const auto* x, std::int64_t n, auto& order) {
    return median_of(x, n, ignore_nan, order);
  });
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
  return along("mode", self, dim, keepdim,
               [](const auto* x, std::int64_t n, auto& order) { return mode_of(x, n, order); });
}

}  // namespace lanewise::ops
