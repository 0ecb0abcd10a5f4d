// Gather and scatter of two-dimensional blocks.

#include <lanewise/kernels/deinterleave.h>
#include <lanewise/kernels/interleave.h>
#include <lanewise/kernels/movers_strided.h>
#include <lanewise/kernels/repeat_elements.h>
#include <lanewise/kernels/sixteen_bytes.h>
#include <lanewise/kernels/transpose.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

std::int64_t magnitude(std::int64_t x) { return x < 0 ? -x : x; }

/// memcpy that does not call for small sizes; for those from 64 to 512, the last 64 bytes may be copied twice.
LANEWISE_INLINE void copy_bytes(char* to, const char* from, std::int64_t n) {
  if (n < 64) {
    vec::detail::copy_short<64, 1>(to, from, static_cast<int>(n));
  } else if (n <= 512) {
    for (std::int64_t at = 0; at < n - 64; at += 64) __builtin_memcpy(to + at, from + at, 64);
    __builtin_memcpy(to + n - 64, from + n - 64, 64);
  } else {
    __builtin_memcpy(to, from, static_cast<std::size_t>(n));
  }
}

template <class T>
LANEWISE_INLINE void copy_element(const char* from, char* to) {
  T x;
  __builtin_memcpy(&x, from, sizeof x);
  __builtin_memcpy(to, &x, sizeof x);
}

/// Elements that lie kStep apart, backward if it is negative, as many as sixteen bytes hold: from as many loads of sixteen bytes,
/// which read nothing below or above them.
template <class T, int kStep>
struct ElementsApart {
  static constexpr int kWidth = sizeof(T), kTogether = 16 / kWidth, kLoads = kStep < 0 ? -kStep : kStep;
  static constexpr int kSpan = (kTogether - 1) * kLoads * kWidth + kWidth;

  std::uint8_t place[kLoads][16] = {};  // of the bytes that come from each load

  static constexpr int offset(int load) { return load < kLoads - 1 ? 16 * load : kSpan - 16; }

  constexpr ElementsApart() {
    for (int k = 0; k < kLoads; ++k) {
      for (int b = 0; b < 16; ++b) {
        const int e = kStep < 0 ? kTogether - 1 - b / kWidth : b / kWidth;
        const int at = e * kLoads * kWidth + b % kWidth - offset(k);
        place[k][b] = static_cast<std::uint8_t>(at >= 0 && at < 16 ? at : 128);
      }
    }
  }

  /// `low`: the one at the lowest address.
  LANEWISE_INLINE SixteenBytes load(const char* low) const {
    SixteenBytes all = arranged(load_sixteen(low), load_sixteen(place[0]));
    for (int k = 1; k < kLoads; ++k)
      all = all | arranged(load_sixteen(low + offset(k)), load_sixteen(place[k]));
    return all;
  }
};

/// to[i] = from[i * kStep], in elements. What lies around them is not read.
template <class T, int kStep>
[[gnu::noinline]] void every(const char* from, char* to, std::int64_t n) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  std::int64_t i = 0;
  if constexpr (kSize <= 2 || kStep < 0) {
    static constexpr ElementsApart<T, kStep> kApart;
    constexpr std::int64_t kTogether = kApart.kTogether;
    if (n >= kTogether) {
      const char* const low = kStep < 0 ? from - (kApart.kSpan - kSize) : from;
      for (; i + kTogether < n; i += kTogether)
        store_sixteen(to + i * kSize, kApart.load(low + i * kStep * kSize));
      // The last with some of what has been copied: `to` lies apart from `from`.
      return store_sixteen(to + (n - kTogether) * kSize, kApart.load(low + (n - kTogether) * kStep * kSize));
    }
  }
