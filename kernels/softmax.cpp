#include <lanewise/kernels/operand.h>
#include <lanewise/kernels/softmax_sums.h>
#include <lanewise/kernels/softmax_table.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// What is done with each vector: first() makes what is summed over a row, prepare() turns the sum into a
/// factor, last() makes the result. Only the forward functions need the maximum; only the backward ones have
/// a second operand, and their factor is the sum. sums() adds what first() makes of columns, and again() is the same for last(), where it
/// was not kept. kSumsFirst: first() is not just the first operand.
template <class T>
struct Forward {
  using V = vec::Vec<T>;
  static constexpr bool kUsesMax = true;
  static LANEWISE_INLINE V first(V a, V, V max) { return vec::exp(a - max); }
  static void sums(const T* a, const T*, std::int64_t n, std::int64_t stride, std::int64_t width, T* max,
                   T* sum) {
    ColumnSums<T>::of_exp(a, n, stride, width, max, sum);
  }
};
template <class T>
struct Softmax : Forward<T> {
  using V = vec::Vec<T>;
  static LANEWISE_INLINE V prepare(V sum) { return V(T(1)) / sum; }
  static LANEWISE_INLINE V last(V, V, V, V inverse, V summed) { return summed * inverse; }
  static LANEWISE_INLINE V again(V a, V max) { return Forward<T>::first(a, a, max); }
};
template <class T>
struct LogSoftmax : Forward<T> {
  using V = vec::Vec<T>;
  static LANEWISE_INLINE V prepare(V sum) { return vec::log(sum); }
  static LANEWISE_INLINE V last(V a, V, V max, V log_sum, V) { return (a - max) - log_sum; }
  static LANEWISE_INLINE V again(V a, V) { return a; }  // last() does not need what was summed
};
template <class T>
struct SoftmaxBackward {
  using V = vec::Vec<T>;
  static constexpr bool kUsesMax = false, kSumsFirst = true;
  static LANEWISE_INLINE V first(V grad, V y, V) { return grad * y; }
  static void sums(const T* a, const T* b, std::int64_t n, std::int64_t stride, std::int64_t width, T*,
                   T* sum) {
    ColumnSums<T>::of_products(a, b, n, stride, width, sum);
  }
  static LANEWISE_INLINE V prepare(V sum) { return sum; }
  static LANEWISE_INLINE V last(V grad, V y, V, V sum, V) { return (grad - sum) * y; }
  static LANEWISE_INLINE V again(V a, V) { return a; }
};
template <class T>
struct LogSoftmaxBackward {
  using V = vec::Vec<T>;
  static constexpr bool kUsesMax = false, kSumsFirst = false;
  static LANEWISE_INLINE V first(V grad, V, V) { return grad; }
  static void sums(const T* a, const T*, std::int64_t n, std::int64_t stride, std::int64_t width, T*,
                   T* sum) {
    ColumnSums<T>::of(a, n, stride, width, sum);
  }
  static LANEWISE_INLINE V prepare(V sum) { return sum; }
  static LANEWISE_INLINE V last(V grad, V y, V, V sum, V) { return grad - vec::exp(y) * sum; }
  static LANEWISE_INLINE V again(V a, V) { return a; }
};

template <class T, class Op>
struct Passes {
  using V = vec::Vec<T>;
  /// Columns at a time: 256 bytes a row.
  static constexpr int kTile = 256 / static_cast<int>(sizeof(T));

  static LANEWISE_INLINE V load_b(const T* b, At<T> p) {
    if constexpr (Op::kUsesMax) {
      return V(T(0));  // the forward functions have no second operand
    } else {
      return p.load(b);
    }
  }

  /// Bytes of a row that is kept while its result goes past the caches.
  static constexpr std::int64_t kMostKept = 32 << 10;

  static void rows(const char* pa, const char* pb, char* pout, std::int64_t count, std::int64_t n,
                   std::int64_t) noexcept {
    const T* a = reinterpret_cast<const T*>(pa);
    const T* b = reinterpret_cast<const T*>(pb);
    T* out = reinterpret_cast<T*>(pout);
    // The hardware stops with every row, while its exponentials are calculated: the first pass asks for the next row, the last
    // for its result. Rows of 4096 f32, 16M in all, take 0.7 of the time.
    constexpr std::int64_t kMostAhead = (64 << 10) / sizeof(T);
    const std::int64_t ahead = n < kMostAhead ? n : kMostAhead;
    const auto bytes = n * static_cast<std::int64_t>(sizeof(T));
    const bool past = bytes <= kMostKept && goes_past(out, count, bytes);
    alignas(64) T kept[kMostKept / sizeof(T)];
    for (; count > 0; --count, a += n, out += n) {
      const V max(Op::kUsesMax ? row_max(a, n) : T(0));
      T* summed = past ? kept : out;
      each_vector<T>(
          n, [&](At<T> p) __attribute__((always_inline)) {
            __builtin_prefetch(a + ahead + p.i);
            p.store(summed, Op::first(p.load(a), load_b(b, p), max));
          });
      const V factor = Op::prepare(V(row_sum(summed, n)));
      each_vector<T>(
          n, [&](At<T> p) __attribute__((always_inline)) {
            const V result = Op::last(p.load(a), load_b(b, p), max, factor, p.load(summed));
            if (past) return stream(result, reinterpret_cast<char*>(out + p.i));
            __builtin_prefetch(out + ahead + p.i, 1);
            p.store(out, result);
          });
      if constexpr (!Op::kUsesMax) b += n;
    }
    if (past) end_stream();
  }

