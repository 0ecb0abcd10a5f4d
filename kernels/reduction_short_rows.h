#pragma once

#include <lanewise/kernels/reduction_tree.h>

/// The fixed tree over many rows of up to a leaf each: each row's lanes are added up to one register, and those of as many rows
/// as it has lanes are then halved together. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Not worth the code where a register holds two to four elements.
template <class T>
inline constexpr bool kHasShortRows = !is_complex<T> && vec::Vec<T>::size >= 8;

namespace tree_detail {

/// Of rows that have `Group` lanes each, side by side in a and in b: their lower (Part 0) or upper halves, those of a and of b in
/// turn. Groups within the 16 bytes that shuffles stay in take turns there only.
template <int Group, int Part, class R, std::size_t... I>
LANEWISE_INLINE vec::Vec<R> halves_of(vec::Vec<R> a, vec::Vec<R> b, std::index_sequence<I...>) {
  constexpr int kHalf = Group / 2, kSize = vec::Vec<R>::size, kNear = 16 / static_cast<int>(sizeof(R));
  constexpr auto from = [](int i) {
    if (Group > kNear) return i / kHalf % 2 * kSize + i / Group * Group + Part * kHalf + i % kHalf;
    const int lane = i % kNear, in_one = lane % (kNear / 2);
    return lane / (kNear / 2) * kSize + i / kNear * kNear + in_one / kHalf * Group + Part * kHalf +
           in_one % kHalf;
  };
  return vec::Vec<R>(__builtin_shufflevector(a.reg, b.reg, from(static_cast<int>(I))...));
}

}  // namespace tree_detail

/// Of T or of halves that are widened. Op's identity is exact, or it does not matter how often an element is counted and
/// another of the row's elements can take its place.
template <class Op, class In = typename Op::Element>
struct TreeShortRows {
  using T = typename Op::Element;
  using V = vec::Vec<T>;
  using Group = V[V::size];
  static_assert(!is_complex<T>);
  static constexpr int kLanes = kTreeLanes<T>;
  static constexpr int kVectors = kLanes / V::size;