#if defined(LANEWISE_ISA_AVX512)
  if constexpr (kSize == 16 && kStep == 2) {
    for (; i + 4 < n; i += 4) {  // what follows the last one is not read
      const char* const four = from + i * 2 * kSize;
      _mm512_storeu_si512(to + i * kSize, _mm512_shuffle_i64x2(_mm512_loadu_si512(four),
                                                               _mm512_loadu_si512(four + 64), 0b10'00'10'00));
    }
  }
#endif
  for (; i < n; ++i) copy_element<T>(from + i * kStep * kSize, to + i * kSize);
}

/// to[i] = from[-i], in elements, for each of some rows, which are put side by side. Read in the order of memory, which is that in which
/// hardware asks for lines by itself: but not on a Zen 4 where each line is one load, of 64 bytes, which takes three times as long from
/// memory.
template <class T>
[[gnu::noinline]] void reversed(const char* from, std::int64_t row_stride, char* to, std::int64_t rows,
                                std::int64_t cols) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t row_bytes = cols * kSize;
  std::uint8_t place[16];
  for (int i = 0; i < 16; ++i)
    place[i] = static_cast<std::uint8_t>((i / kSize + 1) * -kSize + 16 + i % kSize);
  const SixteenBytes places = load_sixteen(place);
  from += kSize - row_bytes;
  for (std::int64_t r = 0; r < rows; ++r, from += row_stride, to += row_bytes) {
    const char* in = from;
    char* out = to + row_bytes;
    if (kSize == 16 || row_bytes < 16) {
      for (; out != to; in += kSize) copy_element<T>(in, out -= kSize);
      continue;
    }
    if (row_bytes <= 32) {
      const SixteenBytes first = load_sixteen(in), last = load_sixteen(in + row_bytes - 16);
      store_sixteen(to, arranged(last, places));
      store_sixteen(out - 16, arranged(first, places));
      continue;
    }
    std::int64_t left = row_bytes;
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
    for (const __m256i twice = _mm256_broadcastsi128_si256(places); left > 32; left -= 32, in += 32) {
      const __m256i v = _mm256_shuffle_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)), twice);
      out -= 32;
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permute4x64_epi64(v, 0b01'00'11'10));
    }
#endif
    for (; left > 16; left -= 16, in += 16) store_sixteen(out -= 16, arranged(load_sixteen(in), places));
    // The last with some of what has been copied.
    store_sixteen(to, arranged(load_sixteen(in + left - 16), places));
  }
}

#if defined(LANEWISE_ISA_AVX512)
/// to[2 i] = from[i], in elements, for the first of n; returns how many. What lies between is neither read nor written. Stores
/// under masks wait for their lines, and not all hardware asks for those ahead: with them asked for, 4M f32 take 0.6 of the time (Zen 5).
template <class T>
[[gnu::noinline]] std::int64_t to_every_second(const char* from, char* to, std::int64_t n,
                                               std::int64_t ahead) {
  constexpr std::int64_t kLanes = 32 / static_cast<std::int64_t>(sizeof(T));
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes, from += 32, to += 64) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    __builtin_prefetch(to + ahead, 1);
    if constexpr (sizeof(T) == 1) {
      _mm512_mask_storeu_epi8(to, 0x5555555555555555u, _mm512_cvtepu8_epi16(v));
    } else if constexpr (sizeof(T) == 2) {
      _mm512_mask_storeu_epi16(to, 0x55555555u, _mm512_cvtepu16_epi32(v));
    } else if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_epi32(to, 0x5555u, _mm512_cvtepu32_epi64(v));
    } else if constexpr (sizeof(T) == 8) {
      const __m512i places = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
      _mm512_mask_storeu_epi64(to, 0x55u, _mm512_permutexvar_epi64(places, _mm512_castsi256_si512(v)));
    } else {
      const __m512i whole = _mm512_castsi256_si512(v);
      _mm512_mask_storeu_epi64(to, 0x33u, _mm512_shuffle_i64x2(whole, whole, 0b01'01'00'00));
    }
  }
  return i;
}
#endif

/// to[i] = from[i], both strided; the distances that matter are constants, so that compilers find vector
/// code.
template <class T>
[[gnu::noinline]] void copy_run(const char* from, std::int64_t from_stride, char* to, std::int64_t to_stride,
                                std::int64_t n, [[maybe_unused]] std::int64_t ahead = 0) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  if constexpr (sizeof(T) <= 4) {
    if (to_stride == kSize && from_stride == 3 * kSize) return every<T, 3>(from, to, n);
    if (to_stride == kSize && from_stride == 4 * kSize) return every<T, 4>(from, to, n);
    if (to_stride == kSize && from_stride == -2 * kSize) return every<T, -2>(from, to, n);
  }
  if (to_stride == kSize && from_stride == -kSize) {
    reversed<T>(from, 0, to, 1, n);
  } else if (to_stride == kSize && from_stride == 2 * kSize) {
    every<T, 2>(from, to, n);
  } else {
    std::int64_t i = 0;
#if defined(LANEWISE_ISA_AVX512)
    if (from_stride == kSize && to_stride == 2 * kSize) i = to_every_second<T>(from, to, n, ahead);
#endif
    from += i * from_stride;
    to += i * to_stride;
    // Two are read before they are written: loops of one element, if they lie across two lines of code, take up to twice as long.
    for (; i + 1 < n; i += 2, from += 2 * from_stride, to += 2 * to_stride) {
      T first, second;
      __builtin_memcpy(&first, from, sizeof first);
      __builtin_memcpy(&second, from + from_stride, sizeof second);
      __builtin_memcpy(to, &first, sizeof first);
      __builtin_memcpy(to + to_stride, &second, sizeof second);
    }
    if (i < n) copy_element<T>(from, to);
  }
}