  static void cols(const char* pa, const char* pb, char* pout, std::int64_t count, std::int64_t n,
                   std::int64_t stride) noexcept {
    const T* a = reinterpret_cast<const T*>(pa);
    const T* b = reinterpret_cast<const T*>(pb);
    T* out = reinterpret_cast<T*>(pout);
    if constexpr (!Op::kUsesMax) {
      if (count == stride && count < kManyColumns && n >= kManyRows)
        return few_columns(a, b, out, static_cast<int>(count), n);
    }
    // Rows a multiple of 4 KiB apart fall into the same few sets of L1, and are gone when they are visited again: in tensors that L2 does
    // not hold beside each other pages are quicker. Not for the forward functions, which calculate exponentials twice then.
    constexpr std::int64_t kMostHeld = (256 << 10) / static_cast<std::int64_t>(sizeof(T));
    const bool clash = !Op::kUsesMax && n > 2 && 3 * n * stride > kMostHeld &&
                       stride * static_cast<std::int64_t>(sizeof(T)) % 4096 == 0;
    // Gradients of few columns, too: what is summed need not be kept (16 x 128 x 64 f32: 0.85 of the time).
    if ((n > kTile || clash) && (count > kTile || !Op::kUsesMax)) return pages(a, b, out, count, n, stride);
    T max[kTile] = {};
    T factor[kTile];
    for (std::int64_t c = 0; c < count; c += kTile) {
      const std::int64_t width = count - c < kTile ? count - c : kTile;
      if constexpr (Op::kUsesMax) {
        largest(a + c, n, stride, width, max);
      }
      each_row(
          n, width, a, b, out, stride,
          c, [&](At<T> p, const T* x, const T* y, T* z) __attribute__((always_inline)) {
            __builtin_prefetch(z + p.i + kRowsAhead * stride, 1);
            prefetch_to_l2(x + p.i + 2 * kRowsAhead * stride);
            p.store(z, Op::first(p.load(x), load_b(y, p), p.load(max)));
          });
      TreeRows<Sum<T>>::reduce(reinterpret_cast<const char*>(out + c), n,
                               stride * static_cast<std::int64_t>(sizeof(T)), width, factor);
      each_vector<T>(
          width, [&](At<T> p)
                     __attribute__((always_inline)) { p.store(factor, Op::prepare(p.load(factor))); });
      each_row(
          n, width, a, b, out, stride,
          c, [&](At<T> p, const T* x, const T* y, T* z) __attribute__((always_inline)) {
            p.store(z, Op::last(p.load(x), load_b(y, p), p.load(max), p.load(factor), p.load(z)));
          });
    }
  }

 private:
  /// Gradients over 32 columns, or 17 rows, take up to 1.2 times as long by registers of several rows. ops/softmax.cpp knows from how many
  /// rows on they are quicker so.
  static constexpr int kManyColumns = 32, kManyRows = 32;

  /// Columns whose rows lie end to end, by registers of several rows: what is summed goes where the result will be.
  static void few_columns(const T* a, const T* b, T* out, int count, std::int64_t n) {
    const std::int64_t all = n * count;
    if constexpr (Op::kSumsFirst) {
      each_vector<T>(
          all, [&](At<T> p) __attribute__((always_inline)) {
            p.store(out, Op::first(p.load(a), p.load(b), V(T(0))));
          });
    }
    alignas(64) T factor[kManyColumns * V::size];
    TreeRows<Sum<T>>::reduce(reinterpret_cast<const char*>(Op::kSumsFirst ? out : a), n,
                             count * static_cast<std::int64_t>(sizeof(T)), count, factor);
    const int block = count * V::size;  // as many rows as a register has elements
    for (int i = count; i < block; ++i) factor[i] = factor[i - count];
    const auto finish = [&](At<T> p, std::int64_t in_block) __attribute__((always_inline)) {
      const V x = p.load(a);
      p.store(out, Op::last(x, p.load(b), V(T(0)), V::load(factor + in_block), x));
    };
    if constexpr (Op::kSumsFirst) {
      for (std::int64_t first = 0; first < all; first += block) {
        each_vector<T>(
            all - first < block ? all - first : block, [&](At<T> p) __attribute__((always_inline)) {
              finish({first + p.i, p.n}, p.i);
            });
      }
    } else {
      // One loop for whole registers and for the last one: an exponential more is half a kilobyte.
      for (std::int64_t i = 0, at = 0; i < all; i += V::size, at = at + V::size < block ? at + V::size : 0)
        finish({i, all - i < V::size ? static_cast<int>(all - i) : V::size}, at);
    }
  }

