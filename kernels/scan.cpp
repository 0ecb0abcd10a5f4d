#include <limits>

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/scan_table.h>
#include <lanewise/vec/math.h>

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
    return a * x;
  }
};
/// log(exp(a) + exp(x)).
struct AddExponentials {
  template <class T>
  static constexpr T start() {
    return -std::numeric_limits<T>::infinity();
  }
  template <class V>
  static LANEWISE_INLINE V apply(V a, V x) {
    const V high = vec::maximum(a, x);
    const V sum = high + vec::log1p(vec::exp(vec::minimum(a, x) - high));
    // Both infinite with one sign: their difference is no number.
    return select(vec::isinf(high) & (a == x), high, sum);
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
    for (std::int64_t c = 0; c < cols; ++c) to[c] = Op::template start<Wide>();
  }

  static void run(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t rows,
                  std::int64_t cols, char* carry) noexcept {
    Wide* to = reinterpret_cast<Wide*>(carry);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<Op, AddExponentials>) {
      if (cols == 1) {
        one_column(x, stride, out, out_stride, rows, *to);
        return;
      }
    }
    if (cols <= V::size) {
      narrow_columns(x, stride, out, out_stride, rows, static_cast<int>(cols), to);
      return;
    }
    // Registers of the last columns may reach beyond them: those lanes are neither read nor written in
    // memory.
    for (std::int64_t r = 0; r < rows; ++r, x += stride, out += out_stride) {
      const T* from = reinterpret_cast<const T*>(x);
      T* result = reinterpret_cast<T*>(out);
      std::int64_t c = 0;
      for (; c + V::size <= cols; c += V::size) {
        W wide[kParts];
        __builtin_prefetch(x + stride + c * static_cast<std::int64_t>(sizeof(T)));
        Lanes::widen(V::load(from + c), wide);
        for (int p = 0; p < kParts; ++p) {
          Wide* at = to + c + p * W::size;
          wide[p] = Op::apply(W::load(at), wide[p]);
          wide[p].store(at);
        }
        Lanes::narrow(wide).store(result + c);
      }
      if (c < cols) {
        const int n = static_cast<int>(cols - c);
        W wide[kParts];
        Lanes::widen(V::load_partial(from + c, n), wide);
        for (int p = 0; p < kParts; ++p) {
          const int left = n - p * W::size;
          if (left <= 0) break;
          Wide* at = to + c + p * W::size;
          if (left >= W::size) {
            wide[p] = Op::apply(W::load(at), wide[p]);
            wide[p].store(at);
          } else {
            wide[p] = Op::apply(W::load_partial(at, left), wide[p]);
            wide[p].store_partial(at, left);
          }
        }
        Lanes::narrow(wide).store_partial(result + c, n);
      }
    }
  }

 private:
  static void one_column(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                         std::int64_t rows, Wide& carry) {
    Wide value = carry;
    for (std::int64_t r = 0; r < rows; ++r, x += stride, out += out_stride) {
      value = Op::apply(value, static_cast<Wide>(*reinterpret_cast<const T*>(x)));
      *reinterpret_cast<T*>(out) = static_cast<T>(value);
    }
    carry = value;
  }

  static void narrow_columns(const char* x, std::int64_t stride, char* out, std::int64_t out_stride,
                             std::int64_t rows, int cols, Wide* carry) {
    W value[kParts];
    Wide buffer[V::size] = {};
    for (int c = 0; c < cols; ++c) buffer[c] = carry[c];
    for (int p = 0; p < kParts; ++p) value[p] = W::load(buffer + p * W::size);
    const bool full = cols == V::size;
    for (std::int64_t r = 0; r < rows; ++r, x += stride, out += out_stride) {
      const T* from = reinterpret_cast<const T*>(x);
      W wide[kParts];
      Lanes::widen(full ? V::load(from) : V::load_partial(from, cols), wide);
      for (int p = 0; p < kParts; ++p) value[p] = Op::apply(value[p], wide[p]);
      if (full) {
        Lanes::narrow(value).store(reinterpret_cast<T*>(out));
      } else {
        Lanes::narrow(value).store_partial(reinterpret_cast<T*>(out), cols);
      }
    }
    for (int p = 0; p < kParts; ++p) value[p].store(buffer + p * W::size);
    for (int c = 0; c < cols; ++c) carry[c] = buffer[c];
  }
};

/// int64 wraps: as unsigned.
template <class T>
using ScanElement = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;

template <class Op, class... T>
constexpr ScanKernel scan_kernel(Types<T...>) {
  ScanKernel k{};
  ((k.fn[index_of<T>] = Scan<ScanElement<T>, Op>::run, k.start[index_of<T>] = Scan<ScanElement<T>, Op>::start,
    k.carry_size[index_of<T>] = sizeof(typename Carry<ScanElement<T>>::Wide)),
   ...);
  return k;
}

constexpr auto kScanned = Types<std::int64_t>{} + floating_complex;
constinit const ScanKernel scan_sum = scan_kernel<Add>(kScanned);
constinit const ScanKernel scan_product = scan_kernel<Multiply>(kScanned);
constinit const ScanKernel scan_logsumexp = scan_kernel<AddExponentials>(floating);

}  // namespace

constinit const ScanTable scan_table = {
    .sum = &scan_sum, .product = &scan_product, .logsumexp = &scan_logsumexp};

}  // namespace lanewise::kernels::LANEWISE_ISA
