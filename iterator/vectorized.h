#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lanewise/kernels/kernel.h>

namespace lanewise {

/// Sixty-four bytes of elements, for the vector lambdas of cpu_kernel_vec. Plain arrays and loops, which the
/// compiler turns into the vector instructions that the including file is compiled for: portable, and never
/// more than the caller asked of the compiler. Lanewise's own kernels do not use it.
template <class T>
class Vectorized {
 public:
  using value_type = T;
  static constexpr int kSize = 64 / static_cast<int>(sizeof(T));
  static constexpr int size() { return kSize; }

  Vectorized() noexcept : lane_{} {}
  Vectorized(T value) noexcept {
    for (T& lane : lane_) lane = value;
  }
  static Vectorized loadu(const void* from) noexcept {
    Vectorized v;
    std::memcpy(v.lane_, from, sizeof v.lane_);
    return v;
  }
  static Vectorized loadu(const void* from, int count) noexcept {
    Vectorized v;
    std::memcpy(v.lane_, from, static_cast<std::size_t>(count) * sizeof(T));
    return v;
  }
  void store(void* to, int count = kSize) const noexcept {
    std::memcpy(to, lane_, static_cast<std::size_t>(count) * sizeof(T));
  }
  const T& operator[](int i) const noexcept { return lane_[i]; }
  T& operator[](int i) noexcept { return lane_[i]; }

  /// f of every lane.
  template <class F>
  Vectorized map(F&& f) const {
    Vectorized v;
    for (int i = 0; i < kSize; ++i) v.lane_[i] = f(lane_[i]);
    return v;
  }
  template <class F>
  static Vectorized zip(const Vectorized& a, const Vectorized& b, F&& f) {
    Vectorized v;
    for (int i = 0; i < kSize; ++i) v.lane_[i] = f(a.lane_[i], b.lane_[i]);
    return v;
  }

  friend Vectorized operator+(const Vectorized& a, const Vectorized& b) {
    return zip(a, b, [](T x, T y) { return static_cast<T>(x + y); });
  }
  friend Vectorized operator-(const Vectorized& a, const Vectorized& b) {
    return zip(a, b, [](T x, T y) { return static_cast<T>(x - y); });
  }
  friend Vectorized operator*(const Vectorized& a, const Vectorized& b) {
    return zip(a, b, [](T x, T y) { return static_cast<T>(x * y); });
  }
  friend Vectorized operator/(const Vectorized& a, const Vectorized& b) {
    return zip(a, b, [](T x, T y) { return static_cast<T>(x / y); });
  }
  Vectorized operator-() const {
    return map([](T x) { return static_cast<T>(-x); });
  }
  Vectorized abs() const {
    return map([](T x) { return static_cast<T>(x < T(0) ? -x : x); });
  }
  Vectorized sqrt() const {
    return map([](T x) { return static_cast<T>(std::sqrt(x)); });
  }
  Vectorized reciprocal() const { return Vectorized(T(1)) / *this; }

 private:
  T lane_[kSize];
};

/// NaN in either operand gives NaN.
template <class T>
Vectorized<T> maximum(const Vectorized<T>& a, const Vectorized<T>& b) {
  return Vectorized<T>::zip(a, b, [](T x, T y) { return x != x ? x : y != y ? y : x < y ? y : x; });
}
template <class T>
Vectorized<T> minimum(const Vectorized<T>& a, const Vectorized<T>& b) {
  return Vectorized<T>::zip(a, b, [](T x, T y) { return x != x ? x : y != y ? y : y < x ? y : x; });
}
template <class T>
Vectorized<T> clamp(const Vectorized<T>& x, const Vectorized<T>& low, const Vectorized<T>& high) {
  return minimum(maximum(x, low), high);
}

namespace detail {

template <class F, class T, class In>
struct VectorLoop {
  static constexpr bool kCallable = false;
};

/// Runs a lambda on vectors over a contiguous run whose operands all have type T.
template <class F, class T, class... In>
  requires((std::is_same_v<T, In> && ...) && !std::is_same_v<T, bool> && std::is_arithmetic_v<T>)
struct VectorLoop<F, T, std::tuple<In...>> {
  using V = Vectorized<T>;
  static constexpr bool kCallable = std::is_invocable_r_v<V, F&, std::conditional_t<true, V, In>...>;
  static constexpr int kInputs = sizeof...(In);
  struct Context {
    F* f;
  };

  static void run(char* const* data, std::uint32_t broadcast, std::int64_t n,
                  const kernels::KernelScalar* opaque) {
    F& f = *reinterpret_cast<const Context*>(opaque)->f;
    loop(f, data, broadcast >> 1, n, std::index_sequence_for<In...>());
  }

  template <std::size_t... I>
  static void loop(F& f, char* const* data, std::uint32_t broadcast, std::int64_t n,
                   std::index_sequence<I...>) {
    V spread[kInputs + 1];
    ((broadcast >> I & 1 ? void(spread[I] = V(load_one(data[1 + I]))) : void()), ...);
    for (std::int64_t i = 0; i < n; i += V::kSize) {
      const int count = n - i < V::kSize ? static_cast<int>(n - i) : V::kSize;
      const auto load = [&](std::size_t k, const char* p) {
        return (broadcast >> k & 1) != 0 ? spread[k]
                                         : V::loadu(p + i * static_cast<std::int64_t>(sizeof(T)), count);
      };
      const V result = f(load(I, data[1 + I])...);
      result.store(data[0] + i * static_cast<std::int64_t>(sizeof(T)), count);
    }
  }

  static T load_one(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
};

}  // namespace detail
}  // namespace lanewise
