#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <lanewise/tensor/array_ref.h>

namespace lanewise {

/// Dimensions that are stored without the heap.
inline constexpr std::size_t kInlineDims = 6;

/// A short list of int64 (sizes, strides, dims): no heap up to kInlineDims elements.
class DimVector {
 public:
  using value_type = std::int64_t;
  using iterator = std::int64_t*;
  using const_iterator = const std::int64_t*;

  DimVector() noexcept = default;
  explicit DimVector(std::size_t n, std::int64_t value = 0) { resize(n, value); }
  DimVector(IntArrayRef list) { assign(list.begin(), list.end()); }
  DimVector(std::initializer_list<std::int64_t> list) { assign(list.begin(), list.end()); }
  template <class It>
  DimVector(It first, It last) {
    assign(first, last);
  }
  DimVector(const DimVector& other) { assign(other.begin(), other.end()); }
  DimVector(DimVector&& other) noexcept { steal(other); }
  DimVector& operator=(const DimVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  DimVector& operator=(DimVector&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~DimVector() { release(); }

  std::int64_t* data() noexcept { return data_; }
  const std::int64_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  iterator begin() noexcept { return data_; }
  iterator end() noexcept { return data_ + size_; }
  const_iterator begin() const noexcept { return data_; }
  const_iterator end() const noexcept { return data_ + size_; }
  std::int64_t& operator[](std::size_t i) noexcept { return data_[i]; }
  std::int64_t operator[](std::size_t i) const noexcept { return data_[i]; }
  std::int64_t& front() noexcept { return data_[0]; }
  std::int64_t front() const noexcept { return data_[0]; }
  std::int64_t& back() noexcept { return data_[size_ - 1]; }
  std::int64_t back() const noexcept { return data_[size_ - 1]; }

  void reserve(std::size_t n) {
    if (n > capacity_) grow(n);
  }
  void resize(std::size_t n, std::int64_t value = 0) {
    reserve(n);
    if (n > size_) std::fill(data_ + size_, data_ + n, value);
    size_ = n;
  }
  void clear() noexcept { size_ = 0; }
  void push_back(std::int64_t value) {
    if (size_ == capacity_) grow(2 * capacity_);
    data_[size_++] = value;
  }
  void pop_back() noexcept { --size_; }
  template <class It>
  void assign(It first, It last) {
    const auto n = static_cast<std::size_t>(std::distance(first, last));
    reserve(n);
    std::copy(first, last, data_);
    size_ = n;
  }
  iterator insert(const_iterator where, std::int64_t value) {
    const auto at = where - begin();
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
    return begin() + at;
  }
  iterator erase(const_iterator where) noexcept {
    iterator it = begin() + (where - begin());
    std::copy(it + 1, end(), it);
    --size_;
    return it;
  }
  friend bool operator==(const DimVector& a, const DimVector& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  [[gnu::noinline]] void grow(std::size_t n) {  // out of line: it is rare
    auto* wider = new std::int64_t[n];
    std::copy(data_, data_ + size_, wider);
    release();
    data_ = wider;
    capacity_ = n;
  }
  void release() noexcept {
    if (data_ != inline_) delete[] data_;
  }
  void steal(DimVector& other) noexcept {
    size_ = other.size_;
    if (other.data_ == other.inline_) {
      data_ = inline_;
      capacity_ = kInlineDims;
      std::copy(other.inline_, other.inline_ + kInlineDims, inline_);
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
    }
    other.data_ = other.inline_;
    other.size_ = 0;
    other.capacity_ = kInlineDims;
  }

  std::int64_t inline_[kInlineDims] = {};
  std::int64_t* data_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kInlineDims;
};

}  // namespace lanewise
