#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include <lanewise/generated/functions.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/distributions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/fill_values.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {

namespace {

using RandomKernel = const kernels::IndexedKernel* kernels::KernelTable::*;

/// Draws from a kernel. Memory in logical order is filled in place, any other through a copy.
Tensor& draw(const char* op, Tensor& self, RandomKernel kernel, const Scalar& a, const Scalar& b,
             bool downward = false) {
  const Generator::State state = lanewise::detail::drawing_generator().reserve(1);
  const auto fill = [&](const Tensor& dense) {
    fill_indexed(op, dense, kernel,
                 {static_cast<std::int64_t>(state.seed), static_cast<std::int64_t>(state.offset), a, b},
                 downward);
  };
  if (self.is_contiguous()) {
    fill(self);
    return self;
  }
  const Tensor values = lanewise::detail::empty_cpu(self.sizes(), self.scalar_type());
  fill(values);
  return ops::copy_(self, values);
}

/// 2^digits: up to there every integer has a value of its own.
std::int64_t largest_integer(ScalarType dtype) {
  switch (dtype) {
    case kHalf: return std::int64_t{1} << 11;
    case kBFloat16: return std::int64_t{1} << 8;
    case kFloat: return std::int64_t{1} << 24;
    case kDouble: return std::int64_t{1} << 53;
    default: break;
  }
  std::int64_t largest = 1;
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) largest = static_cast<std::int64_t>(std::numeric_limits<T>::max());
  });
  return largest;
}

std::int64_t smallest_integer(ScalarType dtype) {
  std::int64_t smallest = 0;
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) smallest = static_cast<std::int64_t>(std::numeric_limits<T>::min());
  });
  return smallest;
}

/// The distance of the numbers of a floating dtype around an integer, a power of two; 1 where every integer is one.
std::int64_t spacing(ScalarType dtype, std::int64_t x) {
  const auto magnitude = x < 0 ? -static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  const auto every = static_cast<std::uint64_t>(largest_integer(dtype));
  return magnitude < every ? 1 : static_cast<std::int64_t>(std::bit_floor(magnitude) / every * 2);
}

/// The integers that a dtype holds within a range.
struct Drawable {
  std::int64_t from, last;

  Drawable(ScalarType dtype, std::int64_t first_asked, std::int64_t last_asked)
      : from(first_asked), last(last_asked) {
    std::int64_t least = smallest_integer(dtype), most = largest_integer(dtype);
    if (is_floating_point(dtype)) {
      most = dtype == kHalf ? 65504 : std::numeric_limits<std::int64_t>::max();
      least = dtype == kHalf ? -most : std::numeric_limits<std::int64_t>::min();
    }
    LANEWISE_CHECK(ValueError, from >= least && last <= most && from <= last, "random_: the range from ",
                   from, " to ", last, " does not fit into ", short_name(dtype));
    if (!is_floating_point(dtype)) return;
    // What is drawn between is rounded, and not to what lies outside.
    last -= last & (spacing(dtype, last) - 1);
    from += static_cast<std::int64_t>(-static_cast<std::uint64_t>(from)) & (spacing(dtype, from) - 1);
    LANEWISE_CHECK(ValueError, from <= last, "random_: no number of ", short_name(dtype), " lies from ",
                   first_asked, " to ", last_asked);
  }
};

/// Integers in [from, from + range), where a range of 0 is 2^64.
Tensor& draw_integers(Tensor& self, std::int64_t from, std::uint64_t range) {
  const auto to = static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + range);
  if (is_integral(self.scalar_type(), true))
    return draw("random_", self, &kernels::KernelTable::random_int, from, to);
  Tensor integers = lanewise::detail::empty_cpu(self.sizes(), kLong);
  draw("random_", integers, &kernels::KernelTable::random_int, from, to);
  return ops::copy_(self, integers);
}

void check_random(const Tensor& self) {
  LANEWISE_CHECK(ValueError, self.defined(), "random_: the tensor is undefined");
  LANEWISE_CHECK(DtypeError, !self.is_complex(), "random_: not implemented for ",
                 short_name(self.scalar_type()));
}

