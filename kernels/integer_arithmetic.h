#pragma once

#include <cstdint>
#include <type_traits>

/// Integer division and powers, defined for every pair of values. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

template <class T>
inline T wrapping_sub(T x, T y) noexcept {
  return static_cast<T>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y));
}
template <class T>
inline T wrapping_mul(T x, T y) noexcept {
  return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
}

/// All ones if `condition`, else 0: a selection without a branch, which would keep compilers from vectorising
/// divisions.
template <class T>
inline T mask_of(bool condition) noexcept {
  return static_cast<T>(-static_cast<std::int64_t>(condition));
}

/// All ones if x is not 0, else 0. Of 64 bits by arithmetic: a compare would set a part of a register, whose old value,
/// and with it the division before, the next one would wait for.
template <class T>
inline T nonzero_mask(T x) noexcept {
  if constexpr (sizeof(T) == 8) {
    const auto bits = static_cast<std::uint64_t>(x);
    return static_cast<T>(static_cast<std::int64_t>(bits | (0 - bits)) >> 63);
  } else {
    return mask_of<T>(x != 0);
  }
}

/// x / y truncated; 0 for y = 0 (the ops above refuse it), and the most negative number divided by -1 wraps.
/// Up to 32 bits through a floating type in which the quotient is exact enough: that has vector instructions.
template <class T>
inline T quotient(T x, T y) noexcept {
  const T kept = nonzero_mask(y);
  T negate{};  // all ones if y is -1
  if constexpr (std::is_signed_v<T>) negate = static_cast<T>(~nonzero_mask(static_cast<T>(y ^ T(-1))));
  const T divisor = static_cast<T>(y + (1 & ~kept) + (2 & negate));  // 1 in place of 0 and -1
  T q;
  if constexpr (sizeof(T) == 8) {
    q = x / divisor;
  } else {
    using Exact = std::conditional_t<sizeof(T) == 4, double, float>;
    q = static_cast<T>(static_cast<std::int32_t>(static_cast<Exact>(x) / static_cast<Exact>(divisor)));
  }
  return static_cast<T>(wrapping_sub(static_cast<T>(q ^ negate), negate) & kept);
}

/// x - quotient * y; 0 for y = 0.
template <class T>
inline T rest(T x, T y) noexcept {
  return static_cast<T>(wrapping_sub(x, wrapping_mul(quotient(x, y), y)) & nonzero_mask(y));
}

/// All ones if a rest is not 0 and of another sign than the divisor, else 0: by bits, as compilers make a branch of the
/// comparisons, which nothing predicts.
template <class T>
inline T signs_differ(T r, T y) noexcept {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<T>((r ^ y) & (r | wrapping_sub(T(0), r))) >> (8 * sizeof(T) - 1));
  } else {
    return T(0);
  }
}

struct IntegerDivTrunc {
  template <class T>
  T operator()(T x, T y) const noexcept {
    return quotient(x, y);
  }
};
struct IntegerDivFloor {
  template <class T>
  T operator()(T x, T y) const noexcept {
    const T q = quotient(x, y);
    const T r = wrapping_sub(x, wrapping_mul(q, y));
    return static_cast<T>(q + (signs_differ(r, y) & nonzero_mask(y)));
  }
};
/// Sign of the dividend.
struct IntegerFmod {
  template <class T>
  T operator()(T x, T y) const noexcept {
    return rest(x, y);
  }
};
/// Sign of the divisor.
struct IntegerRemainder {
  template <class T>
  T operator()(T x, T y) const noexcept {
    const T r = rest(x, y);
    return static_cast<T>(r + (y & signs_differ(r, y)));
  }
};

/// x to the power n, wrapping. A negative power is the truncated fraction: 0 unless x is 1 or -1.
struct IntegerPow {
  template <class T>
  T operator()(T x, T n) const noexcept {
    if (std::is_signed_v<T> && n < 0) {
      return x == 1 ? T(1) : x == static_cast<T>(-1) ? static_cast<T>(n % 2 == 0 ? 1 : -1) : T(0);
    }
    std::uint64_t result = 1;
    std::uint64_t factor = static_cast<std::uint64_t>(x);
    for (auto e = static_cast<std::uint64_t>(n); e != 0; e >>= 1) {
      if (e & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
