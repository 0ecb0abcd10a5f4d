#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace lanewise::autograd {

/// A vector whose first N elements live inside it, so that short lists (edges of a node, a shape) cost no allocation.
/// Behaves like std::vector as far as it goes; references are invalidated by growth and by moving.
template <class T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() noexcept {}
  explicit InlineVector(std::size_t n) { resize(n); }
  InlineVector(std::initializer_list<T> list) { append(list.begin(), list.end()); }
  InlineVector(const std::vector<T>& list) { append(list.begin(), list.end()); }
  template <class Iterator>
  InlineVector(Iterator first, Iterator last) {
    append(first, last);
  }
  InlineVector(const InlineVector& other) { append(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      clear();
      append(other.begin(), other.end());
    }
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      destroy();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { destroy(); }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T& front() noexcept { return data_[0]; }
  const T& front() const noexcept { return data_[0]; }
  T& back() noexcept { return data_[size_ - 1]; }
  const T& back() const noexcept { return data_[size_ - 1]; }
  iterator begin() noexcept { return data_; }
  iterator end() noexcept { return data_ + size_; }
  const_iterator begin() const noexcept { return data_; }
  const_iterator end() const noexcept { return data_ + size_; }

  void reserve(std::size_t n) {
    if (n > capacity_) grow(n);
  }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) {
      T value(std::forward<Args>(args)...);  // an argument may live in this vector
      grow(std::size_t{capacity_} * 2);
      return *std::construct_at(data_ + size_++, std::move(value));
    }
    return *std::construct_at(data_ + size_++, std::forward<Args>(args)...);
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() noexcept { std::destroy_at(data_ + --size_); }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    if constexpr (std::is_trivially_copyable_v<T> && std::is_convertible_v<Iterator, const T*>) {
      const auto n = static_cast<std::size_t>(last - first);
      reserve(size_ + n);
      std::uninitialized_copy(first, last, end());
      size_ += static_cast<std::uint32_t>(n);
    } else {
      for (; first != last; ++first) emplace_back(*first);
    }
  }
  void resize(std::size_t n) {
    reserve(n);
    while (size_ > n) pop_back();
    while (size_ < n) emplace_back();
  }
  void clear() noexcept {
    std::destroy(begin(), end());
    size_ = 0;
  }
  operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  T* inline_data() noexcept { return reinterpret_cast<T*>(storage_); }
  bool is_inline() const noexcept { return static_cast<const void*>(data_) == static_cast<const void*>(storage_); }

  void grow(std::size_t n) {
    T* fresh = std::allocator<T>().allocate(n);
    std::uninitialized_move(begin(), end(), fresh);
    std::destroy(begin(), end());
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = fresh;
    capacity_ = static_cast<std::uint32_t>(n);
  }
  void destroy() noexcept {
    std::destroy(begin(), end());
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
  }
  /// Moves from `other` into this raw (destroyed or new) vector.
  void take(InlineVector& other) noexcept {
    if (other.is_inline()) {
      data_ = inline_data();
      capacity_ = N;
      std::uninitialized_move(other.begin(), other.end(), data_);
      std::destroy(other.begin(), other.end());
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inline_data();
      other.capacity_ = N;
    }
    size_ = other.size_;
    other.size_ = 0;
  }

  T* data_ = inline_data();
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) std::byte storage_[N * sizeof(T)];
};

}  // namespace lanewise::autograd
