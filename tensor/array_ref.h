#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lanewise {

/// A view of `size()` contiguous elements that somebody else owns: sizes, strides, dims, lists of tensors as
/// arguments. Trivially copyable, pass it by value. Like every view it dangles if it outlives what it was
/// made from; made from a braced list or a single value it lives until the end of the full expression, which
/// is what arguments need.
template <class T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using size_type = std::size_t;

  constexpr ArrayRef() noexcept = default;
  constexpr ArrayRef(const T& one) noexcept : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end) noexcept
      : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"  // an argument's list outlives the call
#endif
  constexpr ArrayRef(const std::initializer_list<T>& list) noexcept
      : data_(list.size() == 0 ? nullptr : list.begin()), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <class A>
  ArrayRef(const std::vector<T, A>& v) noexcept : data_(v.data()), size_(v.size()) {}
  template <std::size_t N>
  constexpr ArrayRef(const std::array<T, N>& a) noexcept : data_(a.data()), size_(N) {}
  template <std::size_t N>
  constexpr ArrayRef(const T (&a)[N]) noexcept : data_(a), size_(N) {}
  /// Any other container with contiguous elements (std::span, DimVector).
  template <class C>
    requires(!std::is_same_v<std::remove_cvref_t<C>, ArrayRef> &&
             requires(const C& c) {
               { c.data() } -> std::convertible_to<const T*>;
               { c.size() } -> std::convertible_to<std::size_t>;
             })
  constexpr ArrayRef(const C& c) noexcept : data_(c.data()), size_(static_cast<std::size_t>(c.size())) {}

  constexpr iterator begin() const noexcept { return data_; }
  constexpr iterator end() const noexcept { return data_ + size_; }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr const T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr const T& front() const noexcept { return data_[0]; }
  constexpr const T& back() const noexcept { return data_[size_ - 1]; }
  constexpr const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// Throws std::out_of_range.
  constexpr const T& at(std::size_t i) const {
    if (i >= size_)
      throw std::out_of_range("ArrayRef: invalid index Index = " + std::to_string(i) +
                              "; Length = " + std::to_string(size_));
    return data_[i];
  }

  constexpr ArrayRef slice(std::size_t begin, std::size_t count) const noexcept {
    return ArrayRef(data_ + begin, count);
  }
  constexpr ArrayRef slice(std::size_t begin) const noexcept {
    return ArrayRef(data_ + begin, size_ - begin);
  }
  constexpr bool equals(ArrayRef other) const noexcept {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
constexpr bool operator==(ArrayRef<T> a, ArrayRef<T> b) noexcept {
  return a.equals(b);
}
template <class T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) noexcept {
  return a.equals(b);
}
template <class T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) noexcept {
  return b.equals(a);
}

/// A view of what the argument holds, without naming its element type; libtorch's name.
template <class C>
constexpr auto makeArrayRef(const C& list) noexcept {
  return ArrayRef<std::remove_cvref_t<decltype(*list.data())>>(list.data(), list.size());
}
template <class T, std::size_t N>
constexpr ArrayRef<T> makeArrayRef(const T (&list)[N]) noexcept {
  return list;
}
template <class T>
constexpr ArrayRef<T> makeArrayRef(const T* data, std::size_t size) noexcept {
  return {data, size};
}

/// Prints "[2, 3]".
template <class T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> list) {
  out << '[';
  for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
  return out << ']';
}

using IntArrayRef = ArrayRef<std::int64_t>;

/// A list that may be left out (nullopt); an empty list is not the same thing.
template <class T>
class OptionalArrayRef {
 public:
  constexpr OptionalArrayRef() noexcept = default;
  constexpr OptionalArrayRef(std::nullopt_t) noexcept {}
  constexpr OptionalArrayRef(ArrayRef<T> list) noexcept : list_(list), has_value_(true) {}
  constexpr OptionalArrayRef(const T& one) noexcept : list_(one), has_value_(true) {}
  constexpr OptionalArrayRef(const std::initializer_list<T>& list) noexcept : list_(list), has_value_(true) {}
  constexpr OptionalArrayRef(const std::optional<ArrayRef<T>>& list) noexcept
      : list_(list.value_or(ArrayRef<T>())), has_value_(list.has_value()) {}
  template <class C>
    requires(std::is_convertible_v<const C&, ArrayRef<T>> && !std::is_convertible_v<const C&, const T&> &&
             !std::is_same_v<C, ArrayRef<T>>)
  constexpr OptionalArrayRef(const C& list) noexcept : list_(list), has_value_(true) {}
  /// From the arguments of a constructor of ArrayRef, as emplace().
  template <class... Args>
  constexpr explicit OptionalArrayRef(std::in_place_t, Args&&... args) noexcept
      : list_(std::forward<Args>(args)...), has_value_(true) {}

  template <class... Args>
  constexpr ArrayRef<T>& emplace(Args&&... args) noexcept {
    *this = OptionalArrayRef(std::in_place, std::forward<Args>(args)...);
    return list_;
  }
  constexpr void reset() noexcept { *this = OptionalArrayRef(); }
  constexpr void swap(OptionalArrayRef& other) noexcept { std::swap(*this, other); }

  constexpr bool has_value() const noexcept { return has_value_; }
  constexpr explicit operator bool() const noexcept { return has_value_; }
  /// Throws std::bad_optional_access without a list.
  constexpr const ArrayRef<T>& value() const {
    if (!has_value_) throw std::bad_optional_access();
    return list_;
  }
  constexpr const ArrayRef<T>& operator*() const noexcept { return list_; }
  constexpr const ArrayRef<T>* operator->() const noexcept { return &list_; }
  constexpr ArrayRef<T> value_or(ArrayRef<T> other) const noexcept { return has_value_ ? list_ : other; }
  friend constexpr bool operator==(const OptionalArrayRef& a, const OptionalArrayRef& b) noexcept {
    return a.has_value_ == b.has_value_ && a.list_.equals(b.list_);
  }

 private:
  ArrayRef<T> list_;
  bool has_value_ = false;
};

using OptionalIntArrayRef = OptionalArrayRef<std::int64_t>;

}  // namespace lanewise
