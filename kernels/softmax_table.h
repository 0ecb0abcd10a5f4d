#pragma once

#include <cstdint>

namespace lanewise::kernels {

/// One pass of a softmax family function over contiguous rows or over columns, of Float or Double.
///
/// rows: a, b and out are [count, n], contiguous; each row is normalised. cols: a, b and out are [n, count]
/// with rows of `stride` elements; each column is normalised. Both give the same bits. `b` is null for the
/// forward functions. `out` overlaps neither input.
using SoftmaxFn = void (*)(const char* a, const char* b, char* out, std::int64_t count, std::int64_t n,
                           std::int64_t stride) noexcept;

/// The functions for one type. Backward: a is the gradient, b the result of the forward.
struct SoftmaxFns {
  SoftmaxFn softmax_rows, softmax_cols;
  SoftmaxFn log_softmax_rows, log_softmax_cols;
  SoftmaxFn softmax_backward_rows, softmax_backward_cols;
  SoftmaxFn log_softmax_backward_rows, log_softmax_backward_cols;
};

/// Softmax and log-softmax of one ISA; halves are computed in Float.
struct SoftmaxTable {
  SoftmaxFns f32;
  SoftmaxFns f64;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const SoftmaxTable softmax_table;
}
#endif

}  // namespace lanewise::kernels
