#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/scan_exponentials.h>
#include <lanewise/kernels/scan_rows.h>
#include <lanewise/kernels/scan_table.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// A register of elements as the registers that carry them.
template <class T>
struct Carry {
  using Wide = T;
  static constexpr int kParts = 1;
  using W = vec::Vec<T>;
  static LANEWISE_INLINE void widen(vec::Vec<T> x, W* to) { to[0] = x; }
  static LANEWISE_INLINE vec::Vec<T> narrow(const W* from) { return from[0]; }
};
template <>
struct Carry<float> {
  using Wide = double;
  static constexpr int kParts = 2;
  using W = vec::Vec<double>;
  static LANEWISE_INLINE void widen(vec::Vec<float> x, W* to) {
    const vec::WidePair pair = vec::widen(x);
    to[0] = pair.low;
    to[1] = pair.high;
  }
  static LANEWISE_INLINE vec::Vec<float> narrow(const W* from) { return vec::narrow(from[0], from[1]); }
};
template <>
struct Carry<std::complex<float>> {
  using Wide = std::complex<double>;
  static constexpr int kParts = 2;
  using W = vec::Vec<Wide>;
  static LANEWISE_INLINE void widen(vec::Vec<std::complex<float>> x, W* to) {
    const vec::WidePair re = vec::widen(x.re);
    const vec::WidePair im = vec::widen(x.im);
    to[0] = W(re.low, im.low);
    to[1] = W(re.high, im.high);
  }
  static LANEWISE_INLINE vec::Vec<std::complex<float>> narrow(const W* from) {
    return {vec::narrow(from[0].re, from[1].re), vec::narrow(from[0].im, from[1].im)};
  }
};

struct Add {
  template <class T>
  static constexpr T start() {
    return T(0);
  }
  template <class V>
  static LANEWISE_INLINE V apply(V a, V x) {
    return a + x;
  }
};
struct Multiply {
  template <class T>
  static constexpr T start() {
    return T(1);
  }
  template <class V>
  static LANEWISE_INLINE V apply(V a, V x) {
    if constexpr (is_complex<V>) {
      return vec::product(a, x);
    } else {
      return a * x;
    }
  }
};
template <class T, class Op>
struct Scan {
  using V = vec::Vec<T>;
  using Lanes = Carry<T>;
  using Wide = typename Lanes::Wide;
  using W = typename Lanes::W;
  static constexpr int kParts = Lanes::kParts;

  static void start(char* carry, std::int64_t cols) noexcept {
    Wide* to = reinterpret_cast<Wide*>(carry);
    for (std::int64_t c = 0; c < cols + kScanPadding; ++c) to[c] = Op::template start<Wide>();
  }

  static void run(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t rows,
                  std::int64_t cols, char* carry) noexcept {
    Wide* to = reinterpret_cast<Wide*>(carry);
    if constexpr (std::is_same_v<Op, Add>) {
      if (cols == 1) return few_columns<1>(x, stride, out, out_stride, rows, to);
      if (cols == 2) return few_columns<2>(x, stride, out, out_stride, rows, to);
      if (cols == 3) return few_columns<3>(x, stride, out, out_stride, rows, to);
      if (cols == 4) return few_columns<4>(x, stride, out, out_stride, rows, to);
    }
    if (cols <= V::size && !(std::is_same_v<Op, Add> && V::size <= 4))
      return narrow_columns(x, stride, out, out_stride, rows, static_cast<int>(cols), to);
    if (cols <= 2 * V::size) return two_registers(x, stride, out, out_stride, rows, cols, to);
    // Rows shorter than a page are near enough to one stream: on a Zen 4 rows of 2 KiB take 1.2 times as long if L2 is asked, those
    // of 16 KiB 0.83.
    const bool pages = cols * static_cast<std::int64_t>(sizeof(T)) >= 4096;
    for (std::int64_t r = 0; r < rows; ++r, x += stride, out += out_stride) {
      const T* from = reinterpret_cast<const T*>(x);
      T* result = reinterpret_cast<T*>(out);
      for (std::int64_t c = 0; c < cols; c += V::size) {
        const char* next = x + stride + c * static_cast<std::int64_t>(sizeof(T));
        pages ? prefetch_to_l2(next) : __builtin_prefetch(next);
        const int n = cols - c < V::size ? static_cast<int>(cols - c) : V::size;
        W wide[kParts];
        Lanes::widen(load(from + c, n), wide);
        for (int p = 0; p < kParts; ++p) {
          Wide* at = to + c + p * W::size;
          wide[p] = Op::apply(W::load(at), wide[p]);
          wide[p].store(at);
        }
        store(Lanes::narrow(wide), result + c, n);
      }
    }
  }

 private:
  static_assert(kScanPadding >= V::size);

  static LANEWISE_INLINE V load(const T* x, int n) {
    return n == V::size ? V::load(x) : V::load_partial(x, n);
  }
  static LANEWISE_INLINE void store(V v, T* to, int n) {
    n == V::size ? v.store(to) : v.store_partial(to, n);
  }

