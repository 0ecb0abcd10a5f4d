#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <type_traits>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/radix_sort.h>
#include <lanewise/ops/sort_keys.h>
#include <lanewise/ops/sorting.h>
#include <lanewise/ops/views.h>
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
};

template <class F>
void visit_ordered(ScalarType dtype, F&& f) {
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (!is_complex(scalar_type_of<T>)) f.template operator()<T>();
  });
}

/// Which 32 bits of the keys of a line tell its elements apart: all of them for types of up to 32 bits, else
/// those from the highest in which any two keys differ.
template <class T>
struct KeyWindow {
  using Key = typename SortKey<T>::Key;
  Key flip;       ///< inverts the keys for descending order
  Key rest = 0;   ///< the bits above the window, which all keys share
  int shift = 0;  ///< of the window
  int bits = SortKey<T>::bits;
  bool exact = true;  ///< nothing below the window differs

  KeyWindow(const T* x, std::int64_t n, bool descending) : flip(descending ? SortKey<T>::kNaN : Key{0}) {
    if constexpr (sizeof(T) == 8) {
      const Key first = key(x[0]);
      std::atomic<Key> differences{0};
      parallel_for(0, n, 65536, [&](std::int64_t begin, std::int64_t end) {
        Key found = 0;
        for (std::int64_t i = begin; i < end; ++i) found |= key(x[i]) ^ first;
        differences.fetch_or(found, std::memory_order_relaxed);
      });
      const Key differ = differences.load();
      const int high = 64 - std::countl_zero(differ), low = differ == 0 ? 0 : std::countr_zero(differ);
      exact = high - low <= 32;
      shift = exact ? low : high - 32;
      bits = std::min(high - shift, 32);
      rest = first & ~(Key{0xffffffff} << shift);
    }
  }

  Key key(T x) const noexcept { return SortKey<T>::of(x) ^ flip; }
  std::uint64_t word(T x, std::int64_t index) const noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(key(x) >> shift)) << 32U |
           static_cast<std::uint64_t>(index);
  }
  T value(std::uint64_t word, const T* x) const noexcept {
    const Key key = (rest | (static_cast<Key>(word >> 32U) << shift)) ^ flip;
    return exact && SortKey<T>::is_exact(key) ? SortKey<T>::value(key) : x[word & 0xffffffffU];
  }
};

/// One line in stable order; values may be null. `words` and `scratch` have room for n.
template <class T>
void sort_line(const T* x, std::int64_t n, bool descending, std::uint64_t* words, std::uint64_t* scratch,
               std::int64_t kept, T* values, std::int64_t* indices) {
  if (n == 0) return;
  const KeyWindow<T> window(x, n, descending);
  parallel_for(0, n, 65536, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) words[i] = window.word(x[i], i);
  });
  radix_sort(words, scratch, n, window.bits);
  if (!window.exact) {  // elements that look alike in the window are few, unless somebody chose them
    for (std::int64_t i = 0; i < n;) {
      std::int64_t end = i + 1;
      while (end < n && words[end] >> 32U == words[i] >> 32U) ++end;
      if (end - i > 1) {
        std::sort(words + i, words + end, [&](std::uint64_t a, std::uint64_t b) {
          const auto p = window.key(x[a & 0xffffffffU]), q = window.key(x[b & 0xffffffffU]);
          return p != q ? p < q : a < b;
        });
      }
      i = end;
    }
  }
  parallel_for(0, kept, 65536, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) indices[i] = static_cast<std::int64_t>(words[i] & 0xffffffffU);
    for (std::int64_t i = begin; values != nullptr && i < end; ++i) values[i] = window.value(words[i], x);
  });
}

/// Room for items that nobody initialises.
template <class Item>
std::unique_ptr<Item[]> room_for(std::int64_t n) {
  return std::unique_ptr<Item[]>(new Item[static_cast<std::size_t>(n)]);
}

void check_length(const char* op, std::int64_t n) {
  LANEWISE_CHECK(ValueError, n < 0xffffffffLL, op, ": a line of ", n,
                 " elements is too long; at most 4294967294");
}

