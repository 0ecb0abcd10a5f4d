#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include <lanewise/ops/indexed_rows.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// A shape or strides; 0-dim tensors count as vectors of one element.
inline DimVector with_dim(IntArrayRef list) { return list.empty() ? DimVector{1} : DimVector(list); }

/// Dimensions from the one with the longest steps to that with the shortest.
DimVector memory_order(const Tensor& t);

/// put(index[j], j, get(index[j], j)) for each j in order, up to the first index that `inside` does not take; returns how many were.
/// Two values are read before two are written, which a processor need not compare with each other: in L2 it takes 0.75 to 0.8 of
/// the time.
template <class Inside, class Get, class Put>
std::int64_t each_index(const std::int64_t* index, std::int64_t n, Inside&& inside, Get&& get, Put&& put) {
  std::int64_t j = 0;
  for (; j + 2 <= n; j += 2) {
    const std::int64_t first = index[j], second = index[j + 1];
    if (!inside(first, second)) break;
    const auto x = get(first, j), y = get(second, j + 1);
    put(first, j, x);
    put(second, j + 1, y);
  }
  for (; j < n && inside(index[j], index[j]); ++j) put(index[j], j, get(index[j], j));
  return j;
}

/// Of indices that were checked.
template <class Get, class Put>
void each_chosen(const std::int64_t* index, std::int64_t n, Get&& get, Put&& put) {
  each_index(
      index, n, [](std::int64_t, std::int64_t) { return true; }, get, put);
}

/// Up to the first index that is not in [0, limit). A branch that is never taken costs less than a pass of its own, where nothing is
/// lost if it is.
template <class Get, class Put>
std::int64_t each_within(const std::int64_t* index, std::int64_t n, std::int64_t limit, Get&& get,
                         Put&& put) {
  const auto bound = static_cast<std::uint64_t>(limit);
  const auto inside = [bound](std::int64_t a, std::int64_t b) {
    return std::max(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)) < bound;
  };
  return each_index(index, n, inside, get, put);
}

/// The index of a gather or scatter, checked: dense, in int64, and within bounds.
struct ElementIndex {
  std::int64_t dim;
  DimVector sizes;
  /// An index that is a vector expanded over all of the other dimensions of self chooses whole slices: here that vector, and
  /// `index` is left out. Most indices of scatter_add and all of index_reduce are such.
  Tensor slices;
  Tensor index;
  std::int64_t limit = 0;  ///< of its values
  bool empty;
  const char* check_runs = nullptr;  ///< the op that has its indices checked where they are used

  ElementIndex(const char* op, std::int64_t along, IntArrayRef self_sizes, const Tensor& any_index,
               const char* self_name = "self", bool densely = true);

  /// Every index, before anything is written; where the result is dropped on an error, in the pass that uses
  /// them.
  void check_bounds(const char* op, bool fresh_result);
  void check_bounds(const char* op, const std::int64_t* values, std::int64_t n) const;
  /// Every index at once.
  void check_all(const char* op) const;
  void check_src(const char* op, const Tensor& self, const Tensor& src) const;

  /// Strides of an operand that the index chooses in: none along dim.
  DimVector strides_across(IntArrayRef strides) const;
  std::int64_t stride_along(IntArrayRef strides) const {
    return with_dim(strides)[static_cast<std::size_t>(dim)];
  }

  /// Without the dimensions in which the index has one position, besides `dim`; those of `operands` go with them. Runs go along the last
  /// dimension, and a run of one element takes as long as one of ten.
  void leave_out_single(std::initializer_list<Tensor*> operands);
  bool has_single() const;  ///< whether there are such dimensions

  /// From now on every element has an index of its own.
  void expand_slices();
  IndexedRows slices_of(const char* op, const Tensor& self) const {
    return indexed_rows(op, self, dim, slices);
  }
  /// The elements of src that slices take, contiguous; of a single element that one.
  Tensor values_of(Tensor src) const;

 private:
  std::int64_t named_dim_;  ///< as the caller counts, for errors

  bool is_expanded_vector(const Tensor& any_index, const DimVector& limits) const;
};

}  // namespace lanewise::ops
