#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include <lanewise/dispatch_isa/flush_denormal.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/room.h>
#include <lanewise/ops/select_first.h>
#include <lanewise/ops/select_key.h>
#include <lanewise/ops/short_line.h>
#include <lanewise/ops/sort_keys.h>
#include <lanewise/ops/sort_line.h>
#include <lanewise/ops/sorting.h>
#include <lanewise/ops/views.h>
#include <lanewise/ops/visit_ordered.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// self as contiguous lines along dim, and results that have `kept` elements in each.
struct Lines {
  std::int64_t dim;
  std::int64_t n;
  std::int64_t kept;
  std::int64_t count;
  Tensor lines;
  DimVector line_sizes;  ///< of the results, dim last

  Lines(const char* op, const Tensor& self, std::int64_t along) : dim(wrap_dim(op, along, self.dim())) {
    LANEWISE_CHECK(DtypeError, !self.is_complex(), op,
                   ": does not support complex inputs on CPU: complex numbers have no order");
    n = self.dim() == 0 ? 1 : self.sizes()[static_cast<std::size_t>(dim)];
    kept = n;
    lines = dense(self.dim() < 2 ? self : movedim(self, dim, -1));
    count = n == 0 ? 0 : self.numel() / n;
    line_sizes = DimVector(lines.sizes());
  }
  void keep(std::int64_t k) {
    kept = k;
    if (!line_sizes.empty()) line_sizes.back() = k;
  }
  Tensor empty(ScalarType dtype) const { return lanewise::detail::empty_cpu(line_sizes, dtype); }
  /// A result with dim back in its place, in the layout of `like` if given.
  Tensor in_place(const Tensor& result, const Tensor* like) const {
    const Tensor moved = result.dim() < 2 ? result : movedim(result, -1, dim);
    if (like == nullptr)
      return moved.unsafeGetTensorImpl()->has_default_strides() ? moved
                                                                : clone(moved, MemoryFormat::Contiguous);
    Tensor out = lanewise::detail::empty_like_cpu(*like, result.scalar_type());
    if (out.strides().equals(moved.strides())) return moved;
    copy_(out, moved);
    return out;
  }
  /// A result of one element a line, without dim unless it is kept.
  Tensor reduced(const Tensor& result, bool keepdim) const {
    const Tensor placed = in_place(result, nullptr);
    return keepdim || line_sizes.empty() ? placed : squeeze(placed, dim);
  }
};

void check_length(const char* op, std::int64_t n) {
  LANEWISE_CHECK(ValueError, n < 0xffffffffLL, op, ": a line of ", n,
                 " elements is too long; at most 4294967294");
}

void check_not_empty(const char* op, const Lines& lines) {
  LANEWISE_CHECK(IndexError, lines.n > 0, op, ": Expected reduction dim ", lines.dim,
                 " to have non-zero size");
}

void sort_lines(const Lines& of, bool descending, Tensor* values, const Tensor& indices) {
  check_length("sort", of.n);
  visit_ordered(of.lines.scalar_type(), [&]<class T>() {
    const auto* x = of.lines.template const_data_ptr<T>();
    auto* v = values != nullptr ? values->template data_ptr<T>() : nullptr;
    auto* i = indices.data_ptr<std::int64_t>();
    parallel_for(0, of.count, std::max<std::int64_t>(1, 2048 / std::max<std::int64_t>(of.n, 1)),
                 [&](std::int64_t begin, std::int64_t end) {
                   if (ShortLine<T>::takes(of.n)) {
                     return each_short_line(
                         x, of.n, descending, begin, end, [&](std::int64_t l, ShortLine<T>&& line) {
                           line.sorted(of.n, v != nullptr ? v + l * of.n : nullptr, i + l * of.n);
                         });
                   }
                   const SortRoom room(of.n);
                   for (std::int64_t l = begin; l < end; ++l) {
                     sort_line(x + l * of.n, of.n, descending, room, of.n,
                               v != nullptr ? v + l * of.n : nullptr, i + l * of.n);
                   }
                 });
  });
}

/// Whether the first in order is what max() or min() finds. Of the smallest NaN comes last, and would win a minimum; where denormals
/// count as zero they would be equal.
bool is_extreme(ScalarType dtype, bool largest) {
  return !isComplexType(dtype) && (!isFloatingType(dtype) || (largest && !flush_denormal()));
}

/// What the first n items stand for.
template <class T>
void write_items(const SortItem<typename SortKey<T>::Key>* items, const T* x, std::int64_t n, T* values,
                 std::int64_t* indices) {
  for (std::int64_t i = 0; i < n; ++i) {
    indices[i] = static_cast<std::int64_t>(items[i].get_index());
    values[i] = x[indices[i]];
  }
}

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& self, std::int64_t dim, bool descending) {
  const Lines lines("sort", self, dim);
  Tensor values = lines.empty(self.scalar_type());
  const Tensor indices = lines.empty(kLong);
  sort_lines(lines, descending, &values, indices);
  return {lines.in_place(values, &self), lines.in_place(indices, &self)};
}

Tensor argsort(const Tensor& self, std::int64_t dim, bool descending) {
  const Lines lines("argsort", self, dim);
  const Tensor indices = lines.empty(kLong);
  sort_lines(lines, descending, nullptr, indices);
  return lines.in_place(indices, &self);
}