/// Rows of a cache line at most, packed: `kWide` bytes are copied for each, whatever its length. What is too much is overwritten by
/// the next row, and what is read too much lies within the block; where it would not, and in the last rows, they are copied exactly.
template <int kWide>
void pack_short_rows(const char* from, std::int64_t row_stride, std::int64_t rows, std::int64_t row_bytes,
                     char* tile) {
  const std::int64_t step = magnitude(row_stride), too_much = kWide - row_bytes;
  const std::int64_t exact = (too_much + step - 1) / step;  // of the rows that end at the block's end
  const std::int64_t writable = rows - (kWide + row_bytes - 1) / row_bytes + 1;
  const std::int64_t first = row_stride < 0 ? exact : 0, readable = row_stride < 0 ? rows : rows - exact;
  const std::int64_t last = readable < writable ? readable : writable;
  std::int64_t r = 0;
  const auto exactly = [&](std::int64_t end) {
    for (; r < end; ++r, from += row_stride, tile += row_bytes) copy_bytes(tile, from, row_bytes);
  };
  exactly(first < rows ? first : rows);
  if (step > 128) {  // the hardware does not foresee lines that lie apart
    const std::int64_t ahead = 2048 / row_bytes * row_stride;
    for (; r < last; ++r, from += row_stride, tile += row_bytes) {
      __builtin_prefetch(from + ahead);
      __builtin_memcpy(tile, from, kWide);
    }
  } else {
    for (; r < last; ++r, from += row_stride, tile += row_bytes) __builtin_memcpy(tile, from, kWide);
  }
  exactly(rows);
}

/// Whether copy_run() takes elements so far apart by vectors on every tier.
template <class T>
bool packs(std::int64_t stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  return kSize <= 4 && (stride == 2 * kSize || stride == 3 * kSize || stride == 4 * kSize ||
                        stride == -kSize || stride == -2 * kSize);
}

/// Whether rows are the first elements of records, in a few registers each. On AVX2 and of bytes copy_run() is quicker where it knows
/// the distance.
template <class T>
bool takes_records(std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, std::int64_t cols) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
#if defined(LANEWISE_ISA_AVX512)
  constexpr bool kKnown = kSize == 1;
#else
  constexpr bool kKnown = true;
#endif
  if (row_stride != kSize || rows < 2 || col_stride % kSize != 0 || (kKnown && packs<T>(col_stride)))
    return false;
  return deinterleaves<T>(col_stride / kSize, rows, cols);
}

/// So few columns are gathered and scattered one by one: rows of a few elements apart take two to five times as long each for itself.
constexpr std::int64_t kFewColumns = 8;
/// Blocks of at least so many rows and columns, and at most so many bytes (the iterator's tiles have no more), are brought together
/// first where their columns lie apart: of nine rows f32 took 1.25 times as long so.
constexpr std::int64_t kLeastPacked = 16, kPackedBytes = 16 << 10;

/// The hardware does not foresee lines that lie apart: asking for rows some 2 KiB ahead, to read or to write, is worth a
/// factor of two to three.
std::int64_t rows_ahead(std::int64_t row_bytes) { return row_bytes < 2048 ? 2048 / row_bytes : 0; }

template <class T>
void gather(const char* from, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows,
            std::int64_t cols, char* tile) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t row_bytes = cols * kSize;
  if (cols == 1) {  // a column is a row
    return rows == 1 ? copy_element<T>(from, tile) : gather<T>(from, 0, row_stride, 1, rows, tile);
  }
  if (row_stride == cols * col_stride && rows > 1 && col_stride != kSize)  // one long row
    return gather<T>(from, 0, col_stride, 1, rows * cols, tile);
  if (row_stride == 0 && rows > 1) {  // one row, again and again
    gather<T>(from, 0, col_stride, 1, cols, tile);
    const std::int64_t total = rows * row_bytes;
    for (std::int64_t done = row_bytes; done < total;) {
      const std::int64_t more = done < total - done ? done : total - done;
      __builtin_memcpy(tile + done, tile, static_cast<std::size_t>(more));
      done += more;
    }
  } else if (col_stride == kSize) {
    if (row_stride == row_bytes || rows == 1) {
      copy_bytes(tile, from, rows * row_bytes);
    } else if (row_bytes <= 64 && rows > 1) {
      if (row_bytes <= 16) {
        pack_short_rows<16>(from, row_stride, rows, row_bytes, tile);
      } else if (row_bytes <= 32) {
        pack_short_rows<32>(from, row_stride, rows, row_bytes, tile);
      } else {
        pack_short_rows<64>(from, row_stride, rows, row_bytes, tile);
      }
    } else {
      const std::int64_t ahead = rows_ahead(row_bytes) * row_stride;
      for (std::int64_t r = 0; r < rows; ++r) {
        const char* row = from + r * row_stride;
        for (std::int64_t at = 0; ahead != 0 && at < row_bytes; at += 64)
          __builtin_prefetch(row + ahead + at);
        copy_bytes(tile + r * row_bytes, row, row_bytes);
      }
    }
  } else if (col_stride == 0) {
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      if (row_stride == kSize && row_bytes <= vec::kRegisterBytes)
        return repeat_each<T>(from, rows, cols, tile);
    }
