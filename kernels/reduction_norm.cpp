#include <lanewise/kernels/reduction_float_extreme.h>
#include <lanewise/kernels/reduction_kernels.h>
#include <lanewise/kernels/reduction_mapped.h>
#include <lanewise/kernels/reduction_sum_op.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Absolute {
  template <class V>
  static LANEWISE_INLINE V apply(V x) {
    return vec::abs(x);
  }
};
struct Square {
  template <class V>
  static LANEWISE_INLINE V apply(V x) {
    return x * x;
  }
};
/// NaN counts as 0; -0, which adds nothing to any sum.
struct NanAsZero {
  template <class T>
  static LANEWISE_INLINE vec::Vec<T> apply(vec::Vec<T> x) {
    x = vec::in_register(x);
    return select(vec::isnan(x), vec::Vec<T>(T(-0.0)), x);
  }
};

/// +0 where nothing but NaN came.
template <class T>
void finish_without_sign_of_zero(const char* acc, std::int64_t cols, const KernelScalar*, char* value,
                                 std::int64_t*) noexcept {
  const T* from = reinterpret_cast<const T*>(acc);
  T* to = reinterpret_cast<T*>(value);
  for (std::int64_t c = 0; c < cols; ++c) to[c] = from[c] + T(0);
}

template <class T>
void finish_root(const char* acc, std::int64_t cols, const KernelScalar*, char* value,
                 std::int64_t*) noexcept {
  using V = vec::Vec<T>;
  const T* from = reinterpret_cast<const T*>(acc);
  T* to = reinterpret_cast<T*>(value);
  std::int64_t c = 0;
  for (; c + V::size <= cols; c += V::size) vec::sqrt(V::load(from + c)).store(to + c);
  const int rest = static_cast<int>(cols - c);
  if (rest > 0) vec::sqrt(V::load_partial(from + c, rest)).store_partial(to + c, rest);
}

template <class Map>
constexpr ReductionKernel sum_of() {
  ReductionKernel k = empty_reduction();
  for_each_type(floating, [&]<class T>() { add_mapped<Sum<T>, Map>(k); });
  return k;
}

template <bool Max>
constexpr ReductionKernel furthest() {
  ReductionKernel k = empty_reduction();
  for_each_type(floating, [&]<class T>() { add_float_extreme<T, Max, Absolute>(k); });
  return k;
}

}  // namespace

constinit const ReductionKernel reduce_nansum = [] {
  ReductionKernel k = sum_of<NanAsZero>();
  for_each_type(floating, [&]<class T>() { k.finish[index_of<T>] = finish_without_sign_of_zero<T>; });
  return k;
}();
constinit const ReductionKernel reduce_norm1 = sum_of<Absolute>();
constinit const ReductionKernel reduce_norm2 = [] {
  ReductionKernel k = sum_of<Square>();
  for_each_type(floating, [&]<class T>() { k.finish[index_of<T>] = finish_root<T>; });
  return k;
}();
constinit const ReductionKernel reduce_abs_max = furthest<true>();
constinit const ReductionKernel reduce_abs_min = furthest<false>();

}  // namespace lanewise::kernels::LANEWISE_ISA
