#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace lanewise {

/// A vector whose first N elements live inside it, so that short lists (sizes, operands, edges of a node)
/// cost no allocation; longer ones spill to the heap. Behaves like std::vector as far as it goes; growing and
/// moving invalidate references.
template <class T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() noexcept {}
  explicit InlineVector(std::size_t n) { resize(n); }
  InlineVector(std::size_t n, const T& value) { resize(n, value); }
  InlineVector(std::initializer_list<T> list) { append(list.begin(), list.end()); }
  /// From any other list of such elements that lies in one piece: an ArrayRef, a std::vector.
  template <class Range>
    requires(!std::derived_from<Range, InlineVector> && std::ranges::contiguous_range<const Range> &&
             std::same_as<std::remove_cv_t<std::ranges::range_value_t<const Range>>, T>)
  InlineVector(const Range& list) {
    append(list.data(), list.data() + list.size());
  }
  template <std::input_iterator Iterator>
  InlineVector(Iterator first, Iterator last) {
    append(first, last);
  }
  InlineVector(const InlineVector& other) { append(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      assign(other.begin(), other.end());
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
    if (size_ == capacity_) [[unlikely]]
      return emplace_back_growing(std::forward<Args>(args)...);
    return *std::construct_at(data_ + size_++, std::forward<Args>(args)...);
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() noexcept { std::destroy_at(data_ + --size_); }
  template <std::input_iterator Iterator>
  void append(Iterator first, Iterator last) {
    if constexpr (std::random_access_iterator<Iterator>) {
      const auto n = static_cast<std::size_t>(last - first);
      reserve(size_ + n);
      std::uninitialized_copy(first, last, end());
      size_ += static_cast<std::uint32_t>(n);
    } else {
      for (; first != last; ++first) emplace_back(*first);
    }
  }
  /// [first, last) may not lie in this vector.
  template <std::input_iterator Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  void assign(std::size_t n, const T& value) {
    const T copy = value;  // may live in this vector
    clear();
    resize(n, copy);
  }
  void resize(std::size_t n) {
    shrink(n);
    reserve(n);
    while (size_ < n) std::construct_at(data_ + size_++);
  }
  /// New elements have no value yet.
  void resize_for_overwrite(std::size_t n)
    requires std::is_trivial_v<T>
  {
    reserve(n);
    size_ = static_cast<std::uint32_t>(n);
  }
  void resize(std::size_t n, const T& value) {
    shrink(n);
    if (n > capacity_) {
      const T copy = value;  // may live in this vector
      grow(n);
      return resize(n, copy);
    }
    while (size_ < n) std::construct_at(data_ + size_++, value);
  }
  iterator insert(const_iterator where, T value) {
    const auto at = where - begin();
    emplace_back(std::move(value));
    std::rotate(begin() + at, end() - 1, end());
    return begin() + at;
  }
  iterator erase(const_iterator where) {
    iterator it = begin() + (where - begin());
    std::move(it + 1, end(), it);
    pop_back();
    return it;
  }
  void clear() noexcept {
    std::destroy(begin(), end());
    size_ = 0;
  }
  operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T* inline_data() noexcept { return reinterpret_cast<T*>(storage_); }
  bool is_inline() const noexcept {
    return static_cast<const void*>(data_) == static_cast<const void*>(storage_);
  }

  void shrink(std::size_t n) noexcept {
    if (n < size_) {
      std::destroy(data_ + n, end());
      size_ = static_cast<std::uint32_t>(n);
    }
  }
  // Out of line: growing is rare.
  template <class... Args>
  [[gnu::noinline]] T& emplace_back_growing(Args&&... args) {
    T value(std::forward<Args>(args)...);  // an argument may live in this vector
    grow(std::size_t{capacity_} * 2);
    return *std::construct_at(data_ + size_++, std::move(value));
  }
  [[gnu::noinline]] void grow(std::size_t n) {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    T* fresh = std::allocator<T>().allocate(n);
    std::uninitialized_move(begin(), end(), fresh);
    destroy();
    data_ = fresh;
    capacity_ = static_cast<std::uint32_t>(n);
  }
  void destroy() noexcept {
    std::destroy(begin(), end());
    if (!is_inline()) [[unlikely]] {
      std::allocator<T>().deallocate(data_, capacity_);
    }
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

}  // namespace lanewise
