#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <type_traits>

#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace {

/// Calls rows(a, b) with the first elements of the innermost rows of two tensors of one shape, in order,
/// until it returns false.
template <class Rows>
bool all_rows(const Tensor& a, const Tensor& b, Rows&& rows) {
  detail::check_read("equal", a);
  detail::check_read("equal", b);
  if (a.numel() == 0) return true;
  const auto *pa = static_cast<const char*>(a.data_ptr()), *pb = static_cast<const char*>(b.data_ptr());
  const auto size_a = static_cast<std::int64_t>(a.itemsize()),
             size_b = static_cast<std::int64_t>(b.itemsize());
  const std::size_t outer = a.sizes().empty() ? 0 : a.sizes().size() - 1;
  DimVector index(outer);
  while (true) {
    if (!rows(pa, pb)) return false;
    std::size_t d = outer;
    for (; d-- > 0;) {
      pa += a.strides()[d] * size_a;
      pb += b.strides()[d] * size_b;
      if (++index[d] < a.sizes()[d]) break;
      pa -= a.sizes()[d] * a.strides()[d] * size_a;
      pb -= a.sizes()[d] * b.strides()[d] * size_b;
      index[d] = 0;
    }
    if (d > outer) return true;  // all dimensions have come round
  }
}

/// The innermost rows of a tensor: how many elements, and how far apart.
struct Row {
  std::int64_t n = 1;
  std::int64_t stride = 0;
  explicit Row(const Tensor& t) {
    if (t.dim() > 0) {
      n = t.sizes().back();
      stride = t.strides().back();
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

/// Calls f(p, q) on the elements of two tensors of one shape, in order, until it returns false.
template <class F>
bool all_numbers(const Tensor& a, const Tensor& b, F&& f) {
  constexpr std::int64_t kPiece = 64;
  const auto reader = [](const Tensor& t) {
    return visit_dtype(t.scalar_type(), []<class T>() -> ReadRow { return &read_row<T>; });
  };
  const ReadRow read_a = reader(a), read_b = reader(b);
  const Row row_a(a), row_b(b);
  const auto step_a = row_a.stride * static_cast<std::int64_t>(a.itemsize());
  const auto step_b = row_b.stride * static_cast<std::int64_t>(b.itemsize());
  return all_rows(a, b, [&](const char* x, const char* y) {
    std::array<Number, kPiece> p, q;
    for (std::int64_t i = 0; i < row_a.n; i += kPiece) {
      const std::int64_t n = std::min(kPiece, row_a.n - i);
      read_a(x + i * step_a, row_a.stride, n, p.data());
      read_b(y + i * step_b, row_b.stride, n, q.data());
      for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        if (!f(p[k], q[k])) return false;
      }
    }
    return true;
  });
}

bool both_whole(const Tensor& a, const Tensor& b) {
  return is_integral(a.scalar_type(), true) && is_integral(b.scalar_type(), true);
}

bool is_nan(const std::complex<double>& z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

double modulus(const std::complex<double>& z) { return z.imag() == 0 ? std::abs(z.real()) : std::abs(z); }

void check_defined(const char* op, const Tensor& self, const Tensor& other) {
  LANEWISE_CHECK(ValueError, self.defined(), op, ": argument 'self' is an undefined tensor");
  LANEWISE_CHECK(ValueError, other.defined(), op, ": argument 'other' is an undefined tensor");
}

}  // namespace

bool equal(const Tensor& a, const Tensor& b) {
  check_defined("equal", a, b);
  if (a.sizes() != b.sizes()) return false;
  if (a.scalar_type() != b.scalar_type()) {
    const bool whole = both_whole(a, b);
    return all_numbers(
        a, b, [whole](const Number& p, const Number& q) { return whole ? p.whole == q.whole : p.z == q.z; });
  }
  return visit_dtype(a.scalar_type(), [&]<class T>() {
    const Row row_a(a), row_b(b);
    return all_rows(a, b, [&](const char* from_a, const char* from_b) {
      const auto *x = reinterpret_cast<const T*>(from_a), *y = reinterpret_cast<const T*>(from_b);
      for (std::int64_t i = 0; i < row_a.n; ++i) {
        if (!(x[i * row_a.stride] == y[i * row_b.stride])) return false;
      }
      return true;
    });
  });
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check_defined("allclose", a, b);
  LANEWISE_CHECK(ValueError, rtol >= 0 && atol >= 0,
                 "allclose: tolerances must not be negative, but rtol is ", rtol, " and atol is ", atol);
  LANEWISE_CHECK(ShapeError, a.sizes() == b.sizes(), "allclose: sizes ", a.sizes(), " and ", b.sizes(),
                 " differ");
  const bool whole = both_whole(a, b);
  return all_numbers(a, b, [=](const Number& p, const Number& q) {
    if (whole ? p.whole == q.whole : p.z == q.z) return true;
    if (is_nan(p.z) || is_nan(q.z)) return equal_nan && is_nan(p.z) && is_nan(q.z);
    const double error = modulus(p.z - q.z);
    return std::isfinite(error) && error <= atol + rtol * modulus(q.z);
  });
}

bool Tensor::equal(const Tensor& other) const { return lanewise::equal(*this, other); }
bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return lanewise::allclose(*this, other, rtol, atol, equal_nan);
}

}  // namespace lanewise
