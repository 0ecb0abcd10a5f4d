#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <type_traits>
#include <utility>

#include <lanewise/kernels/elementwise_loop.h>

/// How a functor becomes an elementwise kernel. Included by per-ISA files.
///
///   struct Hypot { template <class V> V operator()(V x, V y) const noexcept; };
///   constinit const ElementwiseKernel hypot = elementwise<Hypot, Binary, 6>(floating);
///
/// A functor whose body depends on the parameters has instead
///   template <class T, class Run> static void choose(const KernelScalar* params, Run run);
/// which calls run(body) once, for all rows of a call. One that has a quicker body for its first input where each of the
/// others is one number for all has besides
///   template <class T, class Run> static bool by_numbers(const T (&others)[], std::int64_t n, Run run);
/// which calls run(body), or returns false. One that never returns false may have kStreams: then it is asked for rows with numbers of their
/// own, too, and in another by_numbers where so many inputs vary.
namespace lanewise::kernels::LANEWISE_ISA {

/// Whether the inputs after the first `Streams` are numbers, and F did the others so. Rows whose numbers are not the same only if F says
/// that it does all.
template <class F, class Loop, class T, int Streams>
LANEWISE_INLINE bool run_by_numbers(char* const* data, std::uint32_t broadcast, std::int64_t n) {
  constexpr std::uint32_t kRequests = kStreamOutput | kManyRows;
  constexpr int kOperands = Loop::kOutputs + Loop::kInputs, kFirst = Loop::kOutputs + Streams;
  if ((broadcast & ~kRequests) != (1u << kOperands) - (1u << kFirst)) return false;
  const auto run_rows = [=](char* const* rows, std::uint32_t requests) __attribute__((always_inline)) {
    T others[kOperands - kFirst];
    for (int k = 0; k < kOperands - kFirst; ++k) __builtin_memcpy(&others[k], rows[kFirst + k], sizeof(T));
    return F::template by_numbers<T>(others, n, [=](const auto& body) noexcept {
      using OfFirst = typename Loop::template OfFirst<Streams>;
      OfFirst::run(body, rows, requests, n, typename OfFirst::InputIndices{});
    });
  };
  const auto* rows = reinterpret_cast<const ElementwiseRows*>(data);
  if ((broadcast & kManyRows) == 0 || rows->moving == 0) return run_rows(data, broadcast & kRequests);
  if constexpr (requires { F::kStreams; }) {
    char* at[kOperands];
    for (int k = 0; k < kOperands; ++k) at[k] = data[k];
    for (std::int64_t r = 0; r < rows->count; ++r) {
      run_rows(at, broadcast & kStreamOutput);
      for (int k = 0; k < kOperands; ++k) at[k] += rows->step[static_cast<std::size_t>(k)];
    }
    return true;
  }
  return false;
}

template <class F, class Loop, class T>
void entry(char* const* data, std::uint32_t broadcast, std::int64_t n, const KernelScalar* params) noexcept {
  const auto run = [=](const auto& body) noexcept {
    Loop::run(body, data, broadcast, n, typename Loop::InputIndices{});
  };
  if constexpr (requires(const T(&others)[Loop::kInputs - 1]) {
                  typename Loop::template OfFirst<1>;
                  F::template by_numbers<T>(others, n, run);
                }) {
    if (run_by_numbers<F, Loop, T, 1>(data, broadcast, n)) return;
    if constexpr (requires { F::kStreams; }) {
      if (run_by_numbers<F, Loop, T, F::kStreams>(data, broadcast, n)) return;
    }
  }
  if constexpr (requires { F::template choose<T>(params, run); }) {
    F::template choose<T>(params, run);
  } else {
    static_cast<void>(params);
    run(F{});
  }
}

/// x as it is.
struct Copy {
  template <class V>
  V operator()(V x) const noexcept {
    return x;
  }
  template <class T>
  static bool is_partwise(const KernelScalar*) {
    return true;
  }
};

/// What F does to complex numbers whose parts lie side by side in a register: F itself to all of them, or its Parts.
template <class F>
struct PartsOf {
  using type = F;
};
template <class F>
  requires requires { typename F::Parts; }
struct PartsOf<F> {
  using type = typename F::Parts;
};

/// Whether the loop of F over real numbers serves complex ones too, which need not be taken apart.
template <class F, class T>
inline constexpr bool kServesComplex = false;
template <class F, std::floating_point T>
inline constexpr bool kServesComplex<F, T> = requires {
  F::template is_partwise<std::complex<T>>(nullptr);
};
template <class F, class T, int Cost, class Signature>
using LoopOf = Loop<T, Cost, Signature, kServesComplex<F, T>>;

/// Of complex numbers which need not be taken apart: they are twice as many real numbers.
template <class F, class Signature, class T>
struct Partwise {
  using Real = real_of<T>;
  using RealLoop = Loop<Real, 1, Signature, true>;

