// Contiguous conversions between all twelve types, and the table of movers.

#include <array>
#include <utility>

#include <lanewise/kernels/convert_element.h>
#include <lanewise/kernels/halves.h>
#include <lanewise/kernels/kernel_declarations.h>
#include <lanewise/kernels/loop_hints.h>
#include <lanewise/kernels/movers_strided.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <std::size_t Type>
struct ElementAt;
// clang-format off
template <> struct ElementAt<0> { using type = BoolByte; };
template <> struct ElementAt<1> { using type = std::uint8_t; };
template <> struct ElementAt<2> { using type = std::int8_t; };
template <> struct ElementAt<3> { using type = std::int16_t; };
template <> struct ElementAt<4> { using type = std::int32_t; };
template <> struct ElementAt<5> { using type = std::int64_t; };
template <> struct ElementAt<6> { using type = Half; };
template <> struct ElementAt<7> { using type = BFloat16; };
template <> struct ElementAt<8> { using type = float; };
template <> struct ElementAt<9> { using type = double; };
template <> struct ElementAt<10> { using type = std::complex<float>; };
template <> struct ElementAt<11> { using type = std::complex<double>; };
// clang-format on

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Copies of elements of one size, whatever they mean.
template <class T>
void copy_elements(const char* from, char* to, std::int64_t n) noexcept {
  if (n > 0) __builtin_memmove(to, from, static_cast<std::size_t>(n) * sizeof(T));
}

template <class From, class To>
void convert(const char* from, char* to, std::int64_t n) noexcept {
  const auto* x = reinterpret_cast<const From*>(from);
  auto* y = reinterpret_cast<To*>(to);
  LANEWISE_NO_LOOP_DEPENDENCE
  for (std::int64_t i = 0; i < n; ++i) y[i] = convert_element<To>(x[i]);
}

/// To bool, or the real part.
template <class From, class To>
void convert_from_complex(const char* from, char* to, std::int64_t n) noexcept {
  const auto* x = reinterpret_cast<const real_of<From>*>(from);
  auto* y = reinterpret_cast<To*>(to);
  LANEWISE_NO_LOOP_DEPENDENCE
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<To, BoolByte>) {
      y[i] = {static_cast<std::uint8_t>((x[2 * i] != 0) | (x[2 * i + 1] != 0))};
    } else {
      y[i] = x[2 * i];
    }
  }
}

/// Real parts, with imaginary parts of 0.
template <class R>
void convert_to_complex(const char* from, char* to, std::int64_t n) noexcept {
  const auto* x = reinterpret_cast<const R*>(from);
  auto* y = reinterpret_cast<R*>(to);
  LANEWISE_NO_LOOP_DEPENDENCE
  for (std::int64_t i = 0; i < n; ++i) {
    y[2 * i] = x[i];
    y[2 * i + 1] = 0;
  }
}

/// Both parts of complex numbers.
template <class From, class To>
void convert_parts(const char* from, char* to, std::int64_t n) noexcept {
  convert<real_of<From>, real_of<To>>(from, to, 2 * n);
}

#if defined(LANEWISE_ISA_AVX2) || defined(LANEWISE_ISA_AVX512)
// Eight halves at a time; the last eight overlap the ones before, fewer go through the same instructions in a buffer.
#define LANEWISE_HALF_INSTRUCTIONS 1

LANEWISE_INLINE void widen_eight(const Half* from, float* to) {
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}

LANEWISE_INLINE void narrow_eight(const float* from, Half* to) {
  const __m128i bits = _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bits);
}

void widen_halves(const char* from, char* to, std::int64_t n) noexcept {
  const auto* x = reinterpret_cast<const Half*>(from);
  auto* y = reinterpret_cast<float*>(to);
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) widen_eight(x + i, y + i);
  if (i < n && n > 8) {
    widen_eight(x + n - 8, y + n - 8);
  } else if (i < n) {
    Half in[8] = {};
    float out[8];
    __builtin_memcpy(in, x + i, static_cast<std::size_t>(n - i) * sizeof(Half));
    widen_eight(in, out);
    __builtin_memcpy(y + i, out, static_cast<std::size_t>(n - i) * sizeof(float));
  }
}

void narrow_halves(const char* from, char* to, std::int64_t n) noexcept {
  const auto* x = reinterpret_cast<const float*>(from);
  auto* y = reinterpret_cast<Half*>(to);
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) narrow_eight(x + i, y + i);
  if (i < n && n > 8) {
    narrow_eight(x + n - 8, y + n - 8);
  } else if (i < n) {
    float in[8] = {};
    Half out[8];
    __builtin_memcpy(in, x + i, static_cast<std::size_t>(n - i) * sizeof(float));
    narrow_eight(in, out);
    __builtin_memcpy(y + i, out, static_cast<std::size_t>(n - i) * sizeof(Half));
  }
}
#else
#define LANEWISE_HALF_INSTRUCTIONS 0
#endif

// Compilers narrow to bfloat16 at half the speed of these.
#if defined(LANEWISE_ISA_AVX512)
#define LANEWISE_BFLOAT_INSTRUCTIONS 1

/// Where the upper halves of 32 bits stand in two registers.
constexpr auto kUpperHalves = [] {
  std::array<std::uint16_t, 32> at{};
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<std::uint16_t>(2 * i + 1);
  return at;
}();

