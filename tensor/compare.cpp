#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <numeric>
#include <type_traits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/tensor/detail/equal_in_place.h>
#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace {

/// Two tensors of one shape in the order in which the first lies in memory: what is equal does not depend on the order.
struct Walk {
  const char *a, *b;
  DimVector sizes;  ///< without the innermost dimension, the steps too; outermost first
  DimVector steps_a, steps_b;
  std::int64_t n = 1;  ///< elements of a row
  std::int64_t stride_a = 0, stride_b = 0;

  Walk(const Tensor& x, const Tensor& y)
      : a(static_cast<const char*>(x.data_ptr())), b(static_cast<const char*>(y.data_ptr())) {
    detail::check_read("equal", x);
    detail::check_read("equal", y);
    DimVector order(x.sizes().size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t p, std::int64_t q) {
      return std::abs(x.stride(p)) > std::abs(x.stride(q));
    });
    for (const std::int64_t d : order) append(x.size(d), x.stride(d), y.stride(d));
    if (sizes.empty()) return;
    n = sizes.back();
    stride_a = steps_a.back();
    stride_b = steps_b.back();
    for (DimVector* v : {&sizes, &steps_a, &steps_b}) v->pop_back();
  }

  /// Whether rows(a, b, count) is true of all pieces of rows, given their first elements; threads share them, and stop soon after
  /// the first that is not. Elements have these sizes.
  template <class Rows>
  bool all_rows(std::int64_t size_a, std::int64_t size_b, Rows&& rows) const {
    constexpr std::int64_t kPiece = 1 << 14, kPiecesPerThread = 4;
    const auto product = [](std::int64_t x, std::int64_t y) { return x * y; };
    const std::int64_t count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, product);
    if (n == 0 || count == 0) return true;
    const std::int64_t pieces = divup(n, kPiece);
    std::atomic<bool> all = true;
    const auto part = [&](std::int64_t begin, std::int64_t end) {
      DimVector index(sizes.size());
      const char *pa = a, *pb = b;
      for (std::int64_t d = static_cast<std::int64_t>(sizes.size()), row = begin / pieces; d-- > 0;) {
        const auto at = static_cast<std::size_t>(d);
        index[at] = row % sizes[at];
        row /= sizes[at];
        pa += index[at] * steps_a[at] * size_a;
        pb += index[at] * steps_b[at] * size_b;
      }
      std::int64_t piece = begin % pieces;
      for (std::int64_t i = begin; i < end && all.load(std::memory_order_relaxed); ++i) {
        const std::int64_t first = piece * kPiece;
        if (!rows(pa + first * stride_a * size_a, pb + first * stride_b * size_b,
                  std::min(kPiece, n - first)))
          all.store(false, std::memory_order_relaxed);
        if (++piece < pieces) continue;
        piece = 0;
        next_row(index, pa, pb, size_a, size_b);
      }
    };
    parallel_for(0, count * pieces, kPiecesPerThread * kPiece / std::min(n, kPiece), part);
    return all.load(std::memory_order_relaxed);
  }

 private:
  /// A dimension inside of those before, joined with the last of them where it goes on in both tensors.
  void append(std::int64_t size, std::int64_t step_a, std::int64_t step_b) {
    if (size == 1) return;
    if (!sizes.empty() && steps_a.back() == step_a * size && steps_b.back() == step_b * size) {
      sizes.back() *= size;
      steps_a.back() = step_a;
      steps_b.back() = step_b;
      return;
    }
    sizes.push_back(size);
    steps_a.push_back(step_a);
    steps_b.push_back(step_b);
  }

  void next_row(DimVector& index, const char*& pa, const char*& pb, std::int64_t size_a,
                std::int64_t size_b) const {
    for (std::size_t d = sizes.size(); d-- > 0;) {
      pa += steps_a[d] * size_a;
      pb += steps_b[d] * size_b;
      if (++index[d] < sizes[d]) return;
      pa -= sizes[d] * steps_a[d] * size_a;
      pb -= sizes[d] * steps_b[d] * size_b;
      index[d] = 0;
    }
  }
};

/// An element of any type. Doubles do not hold all int64, so whole numbers are kept as such.
struct Number {
  std::int64_t whole;
  std::complex<double> z;
};
using ReadRow = void (*)(const char* from, std::int64_t stride, std::int64_t n, Number* to);