void sort_lines(const Lines& of, bool descending, Tensor* values, const Tensor& indices) {
  check_length("sort", of.n);
  visit_ordered(of.lines.scalar_type(), [&]<class T>() {
    const auto* x = of.lines.template const_data_ptr<T>();
    auto* v = values != nullptr ? values->template data_ptr<T>() : nullptr;
    auto* i = indices.data_ptr<std::int64_t>();
    parallel_for(0, of.count, std::max<std::int64_t>(1, 2048 / std::max<std::int64_t>(of.n, 1)),
                 [&](std::int64_t begin, std::int64_t end) {
                   const auto words = room_for<std::uint64_t>(of.n), scratch = room_for<std::uint64_t>(of.n);
                   for (std::int64_t l = begin; l < end; ++l) {
                     sort_line(x + l * of.n, of.n, descending, words.get(), scratch.get(), of.n,
                               v != nullptr ? v + l * of.n : nullptr, i + l * of.n);
                   }
                 });
  });
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

/// The first k items in order. Candidates below a limit are collected, and the limit falls whenever there are
/// too many.
template <class T>
void select_first(const T* x, std::int64_t n, std::int64_t k, bool descending,
                  std::vector<SortItem<typename SortKey<T>::Key>>& items) {
  using Key = typename SortKey<T>::Key;
  const Key flip = descending ? SortKey<T>::kNaN : Key{0};
  const auto most = static_cast<std::size_t>(2 * k + 64);
  items.clear();
  Key limit = static_cast<Key>(~Key{0});
  bool limited = false;
  const auto shrink = [&] {
    if (items.size() <= static_cast<std::size_t>(k)) return;
    std::nth_element(items.begin(), items.begin() + (k - 1), items.end());
    items.resize(static_cast<std::size_t>(k));
    limit = items.back().get_key();
    limited = true;
  };
  for (std::int64_t i = 0; i < n; ++i) {
    const Key key = SortKey<T>::of(x[i]) ^ flip;
    if (limited && key >= limit) continue;  // an equal one comes later, so it is not among the first
    items.push_back(SortItem<Key>::make(key, static_cast<std::uint64_t>(i)));
    if (items.size() >= most) shrink();
  }
  shrink();
  std::sort(items.begin(), items.end());
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
  Lines lines("topk", self, dim);
  LANEWISE_CHECK(ValueError, k >= 0 && k <= lines.n, "topk: selected index k out of range: k is ", k,
                 ", dimension ", lines.dim, " has size ", lines.n);
  lines.keep(k);
  if (self.dim() == 0) {
    if (k == 0)
      return {lanewise::detail::empty_cpu({0}, self.scalar_type()), lanewise::detail::empty_cpu({0}, kLong)};
  }
  check_length("topk", lines.n);
  const Tensor values = lines.empty(self.scalar_type()), indices = lines.empty(kLong);
  if (k == 0) return {lines.in_place(values, nullptr), lines.in_place(indices, nullptr)};
  visit_ordered(self.scalar_type(), [&]<class T>() {
    using Item = SortItem<typename SortKey<T>::Key>;
    const auto* x = lines.lines.template const_data_ptr<T>();
    parallel_for(0, lines.count, std::max<std::int64_t>(1, 8192 / lines.n),
                 [&](std::int64_t begin, std::int64_t end) {
                   std::vector<Item> items;
                   std::unique_ptr<std::uint64_t[]> words, scratch;
                   for (std::int64_t l = begin; l < end; ++l) {
                     const T* line = x + l * lines.n;
                     T* v = values.template data_ptr<T>() + l * k;
                     auto* i = indices.data_ptr<std::int64_t>() + l * k;
                     if (k * 8 < lines.n) {
                       select_first(line, lines.n, k, largest, items);
                       write_items(items.data(), line, k, v, i);
                       continue;
                     }
                     if (words == nullptr) {
                       words = room_for<std::uint64_t>(lines.n);
                       scratch = room_for<std::uint64_t>(lines.n);
                     }
                     sort_line(line, lines.n, largest, words.get(), scratch.get(), k, v, i);
                   }
                 });
  });
  return {lines.in_place(values, nullptr), lines.in_place(indices, nullptr)};
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, std::int64_t k, std::int64_t dim, bool keepdim) {
  Lines lines("kthvalue", self, dim);
  LANEWISE_CHECK(IndexError, lines.n > 0, "kthvalue: Expected reduction dim ", lines.dim,
                 " to have non-zero size");
  LANEWISE_CHECK(ValueError, k >= 1 && k <= lines.n,
                 "kthvalue: selected number k out of range for dimension ", lines.dim, ": k is ", k,
                 ", its size ", lines.n);
  lines.keep(1);
  check_length("kthvalue", lines.n);
  const Tensor values = lines.empty(self.scalar_type()), indices = lines.empty(kLong);
  visit_ordered(self.scalar_type(), [&]<class T>() {
    using Item = SortItem<typename SortKey<T>::Key>;
    const auto* x = lines.lines.template const_data_ptr<T>();
    parallel_for(0, lines.count, std::max<std::int64_t>(1, 8192 / lines.n),
                 [&](std::int64_t begin, std::int64_t end) {
                   const auto items = room_for<Item>(lines.n);
                   for (std::int64_t l = begin; l < end; ++l) {
                     const T* line = x + l * lines.n;
                     for (std::int64_t i = 0; i < lines.n; ++i)
                       items[i] = Item::make(SortKey<T>::of(line[i]), static_cast<std::uint64_t>(i));
                     std::nth_element(items.get(), items.get() + (k - 1), items.get() + lines.n);
                     write_items(items.get() + (k - 1), line, 1, values.template data_ptr<T>() + l,
                                 indices.data_ptr<std::int64_t>() + l);
                   }
                 });
  });
  const auto shaped = [&](const Tensor& t) {
    const Tensor result = lines.in_place(t, nullptr);
    return keepdim || self.dim() == 0 ? result : squeeze(result, lines.dim);
  };
  return {shaped(values), shaped(indices)};
}

}  // namespace lanewise::ops
