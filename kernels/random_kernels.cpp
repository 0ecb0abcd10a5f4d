// Random numbers, see Note [Random numbers from positions] in philox.h.

#include <bit>
#include <limits>

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/kernel_declarations.h>
#include <lanewise/kernels/philox.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

constexpr int kBlocks = 64;  // generated at a time
constexpr int kWords = 4 * kBlocks;

/// Values of `Maker` for positions [first, first + n): whole pieces of kBlocks blocks are made in a buffer,
/// and what was asked for is copied out.
template <class T, class Maker>
void draw(char* out, std::int64_t first, std::int64_t n, const KernelScalar* params) noexcept {
  const Philox philox{static_cast<std::uint64_t>(params[0].i), static_cast<std::uint64_t>(params[1].i)};
  const Maker maker(params);
  constexpr std::int64_t kPiece = std::int64_t{kBlocks} * Maker::kPerBlock;
  alignas(64) std::uint32_t words[kWords];
  alignas(64) T values[kPiece];
  while (n > 0) {
    // Small draws need few blocks.
    const std::int64_t block = first / Maker::kPerBlock;
    const std::int64_t skip = first % Maker::kPerBlock;
    const std::int64_t wanted = (skip + n + Maker::kPerBlock - 1) / Maker::kPerBlock;
    const int lanes = vec::Vec<std::uint8_t>::size / 4;  // so that values fill whole registers
    const int blocks = wanted >= kBlocks ? kBlocks : static_cast<int>((wanted + lanes - 1) / lanes) * lanes;
    philox.generate(static_cast<std::uint64_t>(block), blocks, words);
    maker.make(words, blocks, values);
    const std::int64_t made = std::int64_t{blocks} * Maker::kPerBlock - skip;
    const std::int64_t count = n < made ? n : made;
    __builtin_memcpy(out, values + skip, static_cast<std::size_t>(count) * sizeof(T));
    out += count * static_cast<std::int64_t>(sizeof(T));
    first += count;
    n -= count;
  }
}

// Uniform in [0, 1) from the leading bits, and in (0, 1] with all bits, which the logarithm of Box and Muller
// wants.

LANEWISE_INLINE vec::Vec<float> unit(vec::Vec<std::uint32_t> w) {
  return vec::convert<float>(vec::bitcast<std::int32_t>(w >> 8)) * vec::Vec<float>(0x1p-24f);
}
LANEWISE_INLINE vec::Vec<double> unit(vec::Vec<std::uint64_t> w) {
  return vec::convert<double>(vec::bitcast<std::int64_t>(w >> 11)) * vec::Vec<double>(0x1p-53);
}
LANEWISE_INLINE vec::Vec<float> positive_unit(vec::Vec<std::uint32_t> w) {
  return (vec::convert<float>(vec::bitcast<std::int32_t>(w >> 1)) + vec::Vec<float>(0.5f)) *
         vec::Vec<float>(0x1p-31f);
}
LANEWISE_INLINE vec::Vec<double> positive_unit(vec::Vec<std::uint64_t> w) {
  return (vec::convert<double>(vec::bitcast<std::int64_t>(w >> 1)) + vec::Vec<double>(0.5)) *
         vec::Vec<double>(0x1p-63);
}

template <class T>
using WordOf = vec::detail::UnsignedOf<T>;

/// The largest number below x.
template <class T>
T next_below(T x) {
  using Bits = WordOf<T>;
  if (x == 0) return -std::numeric_limits<T>::denorm_min();
  const auto bits = __builtin_bit_cast(Bits, x);
  return __builtin_bit_cast(T, static_cast<Bits>(x > 0 ? bits - 1 : bits + 1));
}

template <class T>
struct Uniform {
  static constexpr std::int64_t kPerBlock = 16 / sizeof(T);
  T from, width, last;

  explicit Uniform(const KernelScalar* params)
      : from(scalar_as<T>(params[2])),
        width(static_cast<T>(params[3].re - params[2].re)),
        last(from < scalar_as<T>(params[3]) ? next_below(scalar_as<T>(params[3])) : from) {}

  void make(const std::uint32_t* words, int blocks, T* values) const noexcept {
    using V = vec::Vec<T>;
    for (std::int64_t i = 0; i < blocks * kPerBlock; i += V::size) {
      const auto w = vec::Vec<WordOf<T>>::load(reinterpret_cast<const WordOf<T>*>(words) + i);
      vec::minimum(unit(w) * V(width) + V(from), V(last)).store(values + i);  // rounding may reach the bound
    }
  }
};

/// Box and Muller's method. Real and imaginary parts are elements 2k and 2k + 1.
template <class T>
struct Normal {
  static constexpr std::int64_t kPerBlock = 16 / sizeof(T);
  T even_mean, odd_mean, deviation;

