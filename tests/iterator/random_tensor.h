#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/tensor.h>

/// Random tensors of every layout, and their elements one by one.
namespace lanewise::testing {

using Rng = std::mt19937_64;
using Wide = std::complex<double>;

inline std::int64_t uniform(Rng& rng, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(rng);
}
inline bool chance(Rng& rng, double p) { return std::bernoulli_distribution(p)(rng); }

inline Wide read_element(const char* p, ScalarType t) {
  return visit_dtype(t, [&]<class T>() -> Wide {
    T value;
    std::memcpy(&value, p, sizeof value);
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return static_cast<double>(static_cast<float>(value));
    } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      return Wide(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    } else {
      return static_cast<double>(value);
    }
  });
}

/// Rounds to the type once; integers wrap, bool is != 0.
inline void write_element(char* p, ScalarType t, Wide value) {
  visit_dtype(t, [&]<class T>() {
    T out;
    if constexpr (std::is_same_v<T, bool>) {
      out = value != Wide(0);
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      out = T(static_cast<float>(value.real()));
    } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      using R = typename T::value_type;
      out = T(static_cast<R>(value.real()), static_cast<R>(value.imag()));
    } else if constexpr (std::is_integral_v<T>) {
      out = static_cast<T>(static_cast<std::int64_t>(value.real()));
    } else {
      out = static_cast<T>(value.real());
    }
    std::memcpy(p, &out, sizeof out);
  });
}

inline Wide rounded(Wide value, ScalarType t) {
  alignas(16) char element[16];
  write_element(element, t, value);
  return read_element(element, t);
}

/// Byte offset, from data_ptr(), of the element with this index in C order.
inline std::int64_t offset_of(IntArrayRef sizes, IntArrayRef strides, std::int64_t linear,
                              std::int64_t element_size) {
  std::int64_t offset = 0;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    offset += linear % sizes[d] * strides[d];
    linear /= sizes[d];
  }
  return offset * element_size;
}

inline const char* element_at(const Tensor& t, std::int64_t linear) {
  return static_cast<const char*>(t.data_ptr()) + offset_of(t.sizes(), t.strides(), linear, t.element_size());
}

/// The element of `t` that a broadcast of it to `shape` has at `linear`.
inline Wide broadcast_element(const Tensor& t, IntArrayRef shape, std::int64_t linear) {
  std::vector<std::int64_t> strides(shape.size(), 0);
  for (std::size_t d = 0; d < t.sizes().size(); ++d) {
    const std::size_t at = shape.size() - t.sizes().size() + d;
    strides[at] = t.sizes()[d] == 1 ? 0 : t.strides()[d];
  }
  return read_element(
      static_cast<const char*>(t.data_ptr()) + offset_of(shape, strides, linear, t.element_size()),
      t.scalar_type());
}

/// Multiples of 1/8 within +-25: sums and products of a few of them are exact in f32.
inline Wide random_value(Rng& rng, ScalarType t) {
  const auto real = [&] {
    const auto eighths = static_cast<double>(uniform(rng, -200, 200));
    return is_integral(t, true) ? static_cast<double>(static_cast<std::int64_t>(eighths / 2)) : eighths / 8;
  };
  if (t == kBool) {
    return static_cast<double>(uniform(rng, 0, 1));
  }
  if (t == kByte) {
    return std::abs(real());
  }
  return is_complex(t) ? Wide(real(), real()) : Wide(real());
}

inline void fill_memory(const Tensor& t, Rng& rng) {
  const std::size_t size = t.itemsize();
  auto* data = static_cast<char*>(t.storage().data());
  for (std::size_t at = 0; at + size <= t.storage().nbytes(); at += size) {
    write_element(data + at, t.scalar_type(), random_value(rng, t.scalar_type()));
  }
}

enum class Repeats { No, Yes };

/// A tensor of this shape somewhere in a larger storage: dimensions in any order, with gaps, reversed, with
/// an offset, and with stride 0 if `repeats` allows it.
inline Tensor random_layout(Rng& rng, IntArrayRef sizes, ScalarType dtype, Repeats repeats) {
  const std::size_t n = sizes.size();
  std::vector<std::size_t> order(n);
  for (std::size_t d = 0; d < n; ++d) {
    order[d] = n - 1 - d;
  }
  if (chance(rng, 0.5)) {
    std::shuffle(order.begin(), order.end(), rng);
  }
  const bool gaps = chance(rng, 0.3), reversed = chance(rng, 0.2),
             expanded = repeats == Repeats::Yes && chance(rng, 0.2);
  std::vector<std::int64_t> strides(n);
  std::int64_t step = 1, lowest = 0;
  for (const std::size_t d : order) {
    if (expanded && chance(rng, 0.4)) {
      strides[d] = 0;
      continue;
    }
    const std::int64_t widened = gaps && chance(rng, 0.5) ? step * uniform(rng, 1, 3) : step;
    strides[d] = reversed && chance(rng, 0.5) ? -widened : widened;
    if (strides[d] < 0) {
      lowest += strides[d] * std::max<std::int64_t>(sizes[d] - 1, 0);
    }
    step = widened * std::max<std::int64_t>(sizes[d], 1) + (gaps ? uniform(rng, 0, 2) : 0);
  }
  const std::int64_t before = chance(rng, 0.3) ? uniform(rng, 0, 5) : 0;
  const Tensor base = detail::empty_cpu({step + before + 8}, dtype);
  fill_memory(base, rng);
  return detail::make_view(base, sizes, strides, before - lowest);
}

inline std::string describe(const Tensor& t) {
  std::ostringstream out;
  out << t.scalar_type() << t.sizes() << " strides " << t.strides() << " offset " << t.storage_offset();
  return out.str();
}

}  // namespace lanewise::testing
