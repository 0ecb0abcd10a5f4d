#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/gemm.h>
#include <lanewise/ops/linear_systems.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

void check_square(const char* op, const Tensor& A) {
  LANEWISE_CHECK(ShapeError, A.dim() >= 2, op,
                 ": The input tensor A must have at least 2 dimensions, found shape ", A.sizes());
  LANEWISE_CHECK(ShapeError, A.size(-1) == A.size(-2), op,
                 ": A must be batches of square matrices, but they are ", A.size(-2), " by ", A.size(-1),
                 " matrices");
  const ScalarType t = A.scalar_type();
  LANEWISE_CHECK(DtypeError, t == kFloat || t == kDouble || is_complex(t), op,
                 ": Expected a Float, Double or complex tensor as input. Got ", t);
}

IntArrayRef batch_sizes(const Tensor& t) { return t.sizes().slice(0, t.sizes().size() - 2); }

template <class F>
void with_type(ScalarType t, F&& f) {
  switch (t) {
    case kFloat: return f.template operator()<float>();
    case kDouble: return f.template operator()<double>();
    case kComplexFloat: return f.template operator()<std::complex<float>>();
    default: return f.template operator()<std::complex<double>>();
  }
}

template <class T>
auto magnitude(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(x);
  } else {
    return std::abs(x.real()) + std::abs(x.imag());
  }
}

/// Memory for so many, from the cache of results: its pages are there.
template <class T>
Tensor numbers(std::int64_t n) {
  return lanewise::detail::empty_cpu({n}, scalar_type_of<T>);
}

/// One copy of each long function: inlined into one another and into their callers they take 27 KB more.
///
/// A matrix as the product of a permutation, a unit lower and an upper triangle, in rows.
template <class T>
class Lu {
 public:
  explicit Lu(std::int64_t n)
      : n_(n),
        stride_(apart(n)),
        memory_(numbers<T>(n * stride_)),
        a_(memory_.template data_ptr<T>()),
        order_(static_cast<std::size_t>(n)) {}

  /// Of this matrix from here on.
  [[gnu::noinline]] void factorize(const T* matrix) {
    for (std::int64_t i = 0; i < n_; ++i) {
      std::copy_n(matrix + i * n_, n_, row(i));
      order_[static_cast<std::size_t>(i)] = i;
    }
    odd_ = false;
    zero_pivot_ = 0;
    factor(0, n_);
  }

  /// Counted from 1; 0 if the matrix is regular.
  std::int64_t zero_pivot() const { return zero_pivot_; }

  T determinant() const {
    T det = odd_ ? T(-1) : T(1);
    for (std::int64_t i = 0; i < n_; ++i) det *= row(i)[i];
    return det;
  }

  /// Takes `pivot` for pivots that are zero: from here on the factors are those of a regular matrix nearby.
  void regularize(T pivot) {
    for (std::int64_t i = 0; i < n_; ++i) {
      if (row(i)[i] == T(0)) row(i)[i] = pivot;
    }
  }

  /// x [n, cols] with A x = b.
  [[gnu::noinline]] void solve(const T* b, std::int64_t cols, T* x) const {
    for (std::int64_t i = 0; i < n_; ++i)
      std::copy_n(b + order_[static_cast<std::size_t>(i)] * cols, cols, x + i * cols);
    solve_lower(0, n_, x, cols, cols);
    solve_upper(0, n_, x, cols, cols);
  }

