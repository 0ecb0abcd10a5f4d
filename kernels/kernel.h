#pragma once

#include <array>
#include <cstdint>

#include <lanewise/kernels/prefetch.h>
#include <lanewise/tensor/scalar_type.h>

/// The contract between the iterator and the kernels. Plain data: per-ISA files include this header.
namespace lanewise::kernels {

inline constexpr int kMaxOperands = 9;

/// A number handed to a kernel, readable as any element type: `i` for integral and bool kernels, `re` and
/// `im` for floating and complex ones. Whoever fills it sets all three (i truncated from re, or re converted
/// from i).
struct KernelScalar {
  std::int64_t i = 0;
  double re = 0;
  double im = 0;
};

/// A request: output 0, which is no input, goes past the caches. Kernels that cannot do so, or find it not aligned, pass it
/// over. Whoever sets it ends with a store fence, before another thread reads the result.
inline constexpr std::uint32_t kStreamOutput = 1;
/// Results at least this long, in bytes, always go so. Measured with 2 MiB of L2, ratios of the time without: add of 48 MiB in all
/// 0.97, 96 MiB 0.85, 192 MiB 0.7, 384 MiB 0.75; one input 64 MiB in all 0.98, 128 MiB 0.8, 256 MiB 0.75.
inline constexpr std::int64_t kStreamOutputFrom = 32 << 20;

/// A request: `data` is that of an ElementwiseRows, and `n` elements are to be done for each of its rows.
inline constexpr std::uint32_t kManyRows = std::uint32_t{1} << 31;

/// Rows that lie apart, for kernels that take them.
struct ElementwiseRows {
  std::array<char*, kMaxOperands> data;         ///< of the first row
  std::array<std::int64_t, kMaxOperands> step;  ///< bytes from one row to the next, of each operand
  std::int64_t count;                           ///< at least 1
  std::uint32_t moving;                         ///< of the broadcast operands those with a step
};

/// One contiguous run: `data` holds a pointer per operand, outputs first, each to `n` elements of its element
/// type, or to a single element if the operand's bit in `broadcast` is set (inputs only). No alignment is
/// assumed. An output may be exactly the same memory as an input (in-place), never partially overlapping.
/// `broadcast` may also hold kStreamOutput and, where the kernel's `rows` allow it, kManyRows.
using ElementwiseFn = void (*)(char* const* data, std::uint32_t broadcast, std::int64_t n,
                               const KernelScalar* params) noexcept;

/// Element type of an operand, given the compute type of the kernel.
enum class Role : std::uint8_t {
  Compute,  ///< the compute type itself
  Bool,     ///< bool, one byte, 0 or 1
  Real,     ///< the real counterpart of the compute type (f32 for complex64; itself for real types)
  Complex,  ///< the complex counterpart (complex64 for f32, complex128 for f64; itself for complex types)
  Long,     ///< int64
};

/// An elementwise op on one ISA. `fn` is indexed by compute type; null where the op does not exist. The
/// halves are computed as Float, widened and rounded once: by the movers, or, where a cheap kernel has entries for them, in
/// its registers. Such an entry takes tensors of halves and single elements of Float.
struct ElementwiseKernel {
  std::uint8_t num_outputs;
  std::uint8_t num_inputs;
  std::array<Role, kMaxOperands> roles;  ///< outputs first
  float cost;                            ///< relative to one f32 addition (1); scales the parallel grain
  std::array<ElementwiseFn, kNumScalarTypes> fn;
  std::uint16_t streams = 0;  ///< bit t: fn[t] follows kStreamOutput
  std::uint16_t rows = 0;     ///< bit t: fn[t] follows kManyRows
};

/// The type that a kernel computes in for operands of type `t`: Float for the halves, else `t`.
constexpr ScalarType compute_type(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::BFloat16 ? ScalarType::Float : t;
}

/// Contiguous conversion of `n` elements, any of the twelve types to any other (C++ conversion rules: to bool
/// is != 0, complex to real keeps the real part, float to integer truncates; out-of-range is whatever the
/// hardware gives but never undefined behaviour, the same on every ISA). `from` and `to` do not overlap,
/// except when they are equal and the types have the same size.
using ConvertFn = void (*)(const char* from, char* to, std::int64_t n) noexcept;

/// Gathers a block of rows x cols elements of one size into a contiguous row-major tile; strides in bytes,
/// any sign, zero allowed. Where `row_stride` is the element size and `col_stride` is large it reads along
/// the rows, so that whole cache lines are used (transposing in registers).
using GatherFn = void (*)(const char* from, std::int64_t row_stride, std::int64_t col_stride,
                          std::int64_t rows, std::int64_t cols, char* tile) noexcept;

/// The reverse: scatters a contiguous row-major tile into a strided block. `ahead`: bytes from a line of which a part is written to
/// one that is asked for meanwhile, see scatter_ahead; 0: none is.
using ScatterFn = void (*)(const char* tile, char* to, std::int64_t row_stride, std::int64_t col_stride,
                           std::int64_t rows, std::int64_t cols, std::int64_t ahead) noexcept;

/// The order of the elements of a block of memory, in units of 4 bytes and a register of it at most, or in bytes and 16 at most.
struct BlockPattern {
  alignas(64) std::int32_t unit[16];  ///< which unit from the begin of the memory on comes to each place
  std::uint8_t byte[16];              ///< or which byte
  int read;                           ///< units or bytes of memory, from the first to the last
  int written;                        ///< places
};

/// Blocks `step` > 0 bytes apart in memory, so arranged, one after the other. They do not overlap with `to`.
using ArrangeFn = void (*)(const char* from, std::int64_t step, char* to, std::int64_t blocks,
                           const BlockPattern& pattern) noexcept;

/// The same of longer blocks, of up to kMostUnits units of 4 bytes that are read, gaps among them, and written.
struct LongBlockPattern {
  static constexpr int kMostUnits = 128;
  alignas(64) std::int32_t unit[kMostUnits];
  int read, written;
};
using ArrangeLongFn = void (*)(const char* from, std::int64_t step, char* to, std::int64_t blocks,
                               const LongBlockPattern& pattern) noexcept;

/// Rows of at least two bytes in the order of an index, the same in each of some places in memory.
struct IndexedRowCopies {
  const char* from;             ///< the first place
  std::int64_t place_step;      ///< bytes
  const std::int64_t* offsets;  ///< of each row behind a place, `step` bytes each
  std::int64_t step;
  std::int64_t count;  ///< rows of each place
  std::int64_t bytes;  ///< contiguous, of each row
  std::int64_t ahead;  ///< as many rows later is one that is asked for; 0: none is
};
/// So many places, one after the other, their rows side by side. They do not overlap with `to`.
using CopyRowsFn = void (*)(const IndexedRowCopies& rows, std::int64_t places, char* to) noexcept;

/// Moves data between memory and tiles. gather/scatter are indexed by log2 of the element size (1, 2, 4, 8,
/// 16).
struct Movers {
  std::array<std::array<ConvertFn, kNumScalarTypes>, kNumScalarTypes> convert;  ///< [from][to]
  std::array<GatherFn, 5> gather;
  std::array<ScatterFn, 5> scatter;
  /// By units; null where there is no instruction for it. Blocks have up to least_row bytes.
  ArrangeFn arrange;
  ArrangeFn arrange_bytes;
  ArrangeLongFn arrange_long;  ///< null where there is no instruction that takes units from two registers
  CopyRowsFn copy_rows;
  /// Bytes of a row: a kernel that takes many is quicker on longer ones where they lie than on copies in tiles.
  std::int64_t least_row;
  /// Bytes that kernels access under a mask at the end of a row, at a multiple of so many from its beginning; 0 if they do not.
  std::int64_t masked_bytes;
};

/// Writes n elements whose values depend only on their flat logical index: out[k] = f(first + k, params).
using IndexedFn = void (*)(char* out, std::int64_t first, std::int64_t n,
                           const KernelScalar* params) noexcept;

/// An op that makes values from positions (random numbers, arange), by compute type; null where it does not
/// exist.
struct IndexedKernel {
  float cost;
  std::array<IndexedFn, kNumScalarTypes> fn;
};

/// Elements in a leaf of every reduction tree. The leaf is reduced in lanes of fixed number, leaves are
/// combined pairwise as they come (the shape of a binary counter), so the result depends only on the logical
/// order of a row, see Note [Rows of a reduction]: not on ISA, threads or layout.
inline constexpr std::int64_t kReductionBlock = 1024;

/// Rows that lie in two dimensions, `count` of them in each step of the outer one. Strides in bytes.
struct RowsApart {
  std::int64_t count, stride, outer_stride;
  std::int64_t first;  ///< of the first row in the inner dimension
};

/// A reduction on one ISA; arrays are indexed by compute type, null or 0 where the op does not exist. The entries of
/// the halves may be there too, for kernels that read them where they lie; values and bits are those of Float. `acc`
/// points to accumulators for `cols` independent reductions, in a layout private to the kernel, within cols *
/// acc_size bytes, 64-byte aligned; it is always passed with the same `cols`.
struct ReductionKernel {
  std::array<std::uint16_t, kNumScalarTypes> acc_size;
  /// Type of the value that finish writes; Undefined where the op does not exist.
  std::array<ScalarType, kNumScalarTypes> value_type;
  bool has_index;                                ///< finish also writes an int64 index
  std::array<bool, kNumScalarTypes> order_free;  ///< the result does not depend on the order of the elements
  /// Accumulators of columns are acc_size bytes apart, each whole.
  std::array<bool, kNumScalarTypes> side_by_side;
  /// Rows of few elements that lie end to end are taken by `outer` as one long row.
  std::array<bool, kNumScalarTypes> joins_rows;
  /// Elements of rows from which on they are quicker by themselves, through short_rows or inner, than as columns.
  std::array<std::uint8_t, kNumScalarTypes> least_row;