#endif
    if constexpr (kSize <= 2) {
      if (row_stride == kSize && row_bytes <= 16) return repeat_each_narrow<T>(from, rows, cols, tile);
    }
    if constexpr (sizeof(T) < 16) {
      if (row_bytes <= 16) return repeat_short_rows<T, 16>(from, row_stride, rows, cols, tile);
      if (row_bytes <= 32) return repeat_short_rows<T, 32>(from, row_stride, rows, cols, tile);
      if (row_bytes <= 64) return repeat_short_rows<T, 64>(from, row_stride, rows, cols, tile);
      if (row_bytes <= 128) return repeat_short_rows<T, 128>(from, row_stride, rows, cols, tile);
      if (row_bytes <= 256) return repeat_short_rows<T, 256>(from, row_stride, rows, cols, tile);
    }
    for (std::int64_t r = 0; r < rows; ++r) fill_run<T>(from + r * row_stride, tile + r * row_bytes, cols);
  } else if (takes_records<T>(row_stride, col_stride, rows, cols)) {
#if defined(LANEWISE_ISA_AVX512)
    if constexpr (kSize > 1 && kSize <= 8)
      return deinterleave(from, col_stride / kSize, rows, cols, kSize == 2 ? 0 : kSize == 4 ? 1 : 2, tile);
#endif
    if constexpr (kSize <= 2) deinterleave_narrow<T>(from, col_stride / kSize, rows, cols, tile);
  } else if (rows > 1 && row_stride == kSize &&
             !(rows <= 4 && (col_stride == rows * kSize || packs<T>(col_stride)))) {
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
    if constexpr (kSize == 4 || kSize == 8) {
      if (cols <= kInterleaved && rows >= kLeastInterleaved)
        return interleave(from, col_stride, rows, cols, static_cast<int>(kSize / 4), tile);
    }
#endif
    if constexpr (kSize <= 2) {
      if (interleaves_narrow<T>(rows, cols)) return interleave_narrow<T>(from, col_stride, rows, cols, tile);
    }
    Transposer<T>::gather(from, col_stride, rows, cols, tile);
  } else if (col_stride == -kSize && row_bytes >= 16) {
    reversed<T>(from, row_stride, tile, rows, cols);
  } else if (rows >= kLeastPacked && cols >= kLeastPacked && packs<T>(row_stride) &&
             magnitude(row_stride) < magnitude(col_stride) && rows * row_bytes <= kPackedBytes) {
    // Columns whose elements lie apart: brought together first.
    alignas(64) char packed[kPackedBytes];
    for (std::int64_t c = 0; c < cols; ++c)
      copy_run<T>(from + c * col_stride, row_stride, packed + c * rows * kSize, kSize, rows);
    gather<T>(packed, kSize, rows * kSize, rows, cols, tile);
  } else if (rows > 4 && (magnitude(row_stride) < magnitude(col_stride) || cols <= kFewColumns)) {
    for (std::int64_t c = 0; c < cols; ++c) {
      copy_run<T>(from + c * col_stride, row_stride, tile + c * kSize, row_bytes, rows);
    }
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      copy_run<T>(from + r * row_stride, col_stride, tile + r * row_bytes, kSize, cols);
    }
  }
}