 private:
  static constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));

  const T* row(std::int64_t i) const { return a_ + i * stride_; }
  T* row(std::int64_t i) { return a_ + i * stride_; }

  /// From one row to the next: an odd number of cache lines, so that a column does not fall into few sets of the caches.
  static std::int64_t apart(std::int64_t n) { return n <= 2 * kLine ? n : (divup(n, kLine) | 1) * kLine; }

  /// Columns that are eliminated one by one: a line of each row, which L1 holds of many rows.
  static constexpr std::int64_t kLeaf = std::max<std::int64_t>(kLine, 8);
  /// Rows of a triangle that are solved one by one; what they take from others is a product.
  static constexpr std::int64_t kPanel = 8;

  static Matrix matrix(const T* data, std::int64_t rows, std::int64_t cols, std::int64_t stride) {
    return {reinterpret_cast<char*>(const_cast<T*>(data)), scalar_type_of<T>, rows, cols, stride, 1};
  }
  Matrix block(std::int64_t first_row, std::int64_t first_col, std::int64_t rows, std::int64_t cols) const {
    return matrix(row(first_row) + first_col, rows, cols, stride_);
  }
  /// c -= a b, a copied with the other sign so that products are added to c where it lies.
  [[gnu::noinline]] static void subtract_product(const Matrix& a, const Matrix& b, const Matrix& c) {
    const Tensor memory = numbers<T>(a.rows * a.cols);
    T* const negative = memory.data_ptr<T>();
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const T* from = reinterpret_cast<const T*>(a.at(i, 0));
      std::transform(from, from + a.cols, negative + i * a.cols, std::negate<>());
    }
    Gemm(c, matrix(negative, a.rows, a.cols, a.cols), b, c, 1, 1).run();
  }

  static void subtract(T factor, const T* from, T* to, std::int64_t n) {
    for (std::int64_t c = 0; c < n; ++c) to[c] -= factor * from[c];
  }

  /// Columns [first, end), whose rows above `first` are done: the left half, what follows from it for the right one, and
  /// the right half.
  void factor(std::int64_t first, std::int64_t end) {
    if (end - first <= kLeaf) {
      for (std::int64_t k = first; k < end; ++k) eliminate(k, end);
      return;
    }
    const std::int64_t middle = first + (end - first + kLeaf) / (2 * kLeaf) * kLeaf;
    factor(first, middle);
    solve_lower(first, middle, a_ + middle, stride_, end - middle);
    subtract_product(block(middle, first, n_ - middle, middle - first),
                     block(first, middle, middle - first, end - middle),
                     block(middle, middle, n_ - middle, end - middle));
    factor(middle, end);
  }

  /// Rows [first, end) of x: what the unit lower triangle beside them leaves. The first half, what follows from it for the
  /// second one, and the second half.
  [[gnu::noinline]] void solve_lower(std::int64_t first, std::int64_t end, T* x, std::int64_t stride,
                                     std::int64_t cols) const {
    if (end - first <= kPanel) {
      for (std::int64_t i = first; i < end; ++i) {
        for (std::int64_t j = first; j < i; ++j) subtract(row(i)[j], x + j * stride, x + i * stride, cols);
      }
      return;
    }
    const std::int64_t middle = first + (end - first) / 2;
    solve_lower(first, middle, x, stride, cols);
    subtract_product(block(middle, first, end - middle, middle - first),
                     matrix(x + first * stride, middle - first, cols, stride),
                     matrix(x + middle * stride, end - middle, cols, stride));
    solve_lower(middle, end, x, stride, cols);
  }

  /// The same for the upper triangle, from the last row on.
  [[gnu::noinline]] void solve_upper(std::int64_t first, std::int64_t end, T* x, std::int64_t stride,
                                     std::int64_t cols) const {
    if (end - first <= kPanel) {
      for (std::int64_t i = end - 1; i >= first; --i) {
        T* const to = x + i * stride;
        for (std::int64_t j = i + 1; j < end; ++j) subtract(row(i)[j], x + j * stride, to, cols);
        for (std::int64_t c = 0; c < cols; ++c) to[c] /= row(i)[i];
      }
      return;
    }
    const std::int64_t middle = first + (end - first) / 2;
    solve_upper(middle, end, x, stride, cols);
    subtract_product(block(first, middle, middle - first, end - middle),
                     matrix(x + middle * stride, end - middle, cols, stride),
                     matrix(x + first * stride, middle - first, cols, stride));
    solve_upper(first, middle, x, stride, cols);
  }

  /// In the columns up to `end`.
  void eliminate(std::int64_t k, std::int64_t end) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < n_; ++i) {
      if (magnitude(row(i)[k]) > magnitude(row(best)[k])) best = i;
    }
    if (best != k) {
      std::swap_ranges(row(k), row(k) + n_, row(best));
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(best)]);
      odd_ = !odd_;
    }
    if (row(k)[k] == T(0)) {
      if (zero_pivot_ == 0) zero_pivot_ = k + 1;
      return;
    }
    for (std::int64_t i = k + 1; i < n_; ++i) {
      const T factor = row(i)[k] /= row(k)[k];
      subtract(factor, row(k) + k + 1, row(i) + k + 1, end - k - 1);
    }
  }

  std::int64_t n_, stride_;
  Tensor memory_;
  T* a_;
  std::vector<std::int64_t> order_;
  bool odd_ = false;
  std::int64_t zero_pivot_ = 0;
};

/// Matrices that are worth another thread.
std::int64_t grain_of(std::int64_t n) {
  return std::max<std::int64_t>(1, 30000 / std::max<std::int64_t>(n * n * n, 1));
}

