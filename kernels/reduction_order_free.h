#pragma once

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/loop_hints.h>
#include <lanewise/kernels/operand.h>
#include <lanewise/kernels/reduction_tree.h>
#include <lanewise/vec/vec_int.h>

/// Reductions whose result does not depend on the order: integers, and truth values. Plain loops, which the
/// compilers vectorise well. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// An Op has: Element; Narrow, a type that holds the reduction of kBlock elements; Wide, that of all;
/// start(), step(Narrow, Element) -> Narrow, widen(Wide, Narrow) -> Wide with wide_start(); decided(Wide): no
/// later element can change it. It may have a Chain of vectors, with step(Chain, V) and join(Chain, Chain), whose lanes begin with
/// start() and merge to the result; kRepeatable: it may see an element twice; where it may not, zeros must change
/// nothing, since ends are filled up with them. Op::Merging is the part of it that joins accumulators, Wide and merge(): ops that share it
/// share its code.
template <class Op>
struct OrderFree {
  using T = typename Op::Element;
  using Narrow = typename Op::Narrow;
  using Wide = typename Op::Wide;

  // Elements of a stretch and of a line: with 1 KiB the sum of 64 MiB of int32 takes 0.65 to 0.85 of the time, of uint8 0.94.
  static constexpr std::int64_t kStretch = 1024 / sizeof(T), kLine = 64 / sizeof(T);

  /// What comes `ahead` bytes after a stretch is asked for when the stretch is read.
  static LANEWISE_INLINE Wide run(const T* x, std::int64_t n, std::int64_t ahead) {
    if constexpr (requires { typename Op::Chain; }) {
      return run_chains(x, n, ahead);
    } else {
      return run_stretches(x, n, ahead);
    }
  }

  /// Each of `count` runs, `stride` bytes apart.
  LANEWISE_ONE_COPY static void runs(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count,
                                     std::int64_t ahead, char* acc) noexcept {
    for (std::int64_t r = 0; r < count; ++r, x += stride)
      reinterpret_cast<Wide*>(acc)[r] = run(reinterpret_cast<const T*>(x), n, ahead);
  }

  /// One chain of steps would wait for itself.
  static LANEWISE_INLINE Wide run_chains(const T* x, std::int64_t n, std::int64_t ahead) {
    using V = vec::Vec<T>;
    using Chain = typename Op::Chain;
    constexpr std::int64_t kSize = V::size, kChains = 4;
    const Chain start(static_cast<typename Chain::value_type>(Op::start()));
    Chain chain[kChains] = {start, start, start, start};
    std::int64_t i = 0;
    for (; i + kChains * kSize <= n; i += kChains * kSize) {
      for (std::int64_t j = 0; j < kChains * kSize; j += kLine)
        __builtin_prefetch(reinterpret_cast<const char*>(x + i + j) + ahead);
      for (std::int64_t c = 0; c < kChains; ++c) chain[c] = Op::step(chain[c], V::load(x + i + c * kSize));
    }
    for (; i + kSize <= n; i += kSize) chain[0] = Op::step(chain[0], V::load(x + i));
    if constexpr (Op::kRepeatable) {
      if (n >= kSize) {
        chain[1] = Op::step(chain[1], V::load(x + n - kSize));
        i = n;
      }
    } else if (kHasMaskedEnds && i < n) {
      chain[1] = Op::step(chain[1], V::load_partial(x + i, static_cast<int>(n - i)));
      i = n;
    }
    const Chain all = Op::join(Op::join(chain[0], chain[1]), Op::join(chain[2], chain[3]));
    Wide result = Op::wide_start();
    if constexpr (Chain::size > 4) {
      result = static_cast<Wide>(fold<Chain::size / 2>(all));
    } else {
      typename Chain::value_type lanes[Chain::size];
      all.store(lanes);
      for (const auto lane : lanes) result = Op::merge(result, static_cast<Wide>(lane));
    }
    for (; i < n; ++i) result = Op::widen(result, Op::step(Op::start(), x[i]));
    return result;
  }

