#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>
#include <lanewise/tensor/tensor.h>

#include "thread_count.h"

/// Random tensors in random layouts, and their elements in logical order, for the tests of reductions and
/// products.
namespace lanewise::testing {

using Wide = std::complex<long double>;
using Rng = std::mt19937_64;

inline std::int64_t pick(Rng& rng, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(rng);
}

template <class T>
T from_wide(Wide v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v.real() != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(v.real()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(v.real());
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(v.real()));
  } else {
    using R = typename T::value_type;
    return T(static_cast<R>(v.real()), static_cast<R>(v.imag()));
  }
}
template <class T>
Wide to_wide(T v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return Wide(static_cast<float>(v), 0);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return Wide(static_cast<long double>(v), 0);
  } else {
    return Wide(v.real(), v.imag());
  }
}

/// Byte offsets of the elements in row-major order of the indices.
inline std::vector<std::int64_t> offsets(const Tensor& t) {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(t.numel()));
  std::vector<std::int64_t> index(static_cast<std::size_t>(t.dim()), 0);
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * t.strides()[d];
    all.push_back(offset * t.element_size());
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < t.sizes()[d]) break;
      index[d] = 0;
    }
  }
  return all;
}

inline std::vector<Wide> values(const Tensor& t) {
  std::vector<Wide> result;
  const char* data = static_cast<const char*>(t.const_data_ptr());
  visit_dtype(t.scalar_type(), [&]<class T>() {
    for (const std::int64_t o : offsets(t)) result.push_back(to_wide(*reinterpret_cast<const T*>(data + o)));
  });
  return result;
}
inline void set_values(const Tensor& t, const std::vector<Wide>& v) {
  char* data = static_cast<char*>(t.data_ptr());
  visit_dtype(t.scalar_type(), [&]<class T>() {
    std::size_t i = 0;
    for (const std::int64_t o : offsets(t)) *reinterpret_cast<T*>(data + o) = from_wide<T>(v[i++]);
  });
}

/// The bytes of the elements in logical order.
inline std::string bits(const Tensor& t) {
  std::string s;
  for (const std::int64_t o : offsets(t)) {
    s.append(static_cast<const char*>(t.const_data_ptr()) + o, t.itemsize());
  }
  return s;
}

inline Tensor make(IntArrayRef sizes, ScalarType dtype, const std::vector<Wide>& v) {
  Tensor t = detail::empty_cpu(sizes, dtype);
  set_values(t, v);
  return t;
}

/// Small integers for integral types, numbers near `centre` for the others.
inline Tensor random_tensor(Rng& rng, IntArrayRef sizes, ScalarType dtype, double centre = 0) {
  std::int64_t n = 1;
  for (const std::int64_t s : sizes) n *= s;
  std::vector<Wide> v;
  std::normal_distribution<double> normal(centre, 0.5);
  for (std::int64_t i = 0; i < n; ++i) {
    if (dtype == kBool) {
      v.emplace_back(pick(rng, 0, 1), 0);
    } else if (is_integral(dtype, false)) {
      v.emplace_back(pick(rng, dtype == kByte ? 0 : -100, 100), 0);
    } else {
      v.emplace_back(normal(rng), is_complex(dtype) ? normal(rng) : 0);
    }
  }
  return make(sizes, dtype, v);
}

/// Factors whose products neither overflow nor vanish: of absolute value near 1.
inline Tensor random_factors(Rng& rng, IntArrayRef sizes, ScalarType dtype) {
  const Tensor t = random_tensor(rng, sizes, dtype);
  if (is_integral(dtype, true)) return t;
  auto v = values(t);
  for (Wide& x : v) {
    const long double size = std::abs(x);
    x = (size > 0 ? x / size : Wide(1)) *
        std::exp(std::uniform_real_distribution<long double>(-0.1L, 0.1L)(rng));
  }
  set_values(t, v);
  return t;
}

/// The same values in another place: dimensions permuted, with gaps, backwards.
inline Tensor scattered(Rng& rng, const Tensor& t) {
  const auto rank = static_cast<std::size_t>(t.dim());
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), rng);
  DimVector strides(rank);
  std::int64_t step = pick(rng, 1, 2);
  std::int64_t offset = pick(rng, 0, 3);
  std::int64_t room = offset + 1;
  for (const std::size_t d : order) {
    const std::int64_t size = t.sizes()[d];
    const bool backwards = pick(rng, 0, 3) == 0;
    strides[d] = backwards ? -step : step;
    if (size > 0) {
      if (backwards) offset += step * (size - 1);
      room += step * (size - 1);
    }
    step *= std::max<std::int64_t>(size, 1) + pick(rng, 0, 1);
  }
  const Tensor memory = detail::empty_cpu({room}, t.scalar_type());
  Tensor view = detail::make_view(memory, t.sizes(), strides, offset);
  set_values(view, values(t));
  return view;
}

inline DimVector random_shape(Rng& rng, std::int64_t max_rank, std::int64_t max_numel) {
  DimVector shape;
  std::int64_t numel = 1;
  for (std::int64_t rank = pick(rng, 0, max_rank); rank > 0; --rank) {
    const std::int64_t limit = std::max<std::int64_t>(1, max_numel / numel);
    const std::int64_t size =
        pick(rng, 0, 4) == 0 ? pick(rng, 1, limit) : pick(rng, 1, std::min<std::int64_t>(limit, 20));
    shape.push_back(size);
    numel *= size;
  }
  std::shuffle(shape.begin(), shape.end(), rng);
  return shape;
}

/// Unit roundoff of the type a result is rounded to.
inline long double epsilon(ScalarType t) {
  switch (t) {
    case kHalf: return 1.0L / 2048;
    case kBFloat16: return 1.0L / 256;
    case kDouble:
    case kComplexDouble: return std::numeric_limits<double>::epsilon();
    default: return std::numeric_limits<float>::epsilon();
  }
}

inline constexpr ScalarType kAllTypes[] = {kBool, kByte,     kChar,  kShort,  kInt,          kLong,
                                           kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble};

}  // namespace lanewise::testing
