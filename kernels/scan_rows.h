#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include <lanewise/vec/convert.h>
#include <lanewise/vec/prefix_sums.h>
#include <lanewise/vec/select.h>

/// Scans along contiguous rows. An element waits for the one before it, so that a row keeps a core waiting for most of the time;
/// a few rows take turns. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// `Rows` rows that take turns, in memory as Element, carried as Wide: both the type itself, or of a complex number's parts.
template <class Element, class Wide, class Op, int Parts, int Rows>
class ScanChains {
 public:
  static LANEWISE_INLINE void inlined(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                                      std::int64_t n, bool reverse, Wide* carry) {
    using Value = std::conditional_t<Parts == 1, Wide, std::complex<Wide>>;
    Value value[Rows];
    for (int r = 0; r < Rows; ++r) value[r] = number(carry + r * Parts);
    const std::int64_t step = reverse ? -Parts : Parts;
    std::int64_t at = reverse ? (n - 1) * Parts : 0;
    const auto steps = [&](int count) __attribute__((always_inline)) {
      for (int r = 0; r < Rows; ++r) {
        for (int k = 0; k < count; ++k) {
          const Element* from = reinterpret_cast<const Element*>(x + r * stride) + at + k * step;
          value[r] = Op::apply(value[r], number(from));
          put(value[r], reinterpret_cast<Element*>(out + r * out_stride) + at + k * step);
        }
      }
      at += count * step;
    };
    std::int64_t i = 0;
    for (; i + kSteps <= n; i += kSteps) steps(kSteps);
    _Pragma("GCC unroll 1") for (; i < n; ++i) steps(1);
    for (int r = 0; r < Rows; ++r) put(value[r], carry + r * Parts);
  }
  /// One row, an element at a time.
  static LANEWISE_INLINE void plainly(const char* x, char* out, std::int64_t n, bool reverse, Wide* carry) {
    const std::int64_t step = reverse ? -Parts : Parts, first = reverse ? (n - 1) * Parts : 0;
    const Element* from = reinterpret_cast<const Element*>(x) + first;
    Element* to = reinterpret_cast<Element*>(out) + first;
    auto value = number(carry);
    _Pragma("GCC unroll 1") for (; n > 0; --n, from += step, to += step) {
      value = Op::apply(value, number(from));
      put(value, to);
    }
    put(value, carry);
  }
  /// The chains of f32 in double precision are those of f64.
  __attribute__((noinline)) static void run(const char* x, std::int64_t stride, char* out,
                                            std::int64_t out_stride, std::int64_t n, bool reverse,
                                            Wide* carry) {
    inlined(x, stride, out, out_stride, n, reverse, carry);
  }

 private:
  /// Steps of a row before the next one's turn: stores to one line become one.
  static constexpr int kSteps = Parts == 1 || Rows == 1 ? 4 : 1;

  template <class From>
  static LANEWISE_INLINE auto number(const From* from) {
    if constexpr (Parts == 1) {
      return static_cast<Wide>(*from);
    } else {
      return std::complex<Wide>(static_cast<Wide>(from[0]), static_cast<Wide>(from[1]));
    }
  }
  template <class Value, class To>
  static LANEWISE_INLINE void put(Value v, To* to) {
    if constexpr (Parts == 1) {
      *to = static_cast<To>(v);
    } else {
      to[0] = static_cast<To>(v.real());
      to[1] = static_cast<To>(v.imag());
    }
  }
};

__attribute__((noinline)) inline void widen_all(const float* x, std::int64_t n, std::int64_t ahead,
                                                double* to) {
  using V = vec::Vec<float>;
  std::int64_t i = 0;
  for (; i + V::size <= n; i += V::size) {
    __builtin_prefetch(reinterpret_cast<const char*>(x + i) + ahead);
    const vec::WidePair pair = vec::widen(V::load(x + i));
    pair.low.store(to + i);
    pair.high.store(to + i + V::size / 2);
  }
  _Pragma("GCC unroll 1") for (; i < n; ++i) to[i] = static_cast<double>(x[i]);
}
__attribute__((noinline)) inline void narrow_all(const double* x, std::int64_t n, float* to) {
  using V = vec::Vec<float>;
  using W = vec::Vec<double>;
  std::int64_t i = 0;
  for (; i + V::size <= n; i += V::size) vec::narrow(W::load(x + i), W::load(x + i + W::size)).store(to + i);
  _Pragma("GCC unroll 1") for (; i < n; ++i) to[i] = static_cast<float>(x[i]);
}

