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
  struct Sums {
    T grad = 0, products = 0;
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
    const T count = static_cast<T>(g.runs * g.n);
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
      if (g.sums != nullptr) to(g.sums)[i] = sums.grad;
      if (g.products != nullptr) to(g.products)[i] = sums.products;
      if (g.out == nullptr) continue;
      const V mean_grad(sums.grad / count), mean_product(sums.products / count), factor(of(g.factor)[i]);
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
    for (std::int64_t c = 0; c < g.count; c += kWidth)
      columns(g, c, g.count - c < kWidth ? g.count - c : kWidth);
  }

 private:
  static constexpr int kWidth = 64;

  /// Sums of gradients and of products of kWidth groups.
  struct Row {
    alignas(64) T grad[kWidth], products[kWidth];

    LANEWISE_INLINE void add(const Row& other, std::int64_t i) {
      (V::load(grad + i) + V::load(other.grad + i)).store(grad + i);
      (V::load(products + i) + V::load(other.products + i)).store(products + i);
    }
  };
  /// Adds lanes to `sums` and clears them.
  [[gnu::noinline]] static void fold_rows(Row* lanes, Row& sums) {
    for (std::int64_t i = 0; i < kWidth; i += V::size) {
      for (int half = kLanes / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) lanes[l].add(lanes[l + half], i);
      }
      sums.add(lanes[0], i);
    }
    __builtin_memset(lanes, 0, kLanes * sizeof(Row));
  }
  static void columns(const NormalGroups& g, std::int64_t first, std::int64_t width) {
    const auto of = [&](const char* p) { return reinterpret_cast<const T*>(p) + first; };
    const auto to = [&](char* p) { return reinterpret_cast<T*>(p) + first; };
    const T *const means = of(g.mean), *const scales = of(g.scale), *const factors = of(g.factor);
    // f(position of element i of a run, i) for each.
    const auto each_row = [&](auto f) __attribute__((always_inline)) {
      for (std::int64_t k = 0; k < g.runs; ++k) {
        for (std::int64_t i = 0; i < g.n; ++i) f(k * g.run_step + i * g.element_step, i);
      }
    };
    const auto normal = [&](std::int64_t start, At<T> p) __attribute__((always_inline)) {
      return (p.load(of(g.x) + start) - p.load(means)) * p.load(scales);
    };
    Row lanes[kLanes] = {}, sums = {};
    std::int64_t held = 0;
    each_row([&](std::int64_t start, std::int64_t i) __attribute__((always_inline)) {
      if (i % kPiece == 0) {
        const std::int64_t n = g.n - i < kPiece ? g.n - i : kPiece;
        if (held + n > kPiece) {
          fold_rows(lanes, sums);
          held = 0;
        }
        held += n;
      }
      Row& lane = lanes[i % kLanes];
      each_vector<T>(
          width, [&](At<T> p) __attribute__((always_inline)) {
            const V x = p.load(of(g.grad) + start);
            (V::load(lane.grad + p.i) + x).store(lane.grad + p.i);
            (V::load(lane.products + p.i) + x * normal(start, p)).store(lane.products + p.i);
          });
    });
    fold_rows(lanes, sums);
    const V count(static_cast<T>(g.runs * g.n));
    each_vector<T>(
        width, [&](At<T> p) __attribute__((always_inline)) {
          const V sum = V::load(sums.grad + p.i), product = V::load(sums.products + p.i);
          p.store(to(g.sums), sum);
          p.store(to(g.products), product);
          (sum / count).store(sums.grad + p.i);
          (product / count).store(sums.products + p.i);
        });
    if (g.out == nullptr) return;
    each_row([&](std::int64_t start, std::int64_t) __attribute__((always_inline)) {
      each_vector<T>(
          width, [&](At<T> p) __attribute__((always_inline)) {
            const V rest = p.load(of(g.grad) + start) - V::load(sums.grad + p.i);
            const V part = normal(start, p) * V::load(sums.products + p.i);
            p.store(to(g.out) + start, (rest - part) * p.load(factors));
          });
    });
  }
};

}  // namespace

constinit const NormalizationTable normalization_table = {.backward_f32 = Groups<float>::backward,
                                                          .backward_f64 = Groups<double>::backward,
                                                          .columns_f32 = Groups<float>::backward_columns,
                                                          .columns_f64 = Groups<double>::backward_columns};

}  // namespace lanewise::kernels::LANEWISE_ISA