  explicit Normal(const KernelScalar* params)
      : even_mean(scalar_as<T>(params[2])), odd_mean(even_mean), deviation(scalar_as<T>(params[3])) {}

  void make(const std::uint32_t* words, int blocks, T* values) const noexcept {
    using V = vec::Vec<T>;
    using W = vec::Vec<WordOf<T>>;
    constexpr auto kLanes = std::make_index_sequence<static_cast<std::size_t>(V::size)>{};
    for (std::int64_t i = 0; i < blocks * kPerBlock; i += 2 * V::size) {
      const auto* w = reinterpret_cast<const WordOf<T>*>(words) + i;
      W even;
      W odd;
      vec::detail::deinterleave<WordOf<T>>(W::load(w).reg, W::load(w + V::size).reg, even.reg, odd.reg,
                                           kLanes);
      const V radius = vec::sqrt(V(T(-2)) * vec::log(positive_unit(even))) * V(deviation);
      const V angle = unit(odd) * V(static_cast<T>(6.283185307179586476925286766559));
      const V x = radius * vec::cos(angle) + V(even_mean);
      const V y = radius * vec::sin(angle) + V(odd_mean);
      V a;
      V b;
      vec::detail::interleave<T>(x.reg, y.reg, a.reg, b.reg, kLanes);
      a.store(values + i);
      b.store(values + i + V::size);
    }
  }
};

/// low + floor(word * range / 2^64); the bias is below range / 2^64. A range of 2^64 comes as 0.
template <class T>
struct RandomInt {
  static constexpr std::int64_t kPerBlock = 2;
  std::uint64_t low, range;

  explicit RandomInt(const KernelScalar* params)
      : low(static_cast<std::uint64_t>(params[2].i)), range(static_cast<std::uint64_t>(params[3].i) - low) {}

  void make(const std::uint32_t* words, int blocks, T* values) const noexcept {
    const auto* w = reinterpret_cast<const std::uint64_t*>(words);
    for (std::int64_t i = 0; i < blocks * kPerBlock; ++i) {
      const std::uint64_t offset = range == 0 ? w[i] : high_product(w[i], range);
      const auto value = static_cast<std::int64_t>(low + offset);
      if constexpr (std::is_same_v<T, bool>) {
        values[i] = value != 0;
      } else {
        values[i] = static_cast<T>(value);
      }
    }
  }
  static LANEWISE_INLINE std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
  }
};

template <class T>
struct Bernoulli {
  static constexpr std::int64_t kPerBlock = 4;
  std::uint64_t threshold;  // of 2^32

  explicit Bernoulli(const KernelScalar* params) {
    const double p = params[2].re;
    threshold = p >= 1 ? std::uint64_t{1} << 32 : p > 0 ? static_cast<std::uint64_t>(p * 0x1p32) : 0;
  }

  void make(const std::uint32_t* words, int blocks, T* values) const noexcept {
    for (std::int64_t i = 0; i < blocks * kPerBlock; ++i) values[i] = static_cast<T>(words[i] < threshold);
  }
};

/// Complex numbers are pairs of real ones.
template <class T>
void uniform_complex(char* out, std::int64_t first, std::int64_t n, const KernelScalar* params) noexcept {
  draw<T, Uniform<T>>(out, 2 * first, 2 * n, params);
}

template <class T>
struct NormalPart : Normal<T> {
  explicit NormalPart(const KernelScalar* params) : Normal<T>(params) {
    this->odd_mean = static_cast<T>(params[2].im);
    this->deviation = static_cast<T>(params[3].re * 0.70710678118654752440084436210485);
  }
};
template <class T>
void normal_complex(char* out, std::int64_t first, std::int64_t n, const KernelScalar* params) noexcept {
  draw<T, NormalPart<T>>(out, 2 * first, 2 * n, params);
}

template <template <class> class Maker, class... T>
constexpr IndexedKernel random_kernel(float cost, Types<T...>) {
  IndexedKernel kernel{cost, {}};
  ((kernel.fn[index_of<T>] = &draw<T, Maker<T>>), ...);
  return kernel;
}

constexpr IndexedKernel with_complex(IndexedKernel kernel, IndexedFn f32, IndexedFn f64) {
  kernel.fn[index_of<std::complex<float>>] = f32;
  kernel.fn[index_of<std::complex<double>>] = f64;
  return kernel;
}

}  // namespace

constinit const IndexedKernel uniform =
    with_complex(random_kernel<Uniform>(8, floating), &uniform_complex<float>, &uniform_complex<double>);
constinit const IndexedKernel normal =
    with_complex(random_kernel<Normal>(20, floating), &normal_complex<float>, &normal_complex<double>);
constinit const IndexedKernel random_int = random_kernel<RandomInt>(16, boolean + real);
constinit const IndexedKernel bernoulli = random_kernel<Bernoulli>(8, boolean + real);

}  // namespace lanewise::kernels::LANEWISE_ISA
