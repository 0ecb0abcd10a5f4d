#include <type_traits>
#include <utility>

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/scan_table.h>
#include <lanewise/vec/vec_int.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// See RunningExtremeFn.
template <bool kMax, class T>
class RunningExtreme {
 public:
  static void run(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count, char* values,
                  std::int64_t* indices) noexcept {
    const RunningExtreme columns(reinterpret_cast<const T*>(x), n, stride, count,
                                 reinterpret_cast<T*>(values), indices);
    if (n * count < kSize) return columns.one_by_one(0);
    if (count == stride && count <= 2) return count == 1 ? columns.sequence<1>() : columns.sequence<2>();
    if (count >= kSize) return columns.many();
    count == stride ? columns.few() : columns.one_by_one(0);
  }

 private:
  static constexpr int kSize = vec::Vec<std::int64_t>::size;

  const T* x_;
  std::int64_t n_, stride_, count_;
  T* values_;
  std::int64_t* indices_;

  RunningExtreme(const T* x, std::int64_t n, std::int64_t stride, std::int64_t count, T* values,
                 std::int64_t* indices)
      : x_(x), n_(n), stride_(stride), count_(count), values_(values), indices_(indices) {}

  template <class V>
  static LANEWISE_INLINE auto takes(V element, V best) {
    const auto beyond = kMax ? element >= best : element <= best;
    if constexpr (std::is_floating_point_v<T>) {
      return beyond | (element != element);
    } else {
      return beyond;
    }
  }

  template <class V, class E>
  static LANEWISE_INLINE V load(const E* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }

  /// The extremes so far of so many columns, and their rows: as many of both, so that compilers widen the masks of one to those of
  /// the other.
  template <int Lanes>
  struct Best {
    typedef T Values __attribute__((vector_size(Lanes * sizeof(T))));
    typedef std::int64_t Places __attribute__((vector_size(Lanes * sizeof(std::int64_t))));
    Values value;
    Places place;

    LANEWISE_INLINE void take(const Best& later) {
      const auto better = takes(later.value, value);
      value = better ? later.value : value;
      place = __builtin_convertvector(better, Places) ? later.place : place;
    }
    LANEWISE_INLINE void store(T* values, std::int64_t* places) const {
      __builtin_memcpy(values, &value, sizeof(value));
      __builtin_memcpy(places, &place, sizeof(place));
    }
  };
  using Wide = Best<kSize>;
  using Values = typename Wide::Values;
  using Places = typename Wide::Places;

  /// kSize of them at a time. What is left is done by itself with some that are done already: in the same walk it would be loaded from
  /// what two stores have just written, which waits for them. So do two registers, each of which stays one.
  void many() const {
    const std::int64_t whole = count_ <= 2 * kSize ? 0 : count_ / kSize * kSize;
    for (std::int64_t row = 0; row < n_ && whole > 0; ++row) {
      const std::int64_t before = row > 0 ? stride_ : 0;
      const T* const values = row > 0 ? values_ : x_;  // the first elements take the places of themselves
      _Pragma("GCC unroll 1") for (std::int64_t at = row * stride_; at < row * stride_ + whole; at += kSize) {
        Wide best{load<Values>(values + at - before), {}};
        if (row > 0) best.place = load<Places>(indices_ + at - before);
        best.take({load<Values>(x_ + at), Places{} + row});
        best.store(values_ + at, indices_ + at);
      }
    }
    if (whole == 0) in_register<kSize>(0, n_);
    if (whole < count_ && count_ != kSize) in_register<kSize>(count_ - kSize, n_);
  }
  /// Rows are taken whole, with some of the next one, which overwrites what is too much.
  void few() const {
    constexpr int kHalf = kSize > 4 ? kSize / 2 : kSize;
    const int lanes = count_ <= kHalf ? kHalf : kSize;
    const std::int64_t fit = n_ - (lanes + count_ - 1) / count_ + 1, rows = fit > 0 ? fit : 0;
    lanes == kHalf ? in_register<kHalf>(0, rows) : in_register<kSize>(0, rows);
    one_by_one(rows);
  }
  /// So many rows of columns c to c + Lanes.
  template <int Lanes>
  void in_register(std::int64_t c, std::int64_t rows) const {
    if (rows == 0) return;
    using V = typename Best<Lanes>::Values;
    Best<Lanes> best{load<V>(x_ + c), {}};
    for (std::int64_t row = 0, at = c; row < rows; ++row, at += stride_) {
      best.take({load<V>(x_ + at), typename Best<Lanes>::Places{} + row});
      best.store(values_ + at, indices_ + at);
    }
  }