/// Sums of integers, which no order changes: of a register at a time, so that what waits is one addition a register.
class ScanIntegerRows {
 public:
  /// The entry of a ScanKernel.
  static void run(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t n,
                  std::int64_t rows, bool reverse, char* carry) noexcept {
    auto* to = reinterpret_cast<std::uint64_t*>(carry);
    if (n < V::size) return in_turn(x, stride, out, out_stride, n, rows, reverse, to);
    for (; rows > 0; --rows, x += stride, out += out_stride, ++to) {
      const auto* from = reinterpret_cast<const std::uint64_t*>(x);
      auto* result = reinterpret_cast<std::uint64_t*>(out);
      *to = reverse ? row<true>(from, result, n, *to) : row<false>(from, result, n, *to);
    }
  }

 private:
  using V = vec::Vec<std::uint64_t>;

  static void in_turn(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t n,
                      std::int64_t rows, bool reverse, std::uint64_t* carry) {
    struct Add {
      static LANEWISE_INLINE std::uint64_t apply(std::uint64_t a, std::uint64_t b) { return a + b; }
    };
    for (; rows > 0; --rows, x += stride, out += out_stride, ++carry)
      ScanChains<std::uint64_t, std::uint64_t, Add, 1, 1>::plainly(x, out, n, reverse, carry);
  }

  template <bool Reverse>
  static std::uint64_t row(const std::uint64_t* x, std::uint64_t* out, std::int64_t n, std::uint64_t start) {
    V carry(start);
    const auto next = [&](V v) __attribute__((always_inline)) {
      const V sums = vec::prefix_sums(Reverse ? vec::reverse(v) : v);
      const V result = sums + carry;
      carry += vec::all_of_last(sums);
      return Reverse ? vec::reverse(result) : result;
    };
    std::int64_t i = 0;
    for (; i + V::size <= n; i += V::size) {
      const std::int64_t at = Reverse ? n - V::size - i : i;
      next(V::load(x + at)).store(out + at);
    }
    for (; i < n; ++i) {
      const std::int64_t at = Reverse ? n - 1 - i : i;
      carry += V(x[at]);
      out[at] = carry.extract(0);
    }
    return carry.extract(0);
  }
};

/// R: a real type, carried in double precision where it is f32; an element has Parts of them, 2 if it is complex. kRows rows take
/// turns.
template <class R, class Op, int Parts = 1, int kRows = 4>
class ScanRows {
 public:
  using Wide = std::conditional_t<std::is_same_v<R, float>, double, R>;