void narrow_bfloats(const char* from, char* to, std::int64_t n) noexcept {
  const auto* x = reinterpret_cast<const float*>(from);
  auto* y = reinterpret_cast<BFloat16*>(to);
  const __m512i chosen = _mm512_loadu_si512(kUpperHalves.data());
  const auto packed = [&](__m512 low, __m512 high) {
    return _mm512_permutex2var_epi16(narrow_sixteen_bfloats(low), chosen, narrow_sixteen_bfloats(high));
  };
  std::int64_t i = 0;
  for (; i + 32 <= n; i += 32)
    _mm512_storeu_si512(y + i, packed(_mm512_loadu_ps(x + i), _mm512_loadu_ps(x + i + 16)));
  if (i == n) return;
  const std::uint32_t left = (std::uint32_t{1} << (n - i)) - 1;
  const auto low = static_cast<__mmask16>(left), high = static_cast<__mmask16>(left >> 16);
  _mm512_mask_storeu_epi16(
      y + i, left, packed(_mm512_maskz_loadu_ps(low, x + i), _mm512_maskz_loadu_ps(high, x + i + 16)));
}
#elif defined(LANEWISE_ISA_AVX2)
#define LANEWISE_BFLOAT_INSTRUCTIONS 1

void narrow_bfloats(const char* from, char* to, std::int64_t n) noexcept {
  const auto* x = reinterpret_cast<const float*>(from);
  auto* y = reinterpret_cast<BFloat16*>(to);
  const auto narrow_sixteen = [=](std::int64_t i) {
    const __m256i low = _mm256_srli_epi32(narrow_eight_bfloats(_mm256_loadu_ps(x + i)), 16);
    const __m256i high = _mm256_srli_epi32(narrow_eight_bfloats(_mm256_loadu_ps(x + i + 8)), 16);
    const __m256i packed = _mm256_packus_epi32(low, high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + i), _mm256_permute4x64_epi64(packed, 0xd8));
  };
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) narrow_sixteen(i);
  if (i < n && n > 16) return narrow_sixteen(n - 16);
  for (; i < n; ++i) y[i] = narrow_bfloat16(x[i]);
}
#else
#define LANEWISE_BFLOAT_INSTRUCTIONS 0
#endif

/// By way of another type, a cache-resident piece at a time.
void convert_through(ConvertFn first, std::int64_t from_size, ConvertFn second, std::int64_t to_size,
                     std::int64_t size, const char* from, char* to, std::int64_t n) noexcept {
  constexpr std::int64_t kPieceBytes = 4096;
  alignas(64) char piece[kPieceBytes];
  const std::int64_t most = kPieceBytes / size;
  for (std::int64_t i = 0; i < n; i += most) {
    const std::int64_t m = n - i < most ? n - i : most;
    first(from + i * from_size, piece, m);
    second(piece, to + i * to_size, m);
  }
}

template <class From, class To>
constexpr ConvertFn convert_fn();

template <class From, class To, class Through>
void convert_by(const char* from, char* to, std::int64_t n) noexcept {
  convert_through(convert_fn<From, Through>(), sizeof(From), convert_fn<Through, To>(), sizeof(To),
                  sizeof(Through), from, to, n);
}

template <class From, class To>
constexpr ConvertFn convert_fn() {
  if constexpr (std::is_same_v<From, BoolByte> && std::is_same_v<To, BoolByte>) {
    return convert<BoolByte, std::uint8_t>;  // makes any true byte a one
  } else if constexpr (std::is_same_v<From, To>) {
    return copy_elements<To>;
#if LANEWISE_HALF_INSTRUCTIONS
  } else if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, float>) {
    return widen_halves;
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Half>) {
    return narrow_halves;
#endif
#if LANEWISE_BFLOAT_INSTRUCTIONS
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, BFloat16>) {
    return narrow_bfloats;
#endif
  } else if constexpr ((is_half<From> && std::is_same_v<To, float>) ||
                       (std::is_same_v<From, float> && is_half<To>)) {
    return convert<From, To>;
  } else if constexpr (is_half<From> || is_half<To>) {
    return convert_by<From, To, float>;
  } else if constexpr (is_complex<From> && is_complex<To>) {
    return convert_parts<From, To>;
  } else if constexpr (is_complex<To>) {
    // The parts of complex numbers are the type that other real ones pass: 40 KB less in all.
    if constexpr (std::is_same_v<From, real_of<To>>) {
      return convert_to_complex<From>;
    } else {
      return convert_by<From, To, real_of<To>>;
    }
  } else if constexpr (std::is_same_v<To, std::int8_t>) {
    return convert_fn<From, std::uint8_t>();  // the same bits
  } else if constexpr (std::is_same_v<From, std::int8_t> && std::is_same_v<To, std::uint8_t>) {
    return copy_elements<To>;
  } else if constexpr (is_complex<From>) {
    if constexpr (std::is_same_v<To, real_of<From>> || std::is_same_v<To, BoolByte>) {
      return convert_from_complex<From, To>;
    } else {
      return convert_by<From, To, real_of<From>>;
    }
  } else {
    return convert<From, To>;
  }
}

template <std::size_t From, std::size_t... To>
constexpr std::array<ConvertFn, kNumScalarTypes> convert_row(std::index_sequence<To...>) {
  return {convert_fn<typename ElementAt<From>::type, typename ElementAt<To>::type>()...};
}

template <std::size_t... From>
constexpr Movers movers_of(std::index_sequence<From...> all) {
  return {{convert_row<From>(all)...},
          {gather_1, gather_2, gather_4, gather_8, gather_16},
          {scatter_1, scatter_2, scatter_4, scatter_8, scatter_16},
          arrange,
          arrange_bytes,
          arrange_long,
          copy_rows,
          vec::kRegisterBytes,
          kHasMaskedEnds ? vec::kRegisterBytes : 0};
}

}  // namespace

constinit const Movers movers = movers_of(std::make_index_sequence<kNumScalarTypes>{});

}  // namespace lanewise::kernels::LANEWISE_ISA
