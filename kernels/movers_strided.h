#pragma once

#include <cstdint>

#include <lanewise/kernels/kernel.h>

/// Gather and scatter by element size, and what moves rows, see kernel.h. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

#define LANEWISE_DECLARE_STRIDED(size)                                                                      \
  void gather_##size(const char* from, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, \
                     std::int64_t cols, char* tile) noexcept;                                               \
  void scatter_##size(const char* tile, char* to, std::int64_t row_stride, std::int64_t col_stride,         \
                      std::int64_t rows, std::int64_t cols, std::int64_t ahead) noexcept;

LANEWISE_DECLARE_STRIDED(1)
LANEWISE_DECLARE_STRIDED(2)
LANEWISE_DECLARE_STRIDED(4)
LANEWISE_DECLARE_STRIDED(8)
LANEWISE_DECLARE_STRIDED(16)

#undef LANEWISE_DECLARE_STRIDED

void copy_rows(const IndexedRowCopies& rows, std::int64_t places, char* to) noexcept;
void arrange_bytes(const char* from, std::int64_t step, char* to, std::int64_t blocks,
                   const BlockPattern& pattern) noexcept;
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
void arrange(const char* from, std::int64_t step, char* to, std::int64_t blocks,
             const BlockPattern& pattern) noexcept;
#else
inline constexpr ArrangeFn arrange = nullptr;
#endif
#if defined(LANEWISE_ISA_AVX512)
void arrange_long(const char* from, std::int64_t step, char* to, std::int64_t blocks,
                  const LongBlockPattern& pattern) noexcept;
#else
inline constexpr ArrangeLongFn arrange_long = nullptr;
#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