  /// The entry of a ScanKernel.
  static void run(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t n,
                  std::int64_t rows, bool reverse, char* carry) noexcept {
    Wide* to = reinterpret_cast<Wide*>(carry);
    if (n <= (kByBlock ? kShortNarrow : kShort))
      return in_turn<R>(x, stride, out, out_stride, n, rows, reverse, to);
    if constexpr (kByBlock) {
      const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(R));
      if (n <= kBlock && stride == bytes && out_stride == bytes)
        return end_to_end(x, out, n, rows, reverse, to);
    }
    for (; rows >= kRows;
         rows -= kRows, x += kRows * stride, out += kRows * out_stride, to += kRows * Parts) {
      if constexpr (kByBlock) {
        by_block(x, stride, out, out_stride, n, reverse, to);
      } else {
        ScanChains<R, Wide, Op, Parts, kRows>::run(x, stride, out, out_stride, n, reverse, to);
      }
    }
    if constexpr (kRows > 2) {
      if (rows >= 2) {
        ScanChains<R, Wide, Op, Parts, 2>::run(x, stride, out, out_stride, n, reverse, to);
        rows -= 2, x += 2 * stride, out += 2 * out_stride, to += 2 * Parts;
      }
    }
    for (; rows > 0; --rows, x += stride, out += out_stride, to += Parts)
      ScanChains<R, Wide, Op, Parts, 1>::run(x, stride, out, out_stride, n, reverse, to);
  }

 private:
  /// Whether elements are converted in blocks of so many, 4 KiB. A row alone has time to convert each, and so have two parts.
  static constexpr bool kByBlock = !std::is_same_v<R, Wide> && Parts == 1;
  static constexpr std::int64_t kBlock = 128;
  /// Bytes from what is converted to what is asked for.
  static constexpr std::int64_t kAhead = 2048;
  /// Rows that a core has several of under way by itself, where it is told of nothing but the next. f32 are converted one by one
  /// in the shortest.
  static constexpr std::int64_t kShort = std::is_same_v<R, double> && Parts == 1 ? 80 : 32, kShortNarrow = 6;
  template <int Rows>
  using WideChains = ScanChains<Wide, Wide, Op, Parts, Rows>;

  template <class Element>
  __attribute__((noinline)) static void in_turn(const char* x, std::int64_t stride, char* out,
                                                std::int64_t out_stride, std::int64_t n, std::int64_t rows,
                                                bool reverse, Wide* carry) {
    for (; rows > 0; --rows, x += stride, out += out_stride, carry += Parts)
      ScanChains<Element, Wide, Op, Parts, 1>::plainly(x, out, n, reverse, carry);
  }

  /// kRows rows.
  static void by_block(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t n,
                       bool reverse, Wide* carry) {
    alignas(64) Wide wide[kRows][kBlock];
    char* memory = reinterpret_cast<char*>(wide);
    // Further on in long rows, in the next ones after short rows.
    const bool is_long = n * static_cast<std::int64_t>(sizeof(R)) >= 4 * kAhead;
    const std::int64_t ahead = reverse ? -kAhead : is_long ? kAhead : kRows * stride;
    for (std::int64_t done = 0; done < n; done += kBlock) {
      const std::int64_t length = n - done < kBlock ? n - done : kBlock;
      const std::int64_t at = (reverse ? n - done - length : done) * static_cast<std::int64_t>(sizeof(R));
      for (int r = 0; r < kRows; ++r)
        widen_all(reinterpret_cast<const R*>(x + r * stride + at), length, ahead, wide[r]);
      WideChains<kRows>::run(memory, sizeof(wide[0]), memory, sizeof(wide[0]), length, reverse, carry);
      for (int r = 0; r < kRows; ++r)
        narrow_all(wide[r], length, reinterpret_cast<R*>(out + r * out_stride + at));
    }
  }

  /// Short rows without gaps are converted without gaps.
  static void end_to_end(const char* x, char* out, std::int64_t n, std::int64_t rows, bool reverse,
                         Wide* carry) {
    alignas(64) Wide wide[kRows * kBlock];
    const std::int64_t stride = n * static_cast<std::int64_t>(sizeof(Wide)), most = kRows * kBlock / n;
    while (rows > 0) {
      const std::int64_t some = rows < most ? rows : most, count = some * n;
      widen_all(reinterpret_cast<const R*>(x), count, kAhead, wide);
      char* row = reinterpret_cast<char*>(wide);
      std::int64_t left = some;
      if (n <= kShort) {
        in_turn<Wide>(row, stride, row, stride, n, some, reverse, carry);
        carry += some;
        left = 0;
      }
      for (; left >= kRows; left -= kRows, row += kRows * stride, carry += kRows)
        WideChains<kRows>::inlined(row, stride, row, stride, n, reverse, carry);
      for (; left > 0; --left, row += stride, ++carry)
        WideChains<1>::run(row, stride, row, stride, n, reverse, carry);
      narrow_all(wide, count, reinterpret_cast<R*>(out));
      rows -= some;
      x += count * static_cast<std::int64_t>(sizeof(R));
      out += count * static_cast<std::int64_t>(sizeof(R));
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
