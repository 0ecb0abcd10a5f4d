#pragma once

#include <lanewise/kernels/elementwise.h>
#include <lanewise/kernels/halves.h>

/// The loop of cheap elementwise kernels over halves in memory: widened, calculated in f32 and rounded once in registers, without
/// the tiles that other kernels' halves pass through. Included by per-ISA files.
///
///   constinit const ElementwiseKernel mul = elementwise<Mul, Binary>(real) | over_halves<Mul, Binary>();
namespace lanewise::kernels::LANEWISE_ISA {

#if LANEWISE_HALF_LOOPS

template <class Half16, class Signature>
struct HalfLoop;

template <class Half16, class... Inputs>
struct HalfLoop<Half16, Same(Inputs...)> {
  static_assert((std::is_same_v<Inputs, Same> && ...));
  using Pair = HalfPair<Half16>;
  static constexpr int kInputs = sizeof...(Inputs);
  static constexpr int kLanes = vec::kRegisterBytes / 2;
  using InputIndices = std::make_index_sequence<kInputs>;

  /// An input whose bit is set in `broadcast` is one f32.
  template <class F, std::size_t... K>
  __attribute__((flatten)) static void run(const F& f, char* const* data, std::uint32_t broadcast,
                                           std::int64_t n, std::index_sequence<K...>) noexcept {
    auto* out = reinterpret_cast<Half16*>(data[0]);
    const Half16* in[] = {reinterpret_cast<const Half16*>(data[1 + K])...};
    const bool past =
        (broadcast & kStreamOutput) != 0 && reinterpret_cast<std::uintptr_t>(out) % vec::kRegisterBytes == 0;
    Pair number[kInputs];
    ((broadcast >> (K + 1) & 1 ? void(number[K] = splat(data[1 + K])) : void()), ...);
    const auto result = [&](const Half16* const(&from)[kInputs], std::int64_t i)
        __attribute__((always_inline)) {
      const Pair x[] = {(opaque(broadcast) >> (K + 1) & 1) != 0 ? number[K] : Pair::load(from[K] + i)...};
      return Pair{f(x[K].first...), f(x[K].second...)};
    };
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Pair y = result(in, i);
      opaque(past) != 0 ? y.stream(out + i) : y.store(out + i);
    }
    if (i < n) {
      Half16 rest[kInputs + 1][kLanes] = {};
      const auto bytes = static_cast<std::size_t>(n - i) * sizeof(Half16);
      const Half16* from[] = {rest[K]...};
      ((broadcast >> (K + 1) & 1 ? nullptr : __builtin_memcpy(rest[K], in[K] + i, bytes)), ...);
      result(from, 0).store(rest[kInputs]);
      __builtin_memcpy(out + i, rest[kInputs], bytes);
    }
  }

 private:
  /// x, of which compilers do not know that it stays: they would write a loop for every combination of bits.
  static LANEWISE_INLINE std::uint32_t opaque(std::uint32_t x) {
    __asm__("" : "+r"(x));
    return x;
  }
  static LANEWISE_INLINE Pair splat(const char* p) {
    float x;
    __builtin_memcpy(&x, p, sizeof x);
    return {vec::Vec<float>(x), vec::Vec<float>(x)};
  }
};

template <class F, class Signature>
constexpr KernelPart over_halves() {
  KernelPart part{Description<Signature>::kernel(1)};
  part.fill(static_cast<std::size_t>(ScalarType::Half), &entry<F, HalfLoop<Half, Signature>, float>);
  part.fill(static_cast<std::size_t>(ScalarType::BFloat16), &entry<F, HalfLoop<BFloat16, Signature>, float>);
  return part;
}

#else

template <class F, class Signature>
constexpr KernelPart over_halves() {
  return KernelPart{Description<Signature>::kernel(1)};
}

#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
