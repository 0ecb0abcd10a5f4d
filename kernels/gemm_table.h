#pragma once

#include <array>
#include <cstdint>

#include <lanewise/kernels/kernel.h>

namespace lanewise::kernels {

/// The inner dimension of a product is summed in blocks of equal length (the last may be shorter), at most this; if there
/// are several, their number is even. Within a block an element of C is a chain of fused multiply-adds in order of k; the
/// blocks are added in order: so the bits depend on nothing else.
inline constexpr std::int64_t kGemmDepth = 256;

/// C[m, n] = A[m, k] B[k, n], or += . Strides in elements. A has contiguous columns, or rows if the kernel reads those, or
/// a_col_stride is 0 and it is packed: groups of `rows` rows (the last may have fewer), each as [k][rows of the group], one
/// after the other. The columns of B and C are contiguous; of a row of B whole vectors are read, whose last elements may be
/// anything.
struct GemmBlock {
  const char* a;
  std::int64_t a_row_stride;
  std::int64_t a_col_stride;
  const char* b;
  std::int64_t b_stride;
  char* c;
  std::int64_t c_stride;
  std::int64_t m;
  std::int64_t n;  ///< at most GemmKernel::cols
  std::int64_t k;
  bool accumulate;
};

/// C[m, n] = beta * S + alpha * C, S with any strides (in elements, 0 to broadcast). With beta == 0 S is not
/// read.
struct GemmEpilogue {
  char* c;
  std::int64_t c_stride;
  const char* s;
  std::int64_t s_row_stride;
  std::int64_t s_col_stride;
  std::int64_t m;
  std::int64_t n;
  KernelScalar alpha;
  KernelScalar beta;
};

/// Length of the blocks that the product of a matrix and a vector is summed in: see Note [Order of
/// matrix-vector products].
inline constexpr std::int64_t kVectorDepth = 2048;

/// y[i] = sum over k of a[i, k] * x[k], for i < m. Of `a`, rows or columns are contiguous and a_stride
/// elements apart; x and y are contiguous.
struct VectorProduct {
  const char* a;
  std::int64_t a_stride;
  const char* x;
  char* y;
  std::int64_t m;
  std::int64_t k;
  bool conj;  ///< of a; rows only
  std::int64_t x_stride = 0;  ///< elements from the x of a row to that of the next one; rows only
};

/// The product kernel for one type on one ISA.
struct GemmKernel {
  int rows;               ///< rows of C that the micro-kernel holds in registers
  int cols;               ///< and columns
  int lanes;              ///< elements of a vector
  bool reads_rows_apart;  ///< of A
  void (*block)(const GemmBlock&) noexcept;
  void (*epilogue)(const GemmEpilogue&) noexcept;
  void (*row_products)(const VectorProduct&) noexcept;     ///< rows are contiguous
  void (*column_products)(const VectorProduct&) noexcept;  ///< columns are; the same sums
};

/// By compute type: Float, Double, ComplexFloat, ComplexDouble, Int (serves all integers up to 32 bits) and
/// Long, both wrapping; null for the others.
struct GemmTable {
  std::array<const GemmKernel*, kNumScalarTypes> of;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const GemmTable gemm_table;
}
#endif

}  // namespace lanewise::kernels
