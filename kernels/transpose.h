#pragma once

#include <cstdint>
#include <utility>

#include <lanewise/vec/vec_int.h>

// The rows of a block stay in registers only if every loop over them is unrolled.
#define LANEWISE_UNROLL _Pragma("GCC unroll 16")

/// Transposes between a block whose columns are contiguous runs and a row-major tile. Included by per-ISA
/// files.
///
/// Every 64-byte line of the block is touched once, on AVX2 a few times while eight are open: with a power-of-two distance
/// between columns the lines share a set of the cache, and more would not stay.
namespace lanewise::kernels::LANEWISE_ISA {

/// An element of 16 bytes.
struct Sixteen {
  std::uint64_t half[2];
};

/// Transposition of kSide x kSide elements of type T: within parts of 16 bytes, and of the parts themselves. On AVX2 those are loaded
/// to where their columns will be, which costs no shuffle; on AVX-512 they change places after, by instructions that shuffle parts of two
/// registers (shuffles across whole registers take up to 1.25 times as long for whole copies, Zen 4).
template <class T>
struct SquareBlock {
  // Narrow elements stay in 16 bytes, where interleaving is one instruction.
  static constexpr int kBytes = sizeof(T) <= 2 ? 16 : vec::kRegisterBytes;
  static constexpr int kSide = kBytes / static_cast<int>(sizeof(T));
  static constexpr int kPart = 16 / static_cast<int>(sizeof(T));  // elements of a row
  static constexpr int kParts = kSide / kPart;
  typedef T Row __attribute__((vector_size(kBytes)));

  Row row[kSide];

  /// Row j takes column j of what lies at p.
  LANEWISE_INLINE void load_columns(const char* p, std::int64_t stride) {
    load_parts(p, stride);
    LANEWISE_UNROLL
    for (int part = 0; part < kParts; ++part) transpose_parts(row + part * kPart);
    if constexpr (kParts == 4) {
      LANEWISE_UNROLL
      for (int i = 0; i < kPart; ++i) exchange_parts(row + i);
    }
  }
  LANEWISE_INLINE void store(char* p, std::int64_t stride) const {
    LANEWISE_UNROLL
    for (int i = 0; i < kSide; ++i) __builtin_memcpy(p + i * stride, &row[i], sizeof(Row));
  }

  // The edges of a block. What is not there repeats what is, or is zero.

  /// load_columns of rows 0 to n - 1 of m elements each; a row may be read whole if it ends before `readable`.
  LANEWISE_INLINE void load_columns_edge(const char* p, std::int64_t stride, int n, int m,
                                         const char* readable) {
    alignas(64) char whole[kSide * kBytes];
    for (int i = 0; i < kSide; ++i) {
      const char* from = p + (i < n ? i : 0) * stride;
      char* to = whole + i * kBytes;
      if (m == kSide || from + sizeof(Row) <= readable) {
        __builtin_memcpy(to, from, sizeof(Row));
      } else {
        vec::Vec<T>::load_partial(reinterpret_cast<const T*>(from), m).store(reinterpret_cast<T*>(to));
      }
    }
    load_columns(whole, kBytes);
  }
  /// Rows 0 to m - 1 of n elements each; a row may be written whole if it ends before `writable`.
  LANEWISE_INLINE void store_edge(char* p, std::int64_t stride, int n, int m, const char* writable) const {
    LANEWISE_UNROLL
    for (int i = 0; i < kSide; ++i) {
      if (i >= m) break;
      char* to = p + i * stride;
      if (n == kSide || to + sizeof(Row) <= writable) {
        __builtin_memcpy(to, &row[i], sizeof(Row));
      } else {
        vec::Vec<T>(__builtin_bit_cast(typename vec::Vec<T>::Register, row[i]))
            .store_partial(reinterpret_cast<T*>(to), n);
      }
    }
  }

 private:
  /// Rows as they are; on AVX2 row part * kPart + i takes that part of rows i, i + kPart, i + 2 kPart ... of what lies at p.
  LANEWISE_INLINE void load_parts(const char* p, std::int64_t stride) {
#if defined(LANEWISE_ISA_AVX2)
    if constexpr (kParts == 2) {
      LANEWISE_UNROLL
      for (int i = 0; i < kSide; ++i) {
        const char* low = p + i % kPart * stride + i / kPart * 16;
        const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(low));
        const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(low + kPart * stride));
        row[i] = __builtin_bit_cast(Row, _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1));
      }
      return;
    }
