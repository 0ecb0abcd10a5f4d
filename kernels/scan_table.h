#pragma once

#include <array>
#include <cstdint>

#include <lanewise/tensor/scalar_type.h>

namespace lanewise::kernels {

/// As many columns as a register has at most.
inline constexpr std::int64_t kScanPadding = 16;

/// A running reduction down `cols` independent columns: out[r][c] = carry[c] combined with x[0..r][c], and
/// carry[c] becomes the last of them. Elements are taken strictly in order, so bits do not depend on how a
/// sequence is cut into calls. Rows are contiguous, `stride` bytes apart (negative: from the last to the
/// first); out may be x. Behind the carries there is room for kScanPadding more, which change too.
using ScanFn = void (*)(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                        std::int64_t rows, std::int64_t cols, char* carry) noexcept;

/// The same along `rows` contiguous rows of n elements, out[r][i] = carry[r] combined with x[r][0..i]; if `reverse`, with
/// x[r][i..n).
using ScanRowsFn = void (*)(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                            std::int64_t n, std::int64_t rows, bool reverse, char* carry) noexcept;

/// By element type; null where the scan does not exist.
struct ScanKernel {
  std::array<ScanFn, kNumScalarTypes> fn;
  std::array<ScanRowsFn, kNumScalarTypes> rows;
  std::array<std::uint16_t, kNumScalarTypes> carry_size;  ///< bytes per column or row
  std::array<void (*)(char* carry, std::int64_t cols) noexcept, kNumScalarTypes> start;
  std::int64_t most_rows = INT64_MAX;  ///< more of them are better transposed
};

/// Running maxima or minima down `count` columns of n >= 1 rows, and the rows they are in; of equal ones the later, and NaN above all.
/// The elements of rows lie next to each other, `stride` elements from row to row in x, values and indices alike.
using RunningExtremeFn = void (*)(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count,
                                  char* values, std::int64_t* indices) noexcept;

/// By element type; null for all but int32, int64, f32 and f64.
using RunningExtremeKernel = std::array<RunningExtremeFn, kNumScalarTypes>;

/// Scans of one ISA. f32 and complex64 carry in double precision and round every result once.
struct ScanTable {
  const ScanKernel* sum;        ///< int64 (wrapping), floats, complex
  const ScanKernel* product;    ///< as sum
  const ScanKernel* logsumexp;  ///< floats
  const RunningExtremeKernel *maximum, *minimum;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const RunningExtremeKernel running_maximum, running_minimum;
extern const ScanTable scan_table;
}
#endif

}  // namespace lanewise::kernels
