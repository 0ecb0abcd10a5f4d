#include <algorithm>
#include <limits>
#include <type_traits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/median.h>
#include <lanewise/ops/reduced_dims.h>
#include <lanewise/ops/room.h>
#include <lanewise/ops/select_key.h>
#include <lanewise/ops/sort_keys.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// Position of the median in x; room for n keys.
template <class T>
std::int64_t median_of(const T* x, std::int64_t n, bool ignore_nan, typename SortKey<T>::Key* keys) {
  std::int64_t numbers = n;
  if constexpr (SortKey<T>::kFloating) {
    const auto is_nan = [](T element) {
      if constexpr (std::is_floating_point_v<T>) {
        return element != element;  // whole registers at a time, while keys of f64 are made one by one
      } else {
        return SortKey<T>::of(element) == SortKey<T>::kNaN;
      }
    };
    numbers -= std::count_if(x, x + n, is_nan);
    if (numbers < n && (!ignore_nan || numbers == 0)) return std::find_if(x, x + n, is_nan) - x;
  }
  return position_of_rank(x, n, (numbers - 1) / 2, keys);  // NaN ranks behind all numbers
}

void check_median(const char* op, const Tensor& self) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool && !self.is_complex(), op, ": not defined for ",
                 self.scalar_type(), " elements");
}

std::tuple<Tensor, Tensor> median_along(const char* op, const Tensor& self, std::int64_t dim, bool keepdim,
                                        bool ignore_nan) {
  const std::int64_t d = wrap_dim(op, dim, self.dim());
  check_median(op, self);
  LANEWISE_CHECK(IndexError, self.dim() == 0 || self.size(d) > 0, op, ": Expected reduction dim ", d,
                 " to have non-zero size, found shape ", self.sizes());
  const DimMask mask = mask_of(op, self, d);
  const Tensor rows = self.dim() == 0 ? dense(self) : dense(transpose(self, d, -1));
  const std::int64_t n = self.dim() == 0 ? 1 : self.size(d);
  DimVector sizes(rows.sizes());
  if (!sizes.empty()) sizes.back() = 1;
  Tensor values = lanewise::detail::empty_cpu(sizes, self.scalar_type());
  Tensor indices = lanewise::detail::empty_cpu(sizes, kLong);
  auto* at = indices.data_ptr<std::int64_t>();
  visit_dtype(self.scalar_type(), [&]<class T>() {
    if constexpr (!is_complex(scalar_type_of<T>) && !std::is_same_v<T, bool>) {
      const T* data = static_cast<const T*>(rows.const_data_ptr());
      T* to = static_cast<T*>(values.data_ptr());
      parallel_for(0, indices.numel(), std::max<std::int64_t>(1, 4096 / n),
                   [&](std::int64_t begin, std::int64_t end) {
                     const Room<typename SortKey<T>::Key> keys(n);
                     for (std::int64_t i = begin; i < end; ++i) {
                       at[i] = median_of(data + i * n, n, ignore_nan, keys.get());
                       to[i] = data[i * n + at[i]];
                     }
                   });
    }
  });
  if (self.dim() == 0) return {values, indices};
  const DimVector shape = reduced_shape(self.sizes(), mask, keepdim);
  const auto shaped = [&](const Tensor& t) { return view(dense(transpose(t, d, -1)), shape); };
  return {shaped(values), shaped(indices)};
}

Tensor median_of_all(const char* op, const Tensor& self, bool ignore_nan) {
  check_median(op, self);
  if (self.numel() == 0) {
    if (self.is_floating_point())
      return filled(self, ~DimMask{0}, false, self.scalar_type(), std::numeric_limits<double>::quiet_NaN());
    // What PyTorch gives: NaN as an integer.
    return filled(self, ~DimMask{0}, false, self.scalar_type(),
                  self.scalar_type() == kInt    ? std::int64_t{std::numeric_limits<std::int32_t>::min()}
                  : self.scalar_type() == kLong ? std::numeric_limits<std::int64_t>::min()
                                                : std::int64_t{0});
  }
  const Tensor flat = view(dense(self), IntArrayRef{self.numel()});
  return std::get<0>(median_along(op, flat, 0, false, ignore_nan));
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

}  // namespace lanewise::ops