#endif
    LANEWISE_UNROLL
    for (int i = 0; i < kSide; ++i) __builtin_memcpy(&row[i], p + i * stride, sizeof(Row));
  }
  /// Of kPart rows, each kPart x kPart elements that lie in the same part of theirs.
  static LANEWISE_INLINE void transpose_parts(Row* r) {
    LANEWISE_UNROLL
    for (int width = 1; width < kPart; width *= 2) {
      Row next[kPart];
      LANEWISE_UNROLL
      for (int i = 0; i < kPart / 2; ++i) {
        next[2 * i] = interleave<0>(r[i], r[i + kPart / 2], std::make_index_sequence<kSide>{});
        next[2 * i + 1] = interleave<kPart / 2>(r[i], r[i + kPart / 2], std::make_index_sequence<kSide>{});
      }
      LANEWISE_UNROLL
      for (int i = 0; i < kPart; ++i) r[i] = next[i];
    }
  }
  /// Of rows 0, kPart, 2 kPart and 3 kPart, row part * kPart takes that part of all.
  static LANEWISE_INLINE void exchange_parts(Row* r) {
    constexpr std::make_index_sequence<kSide> kAll{};
    const Row even = every_second<0>(r[0], r[kPart], kAll), odd = every_second<1>(r[0], r[kPart], kAll);
    const Row even_of_last = every_second<0>(r[2 * kPart], r[3 * kPart], kAll),
              odd_of_last = every_second<1>(r[2 * kPart], r[3 * kPart], kAll);
    r[0] = every_second<0>(even, even_of_last, kAll);
    r[kPart] = every_second<0>(odd, odd_of_last, kAll);
    r[2 * kPart] = every_second<1>(even, even_of_last, kAll);
    r[3 * kPart] = every_second<1>(odd, odd_of_last, kAll);
  }
  /// Of the parts of a and then of b, every second from `First` on.
  template <int First, std::size_t... I>
  static LANEWISE_INLINE Row every_second(Row a, Row b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, ((2 * (I / kPart) + First) * kPart + I % kPart)...);
  }
  /// In every part, the elements from `First` on of a and b in turn.
  template <int First, std::size_t... I>
  static LANEWISE_INLINE Row interleave(Row a, Row b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, (I / kPart * kPart + First + I % kPart / 2 + kSide * (I % 2))...);
  }
};

/// Elements of 16 bytes are moved, not shuffled.
template <>
struct SquareBlock<Sixteen> {
  static constexpr int kBytes = 64;
  static constexpr int kSide = 4;
  Sixteen row[kSide][kSide];

  LANEWISE_INLINE void load_columns(const char* p, std::int64_t stride) {
    for (int i = 0; i < kSide; ++i) __builtin_memcpy(row[i], p + i * stride, sizeof row[i]);
  }
  LANEWISE_INLINE void store(char* p, std::int64_t stride) const {
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) __builtin_memcpy(p + i * stride + j * 16, &row[j][i], sizeof(Sixteen));
    }
  }
};

template <class T>
struct Transposer {
  using Square = SquareBlock<T>;
  static constexpr std::int64_t kSide = Square::kSide;
  static constexpr std::int64_t kLine = 64;
  static constexpr std::int64_t kLineRows = kLine / static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t kSquares = kLineRows / kSide;  // per line
  /// More lines in flight than a cache set holds go through a buffer.
  static constexpr bool kBuffered = kSquares > 1 && kSide > 8;

  /// tile[r][c] = block[c][r]; columns `col_stride` bytes apart, tile rows `cols` elements.
  static void gather(const char* block, std::int64_t col_stride, std::int64_t rows, std::int64_t cols,
                     char* tile) {
    const std::int64_t tile_stride = cols * static_cast<std::int64_t>(sizeof(T));
    const char* end = tile + rows * tile_stride;
    const std::int64_t in_squares = covered(cols);
    if (in_squares < cols) {  // first: what it writes past its columns is written again
      gather_edge(block + in_squares * col_stride, col_stride,
                  tile + in_squares * static_cast<std::int64_t>(sizeof(T)), tile_stride, cols - in_squares,
                  rows, end);
    }
    for (std::int64_t next = 0; next < in_squares; next += kSide) {
      const std::int64_t c = next + kSide <= cols ? next : cols - kSide;
      const char* from = block + c * col_stride;
      char* to = tile + c * static_cast<std::int64_t>(sizeof(T));
      std::int64_t r = 0;
      for (; r + kLineRows <= rows; r += kLineRows) {
        const char* lines = from + r * static_cast<std::int64_t>(sizeof(T));
        std::int64_t line_stride = col_stride;
        alignas(64) char buffer[kBuffered ? kSide * kLine : 1];
        if constexpr (kBuffered) {
          for (int i = 0; i < kSide; ++i) __builtin_memcpy(buffer + i * kLine, lines + i * col_stride, kLine);
          lines = buffer;
          line_stride = kLine;
        }
        for (int s = 0; s < kSquares; ++s) {
          move(lines + s * Square::kBytes, line_stride, to + (r + s * kSide) * tile_stride, tile_stride);
        }
      }
      for (; r + kSide <= rows; r += kSide) {
        move(from + r * static_cast<std::int64_t>(sizeof(T)), col_stride, to + r * tile_stride, tile_stride);
      }
      if (r < covered(rows)) {
        r = rows - kSide;
        move(from + r * static_cast<std::int64_t>(sizeof(T)), col_stride, to + r * tile_stride, tile_stride);
      } else if (r < rows) {
        gather_edge(from + r * static_cast<std::int64_t>(sizeof(T)), col_stride, to + r * tile_stride,
                    tile_stride, kSide, rows - r, end);
      }
    }
  }