void check_std(const Tensor& std) {
  LANEWISE_CHECK(DtypeError, !std.is_complex(), "normal: expects std to be real, but it is ",
                 short_name(std.scalar_type()));
  LANEWISE_CHECK(ValueError, std.numel() == 0 || lanewise::ge(std, 0).all().item<bool>(),
                 "normal: expects every element of std to be >= 0");
}

/// Standard normal numbers for parameters `like`.
Tensor standard_normal(const Tensor& like, IntArrayRef sizes) {
  Tensor z = lanewise::detail::empty_cpu(sizes, like.scalar_type());
  return ops::normal_(z, 0, 1);
}

}  // namespace

Tensor unit_draws(const char* op, IntArrayRef sizes) {
  Tensor u = lanewise::detail::empty_cpu(sizes, kDouble);
  return draw(op, u, &kernels::KernelTable::uniform, 0.0, 1.0);
}

void check_floating_self(const char* op, const Tensor& self, bool complex_too) {
  LANEWISE_CHECK(ValueError, self.defined(), op, ": the tensor is undefined");
  LANEWISE_CHECK(DtypeError, is_floating_point(self.scalar_type()) || (complex_too && self.is_complex()), op,
                 ": not implemented for ", short_name(self.scalar_type()), "; expected a floating",
                 complex_too ? " or complex" : "", " tensor");
}

Tensor& uniform_(Tensor& self, double from, double to) {
  check_floating_self("uniform_", self, true);
  LANEWISE_CHECK(ValueError, from <= to && std::isfinite(to - from),
                 "uniform_ expects to return a [from, to) range, finite as to - from is, but found from=",
                 from, ", to=", to);
  Scalar(from).check_fits(self.scalar_type(), "uniform_: from");
  Scalar(to).check_fits(self.scalar_type(), "uniform_: to");
  Scalar(to - from).check_fits(self.scalar_type(), "uniform_: to - from");  // by which draws are scaled
  visit_dtype(self.scalar_type(), [&]<class T>() {
    if constexpr (std::is_same_v<T, Half> ||
                  std::is_same_v<T, BFloat16>) {  // else a bound would be rounded across itself
      from = static_cast<float>(T(static_cast<float>(from)));
      to = static_cast<float>(T(static_cast<float>(to)));
    }
  });
  return draw("uniform_", self, &kernels::KernelTable::uniform, from, to, /*downward=*/true);
}

Tensor& normal_(Tensor& self, double mean, double std) {
  check_floating_self("normal_", self, true);
  LANEWISE_CHECK(ValueError, std >= 0, "normal_ expects std >= 0.0, but found std ", std);
  return draw("normal_", self, &kernels::KernelTable::normal, mean, std);
}

Tensor& random_(Tensor& self, std::int64_t from, std::optional<std::int64_t> to) {
  check_random(self);
  const ScalarType dtype = self.scalar_type();
  LANEWISE_CHECK(ValueError, !to || from < *to,
                 "random_ expects 'from' to be less than 'to', but got from=", from,
                 " >= to=", to.value_or(0));
  const std::int64_t last = to ? *to - 1 : largest_integer(dtype);
  const Drawable range(dtype, from, last);
  return draw_integers(self, range.from,
                       static_cast<std::uint64_t>(range.last) - static_cast<std::uint64_t>(range.from) + 1);
}

Tensor& random_(Tensor& self, std::int64_t to) { return ops::random_(self, 0, to); }

Tensor& random_(Tensor& self) { return ops::random_(self, 0, std::nullopt); }

