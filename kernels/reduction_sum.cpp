#include <lanewise/kernels/reduction_build.h>
#include <lanewise/kernels/reduction_kernels.h>
#include <lanewise/kernels/reduction_sum_op.h>
#include <lanewise/vec/lane_sums.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// Sums of integers and bool: narrow lanes for blocks that cannot overflow them, then int64, wrapping.
struct IntegerTotal {
  using Wide = std::uint64_t;
  static constexpr Wide wide_start() { return 0; }
  static constexpr bool decided(Wide) { return false; }
  static LANEWISE_INLINE Wide merge(Wide a, Wide b) { return a + b; }
};

template <class T>
struct IntegerSum : IntegerTotal {
  using Merging = IntegerTotal;
  using Element = T;
  using Sixteen = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
  using Narrow = std::conditional_t<sizeof(T) == 1, Sixteen,
                                    std::conditional_t<sizeof(T) == 2, std::int32_t, std::uint64_t>>;
  static constexpr ScalarType kValueType = ScalarType::Long;
  static constexpr std::int64_t kBlock = std::int64_t{1} << (sizeof(T) == 1 ? 8 : sizeof(T) == 2 ? 15 : 60);
  static constexpr Narrow start() { return 0; }
  static LANEWISE_INLINE Narrow step(Narrow a, T x) {
    return static_cast<Narrow>(a + static_cast<Narrow>(x));
  }
  static LANEWISE_INLINE Wide widen(Wide a, Narrow n) {
    return a + static_cast<Wide>(static_cast<std::int64_t>(n));
  }

  using Chain = vec::Vec<std::int64_t>;
  static constexpr bool kRepeatable = false;
  static LANEWISE_INLINE Chain step(Chain a, vec::Vec<T> x) { return a + vec::lane_sums(x); }
  static LANEWISE_INLINE Chain join(Chain a, Chain b) { return a + b; }
};

#if LANEWISE_HALF_LOOPS
/// Sums of halves in f32 where they lie, through the same tree as their copies in f32.
template <class Half16>
struct HalfSum {
  static void inner(const char* x, std::int64_t n, std::int64_t, std::int64_t ahead, char* acc) noexcept {
    *reinterpret_cast<float*>(acc) =
        TreeRun<Sum<float>, Half16>::reduce(reinterpret_cast<const Half16*>(x), n, ahead);
  }
  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                    RowPrefetch, char* acc) noexcept {
    TreeRows<Sum<float>, Unmapped, Half16>::reduce(x, rows, stride, cols, reinterpret_cast<float*>(acc));
  }
};

/// The column of Half16, whose accumulators are those of f32.
template <class Half16>
constexpr void add_half_sum(ReductionKernel& k, std::size_t column) {
  constexpr std::size_t wide = index_of<float>;
  k.acc_size[column] = k.acc_size[wide];
  k.value_type[column] = k.value_type[wide];
  k.inner[column] = HalfSum<Half16>::inner;
  k.outer[column] = HalfSum<Half16>::outer;
  k.side_by_side[column] = true;
  k.short_rows[column] = short_rows<Sum<float>, Unmapped, Half16>;
  k.combine[column] = k.combine[wide];
  k.finish[column] = k.finish[wide];
}
#endif

constexpr void add_half_sums(ReductionKernel& k) {
#if LANEWISE_HALF_LOOPS
  add_half_sum<Half>(k, static_cast<std::size_t>(ScalarType::Half));
  add_half_sum<BFloat16>(k, static_cast<std::size_t>(ScalarType::BFloat16));
#else
  (void)k;
#endif
}

template <class T>
void finish_mean(const char* acc, std::int64_t cols, const KernelScalar* params, char* value,
                 std::int64_t*) noexcept {
  using R = real_of<T>;
  const R count = static_cast<R>(params[0].re);
  const R* from = reinterpret_cast<const R*>(acc);
  R* to = reinterpret_cast<R*>(value);
  const std::int64_t n = cols * static_cast<std::int64_t>(sizeof(T) / sizeof(R));
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] / count;
}

}  // namespace

constinit const ReductionKernel reduce_sum = [] {
  ReductionKernel k = empty_reduction();
  for_each_type(floating_complex, [&]<class T>() { add_tree<Sum<T>>(k); });
  for_each_type(integral, [&]<class T>() { add_order_free<IntegerSum<T>>(k, index_of<T>); });
  add_order_free<IntegerSum<std::uint8_t>>(k, index_of<bool>);
  add_half_sums(k);
  return k;
}();

constinit const ReductionKernel reduce_mean = [] {
  ReductionKernel k = empty_reduction();
  for_each_type(floating_complex, [&]<class T>() {
    add_tree<Sum<T>>(k);
    k.finish[index_of<T>] = finish_mean<T>;
  });
  add_half_sums(k);
  return k;
}();

}  // namespace lanewise::kernels::LANEWISE_ISA
