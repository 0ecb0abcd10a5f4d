#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

/// Shapes and which element lies where, worked out one element at a time: independent of the library's own
/// strides.
namespace lanewise::testing {

using Shape = std::vector<std::int64_t>;

inline std::int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// The shape of both together, or nothing.
inline std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}
/// For each element of `to`, which element of `from` it shows.
inline std::vector<std::size_t> expansion(const Shape& from, const Shape& to) {
  std::vector<std::size_t> result;
  for (std::int64_t k = 0; k < count(to); ++k) {
    std::int64_t rest = k, place = 0, step = 1;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::int64_t size = to[to.size() - 1 - i], index = rest % size;
      rest /= size;
      if (i >= from.size()) continue;
      const std::int64_t own = from[from.size() - 1 - i];
      if (own != 1) place += index * step;
      step *= own;
    }
    result.push_back(static_cast<std::size_t>(place));
  }
  return result;
}

/// For each element of a tensor of shape `from` with dimensions d and e exchanged, which element of the
/// tensor it is.
inline std::vector<std::size_t> transposition(const Shape& from, std::size_t d, std::size_t e) {
  Shape shape = from;
  std::swap(shape[d], shape[e]);
  std::vector<std::size_t> result;
  for (std::int64_t k = 0; k < count(shape); ++k) {
    Shape index(shape.size());
    std::int64_t rest = k;
    for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i]) index[i] = rest % shape[i];
    std::swap(index[d], index[e]);
    std::int64_t place = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) place = place * from[i] + index[i];
    result.push_back(static_cast<std::size_t>(place));
  }
  return result;
}

}  // namespace lanewise::testing