/// solutions = inverse of A times b, per batch; of the identity where there is no b.
Tensor solved(const char* op, const Tensor& A, const Tensor* b, IntArrayRef sizes, std::int64_t cols) {
  const std::int64_t n = A.size(-1);
  const Tensor matrices = dense(A);
  Tensor out = lanewise::detail::empty_cpu(sizes, A.scalar_type());
  const std::int64_t batches = multiply_integers(batch_sizes(A));
  std::vector<std::int64_t> singular(static_cast<std::size_t>(batches), 0);
  with_type(A.scalar_type(), [&]<class T>() {
    const Tensor right = b == nullptr ? eye(n, A.scalar_type()) : *b;
    const T* const rhs = static_cast<const T*>(right.const_data_ptr());
    const T* a = static_cast<const T*>(matrices.const_data_ptr());
    T* x = static_cast<T*>(out.data_ptr());
    parallel_for(0, batches, grain_of(n), [&](std::int64_t begin, std::int64_t end) {
      Lu<T> lu(n);
      for (std::int64_t i = begin; i < end; ++i) {
        lu.factorize(a + i * n * n);
        singular[static_cast<std::size_t>(i)] = lu.zero_pivot();
        if (lu.zero_pivot() != 0) continue;
        lu.solve(b == nullptr ? rhs : rhs + i * n * cols, cols, x + i * n * cols);
      }
    });
  });
  for (std::int64_t i = 0; i < batches; ++i) {
    const std::int64_t at = singular[static_cast<std::size_t>(i)];
    LANEWISE_CHECK(ValueError, at == 0, op, ": matrix ", i, ": The diagonal element ", at,
                   " is zero, the input matrix is singular");
  }
  return out;
}

}  // namespace

bool solves_vectors(const Tensor& A, const Tensor& B) {
  return B.dim() == 1 ||
         (B.dim() == A.dim() - 1 && B.sizes().equals(A.sizes().slice(0, A.sizes().size() - 1)));
}

Tensor linalg_det(const Tensor& A) {
  check_square("linalg.det", A);
  const std::int64_t n = A.size(-1);
  const Tensor matrices = dense(A);
  Tensor out = lanewise::detail::empty_cpu(batch_sizes(A), A.scalar_type());
  with_type(A.scalar_type(), [&]<class T>() {
    const T* a = static_cast<const T*>(matrices.const_data_ptr());
    T* det = static_cast<T*>(out.data_ptr());
    parallel_for(0, out.numel(), grain_of(n), [&](std::int64_t begin, std::int64_t end) {
      Lu<T> lu(n);
      for (std::int64_t i = begin; i < end; ++i) {
        lu.factorize(a + i * n * n);
        det[i] = lu.determinant();
      }
    });
  });
  return out;
}

Tensor adjugate(const Tensor& A) {
  check_square("adjugate", A);
  const std::int64_t n = A.size(-1), elements = n * n;
  const Tensor matrices = dense(A);
  Tensor out = lanewise::detail::empty_cpu(A.sizes(), A.scalar_type());
  with_type(A.scalar_type(), [&]<class T>() {
    using Real = decltype(magnitude(T()));
    const T* a = static_cast<const T*>(matrices.const_data_ptr());
    T* x = static_cast<T*>(out.data_ptr());
    const Tensor right = eye(n, A.scalar_type());
    const T* const unit = right.data_ptr<T>();
    parallel_for(
        0, elements == 0 ? 0 : out.numel() / elements, grain_of(n),
        [&](std::int64_t begin, std::int64_t end) {
          Lu<T> lu(n);
          for (std::int64_t i = begin; i < end; ++i) {
            const T *from = a + i * elements, *last = from + elements;
            T* to = x + i * elements;
            lu.factorize(from);
            Real largest = 0;
            for (const T* p = from; p < last; ++p) largest = std::max(largest, magnitude(*p));
            lu.regularize(T((largest > 0 ? largest : Real(1)) * std::numeric_limits<Real>::epsilon()));
            lu.solve(unit, n, to);
            const T det = lu.determinant();
            for (std::int64_t k = 0; k < elements; ++k) to[k] *= det;
          }
        });
  });
  return out;
}

Tensor linalg_inv(const Tensor& A) {
  check_square("linalg.inv", A);
  return solved("linalg.inv", A, nullptr, A.sizes(), A.size(-1));
}

Tensor linalg_solve(const Tensor& A, const Tensor& B) {
  check_square("linalg.solve", A);
  LANEWISE_CHECK(DtypeError, A.scalar_type() == B.scalar_type(),
                 "linalg.solve: Expected A and B to have the same dtype, but found A of type ",
                 A.scalar_type(), " and B of type ", B.scalar_type());
  LANEWISE_CHECK(ShapeError, B.dim() >= 1, "linalg.solve: The tensor B must have at least 1 dimension");
  const bool vectors = solves_vectors(A, B);
  const Tensor right = vectors ? unsqueeze(B, -1) : B;
  const std::int64_t n = A.size(-1), cols = right.size(-1);
  LANEWISE_CHECK(ShapeError, right.size(-2) == n,
                 "linalg.solve: Incompatible shapes of A and B for the equation AX = B: ", A.sizes(), " and ",
                 B.sizes());
  const DimVector batch = broadcast_shapes("linalg.solve", batch_sizes(A), batch_sizes(right));
  const auto sized = [&](std::int64_t k) {
    DimVector sizes(batch);
    sizes.push_back(n);
    sizes.push_back(k);
    return sizes;
  };
  const Tensor a = expand(A, sized(n)), b = dense(expand(right, sized(cols)));
  const Tensor x = solved("linalg.solve", a, &b, sized(cols), cols);
  return vectors ? squeeze(x, -1) : x;
}

}  // namespace lanewise::ops
