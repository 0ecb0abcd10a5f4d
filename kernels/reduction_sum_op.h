#pragma once

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/reduction_tree.h>

/// Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

template <class T>
struct Sum;
template <class T>
struct SumParts {};
template <class R>
struct SumParts<std::complex<R>> {
  using Parts = Sum<R>;
};

/// Addition for TreeRun and TreeRows.
template <class T>
struct Sum : SumParts<T> {
  using Element = T;
  using V = vec::Vec<T>;
  /// Worth code for fewer rows than lanes, and for rows that lie in two dimensions.
  static constexpr bool kHoldsFewRows = std::is_floating_point_v<T>, kRowsApart = kHoldsFewRows;
  static constexpr bool kExactIdentity = true;
  // x + -0 is x, also for x = -0; x + 0 is not.
  static constexpr T identity() {
    if constexpr (is_complex<T>) {
      return T(real_of<T>(-0.0), real_of<T>(-0.0));
    } else {
      return T(-0.0);
    }
  }
  static LANEWISE_INLINE V apply(V a, V b) { return a + b; }
  static LANEWISE_INLINE T apply(T a, T b) { return a + b; }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
