#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <lanewise/kernels/kernel_declarations.h>
#include <lanewise/kernels/operand.h>

/// The loops of every elementwise kernel over the elements of its operands. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// From this cost on a kernel has one copy of its body, which also does the tail, instead of three.
inline constexpr int kCompactCost = 6;

/// Bytes that a kernel with one copy of its body asks for its inputs ahead of reading them: a register's worth of work fills
/// the window of the processor, which sees few loads coming. At 16M f32 exp takes 0.8 of the time and the backward of
/// gelu in a graph 0.65, with 1 KiB 0.85 and 0.7; in L1 it costs nothing (Xeon of 2.1 GHz). With more than kFetchedInputs it
/// does: the backward of layer_norm over rows of 512 takes 1.18 of the time (Zen 4).
inline constexpr std::int64_t kAhead = 2048;
inline constexpr int kFetchedInputs = 3;

/// Bytes of a run, all operands together, from which on they do not stay in L1.
inline constexpr std::int64_t kBeyondL1 = 56 << 10;

/// A request among these kernels: an input that is broadcast is two elements, the parts of a complex number.
inline constexpr std::uint32_t kPairs = std::uint32_t{1} << 30;
static_assert((kPairs & (kManyRows | kStreamOutput)) == 0);

/// `Pairs`: whether it follows kPairs.
template <class T, int Cost, class Signature, bool Pairs = false>
struct Loop;

template <class T, int Cost, class Output, class... Inputs, bool Pairs>
struct Loop<T, Cost, Output(Inputs...), Pairs> {
  static constexpr int kOutputs = num_outputs<Output>;
  static constexpr int kInputs = sizeof...(Inputs);
  static constexpr int kLanes = vec::Vec<T>::size;
  using InputIndices = std::make_index_sequence<kInputs>;
  static_assert(!Pairs || (std::is_same_v<Inputs, Same> && ...));
  template <std::size_t... I>
  static Loop<T, Cost, Same(std::conditional_t<(I < sizeof...(Inputs)), Same, void>...)> of_first(
      std::index_sequence<I...>);
  /// For bodies that know all inputs after so many.
  template <int Count>
  using OfFirst = decltype(of_first(std::make_index_sequence<static_cast<std::size_t>(Count)>{}));
  static constexpr bool kOverlappedTail = !kHasMaskedEnds;

  /// Whether results can go past the caches: where that is worth the code. Kernels that calculate for long write as usual: at
  /// 16M f32 exp (cost 8) takes 0.7 of the time past the caches, but log (10) 1.1, tanh (14) 1.2 and sin (14) 1.5.
  static constexpr bool kStreams =
      kHasStream && (std::is_same_v<Output, Same> || std::is_same_v<Output, RealPart>)&&!is_complex<T> &&
      sizeof(T) >= 4 && Cost <= 8;

  /// Whether many rows can be done in one call, where the call is most of the time.
  static constexpr bool kTakesRows = kHasRows && Cost < kCompactCost;

  /// A broadcast input is spread over a register's worth of memory that every step reads again: its step is
  /// zero, so one loop serves every combination.
  template <class F, std::size_t... K>
  __attribute__((flatten)) static void run(const F& f, char* const* data, std::uint32_t broadcast,
                                           std::int64_t n, std::index_sequence<K...> each) noexcept {
    alignas(64) char spread[kInputs > 0 ? kInputs : 1][2 * vec::kRegisterBytes];
    const char* in[kInputs] = {data[kOutputs + K]...};
    // A copy: the compiler must take it that a store may change `data`, and would read it anew each time.
    char* out[kOutputs];
    for (int k = 0; k < kOutputs; ++k) out[k] = data[k];
    std::int64_t step[kInputs] = {register_bytes<Inputs, T>...};
    const std::uint32_t inputs = (broadcast & ~(kManyRows | kPairs)) >> kOutputs;
    std::uint32_t fresh = inputs;
    for (std::int64_t row = 0;;) {
      if (inputs != 0) {
        if (Pairs && (broadcast & kPairs) != 0) {
          ((fresh >> K & 1 ? splat_pair<T>(in[K], spread[K]) : void()), ...);
        } else {
          ((fresh >> K & 1 ? splat<Inputs, T>(in[K], spread[K]) : void()), ...);
        }
        ((inputs >> K & 1 ? (in[K] = spread[K], step[K] = 0, void()) : void()), ...);
      }
      const bool past = kStreams && (broadcast & kStreamOutput) != 0 &&
                        reinterpret_cast<std::uintptr_t>(out[0]) % vec::kRegisterBytes == 0;
      run_row(f, in, step, inputs, out, n, past, each);
      if constexpr (!kTakesRows) {
        return;
      } else {
        if ((broadcast & kManyRows) == 0) [[likely]]
          return;
        const auto* rows = reinterpret_cast<const ElementwiseRows*>(data);
        if (++row == rows->count) return;
        ((in[K] = data[kOutputs + K] + row * rows->step[kOutputs + K]), ...);
        for (int k = 0; k < kOutputs; ++k) out[k] = data[k] + row * rows->step[static_cast<std::size_t>(k)];
        fresh = rows->moving >> kOutputs;
      }
    }
  }