  static void run(char* const* data, std::uint32_t broadcast, std::int64_t n,
                  const KernelScalar* params) noexcept {
    if (F::template is_partwise<T>(params))
      return entry<typename PartsOf<F>::type, RealLoop, Real>(data, broadcast | kPairs, 2 * n, params);
    constexpr auto kWhole = &entry<F, Loop<T, kCompactCost, Signature>, T>;
    if ((broadcast & kManyRows) == 0) return kWhole(data, broadcast, n, params);
    const auto& rows = *reinterpret_cast<const ElementwiseRows*>(data);
    std::array<char*, kMaxOperands> at = rows.data;
    for (std::int64_t r = 0; r < rows.count; ++r) {
      kWhole(at.data(), broadcast & ~kManyRows, n, params);
      for (int k = 0; k <= RealLoop::kInputs; ++k)
        at[static_cast<std::size_t>(k)] += rows.step[static_cast<std::size_t>(k)];
    }
  }
};

template <class Signature>
struct Description;

template <class Output, class... Inputs>
struct Description<Output(Inputs...)> {
  static constexpr ElementwiseKernel kernel(float cost) {
    return {1, static_cast<std::uint8_t>(sizeof...(Inputs)), {Output::role, Inputs::role...}, cost, {}};
  }
};
template <int N, class... Inputs>
struct Description<Several<N>(Inputs...)> {
  static constexpr ElementwiseKernel kernel(float cost) {
    static_assert((std::is_same_v<Inputs, Same> && ...));
    static_assert(N + sizeof...(Inputs) <= kMaxOperands);
    return {static_cast<std::uint8_t>(N), static_cast<std::uint8_t>(sizeof...(Inputs)), {}, cost, {}};
  }
};

/// A kernel, and for which types it has been given a function: comparing function pointers with null is not a
/// constant expression under the sanitizers.
struct KernelPart {
  ElementwiseKernel kernel;
  std::array<bool, kNumScalarTypes> filled{};
  constexpr void fill(std::size_t type, ElementwiseFn fn, bool streams = false, bool rows = false) {
    kernel.fn[type] = fn;
    filled[type] = true;
    const auto bit = static_cast<std::uint16_t>(1u << type);
    kernel.streams = static_cast<std::uint16_t>(streams ? kernel.streams | bit : kernel.streams & ~bit);
    kernel.rows = static_cast<std::uint16_t>(rows ? kernel.rows | bit : kernel.rows & ~bit);
  }
  constexpr operator ElementwiseKernel() const { return kernel; }
};

/// The kernel of functor F for the listed element types; `Cost` is relative to one f32 addition.
template <class F, class Signature, int Cost = 1, class... T>
constexpr KernelPart elementwise(Types<T...>) {
  KernelPart part{Description<Signature>::kernel(Cost)};
  (part.fill(index_of<T>, &entry<F, LoopOf<F, T, Cost, Signature>, T>, Loop<T, Cost, Signature>::kStreams,
             Loop<T, Cost, Signature>::kTakesRows),
   ...);
  return part;
}

/// The same with one function for all of the types of a size: for a functor that moves elements, or whose results have the same
/// bits for signed and unsigned integers.
template <class F, class Signature, int Cost = 1, class... T>
constexpr KernelPart by_size(Types<T...>) {
  KernelPart part{Description<Signature>::kernel(Cost)};
  (part.fill(index_of<T>, &entry<F, Loop<bits_of<T>, Cost, Signature>, bits_of<T>>,
             Loop<bits_of<T>, Cost, Signature>::kStreams, Loop<bits_of<T>, Cost, Signature>::kTakesRows),
   ...);
  return part;
}

/// The same for a functor on single elements.
template <class F, class Signature, int Cost = 1, class... T>
constexpr KernelPart scalarwise(Types<T...>) {
  KernelPart part{Description<Signature>::kernel(Cost)};
  (part.fill(index_of<T>, &entry<F, ScalarLoop<T, Signature>, T>), ...);
  return part;
}

/// The same of F for complex types, where F says for which parameters it is_partwise().
template <class F, class Signature, class... T>
constexpr KernelPart partwise(Types<T...>) {
  KernelPart part{Description<Signature>::kernel(1)};
  (part.fill(index_of<T>, &Partwise<F, Signature, T>::run, Partwise<F, Signature, T>::RealLoop::kStreams,
             Partwise<F, Signature, T>::RealLoop::kTakesRows),
   ...);
  return part;
}

/// One kernel from two with different functors for different types. Its cost is that of the first.
constexpr KernelPart operator|(KernelPart a, const KernelPart& b) {
  for (std::size_t t = 0; t < b.filled.size(); ++t) {
    if (!b.filled[t]) continue;
    a.fill(t, b.kernel.fn[t], (b.kernel.streams >> t & 1) != 0, (b.kernel.rows >> t & 1) != 0);
  }
  return a;
}

}  // namespace lanewise::kernels::LANEWISE_ISA
