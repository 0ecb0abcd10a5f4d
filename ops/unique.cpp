#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/advanced_indexing.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/key_numbers.h>
#include <lanewise/ops/room.h>
#include <lanewise/ops/sort_keys.h>
#include <lanewise/ops/sorting.h>
#include <lanewise/ops/unique.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// Where groups of equal things begin in a sequence, and which group each thing is in.
struct Groups {
  std::int64_t n;
  Room<std::int64_t> starts;
  std::int64_t count = 0;

  /// `differs(i)` says whether thing i differs from the one before it.
  template <class F>
  Groups(std::int64_t length, F&& differs) : n(length), starts(length) {
    if (n > 0) starts[count++] = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      starts[count] = i;
      count += differs(i) ? 1 : 0;
    }
  }

  std::int64_t size() const { return count; }
  std::int64_t end_of(std::int64_t g) const { return g + 1 < count ? starts[g + 1] : n; }

  Tensor counts(bool wanted) const {
    Tensor result = lanewise::detail::empty_cpu({wanted ? size() : 0}, kLong);
    auto* out = result.data_ptr<std::int64_t>();
    for (std::int64_t g = 0; wanted && g < size(); ++g) out[g] = end_of(g) - starts[g];
    return result;
  }

  /// The group of each thing; thing i stands at order[i] in the result.
  template <class Order>
  Tensor inverse(bool wanted, IntArrayRef sizes, Order&& order) const {
    if (!wanted) return lanewise::detail::empty_cpu({0}, kLong);
    Tensor result = lanewise::detail::empty_cpu(sizes, kLong);
    auto* out = result.data_ptr<std::int64_t>();
    for (std::int64_t g = 0; g < size(); ++g) {
      for (std::int64_t i = starts[g]; i < end_of(g); ++i) out[order(i)] = g;
    }
    return result;
  }

  Tensor firsts() const {
    Tensor result = lanewise::detail::empty_cpu({size()}, kLong);
    std::copy_n(starts.get(), count, result.data_ptr<std::int64_t>());
    return result;
  }
};

/// The first element of each group.
Tensor firsts_of(const Groups& groups, const Tensor& flat) {
  const Tensor result = lanewise::detail::empty_cpu({groups.size()}, flat.scalar_type());
  visit_size(flat.itemsize(), [&]<class T>() {
    const auto* x = static_cast<const T*>(flat.const_data_ptr());
    auto* out = static_cast<T*>(result.data_ptr());
    for (std::int64_t g = 0; g < groups.size(); ++g) out[g] = x[groups.starts[g]];
  });
  return result;
}

Groups groups_of(const Tensor& flat) {
  return visit_dtype(flat.scalar_type(), [&]<class T>() {
    const auto* x = flat.const_data_ptr<T>();
    return Groups(flat.numel(), [x](std::int64_t i) { return !(x[i] == x[i - 1]); });
  });
}

/// The first of every run of equal elements.
Tensor heads_of_runs(const Tensor& flat) {
  const std::int64_t n = flat.numel();
  const Tensor room = lanewise::detail::empty_cpu({n}, flat.scalar_type());
  const std::int64_t count = n == 0 ? 0 : visit_dtype(flat.scalar_type(), [&]<class T>() {
    const auto* x = flat.const_data_ptr<T>();
    auto* out = static_cast<T*>(room.data_ptr());
    out[0] = x[0];
    std::int64_t found = 1;
    for (std::int64_t i = 1; i < n; ++i) {  // without a branch: what is not the first of a run is overwritten
      out[found] = x[i];
      found += static_cast<std::int64_t>(!(x[i] == x[i - 1]));
    }
    return found;
  });
  return clone(narrow(room, 0, 0, count));
}

