// The backward pass of normalizations, a group after the other: one pass sums, one writes.

#include <lanewise/kernels/normalization_table.h>
#include <lanewise/kernels/reduction_tree.h>
#include <lanewise/kernels/softmax_sums.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <class T>
class Groups {
  using V = vec::Vec<T>;
  static constexpr int kLanes = 128 / static_cast<int>(sizeof(T)), kVectors = kLanes / V::size;
  static constexpr std::int64_t kPiece = 4096;

  struct Run {
    const T *grad, *x, *weight;
    V mean, scale;

    LANEWISE_INLINE V weighted(At<T> p) const {
      const V g = p.load(grad);
      return weight == nullptr ? g : g * p.load(weight);
    }
    LANEWISE_INLINE V normal(At<T> p) const { return (p.load(x) - mean) * scale; }
  };
  /// In double: pieces of long groups are added one after the other.
  struct Sums {
    double grad = 0, products = 0;
  };

  /// Lane l takes lane l + half, until one is left.
  static LANEWISE_INLINE T fold(V (&lanes)[kVectors]) {
    for (int half = kVectors / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lanes[k] = lanes[k] + lanes[k + half];
    }
    return fold_vector<V::size / 2>(lanes[0]);
  }
  template <int Half>
  static LANEWISE_INLINE T fold_vector(V v) {
    if constexpr (Half == 0) {
      return v.extract(0);
    } else {
      return fold_vector<Half / 2>(v + tree_detail::upper_down<Half>(v));
    }
  }

  /// Sums of gradients and of products, lane by lane.
  struct Lanes {
    V grad[kVectors], products[kVectors];

