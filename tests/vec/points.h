#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace lanewise::test {

/// Arguments in pairs; functions of one argument ignore y. Made without libm, so that they are the same
/// everywhere.
template <class T>
struct Points {
  std::vector<T> x;
  std::vector<T> y;
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// One NaN is like another.
template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The values at which functions are special or change their method.
template <class T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  std::vector<T> v = {0,
                      T(0.5),
                      1,
                      T(1.5),
                      2,
                      3,
                      4,
                      T(10),
                      T(88.7),
                      T(103.9),
                      T(709.7),
                      T(745.1),
                      T(1e5),
                      T(1e10),
                      T(1e30),
                      L::max(),
                      L::min(),
                      L::denorm_min(),
                      L::epsilon(),
                      L::infinity(),
                      L::quiet_NaN(),
                      T(3.14159265358979323846),
                      T(0.70710678118654752440),
                      T(9007199254740993.0)};
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) v.push_back(-v[i]);
  for (std::size_t i = 0; i < n; ++i) {
    v.push_back(std::nextafter(v[i], L::infinity()));
    v.push_back(std::nextafter(v[i], -L::infinity()));
  }
  return v;
}

inline double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// 1 to 2 times a power of two. In two statements: the order in which arguments are evaluated is the
/// compiler's choice.
inline double scattered(std::mt19937_64& random, int lowest, unsigned exponents) {
  const double m = 1 + unit(random);
  return std::ldexp(m, static_cast<int>(random() % exponents) + lowest);
}

template <class T>
T any_bits(std::mt19937_64& random) {
  return __builtin_bit_cast(T, static_cast<BitsOf<T>>(random()));
}

/// The neighbourhood of a multiple of pi/2 with up to 60 bits.
template <class T>
T near_quarter_turn(std::mt19937_64& random) {
  const int bits = static_cast<int>(random() % 60) + 1;
  const double k = static_cast<double>(random() >> (64 - bits));
  T x = static_cast<T>(k * 1.57079632679489661923);
  for (int step = static_cast<int>(random() % 5); step > 0; --step) x = std::nextafter(x, T(0));
  return (random() & 1) != 0 ? -x : x;
}

/// Every sign and exponent with random mantissas, the specials, the moderate range, and what lies near
/// multiples of pi/2. `low` and `high` bound the range in which most of the moderate points lie.
template <class T>
Points<T> make_points(double low, double high, bool second, int per_exponent) {
  std::mt19937_64 random(20240229);
  Points<T> p;
  const std::vector<T> special = special_values<T>();
  for (const T x : special) {
    for (const T y : second ? special : std::vector<T>{T(0)}) {
      p.x.push_back(x);
      p.y.push_back(y);
    }
  }
  constexpr int kExponentBits = sizeof(T) == 4 ? 9 : 12;  // with the sign
  constexpr int kMantissaBits = static_cast<int>(8 * sizeof(T)) - kExponentBits;
  for (int e = 0; e < 1 << kExponentBits; ++e) {
    for (int i = 0; i < per_exponent; ++i) {
      const auto mantissa = static_cast<BitsOf<T>>(random()) & ((BitsOf<T>{1} << kMantissaBits) - 1);
      p.x.push_back(__builtin_bit_cast(T, (static_cast<BitsOf<T>>(e) << kMantissaBits) | mantissa));
      p.y.push_back(second ? any_bits<T>(random) : T(0));
    }
  }
  const int moderate = per_exponent << kExponentBits;
  for (int i = 0; i < moderate; ++i) {
    T x = 0;
    if (i % 4 == 0) {
      x = near_quarter_turn<T>(random);
    } else if (i % 4 == 1) {
      x = static_cast<T>(scattered(random, -25, 40));
      if ((random() & 1) != 0) x = -x;
    } else {
      x = static_cast<T>(low + (high - low) * unit(random));
    }
    T y = 0;
    if (second) {
      if (i % 3 == 0) {  // of the size at which pow over- and underflows
        int exponent = 0;
        (void)std::frexp(x, &exponent);
        y = static_cast<T>((unit(random) - 0.5) * 1500 / (std::abs(exponent) + 0.1));
      } else if (i % 3 == 1) {  // of the size of x
        y = static_cast<T>(static_cast<double>(x) * scattered(random, -4, 8));
      } else {
        y = static_cast<T>(unit(random) * 40 - 20);
        if (i % 2 == 0) y = std::nearbyint(y);
      }
    }
    p.x.push_back(x);
    p.y.push_back(y);
  }
  while (p.x.size() % 64 != 0) {
    p.x.push_back(T(1));
    p.y.push_back(T(1));
  }
  return p;
}

}  // namespace lanewise::test