/// self as contiguous slices of dim, a row each.
Tensor rows_of(const char* op, const Tensor& self, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, op, ": expected a tensor with dimensions");
  const Tensor moved = dense(transpose(self, dim, 0));  // slices in the order that PyTorch compares
  const std::int64_t n = moved.size(0);
  LANEWISE_CHECK(ShapeError, n == 0 || moved.numel() > 0, op,
                 ": There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  return view(moved, {n, n == 0 ? 0 : moved.numel() / n});
}

/// Some rows seen as slices of dim again, in the layout that PyTorch gives them.
Tensor slices_of(const Tensor& rows, const Tensor& chosen, const Tensor& self, std::int64_t dim) {
  DimVector sizes(transpose(self, dim, 0).sizes());
  sizes[0] = chosen.numel();
  return transpose(view(index_select(rows, 0, chosen), sizes), 0, dim);
}

/// Rows a and b of n elements each: below, at or above zero as a comes before b, equals it, or comes after
/// it. Complex ones have no order.
using CompareRows = int (*)(const void* x, std::int64_t a, std::int64_t b, std::int64_t n);

template <class T>
int compare_rows(const void* x, std::int64_t row_a, std::int64_t row_b, std::int64_t n) {
  const T *a = static_cast<const T*>(x) + row_a * n, *b = static_cast<const T*>(x) + row_b * n;
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (is_complex(scalar_type_of<T>)) {
      if (!(a[i] == b[i])) return 1;
    } else {
      if (a[i] < b[i]) return -1;
      if (!(a[i] == b[i])) return 1;
    }
  }
  return 0;
}

CompareRows comparison_of(ScalarType dtype) {
  return visit_dtype(dtype, []<class T>() -> CompareRows { return &compare_rows<T>; });
}

/// Elements that are few different ones, without sorting more than those: nothing if they are many, or if
/// some are NaN, which equals nothing.
template <class T>
std::optional<std::tuple<Tensor, Tensor, Tensor>> unique_of_few(const Tensor& flat, IntArrayRef sizes,
                                                                bool return_inverse, bool return_counts) {
  using Key = typename SortKey<T>::Key;
  const auto* x = flat.const_data_ptr<T>();
  const std::int64_t n = flat.numel();
  KeyNumbers<typename SortKey<T>::Raw> numbers;
  std::vector<std::int64_t> firsts, counts;
  const Tensor inverse =
      return_inverse ? lanewise::detail::empty_cpu(sizes, kLong) : lanewise::detail::empty_cpu({0}, kLong);
  auto* number_of = return_inverse ? inverse.data_ptr<std::int64_t>() : nullptr;
  for (std::int64_t i = 0; i < n; ++i) {
    const Key key = SortKey<T>::of(x[i]);
    if (SortKey<T>::kFloating && key == SortKey<T>::kNaN) return std::nullopt;
    const std::int32_t number = numbers.number(static_cast<typename SortKey<T>::Raw>(key));
    if (number < 0) return std::nullopt;
    if (static_cast<std::size_t>(number) == firsts.size()) {
      firsts.push_back(i);
      counts.push_back(0);
    }
    if (return_counts) ++counts[static_cast<std::size_t>(number)];
    if (number_of != nullptr) number_of[i] = number;
  }
  // From the order of first appearance to that of the elements.
  const auto count = static_cast<std::int64_t>(firsts.size());
  std::vector<SortItem<Key>> order;
  for (std::size_t g = 0; g < firsts.size(); ++g) order.push_back(SortItem<Key>::make(numbers.keys()[g], g));
  std::sort(order.begin(), order.end());
  const Tensor values = lanewise::detail::empty_cpu({count}, flat.scalar_type());
  const Tensor how_often = lanewise::detail::empty_cpu({return_counts ? count : 0}, kLong);
  std::vector<std::int64_t> place(firsts.size());
  for (std::int64_t g = 0; g < count; ++g) {
    const auto number = static_cast<std::size_t>(order[static_cast<std::size_t>(g)].get_index());
    place[number] = g;
    values.data_ptr<T>()[g] = x[firsts[number]];
    if (return_counts) how_often.data_ptr<std::int64_t>()[g] = counts[number];
  }
  if (number_of != nullptr) {
    parallel_for(0, n, 65536, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) number_of[i] = place[static_cast<std::size_t>(number_of[i])];
    });
  }
  return std::tuple{values, inverse, how_often};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& self, bool return_inverse, bool return_counts) {
  const Tensor flat = view(dense(self), {self.numel()});
  const auto few = visit_dtype(self.scalar_type(), [&]<class T>() {
    std::optional<std::tuple<Tensor, Tensor, Tensor>> found;
    if constexpr (!is_complex(scalar_type_of<T>))
      found = unique_of_few<T>(flat, self.sizes(), return_inverse, return_counts);
    return found;
  });
  if (few) return *few;
  const auto [values, order] = sort(flat, 0, false);
  const Groups groups = groups_of(values);
  const auto* place = order.const_data_ptr<std::int64_t>();
  return {firsts_of(groups, values),
          groups.inverse(return_inverse, self.sizes(), [place](std::int64_t i) { return place[i]; }),
          groups.counts(return_counts)};
}