    LANEWISE_INLINE Lanes() {
      for (int k = 0; k < kVectors; ++k) grad[k] = products[k] = V(T(0));
    }
    LANEWISE_INLINE void add(const Run& run, std::int64_t first, std::int64_t n) {
      std::int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) {
        for (int k = 0; k < kVectors; ++k) {
          const At<T> p{first + i + k * V::size, V::size};
          const V g = run.weighted(p);
          grad[k] = grad[k] + g;
          products[k] = products[k] + g * run.normal(p);
        }
      }
      if (i == n) return;
      for (int k = 0; k < kVectors; ++k, i += V::size) {
        if (i >= n) return;
        const int left = n - i < V::size ? static_cast<int>(n - i) : V::size;
        const At<T> p{first + i, left};
        const V g = run.weighted(p);
        grad[k] = grad[k] + g;
        products[k] = products[k] + select(vec::Mask<T>::first(left), g * run.normal(p), V(T(0)));
      }
    }
    LANEWISE_INLINE void fold_into(Sums& sums) {
      sums.grad += fold(grad);
      sums.products += fold(products);
      *this = Lanes();
    }
  };

 public:
  static void backward(const NormalGroups& g) noexcept {
    const auto of = [](const char* p) { return reinterpret_cast<const T*>(p); };
    const auto to = [](char* p) { return reinterpret_cast<T*>(p); };
    const auto count = static_cast<double>(g.runs * g.n);
    std::int64_t weight_row = g.first;
    for (std::int64_t i = 0; i < g.count; ++i) {
      const std::int64_t start = i * g.group_step;
      Run run{of(g.grad) + start, of(g.x) + start, nullptr, V(of(g.mean)[i]), V(of(g.scale)[i])};
      if (g.weight != nullptr) {
        run.weight = of(g.weight) + weight_row * g.n;
        if (++weight_row == g.weight_rows) weight_row = 0;
      }
      Sums sums;
      const auto each_run = [&](auto f) __attribute__((always_inline)) {
        Run r = run;
        for (std::int64_t k = 0; k < g.runs; ++k, r.grad += g.run_step, r.x += g.run_step) f(r, k);
      };
      Lanes lanes;
      std::int64_t held = 0;
      each_run([&](const Run& r, std::int64_t) __attribute__((always_inline)) {
        for (std::int64_t at = 0; at < g.n; at += kPiece) {
          const std::int64_t n = g.n - at < kPiece ? g.n - at : kPiece;
          if (held + n > kPiece) {
            lanes.fold_into(sums);
            held = 0;
          }
          lanes.add(r, at, n);
          held += n;
        }
      });
      lanes.fold_into(sums);
      if (g.sums != nullptr) to(g.sums)[i] = static_cast<T>(sums.grad);
      if (g.products != nullptr) to(g.products)[i] = static_cast<T>(sums.products);
      if (g.out == nullptr) continue;
      const V mean_grad(static_cast<T>(sums.grad / count)),
          mean_product(static_cast<T>(sums.products / count));
      const V factor(of(g.factor)[i]);
      each_run([&](const Run& r, std::int64_t k) __attribute__((always_inline)) {
        T* const out = to(g.out) + start + k * g.run_step;
        each_vector<T>(
            g.n, [&](At<T> p) __attribute__((always_inline)) {
              p.store(out, ((r.weighted(p) - mean_grad) - r.normal(p) * mean_product) * factor);
            });
      });
    }
  }

  /// The same bits where groups lie side by side: lanes are rows of them then.
  static void backward_columns(const NormalGroups& g) noexcept {
    if (g.count < kNarrow && g.element_step == g.count) return narrow(g);
    for (std::int64_t c = 0; c < g.count; c += kWidth)
      columns(g, c, g.count - c < kWidth ? g.count - c : kWidth);
  }

 private:
  static constexpr int kWidth = 64, kRoom = V::size;

  /// Keeps a loop that runs once a page from being vectorised, which makes it long.
  static LANEWISE_INLINE void one_by_one(std::int64_t& i) { __asm__("" : "+r"(i)); }

  struct Totals {
    double grad[kWidth] = {}, products[kWidth] = {};
  };

  /// Calls piece(where it begins, its rows) for pieces of all runs, and fold() where one would be too much for the lanes, and at the end.
  template <class Piece, class Fold>
  static LANEWISE_INLINE void each_piece(const NormalGroups& g, Piece piece, Fold fold) {
    std::int64_t held = 0;
    for (std::int64_t k = 0; k < g.runs; ++k) {
      for (std::int64_t i = 0; i < g.n; i += kPiece) {
        const std::int64_t n = g.n - i < kPiece ? g.n - i : kPiece;
        if (held + n > kPiece) {
          fold();
          held = 0;
        }
        piece(k * g.run_step + i * g.element_step, n);
        held += n;
      }
    }
    fold();
  }
  static LANEWISE_INLINE void add(T* lanes, std::int64_t i, V v) {
    (V::load(lanes + i) + v).store(lanes + i);
  }
  static LANEWISE_INLINE void add_products(const NormalGroups& g, std::int64_t start, At<T> p, const T* mean,
                                           const T* scale, T* grad, T* products) {
    const V v = p.load(reinterpret_cast<const T*>(g.grad) + start);
    const V normal = (p.load(reinterpret_cast<const T*>(g.x) + start) - p.load(mean)) * p.load(scale);
    add(grad, p.i, v);
    add(products, p.i, p.n == V::size ? v * normal : select(vec::Mask<T>::first(p.n), v * normal, V(T(0))));
  }
  static LANEWISE_INLINE void put(const NormalGroups& g, std::int64_t start, At<T> p, const T* mean,
                                  const T* scale, const T* mean_grad, const T* mean_product,
                                  const T* factor) {
    const V v = p.load(reinterpret_cast<const T*>(g.grad) + start) - p.load(mean_grad);
    const V normal = (p.load(reinterpret_cast<const T*>(g.x) + start) - p.load(mean)) * p.load(scale);
    p.store(reinterpret_cast<T*>(g.out) + start, (v - normal * p.load(mean_product)) * p.load(factor));
  }
  /// Stores what was summed for `width` groups, and makes means of it.
  [[gnu::noinline]] static void finish(const NormalGroups& g, std::int64_t first, std::int64_t width,
                                       const Totals& totals, T* mean_grad, T* mean_product) {
    const auto count = static_cast<double>(g.runs * g.n);
    for (std::int64_t c = 0; c < width; one_by_one(++c)) {
      reinterpret_cast<T*>(g.sums)[first + c] = static_cast<T>(totals.grad[c]);
      reinterpret_cast<T*>(g.products)[first + c] = static_cast<T>(totals.products[c]);
      mean_grad[c] = static_cast<T>(totals.grad[c] / count);
      mean_product[c] = static_cast<T>(totals.products[c] / count);
    }
  }
  /// Lanes of `width` groups each, `stride` elements apart, added to `totals` and cleared.
  [[gnu::noinline]] static void fold_rows(T* grad, T* products, std::int64_t width, std::int64_t stride,
                                          Totals& totals) {
    // Whole registers: what is added behind a half is not read again, and behind the last lane is room.
    for (std::int64_t half = kLanes / 2 * stride; half >= stride; half /= 2) {
      for (std::int64_t i = 0; i < half; i += V::size) {
        add(grad, i, V::load(grad + i + half));
        add(products, i, V::load(products + i + half));
      }
    }
    for (std::int64_t c = 0; c < width; one_by_one(++c)) {
      totals.grad[c] += static_cast<double>(grad[c]);
      totals.products[c] += static_cast<double>(products[c]);
    }
    const auto all = static_cast<std::size_t>(kLanes * stride + kRoom) * sizeof(T);
    __builtin_memset(grad, 0, all);
    __builtin_memset(products, 0, all);
  }

  static void columns(const NormalGroups& g, std::int64_t first, std::int64_t width) {
    const auto of = [&](const char* p) { return reinterpret_cast<const T*>(p) + first; };
    const T *const mean = of(g.mean), *const scale = of(g.scale), *const factor = of(g.factor);
    alignas(64) T grad[kLanes * kWidth + kRoom] = {}, products[kLanes * kWidth + kRoom] = {};
    Totals totals;
    each_piece(
        g,
        [&](std::int64_t start, std::int64_t n) __attribute__((always_inline)) {
          for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t lane = i % kLanes * kWidth, at = start + i * g.element_step + first;
            each_vector<T>(
                width, [&](At<T> p) __attribute__((always_inline)) {
                  add_products(g, at, p, mean, scale, grad + lane, products + lane);
                });
          }
        },
        [&] { fold_rows(grad, products, width, kWidth, totals); });
    finish(g, first, width, totals, grad, products);
    if (g.out == nullptr) return;
    for (std::int64_t k = 0; k < g.runs; ++k) {
      for (std::int64_t i = 0; i < g.n; ++i) {
        each_vector<T>(
            width, [&](At<T> p) __attribute__((always_inline)) {
              put(g, k * g.run_step + i * g.element_step + first, p, mean, scale, grad, products, factor);
            });
      }
    }
  }

  /// So few groups that a row of them fills no register: all lanes lie end to end, as the rows do in memory.
  static constexpr int kNarrow = 16;

  static void narrow(const NormalGroups& g) {
    const std::int64_t all = kLanes * g.count;
    struct Parameters {
      alignas(64) T of[kLanes * kNarrow];
      [[gnu::noinline]] void repeat(const char* from, std::int64_t width) {
        const T* const values = reinterpret_cast<const T*>(from);
        for (std::int64_t i = 0, c = 0; i < kLanes * width; one_by_one(++i)) {
          of[i] = values[c];
          if (++c == width) c = 0;
        }
      }
    };
    Parameters mean, scale;
    mean.repeat(g.mean, g.count);
    scale.repeat(g.scale, g.count);
    alignas(64) T grad[kLanes * kNarrow + kRoom] = {}, products[kLanes * kNarrow + kRoom] = {};
    Totals totals;
    each_piece(
        g,
        [&](std::int64_t start, std::int64_t n) __attribute__((always_inline)) {
          for (std::int64_t i = 0, end = n * g.count; i < end; i += all) {
            each_vector<T>(
                end - i < all ? end - i : all, [&](At<T> p) __attribute__((always_inline)) {
                  add_products(g, start + i, p, mean.of, scale.of, grad, products);
                });
          }
        },
        [&] { fold_rows(grad, products, g.count, g.count, totals); });
    alignas(64) T means[2][kNarrow];
    finish(g, 0, g.count, totals, means[0], means[1]);
    if (g.out == nullptr) return;
    Parameters factor, mean_grad, mean_product;
    factor.repeat(g.factor, g.count);
    mean_grad.repeat(reinterpret_cast<const char*>(means[0]), g.count);
    mean_product.repeat(reinterpret_cast<const char*>(means[1]), g.count);
    for (std::int64_t k = 0; k < g.runs; ++k) {
      for (std::int64_t i = 0, end = g.n * g.count; i < end; i += all) {
        each_vector<T>(
            end - i < all ? end - i : all, [&](At<T> p) __attribute__((always_inline)) {
              put(g, k * g.run_step + i, p, mean.of, scale.of, mean_grad.of, mean_product.of, factor.of);
            });
      }
    }
  }
};

}  // namespace

constinit const NormalizationTable normalization_table = {.backward_f32 = Groups<float>::backward,
                                                          .backward_f64 = Groups<double>::backward,
                                                          .columns_f32 = Groups<float>::backward_columns,
                                                          .columns_f64 = Groups<double>::backward_columns};

}  // namespace lanewise::kernels::LANEWISE_ISA
