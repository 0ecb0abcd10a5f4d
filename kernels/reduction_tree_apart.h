#pragma once

#include <lanewise/kernels/reduction_tree_columns.h>

/// The fixed tree over rows that lie in two dimensions. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Of columns of Op::Element, as TreeRows has them.
template <class Op>
struct TreeRowsApart {
  using T = typename Op::Element;
  using V = vec::Vec<T>;
  static constexpr int kLanes = kTreeLanes<T>;
  /// Registers of a row that are worked on at once.
  static constexpr int kAtOnce = 4;

  /// out[c] = reduction of column c of a leaf: of 0 < rows <= kReductionBlock.
  static void leaf(const char* x, const RowsApart& apart, int rows, std::int64_t cols, T* out) {
    while (cols > 0) {
      int n = V::size;
      if (cols >= kAtOnce * V::size) {
        n *= kAtOnce;
        columns<kAtOnce>(x, apart, rows, n, Whole{}, out);
      } else if (cols == V::size || cols >= 2 * V::size) {
        columns<1>(x, apart, rows, n, Whole{}, out);
      } else if (cols == V::size / 2) {
        n /= 2;
        columns<1>(x, apart, rows, n, HalfOfOne{}, out);
      } else {
        n = static_cast<int>(cols);
        const First rest{n % V::size};
        n < V::size ? columns<1>(x, apart, rows, n, rest, out) : columns<2>(x, apart, rows, n, rest, out);
      }
      cols -= n;
      x += n * static_cast<int>(sizeof(T));
      out += n;
    }
  }

 private:
  struct Whole {
    LANEWISE_INLINE V operator()(const T* at) const { return V::load(at); }
  };
  /// Half a register, which lies across the end of a line less often than a whole one of which half is used.
  struct HalfOfOne {
    LANEWISE_INLINE V operator()(const T* at) const {
      typedef T Register __attribute__((vector_size(vec::kRegisterBytes / 2)));
      Register half;
      __builtin_memcpy(&half, at, sizeof(half));
      return widened(half, std::make_index_sequence<static_cast<std::size_t>(V::size)>{});
    }
    template <class R, std::size_t... I>
    static LANEWISE_INLINE V widened(R half, std::index_sequence<I...>) {
      return V(__builtin_shufflevector(half, R{}, static_cast<int>(I)...));
    }
  };
  struct First {
    int n;
    LANEWISE_INLINE V operator()(const T* at) const { return V::load_partial(at, n); }
  };

  /// A row, and its number in the inner dimension.
  struct Cursor {
    const char* at;
    std::int64_t row;
  };
  /// To a later row, always as many of them.
  class Step {
   public:
    Step(const RowsApart& apart, int rows)
        : count_(apart.count),
          wrap_(apart.outer_stride - apart.count * apart.stride),
          rows_(rows % apart.count),
          bytes_(rows / apart.count * apart.outer_stride + rows_ * apart.stride) {}
    LANEWISE_INLINE void take(Cursor& cursor) const {
      cursor.row += rows_;
      cursor.at += bytes_;
      if (cursor.row >= count_) {
        cursor.row -= count_;
        cursor.at += wrap_;
      }
    }

   private:
    std::int64_t count_, wrap_, rows_, bytes_;
  };

  /// n columns, in `Registers` registers of which load() reads the last. The lanes one after the other, each through all of its rows: to
  /// find a row costs as much as an addition, and is done once for all registers.
  template <int Registers, class Load>
  static LANEWISE_INLINE void columns(const char* x, const RowsApart& apart, int rows, int n, Load load,
                                      T* out) {
    const Step next(apart, 1), round(apart, kLanes);
    V lane[kLanes * Registers];
    Cursor first{x, apart.first};
    const int lanes = rows < kLanes ? rows : kLanes;
    for (int l = 0; l < lanes; ++l, next.take(first)) {
      V sum[Registers];
      const auto each = [&](const Cursor& cursor, auto f) __attribute__((always_inline)) {
        const T* at = reinterpret_cast<const T*>(cursor.at);
        each_constant<Registers - 1>([&](auto j) __attribute__((always_inline)) {
          f(sum[j], V::load(at + j * V::size));
        });
        f(sum[Registers - 1], load(at + (Registers - 1) * V::size));
      };
      each(
          first, [](V & to, V v) __attribute__((always_inline)) { to = v; });
      Cursor cursor = first;
      for (int r = l + kLanes; r < rows; r += kLanes) {
        round.take(cursor);
        each(
            cursor, [](V & to, V v) __attribute__((always_inline)) { to = Op::apply(to, v); });
      }
      each_constant<Registers>([&](auto j)
                                   __attribute__((always_inline)) { lane[l * Registers + j] = sum[j]; });
    }
    fold(lane, lanes, Registers);
    store(lane, n, out);
  }
  static LANEWISE_INLINE void store(const V* from, int n, T* out) {
    for (; n >= V::size; n -= V::size, ++from, out += V::size) from->store(out);
    if (n > 0) from->store_partial(out, n);
  }
  /// Lanes of so many registers each, into the first one.
  [[gnu::noinline]] static void fold(V* lane, int lanes, int registers) {
    fold_lanes<Op, kLanes>(lanes, registers, lane);
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