std::tuple<Tensor, Tensor> topk(const Tensor& self, std::int64_t k, std::int64_t dim, bool largest) {
  if (k == 1 && self.dim() > 0 && is_extreme(self.scalar_type(), largest) &&
      self.size(wrap_dim("topk", dim, self.dim())) > 0) {
    const auto [values, indices] = largest ? max(self, dim, true) : min(self, dim, true);
    return {contiguous(values), contiguous(indices)};
  }
  Lines lines("topk", self, dim);
  LANEWISE_CHECK(ValueError, k >= 0 && k <= lines.n, "topk: selected index k out of range: k is ", k,
                 ", dimension ", lines.dim, " has size ", lines.n);
  if (self.dim() == 0) k = 1;  // a 0-dim result has one element
  lines.keep(k);
  check_length("topk", lines.n);
  const Tensor values = lines.empty(self.scalar_type()), indices = lines.empty(kLong);
  if (k == 0) return {lines.in_place(values, nullptr), lines.in_place(indices, nullptr)};
  visit_ordered(self.scalar_type(), [&]<class T>() {
    using Item = SortItem<typename SortKey<T>::Key>;
    const auto* x = lines.lines.template const_data_ptr<T>();
    parallel_for(
        0, lines.count, std::max<std::int64_t>(1, 8192 / lines.n), [&](std::int64_t begin, std::int64_t end) {
          // All ranks are counted for few elements, or for many of them: the first of 64 f32 is found in 0.4 of the time, the
          // first three in 0.7, the first two of 128 in a third.
          constexpr std::int64_t kCounted = 64, kShare = 16;
          const bool is_short = ShortLine<T>::takes(lines.n) && (lines.n < kCounted || k * kShare >= lines.n);
          T* const all_values = values.template data_ptr<T>();
          auto* const all_indices = indices.data_ptr<std::int64_t>();
          if (is_short) {
            return each_short_line(x, lines.n, largest, begin, end, [&](std::int64_t l, ShortLine<T>&& line) {
              line.sorted(k, all_values + l * k, all_indices + l * k);
            });
          }
          std::vector<Item> items;
          std::optional<SortRoom> room;
          for (std::int64_t l = begin; l < end; ++l) {
            const T* line = x + l * lines.n;
            T* v = all_values + l * k;
            std::int64_t* i = all_indices + l * k;
            if (k * 8 < lines.n) {
              select_first(line, lines.n, k, largest, items);
              write_items(items.data(), line, k, v, i);
              continue;
            }
            if (!room) room.emplace(lines.n);
            sort_line(line, lines.n, largest, *room, k, v, i);
          }
        });
  });
  return {lines.in_place(values, nullptr), lines.in_place(indices, nullptr)};
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, std::int64_t k, std::int64_t dim, bool keepdim) {
  Lines lines("kthvalue", self, dim);
  check_not_empty("kthvalue", lines);
  LANEWISE_CHECK(ValueError, k >= 1 && k <= lines.n,
                 "kthvalue: selected number k out of range for dimension ", lines.dim, ": k is ", k,
                 ", its size ", lines.n);
  lines.keep(1);
  check_length("kthvalue", lines.n);
  const Tensor values = lines.empty(self.scalar_type()), indices = lines.empty(kLong);
  visit_ordered(self.scalar_type(), [&]<class T>() {
    const auto* x = lines.lines.template const_data_ptr<T>();
    auto* v = values.template data_ptr<T>();
    auto* at = indices.data_ptr<std::int64_t>();
    parallel_for(0, lines.count, std::max<std::int64_t>(1, 8192 / lines.n),
                 [&](std::int64_t begin, std::int64_t end) {
                   const Room<typename SortKey<T>::Key> keys(lines.n);
                   for (std::int64_t l = begin; l < end; ++l) {
                     const T* line = x + l * lines.n;
                     at[l] = position_of_rank(line, lines.n, k - 1, keys.get());
                     v[l] = line[at[l]];
                   }
                 });
  });
  return {lines.reduced(values, keepdim), lines.reduced(indices, keepdim)};
}

std::tuple<Tensor, Tensor> mode(const Tensor& self, std::int64_t dim, bool keepdim) {
  Lines lines("mode", self, dim);
  check_not_empty("mode", lines);
  const Tensor order = lines.empty(kLong);
  Tensor sorted = lines.empty(self.scalar_type());
  sort_lines(lines, false, &sorted, order);
  lines.keep(1);
  const Tensor values = lines.empty(self.scalar_type()), indices = lines.empty(kLong);
  visit_ordered(self.scalar_type(), [&]<class T>() {
    for (std::int64_t l = 0; l < lines.count; ++l) {
      const T* x = sorted.template const_data_ptr<T>() + l * lines.n;
      std::int64_t first = 0, longest = 0,
                   best = 0;  // of a run of equal elements, and the end of the longest
      for (std::int64_t i = 0; i < lines.n; ++i) {
        if (SortKey<T>::of(x[i]) != SortKey<T>::of(x[first])) first = i;
        if (i - first < longest) continue;
        longest = i - first + 1;
        best = i;
      }
      indices.data_ptr<std::int64_t>()[l] = order.const_data_ptr<std::int64_t>()[l * lines.n + best];
      values.template data_ptr<T>()[l] = x[best];
    }
  });
  return {lines.reduced(values, keepdim), lines.reduced(indices, keepdim)};
}

}  // namespace lanewise::ops
