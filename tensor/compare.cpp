#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <type_traits>

#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/shape.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace {

/// Two tensors, expanded to one shape, in the order in which the first lies in memory: what is equal does not depend on the
/// order.
struct Walk {
  const char *a, *b;
  DimVector sizes;  ///< without the innermost dimension, the steps too; outermost first
  DimVector steps_a, steps_b;
  std::int64_t n = 1;  ///< elements of a row
  std::int64_t stride_a = 0, stride_b = 0;

  Walk(const Tensor& x, const Tensor& y, IntArrayRef shape)
      : a(static_cast<const char*>(x.data_ptr())), b(static_cast<const char*>(y.data_ptr())) {
    detail::check_read("equal", x);
    detail::check_read("equal", y);
    const auto step = [&shape](const Tensor& t, std::int64_t d) -> std::int64_t {
      const std::int64_t own = d - (static_cast<std::int64_t>(shape.size()) - t.dim());
      return own < 0 || (t.size(own) == 1 && shape[static_cast<std::size_t>(d)] != 1) ? 0 : t.stride(own);
    };
    DimVector order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t p, std::int64_t q) {
      return std::abs(step(x, p)) > std::abs(step(x, q));
    });
    for (const std::int64_t d : order) {
      sizes.push_back(shape[static_cast<std::size_t>(d)]);
      steps_a.push_back(step(x, d));
      steps_b.push_back(step(y, d));
    }
    if (order.empty()) return;
    n = sizes.back();
    stride_a = steps_a.back();
    stride_b = steps_b.back();
    for (DimVector* v : {&sizes, &steps_a, &steps_b}) v->pop_back();
  }

  /// Calls rows(a, b) with the first elements of rows until it returns false; elements have these sizes.
  template <class Rows>
  bool all_rows(std::int64_t size_a, std::int64_t size_b, Rows&& rows) const {
    const auto is_zero = [](std::int64_t size) { return size == 0; };
    if (n == 0 || std::any_of(sizes.begin(), sizes.end(), is_zero)) return true;
    const char *pa = a, *pb = b;
    DimVector index(sizes.size());
    while (true) {
      if (!rows(pa, pb)) return false;
      std::size_t d = sizes.size();
      for (; d-- > 0;) {
        pa += steps_a[d] * size_a;
        pb += steps_b[d] * size_b;
        if (++index[d] < sizes[d]) break;
        pa -= sizes[d] * steps_a[d] * size_a;
        pb -= sizes[d] * steps_b[d] * size_b;
        index[d] = 0;
      }
      if (d > sizes.size()) return true;  // all dimensions have come round
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

/// Calls f(p, q) on the elements of two tensors, expanded to that shape, until it returns false.
template <class F>
bool all_numbers(const Tensor& a, const Tensor& b, IntArrayRef shape, F&& f) {
  constexpr std::int64_t kPiece = 64;
  const auto reader = [](const Tensor& t) {
    return visit_dtype(t.scalar_type(), []<class T>() -> ReadRow { return &read_row<T>; });
  };
  const ReadRow read_a = reader(a), read_b = reader(b);
  const Walk walk(a, b, shape);
  const auto size_a = static_cast<std::int64_t>(a.itemsize()),
             size_b = static_cast<std::int64_t>(b.itemsize());
  return walk.all_rows(size_a, size_b, [&](const char* x, const char* y) {
    std::array<Number, kPiece> p, q;
    for (std::int64_t i = 0; i < walk.n; i += kPiece) {
      const std::int64_t n = std::min(kPiece, walk.n - i);
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

bool is_nan(const std::complex<double>& z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

double modulus(const std::complex<double>& z) { return z.imag() == 0 ? std::abs(z.real()) : std::abs(z); }

void check_defined(const char* op, const Tensor& self, const Tensor& other, const char* name = "other") {
  LANEWISE_CHECK(ValueError, self.defined(), op, ": argument 'self' is an undefined tensor");
  LANEWISE_CHECK(ValueError, other.defined(), op, ": argument '", name, "' is an undefined tensor");
}

}  // namespace

bool equal(const Tensor& a, const Tensor& b) {
  check_defined("equal", a, b);
  if (a.sizes() != b.sizes()) return false;
  if (a.scalar_type() != b.scalar_type()) {
    const bool whole = both_whole(a, b);
    return all_numbers(a, b, a.sizes(), [whole](const Number& p, const Number& q) {
      return whole ? p.whole == q.whole : p.z == q.z;
    });
  }
  const Walk walk(a, b, a.sizes());
  const auto same = visit_dtype(a.scalar_type(), []<class T>() { return &same_elements<T>; });
  return walk.all_rows(a.element_size(), b.element_size(), [&](const char* x, const char* y) {
    return same(x, walk.stride_a, y, walk.stride_b, walk.n);
  });
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check_defined("allclose", a, b);
  LANEWISE_CHECK(ValueError, rtol >= 0 && atol >= 0,
                 "allclose: tolerances must not be negative, but rtol is ", rtol, " and atol is ", atol);
  LANEWISE_CHECK(DtypeError, a.scalar_type() == b.scalar_type(), "allclose: ", a.scalar_type(),
                 " did not match ", b.scalar_type(), "; cast one of them");
  const DimVector shape = broadcast_shapes("allclose", a.sizes(), b.sizes());
  const bool whole = both_whole(a, b);
  // In f32 where isclose computes in it: 0.1f is not above a tolerance of 0.1.
  const auto is_wide = [](const Tensor& t) {
    return t.scalar_type() == kDouble || t.scalar_type() == kComplexDouble;
  };
  const bool narrow = !is_wide(a) && !is_wide(b);
  const auto rounded = [narrow](double x) { return narrow ? static_cast<double>(static_cast<float>(x)) : x; };
  return all_numbers(a, b, shape, [=](const Number& p, const Number& q) {
    if (whole ? p.whole == q.whole : p.z == q.z) return true;
    if (is_nan(p.z) || is_nan(q.z)) return equal_nan && is_nan(p.z) && is_nan(q.z);
    const double error = rounded(modulus(p.z - q.z));
    return std::isfinite(error) && error <= rounded(rounded(atol) + rounded(rounded(rtol) * modulus(q.z)));
  });
}

bool Tensor::is_set_to(const Tensor& tensor) const {
  check_defined("is_set_to", *this, tensor, "tensor");
  return is_alias_of(tensor) && storage_offset() == tensor.storage_offset() && sizes() == tensor.sizes() &&
         strides() == tensor.strides();
}

bool Tensor::equal(const Tensor& other) const { return lanewise::equal(*this, other); }
bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return lanewise::allclose(*this, other, rtol, atol, equal_nan);
}

}  // namespace lanewise
