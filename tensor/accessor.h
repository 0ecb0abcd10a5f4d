#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/errors.h>

namespace lanewise {

/// The pointers that accessors hold, as libtorch lets its callers choose them.
template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};

/// Element access by subscripts, `a[i][j]`, without checks: for loops over small tensors and for tests.
/// Points into the tensor it was made from, which must stay alive.
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class Index = std::int64_t>
class TensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  TensorAccessor(PtrType data, const Index* sizes, const Index* strides) noexcept
      : data_(data), sizes_(sizes), strides_(strides) {}

  /// What subscripts of the other dimensions are left for, or the element.
  decltype(auto) operator[](Index i) const noexcept {
    if constexpr (N == 1) {
      return static_cast<T&>(data_[i * strides_[0]]);
    } else {
      return TensorAccessor<T, N - 1, PtrTraits, Index>(data_ + i * strides_[0], sizes_ + 1, strides_ + 1);
    }
  }
  Index size(Index d) const noexcept { return sizes_[d]; }
  Index stride(Index d) const noexcept { return strides_[d]; }
  ArrayRef<Index> sizes() const noexcept { return {sizes_, N}; }
  ArrayRef<Index> strides() const noexcept { return {strides_, N}; }
  PtrType data() const noexcept { return data_; }

 private:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

/// The same with sizes and strides of its own: passed by value, it outlives the tensor's shape, if not its memory.
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class Index = std::int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  /// From any type of integers, which `Index` must hold.
  template <class From>
  GenericPackedTensorAccessor(PtrType data, const From* sizes, const From* strides) noexcept : data_(data) {
    std::transform(sizes, sizes + N, sizes_.begin(), [](From x) { return static_cast<Index>(x); });
    std::transform(strides, strides + N, strides_.begin(), [](From x) { return static_cast<Index>(x); });
  }

  decltype(auto) operator[](Index i) const noexcept {
    return TensorAccessor<T, N, PtrTraits, Index>(data_, sizes_.data(), strides_.data())[i];
  }
  Index size(Index d) const noexcept { return sizes_[static_cast<std::size_t>(d)]; }
  Index stride(Index d) const noexcept { return strides_[static_cast<std::size_t>(d)]; }
  PtrType data() const noexcept { return data_; }

  /// With two dimensions exchanged. Throws IndexError for dimensions outside of [0, N).
  GenericPackedTensorAccessor transpose(Index d0, Index d1) const {
    GenericPackedTensorAccessor result = *this;
    std::swap(result.sizes_[checked(d0)], result.sizes_[checked(d1)]);
    std::swap(result.strides_[checked(d0)], result.strides_[checked(d1)]);
    return result;
  }

 private:
  static std::size_t checked(Index d) {
    LANEWISE_CHECK(IndexError, d >= 0 && d < static_cast<Index>(N), "transpose: Index ", d,
                   " is not within bounds of a tensor of dimension ", N);
    return static_cast<std::size_t>(d);
  }

  PtrType data_;
  std::array<Index, N> sizes_;
  std::array<Index, N> strides_;
};

template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, std::int32_t>;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, std::int64_t>;

}  // namespace lanewise