 private:
  template <class F, std::size_t... K>
  static LANEWISE_INLINE void run_row(const F& f, const char* (&in)[kInputs],
                                      const std::int64_t (&step)[kInputs],
                                      [[maybe_unused]] std::uint32_t inputs, char* const (&out)[kOutputs],
                                      std::int64_t n, bool past, std::index_sequence<K...> each) {
    std::int64_t i = 0;
    if constexpr (Cost >= kCompactCost) {
      for (; i < n; i += kLanes) {
        const std::int64_t left = n - i;
        if constexpr (kInputs <= kFetchedInputs) (__builtin_prefetch(in[K] + kAhead), ...);
        put(f(load_upto<Inputs>(in[K], left)...), out, i, left, past);
        ((in[K] += step[K]), ...);
      }
    } else {
      if constexpr (kOverlappedTail) {
        // The tail is a full register that ends with the run: read before the first store, which may be to
        // the same memory, and written last. What it shares with the register before it is written twice,
        // with the same bits.
        if (n >= kLanes) {
          const std::int64_t last = n - kLanes;
          const auto tail = f(load<Inputs, T>(in[K] + (step[K] == 0 ? 0 : offset<Inputs>(last)))...);
          full_registers(f, in, step, inputs, out, last, past, each);
          // A line that is written both ways goes to memory in parts, is fetched again and waited for.
          return past && n % kLanes == 0 ? put_past(tail, out, last) : put_full(tail, out, last);
        }
      } else {
        i = full_registers(f, in, step, inputs, out, n - kLanes + 1, past, each);
        ((in[K] += step[K] == 0 ? 0 : offset<Inputs>(i)), ...);
      }
      if (i < n) {
        const int left = static_cast<int>(n - i);
        put_partial(f(load_partial<Inputs, T>(in[K], left)...), out, i, left);
      }
    }
  }
  /// Full registers at positions below `end`; returns the first position that is left.
  template <class F, std::size_t... K>
  static LANEWISE_INLINE std::int64_t full_registers(const F& f, const char* const (&in)[kInputs],
                                                     const std::int64_t (&step)[kInputs],
                                                     std::uint32_t inputs, char* const (&out)[kOutputs],
                                                     std::int64_t end, [[maybe_unused]] bool past,
                                                     std::index_sequence<K...>) {
    std::int64_t i = 0;
    const auto step_by_step = [&](auto put_next) __attribute__((always_inline)) {
      const char* p[] = {in[K]...};
      for (; i < end; i += kLanes) {
        put_next(f(load<Inputs, T>(p[K])...));
        ((p[K] += step[K]), ...);
      }
    };
#if defined(LANEWISE_ISA_AVX512)
    // Beyond L1 a store of a whole line waits for the line: 0.87 of the time at 64 KiB per operand if it is
    // asked for 8 lines ahead, but 1.25 within L1 (Xeon of 2.1 GHz, add of f32). As a read: PREFETCHW (-mprfchw) takes
    // 1.05 to 1.1 times as long. Not in place, where that is so near before the loads that it takes twice the time (Zen 5, 64 MiB).
    if constexpr (kStreams) {
      const int streams = kInputs + 1 - __builtin_popcount(inputs);
      if (past || (((in[K] != out[0]) && ...) && offset<Same>(end) * streams >= kBeyondL1)) {
        step_by_step([&](auto result) __attribute__((always_inline)) {
          if (past) return put_past(result, out, i);
          __builtin_prefetch(out[0] + offset<Same>(i) + 512, 1);
          put_full(result, out, i);
        });
        return i;
      }
    }
#else
    if constexpr (kStreams) {
      if (past) {
        step_by_step([&](auto result) __attribute__((always_inline)) { put_past(result, out, i); });
        return i;
      }
    }
#endif
    const auto run = [&](auto put_next) __attribute__((always_inline)) {
      if (inputs == 0) {
        for (; i < end; i += kLanes) put_next(f(load<Inputs, T>(in[K] + offset<Inputs>(i))...));
      } else {
        step_by_step(put_next);
      }
    };
    run([&](auto result) __attribute__((always_inline)) { put_full(result, out, i); });
    return i;
  }
  template <class Operand>
  static LANEWISE_INLINE std::int64_t offset(std::int64_t i) {
    return i * static_cast<std::int64_t>(sizeof(typename Operand::template Element<T>));
  }
  template <class Operand>
  static LANEWISE_INLINE auto load_upto(const char* p, std::int64_t left) {
    return left >= kLanes ? load<Operand, T>(p) : load_partial<Operand, T>(p, static_cast<int>(left));
  }
  template <class R>
  static LANEWISE_INLINE void put(R result, char* const (&out)[kOutputs], std::int64_t i, std::int64_t left,
                                  bool past) {
    if (past && left >= kLanes) {
      put_past(result, out, i);
    } else if (left >= kLanes) {
      put_full(result, out, i);
    } else {
      put_partial(result, out, i, static_cast<int>(left));
    }
  }
  template <class R>
  static LANEWISE_INLINE void put_full(R result, char* const (&out)[kOutputs], std::int64_t i) {
    if constexpr (std::is_same_v<Output, Several<kOutputs>>) {
      for (int k = 0; k < kOutputs; ++k)
        store<Same, T>(result[static_cast<std::size_t>(k)], out[k] + offset<Same>(i));
    } else {
      store<Output, T>(result, out[0] + offset<Output>(i));
    }
  }
  template <class R>
  static LANEWISE_INLINE void put_past([[maybe_unused]] R result,
                                       [[maybe_unused]] char* const (&out)[kOutputs],
                                       [[maybe_unused]] std::int64_t i) {
    if constexpr (kStreams) stream(result, out[0] + offset<Same>(i));
  }
  template <class R>
  static LANEWISE_INLINE void put_partial(R result, char* const (&out)[kOutputs], std::int64_t i, int left) {
    if constexpr (std::is_same_v<Output, Several<kOutputs>>) {
      for (int k = 0; k < kOutputs; ++k) {
        store_partial<Same, T>(result[static_cast<std::size_t>(k)], out[k] + offset<Same>(i), left);
      }
    } else {
      store_partial<Output, T>(result, out[0] + offset<Output>(i), left);
    }
  }
};