  /// Whether a result of `rows` rows, so many bytes apart, is worth going past the caches, and each row begins with a line.
  static bool goes_past(const T* out, std::int64_t rows, std::int64_t row_bytes) {
    return kHasStream && rows * row_bytes >= kStreamOutputFrom &&
           (reinterpret_cast<std::uintptr_t>(out) | static_cast<std::uintptr_t>(row_bytes)) % 64 == 0;
  }

  /// Columns that no cache holds, a page of each row at a time, which the hardware follows: they are read three times and
  /// written once, with an exponential in the second and third visit. A tile of short stretches of rows, read once, took
  /// 1.5 times as long over dimension 0 of 4096 x 4096.
  static void pages(const T* a, const T* b, T* out, std::int64_t count, std::int64_t n, std::int64_t stride) {
    alignas(64) T max[kPage];
    alignas(64) T factor[kPage];
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const bool past = goes_past(out, n, stride * size);
    for (std::int64_t c = 0; c < count; c += kPage, a += kPage, out += kPage) {
      const std::int64_t width = count - c < kPage ? count - c : kPage;
      Op::sums(a, b, n, stride, width, max, factor);
      each_vector<T>(
          width, [&](At<T> p)
                     __attribute__((always_inline)) { p.store(factor, Op::prepare(p.load(factor))); });
      for (std::int64_t r = 0; r < n; ++r) {
        const T* x = a + r * stride;
        const T* y = Op::kUsesMax ? x : b + r * stride;
        each_vector<T>(
            width, [&](At<T> p) __attribute__((always_inline)) {
              T* to = out + r * stride;
              const V v = p.load(x), m = Op::kUsesMax ? V::load(max + p.i) : V(T(0));
              const V result = Op::last(v, load_b(y, p), m, V::load(factor + p.i), Op::again(v, m));
              if (past && p.n == V::size) return stream(result, reinterpret_cast<char*>(to + p.i));
              __builtin_prefetch(to + p.i + kAhead, 1);
              p.store(to, result);
            });
      }
      if constexpr (!Op::kUsesMax) b += kPage;
    }
    if (past) end_stream();
  }
  static constexpr int kPage = ColumnSums<T>::kPage;
  /// With 8 rows over the middle of 512 x 512 x 64 f32 0.87 of the time, of 4096 x 64 x 64 0.65.
  static constexpr std::int64_t kRowsAhead = 8;
  static constexpr std::int64_t kAhead = 512 / static_cast<std::int64_t>(sizeof(T));

  template <class F>
  static LANEWISE_INLINE void each_row(std::int64_t n, std::int64_t width, const T* a, const T* b, T* out,
                                       std::int64_t stride, std::int64_t first, F f) {
    for (std::int64_t r = 0; r < n; ++r) {
      const std::int64_t start = r * stride + first;
      const T* y = Op::kUsesMax ? a : b + start;
      each_vector<T>(
          width, [&](At<T> p) __attribute__((always_inline)) { f(p, a + start, y, out + start); });
    }
  }
};

template <class T>
constexpr SoftmaxFns functions = {
    .softmax_rows = Passes<T, Softmax<T>>::rows,
    .softmax_cols = Passes<T, Softmax<T>>::cols,
    .log_softmax_rows = Passes<T, LogSoftmax<T>>::rows,
    .log_softmax_cols = Passes<T, LogSoftmax<T>>::cols,
    .softmax_backward_rows = Passes<T, SoftmaxBackward<T>>::rows,
    .softmax_backward_cols = Passes<T, SoftmaxBackward<T>>::cols,
    .log_softmax_backward_rows = Passes<T, LogSoftmaxBackward<T>>::rows,
    .log_softmax_backward_cols = Passes<T, LogSoftmaxBackward<T>>::cols,
};

}  // namespace

constinit const SoftmaxTable softmax_table = {.f32 = functions<float>, .f64 = functions<double>};

}  // namespace lanewise::kernels::LANEWISE_ISA
