#include <lanewise/kernels/reduction_build.h>
#include <lanewise/kernels/reduction_kernels.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <std::size_t Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};

struct FoundAny {
  using Wide = std::uint8_t;
  static constexpr Wide wide_start() { return 0; }
  static constexpr bool decided(Wide found) { return found != 0; }
  static LANEWISE_INLINE Wide merge(Wide a, Wide b) { return static_cast<Wide>(a | b); }
};

/// Is there an element equal to zero (ForZero) or different from it? Blocks are short, so that the answer
/// ends the search.
template <class T, bool ForZero>
struct Found : FoundAny {
  using Element = T;
  using Merging = FoundAny;
  using Narrow = typename UnsignedOf<sizeof(real_of<T>)>::type;
  static constexpr ScalarType kValueType = ScalarType::Bool;
  static constexpr std::int64_t kBlock = 4096;
  static constexpr Narrow start() { return 0; }
  static LANEWISE_INLINE Narrow step(Narrow a, T x) {
    bool nonzero;
    if constexpr (is_complex<T>) {
      nonzero = (int{x.real() != 0} | int{x.imag() != 0}) != 0;  // no branch
    } else {
      nonzero = x != 0;
    }
    return static_cast<Narrow>(a | static_cast<Narrow>(nonzero != ForZero));
  }
  static LANEWISE_INLINE Wide widen(Wide a, Narrow n) { return static_cast<Wide>(a | (n != 0)); }
};

struct NonzeroTotal {
  using Wide = std::int64_t;
  static constexpr Wide wide_start() { return 0; }
  static constexpr bool decided(Wide) { return false; }
  static LANEWISE_INLINE Wide merge(Wide a, Wide b) { return a + b; }
};

/// Elements that differ from zero: narrow lanes for blocks that cannot overflow them, then int64.
template <class T>
struct NonzeroCount : NonzeroTotal {
  using Element = T;
  using Merging = NonzeroTotal;
  using Narrow = typename UnsignedOf<sizeof(real_of<T>)>::type;
  static constexpr ScalarType kValueType = ScalarType::Long;
  static constexpr std::int64_t kBlock = sizeof(Narrow) == 1   ? 255
                                         : sizeof(Narrow) == 2 ? 65535
                                                               : std::int64_t{1} << 31;
  static constexpr Narrow start() { return 0; }
  static LANEWISE_INLINE Narrow step(Narrow a, T x) {
    bool nonzero;
    if constexpr (is_complex<T>) {
      nonzero = (int{x.real() != 0} | int{x.imag() != 0}) != 0;
    } else {
      nonzero = x != 0;
    }
    return static_cast<Narrow>(a + static_cast<Narrow>(nonzero));
  }
  static LANEWISE_INLINE Wide widen(Wide a, Narrow n) { return a + static_cast<Wide>(n); }
};

void finish_not(const char* acc, std::int64_t cols, const KernelScalar*, char* value,
                std::int64_t*) noexcept {
  for (std::int64_t c = 0; c < cols; ++c) value[c] = static_cast<char>(acc[c] == 0);
}

template <bool ForZero>
constexpr ReductionKernel found_kernel() {
  ReductionKernel k = empty_reduction();
  for_each_type(floating_complex, [&]<class T>() { add_order_free<Found<T, ForZero>>(k, index_of<T>); });
  for_each_type(integral, [&]<class T>() { add_order_free<Found<bits_of<T>, ForZero>>(k, index_of<T>); });
  add_order_free<Found<std::uint8_t, ForZero>>(k, index_of<bool>);
  return k;
}

}  // namespace

constinit const ReductionKernel reduce_any = found_kernel<false>();

constinit const ReductionKernel reduce_count_nonzero = [] {
  ReductionKernel k = empty_reduction();
  for_each_type(floating_complex, [&]<class T>() { add_order_free<NonzeroCount<T>>(k, index_of<T>); });
  for_each_type(integral, [&]<class T>() { add_order_free<NonzeroCount<bits_of<T>>>(k, index_of<T>); });
  add_order_free<NonzeroCount<std::uint8_t>>(k, index_of<bool>);
  return k;
}();

constinit const ReductionKernel reduce_all = [] {
  ReductionKernel k = found_kernel<true>();
  for_each_type(every_type, [&]<class T>() { k.finish[index_of<T>] = finish_not; });
  return k;
}();

}  // namespace lanewise::kernels::LANEWISE_ISA
