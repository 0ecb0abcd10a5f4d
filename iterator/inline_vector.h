#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace lanewise::detail {

/// A vector whose first N elements live inside it, so that iterators over a few operands and dimensions never touch
/// the heap; longer ones spill. Only what the iterator needs of std::vector.
template <class T, std::size_t N>
class InlineVector {
 public:
  InlineVector() = default;
  explicit InlineVector(std::size_t size, const T& value = T()) { resize(size, value); }
  InlineVector(const InlineVector& other) { assign(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      assign(other.begin(), other.end());
    }
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      take(other);
    }
    return *this;
  }
  ~InlineVector() = default;

  template <class It>
  void assign(It first, It last) {
    clear();
    for (; first != last; ++first) {
      push_back(*first);
    }
  }
  void push_back(T value) {
    reserve(size_ + 1);
    data()[size_++] = std::move(value);
  }
  /// One more element, as it was made by default.
  T& extend() {
    reserve(size_ + 1);
    return data()[size_++];
  }
  void resize(std::size_t size, const T& value = T()) {
    reserve(size);
    for (std::size_t i = size_; i < size; ++i) {
      data()[i] = value;
    }
    size_ = size;
  }
  void clear() noexcept { size_ = 0; }
  void reserve(std::size_t size) {
    if (size > capacity_) {
      const std::size_t grown = std::max(size, capacity_ * 2);
      auto heap = std::make_unique<T[]>(grown);
      std::move(begin(), end(), heap.get());
      heap_ = std::move(heap);
      capacity_ = grown;
    }
  }

  T* data() noexcept { return heap_ ? heap_.get() : inline_; }
  const T* data() const noexcept { return heap_ ? heap_.get() : inline_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }
  T& back() noexcept { return data()[size_ - 1]; }

 private:
  void take(InlineVector& other) noexcept {
    heap_ = std::move(other.heap_);
    capacity_ = heap_ ? other.capacity_ : N;
    size_ = other.size_;
    if (!heap_) {
      std::move(other.inline_, other.inline_ + size_, inline_);
    }
    other.size_ = 0;
    other.capacity_ = N;
  }

  T inline_[N];
  std::unique_ptr<T[]> heap_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
};

}  // namespace lanewise::detail