std::tuple<Tensor, Tensor> unique_values(const Tensor& self, bool return_inverse) {
  auto [values, inverse, counts] = unique(self, return_inverse, false);
  return {values, inverse};
}

std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, std::int64_t dim, bool, bool) {
  const std::int64_t d = wrap_dim("unique_dim", dim, self.dim());
  LANEWISE_CHECK(DtypeError, !self.is_complex(), "unique_dim: complex numbers have no order");
  const Tensor rows = rows_of("unique_dim", self, d);
  const std::int64_t n = rows.size(0), m = rows.size(1);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const CompareRows compare = comparison_of(self.scalar_type());
  const void* x = rows.const_data_ptr();
  std::stable_sort(order.begin(), order.end(),
                   [=](std::int64_t a, std::int64_t b) { return compare(x, a, b, m) < 0; });
  const Groups groups(n, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return compare(x, order[at - 1], order[at], m) != 0;
  });
  Tensor firsts = groups.firsts();
  for (std::int64_t g = 0; g < groups.size(); ++g) {
    std::int64_t& first = firsts.data_ptr<std::int64_t>()[g];
    first = order[static_cast<std::size_t>(first)];
  }
  // As in PyTorch, both are there along a dimension, asked for or not.
  return {slices_of(rows, firsts, self, d),
          groups.inverse(true, n, [&](std::int64_t i) { return order[static_cast<std::size_t>(i)]; }),
          groups.counts(true)};
}

std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self, bool return_inverse,
                                                      bool return_counts, std::optional<std::int64_t> dim) {
  const auto same_place = [](std::int64_t i) { return i; };
  if (!dim || (self.dim() == 1 && wrap_dim("unique_consecutive", *dim, 1) == 0)) {
    const Tensor flat = view(dense(self), {self.numel()});
    if (!return_inverse && !return_counts) {
      const Tensor none = lanewise::detail::empty_cpu({0}, kLong);
      return {heads_of_runs(flat), none, lanewise::detail::empty_cpu({0}, kLong)};
    }
    const Groups groups = groups_of(flat);
    return {firsts_of(groups, flat), groups.inverse(return_inverse, self.sizes(), same_place),
            groups.counts(return_counts)};
  }
  const std::int64_t d = wrap_dim("unique_consecutive", *dim, self.dim());
  const Tensor rows = rows_of("unique_consecutive", self, d);
  const std::int64_t n = rows.size(0), m = rows.size(1);
  const CompareRows compare = comparison_of(self.scalar_type());
  const void* x = rows.const_data_ptr();
  const Groups groups(n, [=](std::int64_t i) { return compare(x, i - 1, i, m) != 0; });
  return {slices_of(rows, groups.firsts(), self, d), groups.inverse(true, n, same_place),
          groups.counts(true)};
}

}  // namespace lanewise::ops
