#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

/// Names of c10 that ports of libtorch programs use for what the standard library has.
namespace lanewise {

using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;

/// The integers from `begin` up to and without `end`; none if begin is not below it.
template <class Integer>
class IntegerRange {
 public:
  struct Iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = Integer;
    using difference_type = std::ptrdiff_t;
    using pointer = const Integer*;
    using reference = Integer;

    Integer value;
    constexpr Integer operator*() const noexcept { return value; }
    constexpr Iterator& operator++() noexcept { return ++value, *this; }
    constexpr Iterator operator++(int) noexcept { return {value++}; }
    friend constexpr bool operator==(Iterator, Iterator) noexcept = default;
  };
  constexpr IntegerRange(Integer begin, Integer end) noexcept
      : begin_(begin), end_(begin < end ? end : begin) {}
  constexpr Iterator begin() const noexcept { return {begin_}; }
  constexpr Iterator end() const noexcept { return {end_}; }

 private:
  Integer begin_, end_;
};

template <class Integer>
constexpr IntegerRange<Integer> irange(Integer end) noexcept {
  return {Integer{0}, end};
}
template <class Begin, class End>
constexpr IntegerRange<End> irange(Begin begin, End end) noexcept {
  return {static_cast<End>(begin), end};
}

}  // namespace lanewise