Tensor& bernoulli_(Tensor& self, double p) {
  LANEWISE_CHECK(ValueError, self.defined(), "bernoulli_: the tensor is undefined");
  LANEWISE_CHECK(ValueError, p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  return draw("bernoulli_", self, &kernels::KernelTable::bernoulli, p, 0.0);
}

Tensor& bernoulli_(Tensor& self, const Tensor& p) {
  LANEWISE_CHECK(ValueError, self.defined() && p.defined(), "bernoulli_: a tensor is undefined");
  LANEWISE_CHECK(DtypeError, !self.is_complex(), "bernoulli_: not implemented for ",
                 short_name(self.scalar_type()));
  check_floating_self("bernoulli_", p);
  LANEWISE_CHECK(
      ValueError,
      p.numel() == 0 || lanewise::logical_and(lanewise::ge(p, 0), lanewise::le(p, 1)).all().item<bool>(),
      "bernoulli_: expects probabilities in [0, 1]");
  return ops::copy_(self, lanewise::lt(unit_draws("bernoulli_", self.sizes()), p.detach()));
}

Tensor bernoulli(const Tensor& self) {
  check_floating_self("bernoulli", self);
  Tensor result = empty_like(self);
  return ops::bernoulli_(result, self);
}

Tensor bernoulli(const Tensor& self, double p) {
  LANEWISE_CHECK(ValueError, self.defined(), "bernoulli: the tensor is undefined");
  Tensor result = empty_like(self);
  return ops::bernoulli_(result, p);
}

Tensor& exponential_(Tensor& self, double lambd) {
  check_floating_self("exponential_", self);
  LANEWISE_CHECK(ValueError, lambd > 0, "exponential_: expects lambd > 0, but got ", lambd);
  return ops::copy_(self, unit_draws("exponential_", self.sizes()).neg_().log1p_().mul_(-1 / lambd));
}

Tensor& geometric_(Tensor& self, double p) {
  LANEWISE_CHECK(ValueError, self.defined(), "geometric_: the tensor is undefined");
  LANEWISE_CHECK(DtypeError, !self.is_complex() && self.scalar_type() != kBool,
                 "geometric_: not implemented for ", short_name(self.scalar_type()));
  LANEWISE_CHECK(ValueError, p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  const double largest = static_cast<double>(
      is_floating_point(self.scalar_type()) ? largest_integer(kDouble) : largest_integer(self.scalar_type()));
  return ops::copy_(self, unit_draws("geometric_", self.sizes())
                              .neg_()
                              .log1p_()
                              .mul_(1 / std::log1p(-p))
                              .ceil_()
                              .clamp_(1, largest));
}

Tensor& cauchy_(Tensor& self, double median, double sigma) {
  check_floating_self("cauchy_", self);
  LANEWISE_CHECK(ValueError, sigma > 0, "cauchy_: expects sigma > 0, but got ", sigma);
  constexpr double kPi = 3.14159265358979323846264338327950288;
  return ops::copy_(self,
                    unit_draws("cauchy_", self.sizes()).sub_(0.5).mul_(kPi).tan_().mul_(sigma).add_(median));
}

Tensor& log_normal_(Tensor& self, double mean, double std) {
  check_floating_self("log_normal_", self);
  LANEWISE_CHECK(ValueError, std > 0, "log_normal_: expects std > 0, but got ", std);
  Tensor z = lanewise::detail::empty_cpu(self.sizes(), kDouble);
  return ops::copy_(self, draw("log_normal_", z, &kernels::KernelTable::normal, mean, std).exp_());
}

Tensor normal(const Tensor& mean, double std) {
  check_floating_self("normal", mean, true);
  LANEWISE_CHECK(ValueError, std >= 0, "normal expects std >= 0.0, but found std ", std);
  return standard_normal(mean, mean.sizes()).mul_(std).add_(mean.detach());
}

Tensor normal(double mean, const Tensor& std) {
  check_floating_self("normal", std, true);
  check_std(std.detach());
  return standard_normal(std, std.sizes()).mul_(std.detach()).add_(mean);
}

Tensor normal(const Tensor& mean, const Tensor& std) {
  check_floating_self("normal", mean, true);
  check_floating_self("normal", std, true);
  check_std(std.detach());
  const Tensor shaped = lanewise::add(mean.detach(), std.detach());
  return standard_normal(shaped, shaped.sizes()).mul_(std.detach()).add_(mean.detach());
}

}  // namespace lanewise::ops