  /// Rows from `row` on, in a lane: compilers take a choice between two numbers for a jump, which no CPU could foresee.
  [[gnu::noinline]] void one_by_one(std::int64_t row) const {
    using Lane = Best<2>;
    for (std::int64_t c = 0; c < count_; ++c) {
      const T value = row > 0 ? values_[(row - 1) * stride_ + c] : x_[c];
      const std::int64_t place = row > 0 ? indices_[(row - 1) * stride_ + c] : 0;
      Lane best{{value, value}, {place, place}};  // not 0 + value, which takes the sign from a zero
      for (std::int64_t r = row, at = row * stride_ + c; r < n_; ++r, at += stride_) {
        const Lane later{{x_[at], x_[at]}, {r, r}};
        best.take(later);
        values_[at] = best.value[0];
        indices_[at] = best.place[0];
      }
    }
  }

  /// One column or two, whose rows lie end to end, a register at a time: the extremes within it, then those of all before it. Nothing
  /// jumps: among numbers of few values, ties come at any time.
  template <int Columns>
  void sequence() const {
    T first[kSize];
    Places place;
    for (int l = 0; l < kSize; ++l) first[l] = x_[l % Columns];
    for (int l = 0; l < kSize; ++l) place[l] = l / Columns;
    Wide before{load<Values>(first), {}};
    const std::int64_t n = n_ * Columns;
    std::int64_t i = 0;
    for (; i + kSize <= n; i += kSize, place += kSize / Columns) {
      Wide best{load<Values>(x_ + i), place};
      if (Columns == 1 &&
          none_takes(best.value, before.value)) {  // seldom a new one, later in a long sequence
        before.store(values_ + i, indices_ + i);
        continue;
      }
      running<Columns>(best, before);
      best.store(values_ + i, indices_ + i);
      before = last_row<Columns>(best, kLanes);
    }
    if (i == n) return;
    place -= (i - (n - kSize)) / Columns;  // the last ones once more
    i = n - kSize;
    for (int l = 0; l < kSize; ++l) before.value[l] = values_[i - Columns + l % Columns];
    for (int l = 0; l < kSize; ++l) before.place[l] = indices_[i - Columns + l % Columns];
    Wide best{load<Values>(x_ + i), place};
    running<Columns>(best, before);
    best.store(values_ + i, indices_ + i);
  }

  static constexpr std::make_integer_sequence<int, kSize> kLanes{};

  static LANEWISE_INLINE bool none_takes(const Values& element, const Values& best) {
    const auto better = __builtin_convertvector(takes(element, best), Places);
    return vec::none(vec::Vec<std::int64_t>(better) != vec::Vec<std::int64_t>(0));
  }
  /// Each lane takes what comes before it: in the register, then `before`.
  template <int Columns>
  static LANEWISE_INLINE void running(Wide& best, const Wide& before) {
    if constexpr (Columns < kSize) after<Columns>(best, kLanes);
    if constexpr (2 * Columns < kSize) after<2 * Columns>(best, kLanes);
    if constexpr (4 * Columns < kSize) after<4 * Columns>(best, kLanes);
    Wide all = before;
    all.take(best);
    best = all;
  }
  /// Each lane takes the one that is `Back` before it.
  template <int Back, int... L>
  static LANEWISE_INLINE void after(Wide& best, std::integer_sequence<int, L...>) {
    Wide earlier{__builtin_shufflevector(best.value, best.value, (L < Back ? L : L - Back)...),
                 __builtin_shufflevector(best.place, best.place, (L < Back ? L : L - Back)...)};
    earlier.take(best);
    best = earlier;
  }
  template <int Columns, int... L>
  static LANEWISE_INLINE Wide last_row(const Wide& best, std::integer_sequence<int, L...>) {
    return {__builtin_shufflevector(best.value, best.value, (kSize - Columns + L % Columns)...),
            __builtin_shufflevector(best.place, best.place, (kSize - Columns + L % Columns)...)};
  }
};

template <bool kMax, class... T>
constexpr RunningExtremeKernel running_extreme(Types<T...>) {
  RunningExtremeKernel k{};
  ((k[index_of<T>] = RunningExtreme<kMax, T>::run), ...);
  return k;
}

constexpr auto kOrdered = Types<std::int32_t, std::int64_t>{} + floating;

}  // namespace

constinit const RunningExtremeKernel running_maximum = running_extreme<true>(kOrdered);
constinit const RunningExtremeKernel running_minimum = running_extreme<false>(kOrdered);

}  // namespace lanewise::kernels::LANEWISE_ISA
