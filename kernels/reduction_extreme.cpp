#include <limits>

#include <lanewise/kernels/reduction_float_extreme.h>
#include <lanewise/kernels/reduction_kernels.h>
#include <lanewise/vec/arithmetic.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <class T, bool Max>
struct IntegerExtreme {
  using Element = T;
  using Narrow = T;
  using Wide = T;
  using Merging = IntegerExtreme;
  static constexpr ScalarType kValueType = scalar_type_of<T>();
  static constexpr std::int64_t kBlock = std::int64_t{1} << 60;
  static constexpr T start() { return Max ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max(); }
  static constexpr T wide_start() { return start(); }
  static constexpr bool decided(T) { return false; }
  static LANEWISE_INLINE T step(T a, T x) { return (Max ? x > a : x < a) ? x : a; }

  using Chain = vec::Vec<T>;
  static constexpr bool kRepeatable = true;
  static LANEWISE_INLINE Chain step(Chain a, Chain x) {
    return Max ? vec::maximum(a, x) : vec::minimum(a, x);
  }
  static LANEWISE_INLINE Chain join(Chain a, Chain b) { return step(a, b); }
  static LANEWISE_INLINE T widen(T a, T x) { return step(a, x); }
  static LANEWISE_INLINE T merge(T a, T b) { return step(a, b); }
};

template <bool Max>
constexpr ReductionKernel extreme_kernel() {
  ReductionKernel k = empty_reduction();
  for_each_type(floating, [&]<class T>() { add_float_extreme<T, Max>(k); });
  for_each_type(integral, [&]<class T>() { add_order_free<IntegerExtreme<T, Max>>(k, index_of<T>); });
  add_order_free<IntegerExtreme<std::uint8_t, Max>>(k, index_of<bool>);
  k.value_type[index_of<bool>] = ScalarType::Bool;
  return k;
}

}  // namespace

constinit const ReductionKernel reduce_amax = extreme_kernel<true>();
constinit const ReductionKernel reduce_amin = extreme_kernel<false>();

}  // namespace lanewise::kernels::LANEWISE_ISA
