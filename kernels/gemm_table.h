#pragma once

#include <array>
#include <cstdint>

#include <lanewise/kernels/kernel.h>

namespace lanewise::kernels {

/// Length of the blocks that the inner dimension of a product is summed in. Within a block an element of C is a chain of
/// fused multiply-adds in order of k; the blocks are added in order: so the bits depend on nothing else.
inline constexpr std::int64_t kGemmDepth = 256;

/// C[m, n] = A[m, k] B[k, n], or += . Strides in elements. The columns of B and of C are contiguous.
struct GemmBlock {
  const char* a;
  std::int64_t a_panel_stride;  ///< from one group of `rows` rows to the next
  std::int64_t a_row_stride;    ///< within a group; ignored if a_packed
  std::int64_t a_k_stride;      ///< ignored if a_packed
  const char* b;
  std::int64_t b_k_stride;
  char* c;
  std::int64_t c_row_stride;
  std::int64_t m;
  std::int64_t n;  ///< at most `cols` of the kernel
  std::int64_t k;
  bool a_packed;  ///< every group is [k][its number of rows], contiguous
  bool accumulate;
};

/// C[m, n] = beta * S + alpha * C, S with any strides (in elements, 0 to broadcast). With beta == 0 S is not read.
struct GemmEpilogue {
  char* c;
  std::int64_t c_row_stride;
  const char* s;
  std::int64_t s_row_stride;
  std::int64_t s_col_stride;
  std::int64_t m;
  std::int64_t n;
  KernelScalar alpha;
  KernelScalar beta;
};

/// The product kernel for one type on one ISA.
struct GemmKernel {
  int rows;  ///< rows of C that the micro-kernel holds in registers
  int cols;  ///< and columns
  void (*block)(const GemmBlock&) noexcept;
  void (*epilogue)(const GemmEpilogue&) noexcept;
  /// The sum over k of a[k] * b[k] in the order of Note [Fixed reduction tree]; one element to `out`. Strides in elements.
  void (*dot)(const char* a, const char* b, std::int64_t n, char* out) noexcept;
};

/// By compute type: Float, Double, ComplexFloat, ComplexDouble, Int (for all integers up to 32 bits; wraps) and Long.
struct GemmTable {
  std::array<const GemmKernel*, kNumScalarTypes> of;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const GemmTable gemm_table;
}
#endif

}  // namespace lanewise::kernels