/// The same for functors on single elements (integer division and the like), for which there are no vector
/// instructions or the compiler finds them by itself.
template <class T, class Signature>
struct ScalarLoop;

template <class T, class... Inputs>
struct ScalarLoop<T, Same(Inputs...)> {
  using InputIndices = std::make_index_sequence<sizeof...(Inputs)>;

  static void spread_over(T* to, T value, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = value;
  }

  template <class F, std::size_t... K>
  __attribute__((flatten)) static void run(const F& f, char* const* data, std::uint32_t broadcast,
                                           std::int64_t n, std::index_sequence<K...>) noexcept {
    static_assert((std::is_same_v<Inputs, Same> && ...));
    T* out = reinterpret_cast<T*>(data[0]);
    const T* in[] = {reinterpret_cast<const T*>(data[1 + K])...};
    const std::uint32_t inputs = broadcast >> 1;
    // A broadcast input is spread over a piece of memory, so that one loop serves all.
    constexpr std::int64_t kSpread = 128;
    T spread[sizeof...(Inputs)][kSpread];
    const std::int64_t piece = inputs == 0 || n < kSpread ? n : kSpread;
    ((inputs >> K & 1 ? spread_over(spread[K], *in[K], piece) : void()), ...);
    for (std::int64_t begin = 0; begin < n; begin += piece) {
      const std::int64_t count = n - begin < piece ? n - begin : piece;
      const T* x[] = {(inputs >> K & 1 ? spread[K] : in[K] + begin)...};
      for (std::int64_t i = 0; i < count; ++i) out[begin + i] = f(x[K][i]...);
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
