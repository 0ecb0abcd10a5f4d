#include <lanewise/kernels/reduction_build.h>
#include <lanewise/kernels/reduction_kernels.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <class T>
struct Product {
  using Element = T;
  using V = vec::Vec<T>;
  static constexpr bool kHoldsFewRows = std::is_floating_point_v<T>;
  // A complex product with 1 + 0i can turn the sign of a zero, or an infinity into NaN.
  static constexpr bool kExactIdentity = !is_complex<T>;
  static constexpr T identity() { return T(1); }
  static LANEWISE_INLINE V apply(V a, V b) { return a * b; }
  static LANEWISE_INLINE T apply(T a, T b) {
    if constexpr (is_complex<T>) {
      return vec::product(a, b);
    } else {
      return a * b;
    }
  }
};

struct IntegerFactors {
  using Wide = std::uint64_t;
  static constexpr Wide wide_start() { return 1; }
  /// Modulo 2^64, a zero or 64 factors of two: some 64 random numbers are enough.
  static constexpr bool decided(Wide product) { return product == 0; }
  static LANEWISE_INLINE Wide merge(Wide a, Wide b) { return a * b; }
};

template <class T>
struct IntegerProduct : IntegerFactors {
  using Merging = IntegerFactors;
  using Element = T;
  using Narrow = std::uint64_t;
  static constexpr ScalarType kValueType = ScalarType::Long;
  static constexpr std::int64_t kBlock = 4096;
  static constexpr Narrow start() { return 1; }
  static LANEWISE_INLINE Narrow step(Narrow a, T x) {
    return a * static_cast<Narrow>(static_cast<std::int64_t>(x));
  }
  static LANEWISE_INLINE Wide widen(Wide a, Narrow n) { return a * n; }
};

}  // namespace

constinit const ReductionKernel reduce_prod = [] {
  ReductionKernel k = empty_reduction();
  for_each_type(floating_complex, [&]<class T>() { add_tree<Product<T>>(k); });
  for_each_type(integral, [&]<class T>() { add_order_free<IntegerProduct<T>>(k, index_of<T>); });
  add_order_free<IntegerProduct<std::uint8_t>>(k, index_of<bool>);
  return k;
}();

}  // namespace lanewise::kernels::LANEWISE_ISA