  /// block[c][r] = tile[r][c].
  static void scatter(const char* tile, char* block, std::int64_t col_stride, std::int64_t rows,
                      std::int64_t cols) {
    const std::int64_t tile_stride = cols * static_cast<std::int64_t>(sizeof(T));
    const char* end = tile + rows * tile_stride;
    const std::int64_t in_squares = covered(cols);
    for (std::int64_t next = 0; next < in_squares; next += kSide) {
      const std::int64_t c = next + kSide <= cols ? next : cols - kSide;
      const char* from = tile + c * static_cast<std::int64_t>(sizeof(T));
      char* to = block + c * col_stride;
      std::int64_t r = 0;
      for (; r + kLineRows <= rows; r += kLineRows) {
        char* lines = to + r * static_cast<std::int64_t>(sizeof(T));
        alignas(64) char buffer[kBuffered ? kSide * kLine : 1];
        for (int s = 0; s < kSquares; ++s) {
          char* target = kBuffered ? buffer : lines;
          move(from + (r + s * kSide) * tile_stride, tile_stride, target + s * Square::kBytes,
               kBuffered ? kLine : col_stride);
        }
        if constexpr (kBuffered) {
          for (int i = 0; i < kSide; ++i) __builtin_memcpy(lines + i * col_stride, buffer + i * kLine, kLine);
        }
      }
      for (; r + kSide <= rows; r += kSide) {
        move(from + r * tile_stride, tile_stride, to + r * static_cast<std::int64_t>(sizeof(T)), col_stride);
      }
      if (r < covered(rows)) {
        r = rows - kSide;
        move(from + r * tile_stride, tile_stride, to + r * static_cast<std::int64_t>(sizeof(T)), col_stride);
      } else if (r < rows) {
        scatter_edge(from + r * tile_stride, tile_stride, to + r * static_cast<std::int64_t>(sizeof(T)),
                     col_stride, rows - r, kSide, end);
      }
    }
    if (in_squares < cols) {
      scatter_edge(tile + in_squares * static_cast<std::int64_t>(sizeof(T)), tile_stride,
                   block + in_squares * col_stride, col_stride, rows, cols - in_squares, end);
    }
  }

 private:
  /// How many of n rows or columns squares take. Narrow elements, which are slow to move at the edges, take another that
  /// overlaps the one before: of bf16 28 x 28 take 0.68 of the time so, f32 0.94 to 1.2 (Zen 4).
  static constexpr std::int64_t covered(std::int64_t n) {
    const std::int64_t edge = n % kSide;
    return sizeof(T) <= 2 && edge > 1 && n > kSide ? n : n - edge;
  }
  [[gnu::noinline]] static void move(const char* from, std::int64_t from_stride, char* to,
                                     std::int64_t to_stride) {
    Square square;
    square.load_columns(from, from_stride);
    square.store(to, to_stride);
  }
  /// Fewer columns than a square has, or fewer rows, into a tile that ends at `end`; may write past its n
  /// columns.
  static void gather_edge(const char* from, std::int64_t col_stride, char* to, std::int64_t tile_stride,
                          std::int64_t n, std::int64_t rows, const char* end) {
    if constexpr (sizeof(T) == 16 || sizeof(T) <= 2) {  // narrow elements: too much code for its use
      one_by_one(from, col_stride, to, tile_stride, n, rows);
    } else {
      for (; rows > 0; rows -= kSide, from += kSide * sizeof(T), to += kSide * tile_stride) {
        const int m = static_cast<int>(rows < kSide ? rows : kSide);
        Square square;
        square.load_columns_edge(from, col_stride, static_cast<int>(n), m, nullptr);
        square.store_edge(to, tile_stride, static_cast<int>(n), m, end);
      }
    }
  }
  /// The reverse, from a tile that ends at `end`.
  static void scatter_edge(const char* from, std::int64_t tile_stride, char* to, std::int64_t col_stride,
                           std::int64_t rows, std::int64_t n, const char* end) {
    if constexpr (sizeof(T) == 16 || sizeof(T) <= 2) {  // narrow elements: too much code for its use
      one_by_one(from, tile_stride, to, col_stride, rows, n);
    } else {
      for (; rows > 0; rows -= kSide, from += kSide * tile_stride, to += kSide * sizeof(T)) {
        const int m = static_cast<int>(rows < kSide ? rows : kSide);
        Square square;
        square.load_columns_edge(from, tile_stride, m, static_cast<int>(n), end);
        square.store_edge(to, col_stride, m, static_cast<int>(n), nullptr);
      }
    }
  }
  /// to[j][i] = from[i][j] for i < n, j < m.
  static void one_by_one(const char* from, std::int64_t from_stride, char* to, std::int64_t to_stride,
                         std::int64_t n, std::int64_t m) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        __builtin_memcpy(to + j * to_stride + i * static_cast<std::int64_t>(sizeof(T)),
                         from + i * from_stride + j * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      }
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
