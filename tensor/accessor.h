#pragma once

#include <cstddef>
#include <cstdint>

#include <lanewise/tensor/array_ref.h>

namespace lanewise {

/// Element access by subscripts, `a[i][j]`, without checks: for loops over small tensors and for tests.
/// Points into the tensor it was made from, which must stay alive.
template <class T, std::size_t N>
class TensorAccessor {
 public:
  TensorAccessor(T* data, const std::int64_t* sizes, const std::int64_t* strides) noexcept
      : data_(data), sizes_(sizes), strides_(strides) {}

  TensorAccessor<T, N - 1> operator[](std::int64_t i) const noexcept {
    return {data_ + i * strides_[0], sizes_ + 1, strides_ + 1};
  }
  std::int64_t size(std::int64_t d) const noexcept { return sizes_[d]; }
  std::int64_t stride(std::int64_t d) const noexcept { return strides_[d]; }
  IntArrayRef sizes() const noexcept { return {sizes_, N}; }
  IntArrayRef strides() const noexcept { return {strides_, N}; }
  T* data() const noexcept { return data_; }

 private:
  T* data_;
  const std::int64_t* sizes_;
  const std::int64_t* strides_;
};

template <class T>
class TensorAccessor<T, 1> {
 public:
  TensorAccessor(T* data, const std::int64_t* sizes, const std::int64_t* strides) noexcept
      : data_(data), sizes_(sizes), strides_(strides) {}

  T& operator[](std::int64_t i) const noexcept { return data_[i * strides_[0]]; }
  std::int64_t size(std::int64_t d) const noexcept { return sizes_[d]; }
  std::int64_t stride(std::int64_t d) const noexcept { return strides_[d]; }
  IntArrayRef sizes() const noexcept { return {sizes_, 1}; }
  IntArrayRef strides() const noexcept { return {strides_, 1}; }
  T* data() const noexcept { return data_; }

 private:
  T* data_;
  const std::int64_t* sizes_;
  const std::int64_t* strides_;
};

}  // namespace lanewise