  /// Rows of up to so many elements that lie next to each other are asked for a group at a time, 1 KiB of f32.
  static constexpr int kTogether = 1024 / vec::kRegisterBytes < kLanes ? 1024 / vec::kRegisterBytes : kLanes;
  /// Rows of up to so many have code of their own for each number of registers: sums of 32 f32 take 0.4 of the time.
  static constexpr int kWhole = kTogether > 4 * V::size ? kTogether : 4 * V::size;
  static_assert(kWhole <= kLanes);
  /// What is asked for, `ahead` bytes from what is read: so many bytes with each group of rows, or with each row. Nothing where
  /// `ahead` is 0 or rows are read again.
  struct Asked {
    std::int64_t group_bytes = 0, row_bytes = 0, ahead = 0;
    Asked() = default;
    /// Of longer rows all that a group will need, asked for at once, is more than what can be under way.
    Asked(int n, std::int64_t stride, std::int64_t distance) : ahead(distance) {
      if (ahead == 0) return;
      const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(In));
      if (n <= kTogether && stride == bytes) {
        group_bytes = V::size * stride;
      } else {
        row_bytes = bytes;
      }
    }
  };

  /// out[r] = reduction of Map::apply of the n <= kReductionBlock elements at x + r * stride bytes. `ahead`: see ReductionKernel.
  template <class Map = Unmapped>
  static void reduce(const char* x, int n, std::int64_t stride, std::int64_t count, std::int64_t ahead,
                     T* out) {
    const Asked asked(n, stride, ahead);
    each_group(
        x, stride, count, asked, [&](const char* group, int rows) __attribute__((always_inline)) {
          put(across(lanes_of_rows(
                  group, n, stride, rows, asked, V(Op::identity()),
                  [](V v, int, int) __attribute__((always_inline)) { return Map::apply(v); })),
              rows, out);
          out += V::size;
        });
  }

  /// f(first row, how many) for groups of up to V::size rows; what comes after them is asked for where lanes_of_rows() does not.
  template <class F>
  static LANEWISE_INLINE void each_group(const char* x, std::int64_t stride, std::int64_t count,
                                         const Asked& asked, F f) {
    for (; count > 0; count -= V::size, x += V::size * stride) {
      for (std::int64_t byte = 0; byte < asked.group_bytes; byte += 64)
        __builtin_prefetch(x + asked.ahead + byte);
      f(x, count < V::size ? static_cast<int>(count) : V::size);
    }
  }
  static LANEWISE_INLINE void put(V v, int n, T* to) {
    if (n == V::size) {
      v.store(to);
    } else {
      v.store_partial(to, n);
    }
  }

  struct Rows {
    Group row;
  };
  /// Lanes of f(elements, row, column of the first) of each row, halved down to one register; `other` in lanes without elements.
  template <class F>
  static LANEWISE_INLINE Rows lanes_of_rows(const char* x, int n, std::int64_t stride, int rows, Asked asked,
                                            V other, F f) {
    Rows to;
    if constexpr (std::is_same_v<In, T>) {
      if (rows == V::size && n <= kWhole) {
        const int registers = (n - 1) / V::size + 1;
        [&]<int... N>(std::integer_sequence<int, N...>) __attribute__((always_inline)) {
          ((registers == N + 1 ? whole_group<N + 1>(x, n, stride, asked, other, f, to) : void()), ...);
        }
        (std::make_integer_sequence<int, (kWhole - 1) / V::size + 1>{});
        return to;
      }
    }
    const auto at = [&](int r) { return reinterpret_cast<const In*>(x + r * stride); };
    for (int r = 0; r < rows; ++r) {
      const char* ahead = reinterpret_cast<const char*>(at(r)) + asked.ahead;
      for (std::int64_t byte = 0; byte < asked.row_bytes; byte += 64) __builtin_prefetch(ahead + byte);
      to.row[r] = lanes(
          at(r), n, other, [&](V v, int k) __attribute__((always_inline)) { return f(v, r, k); });
    }
    for (int r = rows; r < V::size; ++r) to.row[r] = other;
    return to;
  }

  /// Halves all rows together: element r is what row r comes to.
  static LANEWISE_INLINE V across(const Rows& rows) { return halved<V::size>(rows.row); }

 private:
  /// V::size rows of up to kWhole elements, in `Registers` registers each. Unrolled where that is little code; nothing is prefetched for rows
  /// that fill no register.
  template <int Registers, class F>
  static LANEWISE_INLINE void whole_group(const char* x, int n, std::int64_t stride, Asked asked, V other,
                                          F f, Rows& to) {
    const auto take = [&](int r) __attribute__((always_inline)) {
      if (Registers > 1 && asked.row_bytes != 0) {
        for (int byte = 0; byte < Registers * vec::kRegisterBytes; byte += 64)
          __builtin_prefetch(x + r * stride + asked.ahead + byte);
      }
      to.row[r] = folded<0, 1, Registers>(reinterpret_cast<const In*>(x + r * stride), n, other,
                                          [&](V v, int k) __attribute__((always_inline)) { return f(v, r, k); });
    };
    if constexpr (Registers == 1) {
      for (int r = 0; r < V::size; ++r) take(r);
    } else {
#pragma GCC unroll 1
      for (int r = 0; r < V::size; ++r) take(r);
    }
  }
  /// Registers First, First + Step ..., joined as if all kVectors were halved; only those below `Registers` hold elements.
  template <int First, int Step, int Registers, class F>
  static LANEWISE_INLINE V folded(const In* x, int n, V other, F f) {
    constexpr int kColumn = First * V::size;
    if constexpr (Step < kVectors) {
      const V even = folded<First, 2 * Step, Registers>(x, n, other, f);
      if constexpr (First + Step < Registers) {
        return Op::apply(even, folded<First + Step, 2 * Step, Registers>(x, n, other, f));
      } else {
        return even;
      }
    } else if constexpr (First + 1 < Registers) {
      return f(load_as<V>(x + kColumn), kColumn);
    } else {
      return first(x + kColumn, n - kColumn, kColumn, other, f);
    }
  }
  template <class F>
  static LANEWISE_INLINE V lanes(const In* x, int n, V other, F f) {
    if (n <= V::size) return first(x, n, 0, other, f);
    V acc[kVectors];
    int k = 0;
    each_constant<kVectors>([&](auto j) __attribute__((always_inline)) { acc[j] = other; });
    for (; k + kLanes <= n; k += kLanes) {
      each_constant<kVectors>([&](auto j) __attribute__((always_inline)) {
        acc[j] = Op::apply(acc[j], f(load_as<V>(x + k + j * V::size), k + j * V::size));
      });
    }
    add_rest<0>(acc, x, n, k, other, f);
    return halve<Op>(acc);
  }
  /// The elements from column k on, fewer than there are lanes, in registers J and later.
  template <int J, class F>
  static LANEWISE_INLINE void add_rest(V (&acc)[kVectors], const In* x, int n, int k, V other, F f) {
    if (k >= n) return;
    acc[J] = Op::apply(acc[J], first(x + k, n - k, k, other, f));
    if constexpr (J + 1 < kVectors) add_rest<J + 1>(acc, x, n, k + V::size, other, f);
  }
  /// The first n elements of what starts at column k, `other` in the other lanes.
  template <class F>
  static LANEWISE_INLINE V first(const In* x, int n, int k, V other, F f) {
    if (n >= V::size) return f(load_as<V>(x), k);
    return select(vec::Mask<T>::first(n), f(load_partial_as<V>(x, n), k), other);
  }

  /// `Registers` of them, with rows of as many lanes side by side.
  template <int Registers>
  static LANEWISE_INLINE V halved(const V (&row)[Registers]) {
    if constexpr (Registers == 1) {
      return row[0];
    } else {
      using tree_detail::halves_of;
      constexpr auto kAll = std::make_index_sequence<static_cast<std::size_t>(V::size)>{};
      // Rows that come to lie 16 bytes apart are as many apart: then they end in their order.
      constexpr bool kApart = Registers * sizeof(T) > 16;
      V half[Registers / 2];
      for (int i = 0; i < Registers / 2; ++i) {
        const V a = row[kApart ? i : 2 * i], b = row[kApart ? i + Registers / 2 : 2 * i + 1];
        half[i] = Op::apply(halves_of<Registers, 0>(a, b, kAll), halves_of<Registers, 1>(a, b, kAll));
      }
      return halved<Registers / 2>(half);
    }
  }
};

/// The entry of a ReductionKernel.
template <class Op, class Map = Unmapped, class In = typename Op::Element>
void short_rows(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count, std::int64_t ahead,
                char* acc) noexcept {
  auto* out = reinterpret_cast<typename Op::Element*>(acc);
  TreeShortRows<Op, In>::template reduce<Map>(x, static_cast<int>(n), stride, count, ahead, out);
}

}  // namespace lanewise::kernels::LANEWISE_ISA
