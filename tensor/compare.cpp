#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace {

/// Calls f(a, b) on the elements of two tensors of one shape, in order, until it returns false.
template <class F>
bool all_pairs(const Tensor& a, const Tensor& b, F&& f) {
  detail::check_read("equal", a);
  detail::check_read("equal", b);
  if (a.numel() == 0) return true;
  const IntArrayRef sizes = a.sizes();
  return visit_dtype(a.scalar_type(), [&]<class A>() {
    return visit_dtype(b.scalar_type(), [&]<class B>() {
      const auto* pa = static_cast<const A*>(a.data_ptr());
      const auto* pb = static_cast<const B*>(b.data_ptr());
      DimVector index(sizes.size());
      while (true) {
        if (!f(*pa, *pb)) return false;
        std::size_t d = sizes.size();
        while (d > 0) {
          --d;
          pa += a.strides()[d];
          pb += b.strides()[d];
          if (++index[d] < sizes[d]) break;
          pa -= sizes[d] * a.strides()[d];
          pb -= sizes[d] * b.strides()[d];
          index[d] = 0;
          if (d == 0) return true;
        }
        if (sizes.empty()) return true;
      }
    });
  });
}

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

/// A type that holds the values of T and takes part in double arithmetic.
template <class T>
auto widen(T value) {
  if constexpr (kIsComplex<T>) {
    return std::complex<double>(value);
  } else {
    return static_cast<double>(value);
  }
}

template <class A, class B>
bool same(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return static_cast<std::int64_t>(a) == static_cast<std::int64_t>(b);  // doubles do not hold all int64
  } else {
    return widen(a) == widen(b);
  }
}

template <class T>
bool is_nan(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::isnan(x.real()) || std::isnan(x.imag());
  } else {
    return std::isnan(x);
  }
}

}  // namespace

bool equal(const Tensor& a, const Tensor& b) {
  LANEWISE_CHECK(ValueError, a.defined() && b.defined(), "equal: a tensor is undefined");
  if (a.sizes() != b.sizes()) return false;
  return all_pairs(a, b, [](auto x, auto y) { return same(x, y); });
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  LANEWISE_CHECK(ValueError, a.defined() && b.defined(), "allclose: a tensor is undefined");
  LANEWISE_CHECK(ValueError, rtol >= 0 && atol >= 0,
                 "allclose: tolerances must not be negative, but rtol is ", rtol, " and atol is ", atol);
  LANEWISE_CHECK(ShapeError, a.sizes() == b.sizes(), "allclose: sizes ", a.sizes(), " and ", b.sizes(),
                 " differ");
  return all_pairs(a, b, [=](auto x, auto y) {
    if (same(x, y)) return true;
    const auto p = widen(x);
    const auto q = widen(y);
    if (is_nan(p) || is_nan(q)) return equal_nan && is_nan(p) && is_nan(q);
    const double error = std::abs(p - q);
    return std::isfinite(error) && error <= atol + rtol * std::abs(q);
  });
}

bool Tensor::equal(const Tensor& other) const { return lanewise::equal(*this, other); }
bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return lanewise::allclose(*this, other, rtol, atol, equal_nan);
}

}  // namespace lanewise