  /// Reduces the contiguous run x[0..n) into one accumulator (cols == 1), through the fixed tree, n >= 0.
  /// `base` is the position of x[0] in the whole reduction (for indices), `ahead` the bytes from an element to what is worth
  /// being asked for when that element is read, see prefetch_distance().
  std::array<void (*)(const char* x, std::int64_t n, std::int64_t base, std::int64_t ahead,
                      char* acc) noexcept,
             kNumScalarTypes>
      inner;
  /// The same of `count` runs of n <= kReductionBlock elements, `stride` bytes apart, into as many accumulators. Null where
  /// that is not worth code. Little or nothing is asked for if `ahead` is 0.
  std::array<void (*)(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count,
                      std::int64_t ahead, char* acc) noexcept,
             kNumScalarTypes>
      short_rows;
  /// Reduces rows: acc[c] over x[r * row_stride + c], rows contiguous, row_stride in bytes; the same tree as
  /// inner, so the same bits.
  std::array<void (*)(const char* x, std::int64_t rows, std::int64_t row_stride, std::int64_t cols,
                      std::int64_t base, RowPrefetch prefetch, char* acc) noexcept,
             kNumScalarTypes>
      outer;
  /// The same of 0 < rows <= kReductionBlock rows that lie in two dimensions, x the first of them. Null where that is not worth code.
  std::array<void (*)(const char* x, const RowsApart& apart, std::int64_t rows, std::int64_t cols,
                      char* acc) noexcept,
             kNumScalarTypes>
      outer_apart;
  /// acc = combine(acc, later), where `later` covers elements that come after those of acc.
  std::array<void (*)(char* acc, const char* later, std::int64_t cols) noexcept, kNumScalarTypes> combine;
  /// Turns accumulators into values (and indices if has_index and index is not null). `params` is op-specific
  /// (mean: params[0] is the count).
  std::array<void (*)(const char* acc, std::int64_t cols, const KernelScalar* params, char* value,
                      std::int64_t* index) noexcept,
             kNumScalarTypes>
      finish;
};

}  // namespace lanewise::kernels