/// Rows of kPart to 2 * kPart bytes that lie apart, from a tile: by two copies, which may overlap.
template <int kPart>
void spread_short_rows(const char* tile, char* to, std::int64_t row_stride, std::int64_t rows,
                       std::int64_t row_bytes) {
  const std::int64_t last = row_bytes - kPart;
  const auto spread = [&](std::int64_t ahead) __attribute__((always_inline)) {
    for (std::int64_t r = 0; r < rows; ++r, tile += row_bytes, to += row_stride) {
      if (ahead != 0) __builtin_prefetch(to + ahead, 1);
      __builtin_memcpy(to, tile, kPart);
      __builtin_memcpy(to + last, tile + last, kPart);
    }
  };
  const bool apart = row_stride > 128 || row_stride < -128;  // the hardware does not foresee such lines
  if (const std::int64_t ahead = 2048 / row_bytes; apart && ahead < rows) {
    spread(ahead * row_stride);
  } else {
    spread(0);
  }
}

/// Where a block overlaps itself (stride 0) the last element in row-major order stays.
template <class T>
void scatter(const char* tile, char* to, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows,
             std::int64_t cols, std::int64_t ahead) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t row_bytes = cols * kSize;
  if (cols == 1) {
    return rows == 1 ? copy_element<T>(tile, to) : scatter<T>(tile, to, 0, row_stride, 1, rows, ahead);
  }
  if (col_stride == kSize) {
    if (row_stride == row_bytes || rows == 1) {
      copy_bytes(to, tile, rows * row_bytes);
    } else if (row_bytes >= 4 && row_bytes <= 64) {
      if (row_bytes <= 8) {
        spread_short_rows<4>(tile, to, row_stride, rows, row_bytes);
      } else if (row_bytes <= 16) {
        spread_short_rows<8>(tile, to, row_stride, rows, row_bytes);
      } else if (row_bytes <= 32) {
        spread_short_rows<16>(tile, to, row_stride, rows, row_bytes);
      } else {
        spread_short_rows<32>(tile, to, row_stride, rows, row_bytes);
      }
    } else {
      const std::int64_t row_ahead = rows_ahead(row_bytes) * row_stride;
      for (std::int64_t r = 0; r < rows; ++r) {
        char* row = to + r * row_stride;
        for (std::int64_t at = 0; row_ahead != 0 && at < row_bytes; at += 64)
          __builtin_prefetch(row + row_ahead + at, 1);
        copy_bytes(row, tile + r * row_bytes, row_bytes);
      }
    }
  } else if (rows > 1 && row_stride == kSize && magnitude(col_stride) >= rows * kSize) {
    Transposer<T>::scatter(tile, to, col_stride, rows, cols);
  } else if (rows > 1 && row_stride != 0 &&
             (magnitude(col_stride) >= rows * magnitude(row_stride) ||
              (cols <= kFewColumns && magnitude(row_stride) >= (cols - 1) * magnitude(col_stride) + kSize))) {
    for (std::int64_t c = 0; c < cols; ++c) {
      copy_run<T>(tile + c * kSize, row_bytes, to + c * col_stride, row_stride, rows, ahead);
    }
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      copy_run<T>(tile + r * row_bytes, kSize, to + r * row_stride, col_stride, cols, ahead);
    }
  }
}

/// Elements apart from each other: the usual block, for which the choice among all others takes as long as a short one itself.
template <class T>
bool is_line(std::int64_t col_stride, std::int64_t rows, std::int64_t cols) {
  return rows == 1 && cols > 1 && col_stride != sizeof(T) && col_stride != 0;
}

}  // namespace

#define LANEWISE_DEFINE_STRIDED(size, T)                                                                    \
  void gather_##size(const char* from, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, \
                     std::int64_t cols, char* tile) noexcept {                                              \
    if (is_line<T>(col_stride, rows, cols)) return copy_run<T>(from, col_stride, tile, sizeof(T), cols);    \
    if (rows > 0 && cols > 0) gather<T>(from, row_stride, col_stride, rows, cols, tile);                    \
  }                                                                                                         \
  void scatter_##size(const char* tile, char* to, std::int64_t row_stride, std::int64_t col_stride,         \
                      std::int64_t rows, std::int64_t cols, std::int64_t ahead) noexcept {                  \
    if (is_line<T>(col_stride, rows, cols))                                                                 \
      return copy_run<T>(tile, sizeof(T), to, col_stride, cols, ahead);                                     \
    if (rows > 0 && cols > 0) scatter<T>(tile, to, row_stride, col_stride, rows, cols, ahead);              \
  }

LANEWISE_DEFINE_STRIDED(1, std::uint8_t)
LANEWISE_DEFINE_STRIDED(2, std::uint16_t)
LANEWISE_DEFINE_STRIDED(4, std::uint32_t)
LANEWISE_DEFINE_STRIDED(8, std::uint64_t)
LANEWISE_DEFINE_STRIDED(16, Sixteen)

}  // namespace lanewise::kernels::LANEWISE_ISA