  /// Sums of so many columns, one by one: what is accessed under a mask takes three times as long.
  template <int Columns>
  static void few_columns(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                          std::int64_t rows, Wide* carry) {
    Wide value[Columns];
    for (int c = 0; c < Columns; ++c) value[c] = carry[c];
    for (std::int64_t r = 0; r < rows; ++r, x += stride, out += out_stride) {
      for (int c = 0; c < Columns; ++c) {
        value[c] = Op::apply(value[c], static_cast<Wide>(reinterpret_cast<const T*>(x)[c]));
        reinterpret_cast<T*>(out)[c] = static_cast<T>(value[c]);
      }
    }
    for (int c = 0; c < Columns; ++c) carry[c] = value[c];
  }

  /// Columns whose carries stay in a register.
  struct Column {
    W value[kParts];
    explicit LANEWISE_INLINE Column(const Wide* carry) {
      for (int p = 0; p < kParts; ++p) value[p] = W::load(carry + p * W::size);
    }
    LANEWISE_INLINE V next(V x) {
      W wide[kParts];
      Lanes::widen(x, wide);
      for (int p = 0; p < kParts; ++p) value[p] = Op::apply(value[p], wide[p]);
      return Lanes::narrow(value);
    }
    LANEWISE_INLINE void store(Wide* carry) const {
      for (int p = 0; p < kParts; ++p) value[p].store(carry + p * W::size);
    }
  };

  /// Up to a register of columns. Rows that follow one another are taken whole, with some of the next one, which overwrites what is
  /// too much.
  static void narrow_columns(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                             std::int64_t rows, int cols, Wide* carry) {
    Column columns(carry);
    const std::int64_t bytes = cols * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t too_much = (V::size + cols - 1) / cols - 1;  // rows
    std::int64_t r = 0;
    if (stride == bytes && out_stride == bytes && x != out) {
      for (; r < rows - too_much; ++r, x += stride, out += out_stride)
        columns.next(V::load(reinterpret_cast<const T*>(x))).store(reinterpret_cast<T*>(out));
    }
    for (; r < rows; ++r, x += stride, out += out_stride)
      store(columns.next(load(reinterpret_cast<const T*>(x), cols)), reinterpret_cast<T*>(out), cols);
    columns.store(carry);
  }

  /// Up to two: the first and the last ones, some of them twice.
  static void two_registers(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                            std::int64_t rows, std::int64_t cols, Wide* carry) {
    const std::int64_t last = cols - V::size;
    Column low(carry), high(carry + last);
    for (std::int64_t r = 0; r < rows; ++r, x += stride, out += out_stride) {
      const T* from = reinterpret_cast<const T*>(x);
      const V a = V::load(from), b = V::load(from + last);
      low.next(a).store(reinterpret_cast<T*>(out));
      high.next(b).store(reinterpret_cast<T*>(out) + last);
    }
    low.store(carry);
    high.store(carry + last);
  }
};

/// int64 wraps: as unsigned.
template <class T>
using ScanElement = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;

/// The entry for rows.
template <class T, class Op>
constexpr ScanRowsFn scan_rows() {
  if constexpr (std::is_integral_v<T> && std::is_same_v<Op, Add>) {
    return ScanIntegerRows::run;
  } else if constexpr (is_complex<T>) {
    // Two sums are enough to do meanwhile: with four rows 1.1 to 2 times the time.
    constexpr int kRows = std::is_same_v<Op, Add> ? 1 : 4;
    return ScanRows<typename T::value_type, Op, 2, kRows>::run;
  } else {
    // Integers have but few registers for the places of rows: with four of them 1.4 times the time.
    return ScanRows<T, Op, 1, std::is_integral_v<T> ? 2 : 4>::run;
  }
}

template <class Op, class... T>
constexpr ScanKernel scan_kernel(Types<T...>) {
  ScanKernel k{};
  ((k.fn[index_of<T>] = Scan<ScanElement<T>, Op>::run, k.rows[index_of<T>] = scan_rows<ScanElement<T>, Op>(),
    k.start[index_of<T>] = Scan<ScanElement<T>, Op>::start,
    k.carry_size[index_of<T>] = sizeof(typename Carry<ScanElement<T>>::Wide)),
   ...);
  return k;
}

template <class... T>
constexpr ScanKernel scan_exponentials(Types<T...>) {
  ScanKernel k{};
  k.most_rows = 10;
  ((k.fn[index_of<T>] = ScanExponentials<T, Carry<T>>::run,
    k.rows[index_of<T>] = ScanExponentials<T, Carry<T>>::run_rows,
    k.start[index_of<T>] = ScanExponentials<T, Carry<T>>::start,
    k.carry_size[index_of<T>] = ScanExponentials<T, Carry<T>>::kCarrySize),
   ...);
  return k;
}

constexpr auto kScanned = Types<std::int64_t>{} + floating_complex;
constinit const ScanKernel scan_sum = scan_kernel<Add>(kScanned);
constinit const ScanKernel scan_product = scan_kernel<Multiply>(kScanned);
constinit const ScanKernel scan_logsumexp = scan_exponentials(floating);

}  // namespace

constinit const ScanTable scan_table = {.sum = &scan_sum,
                                        .product = &scan_product,
                                        .logsumexp = &scan_logsumexp,
                                        .maximum = &running_maximum,
                                        .minimum = &running_minimum};

}  // namespace lanewise::kernels::LANEWISE_ISA
