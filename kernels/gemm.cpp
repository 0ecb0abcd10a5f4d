#include <lanewise/kernels/gemm_micro.h>
#include <lanewise/kernels/vector_products.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

template <class T>
struct Scale {
  using V = vec::Vec<T>;
  V factor;
  bool one;
  explicit Scale(const KernelScalar& s) : factor(scalar_as<T>(s)), one(scalar_as<T>(s) == T(1)) {}
  LANEWISE_INLINE V operator()(V x) const { return one ? x : factor * x; }
};

/// The vector of S at columns first..first + n: contiguous, repeated, or any other stride.
template <class T>
LANEWISE_INLINE vec::Vec<T> load_columns(const T* s, std::int64_t stride, int n) {
  using V = vec::Vec<T>;
  if (stride == 1) return n == V::size ? V::load(s) : V::load_partial(s, n);
  if (stride == 0) return V(*s);
  T lanes[V::size] = {};
  for (int i = 0; i < n; ++i) lanes[i] = s[i * stride];
  return V::load(lanes);
}

template <class T>
void epilogue(const GemmEpilogue& e) noexcept {
  using V = vec::Vec<T>;
  const Scale<T> alpha(e.alpha);
  const Scale<T> beta(e.beta);
  const bool add = scalar_as<T>(e.beta) != T(0);
  for (std::int64_t i = 0; i < e.m; ++i) {
    T* c = reinterpret_cast<T*>(e.c) + i * e.c_stride;
    const T* s = reinterpret_cast<const T*>(e.s) + (add ? i * e.s_row_stride : 0);
    for (std::int64_t j = 0; j < e.n; j += V::size) {
      const int n = e.n - j < V::size ? static_cast<int>(e.n - j) : V::size;
      V v = alpha(n == V::size ? V::load(c + j) : V::load_partial(c + j, n));
      if (add) v = beta(load_columns(s + j * e.s_col_stride, e.s_col_stride, n)) + v;
      if (n == V::size) {
        v.store(c + j);
      } else {
        v.store_partial(c + j, n);
      }
    }
  }
}

template <class T>
constexpr GemmKernel kernel = {
    .rows = GemmShape<T>::kRows,
    .cols = GemmShape<T>::kCols,
    .lanes = vec::Vec<T>::size,
    .reads_rows_apart = reads_rows_apart<T>,
    .block = gemm_block<T>,
    .epilogue = epilogue<T>,
    .row_products = row_products<T>,
    .column_products = column_products<T>,
};

template <class... T>
constexpr GemmTable make_table(Types<T...>) {
  GemmTable table{};
  ((table.of[index_of<T>] = &kernel<T>), ...);
  return table;
}

}  // namespace

constinit const GemmTable gemm_table = make_table(floating_complex + Types<std::int32_t, std::int64_t>{});

}  // namespace lanewise::kernels::LANEWISE_ISA
