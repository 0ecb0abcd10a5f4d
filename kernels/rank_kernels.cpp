// The order of short lines, by counting what comes before each element.

#include <limits>
#include <type_traits>

#include <lanewise/kernels/rank_table.h>
#include <lanewise/vec/select.h>
#include <lanewise/vec/vec_int.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Bits of T as integers of the same order. By bits alone: what comparisons of floats say of denormals is a matter of the mode.
template <class T, class V>
LANEWISE_INLINE V in_order(V bits) {
  using Key = typename V::value_type;
  constexpr Key kMost = std::numeric_limits<Key>::max();
  if constexpr (std::is_integral_v<T>) {
    return bits;
  } else {
    constexpr Key kInfinity = sizeof(T) == 8 ? Key{0x7ff} << (sizeof(T) == 8 ? 52 : 0) : Key{0xff} << 23;
    const V magnitude = bits & V(kMost), sign = bits >> (8 * static_cast<int>(sizeof(T)) - 1);
    const V number = (magnitude ^ sign) - sign;
    return vec::select(magnitude > V(kInfinity), V(kMost), number);
  }
}

/// count + 1 where `holds`.
template <class Key>
LANEWISE_INLINE vec::Vec<Key> counted(vec::Vec<Key> count, vec::Mask<Key> holds) {
#if defined(LANEWISE_ISA_AVX512)
  return vec::select(holds, count + vec::Vec<Key>(1), count);
#else
  return count - vec::Vec<Key>(holds.native);
#endif
}

template <class T>
void rank(const void* x, std::int64_t n, bool descending, void* ranks) noexcept {
  using Key = KeyOf<T>;
  using V = vec::Vec<Key>;
  constexpr std::int64_t kSize = V::size;
  alignas(64) Key key[kMostRankedBytes / sizeof(Key)], number[kSize];
  const auto* from = static_cast<const Key*>(x);
  for (std::int64_t i = 0; i < n; i += kSize) {
    const int left = static_cast<int>(n - i);
    const V bits = left >= kSize ? V::load(from + i) : V::load_partial(from + i, left);
    (in_order<T>(bits) ^ V(descending ? Key{-1} : Key{0})).store(key + i);
  }
  for (std::int64_t lane = 0; lane < kSize; ++lane) number[lane] = static_cast<Key>(lane);
  const V lanes = V::load(number);
  for (std::int64_t i = 0; i < n; i += kSize) {
    const V own = V::load(key + i);
    const std::int64_t end = n - i < kSize ? n : i + kSize;
    V before(Key{0}), later = lanes;  // positive in lanes behind the one that is compared
    std::int64_t j = 0;
    // An equal key counts if it stands before.
    for (; j < i; ++j) before = counted(before, V(key[j]) <= own);
    for (; j < end; ++j, later -= V(Key{1})) {
      const V other(key[j]);
      before = counted(before, (other < own) | ((other == own) & (later > V(Key{0}))));
    }
    for (; j < n; ++j) before = counted(before, V(key[j]) < own);
    before.store(static_cast<Key*>(ranks) + i);
  }
}

}  // namespace

constinit const RankTable rank_table = {
    .f32 = rank<float>,
    .f64 = rank<double>,
    .i32 = rank<std::int32_t>,
    .i64 = rank<std::int64_t>,
    .most_bytes = vec::kRegisterBytes == 16 ? kMostRankedBytes / 2 : kMostRankedBytes};

}  // namespace lanewise::kernels::LANEWISE_ISA