template <class T>
void read_row(const char* from, std::int64_t stride, std::int64_t n, Number* to) {
  const auto* x = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < n; ++i) {
    const T element = x[i * stride];
    if constexpr (std::is_integral_v<T>) {
      to[i] = {static_cast<std::int64_t>(element), static_cast<double>(element)};
    } else if constexpr (is_complex(scalar_type_of<T>)) {
      to[i] = {0, std::complex<double>(element)};
    } else {
      to[i] = {0, static_cast<double>(element)};
    }
  }
}

/// Whether f(p, q) is true of all pairs of elements of two tensors of one shape.
template <class F>
bool all_numbers(const Tensor& a, const Tensor& b, F&& f) {
  constexpr std::int64_t kPiece = 64;
  const auto reader = [](const Tensor& t) {
    return visit_dtype(t.scalar_type(), []<class T>() -> ReadRow { return &read_row<T>; });
  };
  const ReadRow read_a = reader(a), read_b = reader(b);
  const Walk walk(a, b);
  const std::int64_t size_a = a.element_size(), size_b = b.element_size();
  return walk.all_rows(size_a, size_b, [&](const char* x, const char* y, std::int64_t count) {
    std::array<Number, kPiece> p, q;
    for (std::int64_t i = 0; i < count; i += kPiece) {
      const std::int64_t n = std::min(kPiece, count - i);
      read_a(x + i * walk.stride_a * size_a, walk.stride_a, n, p.data());
      read_b(y + i * walk.stride_b * size_b, walk.stride_b, n, q.data());
      for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        if (!f(p[k], q[k])) return false;
      }
    }
    return true;
  });
}

/// A piece at a time without a branch for each element, which compilers make vectors of.
template <class T>
bool same_elements(const char* a, std::int64_t stride_x, const char* b, std::int64_t stride_y,
                   std::int64_t n) {
  constexpr std::int64_t kPiece = 256;
  const T* x = reinterpret_cast<const T*>(a);
  const T* y = reinterpret_cast<const T*>(b);
  for (std::int64_t i = 0; i < n; i += kPiece) {
    const std::int64_t end = std::min(i + kPiece, n);
    std::int32_t differ = 0;
    if (stride_x == 1 && stride_y == 1) {
      for (std::int64_t j = i; j < end; ++j) differ |= static_cast<std::int32_t>(!(x[j] == y[j]));
    } else {
      for (std::int64_t j = i; j < end; ++j)
        differ |= static_cast<std::int32_t>(!(x[j * stride_x] == y[j * stride_y]));
    }
    if (differ != 0) return false;
  }
  return true;
}

bool both_whole(const Tensor& a, const Tensor& b) {
  return is_integral(a.scalar_type(), true) && is_integral(b.scalar_type(), true);
}

void check_defined(const char* op, const Tensor& self, const Tensor& other, const char* name = "other") {
  LANEWISE_CHECK(ValueError, self.defined(), op, ": argument 'self' is an undefined tensor");
  LANEWISE_CHECK(ValueError, other.defined(), op, ": argument '", name, "' is an undefined tensor");
}

}  // namespace

bool detail::equal_in_place(const Tensor& a, const Tensor& b) {
  check_defined("equal", a, b);
  if (a.sizes() != b.sizes()) return false;
  if (a.scalar_type() != b.scalar_type()) {
    const bool whole = both_whole(a, b);
    return all_numbers(
        a, b, [whole](const Number& p, const Number& q) { return whole ? p.whole == q.whole : p.z == q.z; });
  }
  const Walk walk(a, b);
  const auto same = visit_dtype(a.scalar_type(), []<class T>() { return &same_elements<T>; });
  return walk.all_rows(a.element_size(), b.element_size(), [&](const char* x, const char* y, std::int64_t n) {
    return same(x, walk.stride_a, y, walk.stride_b, n);
  });
}

bool Tensor::is_set_to(const Tensor& tensor) const {
  check_defined("is_set_to", *this, tensor, "tensor");
  return is_alias_of(tensor) && storage_offset() == tensor.storage_offset() && sizes() == tensor.sizes() &&
         strides() == tensor.strides();
}

}  // namespace lanewise