  template <int Half, class Chain>
  static LANEWISE_INLINE auto fold(Chain chain) {
    if constexpr (Half == 0) {
      return chain.extract(0);
    } else {
      return fold<Half / 2>(Op::join(chain, tree_detail::upper_down<Half>(chain)));
    }
  }

  static Wide run_stretches(const T* x, std::int64_t n, std::int64_t ahead) {
    Wide wide = Op::wide_start();
    for (std::int64_t first = 0; first < n && !Op::decided(wide); first += Op::kBlock) {
      const T* block = x + first;
      const std::int64_t length = n - first < Op::kBlock ? n - first : Op::kBlock;
      Narrow narrow = Op::start();
      for (std::int64_t i = 0; i < length; i += kStretch) {
        const std::int64_t count = length - i < kStretch ? length - i : kStretch;
        _Pragma("GCC unroll 1")  // as short as it is fast
            for (std::int64_t j = 0; count == kStretch && j < kStretch; j += kLine)
                __builtin_prefetch(reinterpret_cast<const char*>(block + i + j) + ahead);
        for (std::int64_t j = 0; j < count; ++j) narrow = Op::step(narrow, block[i + j]);
      }
      wide = Op::widen(wide, narrow);
    }
    return wide;
  }

  /// Several rows at once, so that the lanes are read and written once for all of them. `from` may be `to`.
  template <class... Rows>
  static LANEWISE_INLINE void step_rows(Narrow* to, const Narrow* from, std::int64_t width,
                                        const Rows*... row) {
    LANEWISE_NO_LOOP_DEPENDENCE
    for (std::int64_t j = 0; j < width; ++j) {
      Narrow n = from[j];
      ((n = Op::step(n, row[j])), ...);
      to[j] = n;
    }
  }

  static void rows(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols,
                   Wide* __restrict acc) {
    constexpr std::int64_t kTile = 512;
    // Lanes that hold any number of rows are the accumulators.
    constexpr bool kOneBlock = std::is_same_v<Narrow, Wide> && Op::kBlock >= std::int64_t{1} << 60;
    // The first rows of a block read these in place of lanes, which so need not be filled: of two rows of 150528 uint8 amax takes 0.4 of
    // the time, of int64 0.73.
    Narrow starts[kTile], lanes[kOneBlock ? 1 : kTile];
    for (std::int64_t j = 0; j < (cols < kTile ? cols : kTile); ++j) starts[j] = Op::start();
    for (std::int64_t c = 0; c < cols; c += kTile) {
      const std::int64_t width = cols - c < kTile ? cols - c : kTile;
      if (!kOneBlock || rows == 0) {
        for (std::int64_t j = 0; j < width; ++j) acc[c + j] = Op::wide_start();
      }
      for (std::int64_t first = 0; first < rows; first += Op::kBlock) {
        const std::int64_t last = rows - first < Op::kBlock ? rows : first + Op::kBlock;
        const auto row = [&](std::int64_t r) { return reinterpret_cast<const T*>(x + r * stride) + c; };
        Narrow* narrow = lanes;
        if constexpr (kOneBlock) narrow = acc + c;
        const Narrow* from = starts;
        std::int64_t r = first;
        if constexpr (sizeof(T) < sizeof(Narrow)) {
          for (; r + 4 <= last; r += 4, from = narrow)
            step_rows(narrow, from, width, row(r), row(r + 1), row(r + 2), row(r + 3));
        } else {
          for (; r + 2 <= last; r += 2, from = narrow) step_rows(narrow, from, width, row(r), row(r + 1));
        }
        for (; r < last; ++r, from = narrow) step_rows(narrow, from, width, row(r));
        if constexpr (!kOneBlock) {
          for (std::int64_t j = 0; j < width; ++j) acc[c + j] = Op::widen(acc[c + j], narrow[j]);
        }
      }
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
