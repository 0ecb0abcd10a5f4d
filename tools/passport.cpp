#include "passport.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <lanewise/lanewise.h>

#include "passport_functions.h"

namespace lanewise::tools {
namespace {

double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Any sign and exponent with a random mantissa.
template <class T>
T any_exponent(std::mt19937_64& random) {
  using L = std::numeric_limits<T>;
  const int exponents = L::max_exponent - L::min_exponent + L::digits;
  const double m = 1 + unit(random);
  const T x = static_cast<T>(std::ldexp(
      m, static_cast<int>(random() % static_cast<unsigned>(exponents)) + L::min_exponent - L::digits));
  return (random() & 1) != 0 ? -x : x;
}

/// Half of the arguments from the range, the others of any exponent.
template <class T>
Tensor arguments(std::int64_t n, double low, double high, bool positive, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensor t = empty({n}, scalar_type_of<T>);
  T* p = t.data_ptr<T>();
  for (std::int64_t i = 0; i < n; ++i) {
    p[i] = i % 2 == 0 ? static_cast<T>(low + (high - low) * unit(random)) : any_exponent<T>(random);
    if (positive) p[i] = std::abs(p[i]);
  }
  return t;
}

/// An ULP of T at a magnitude.
template <class T>
long double ulp_at(long double size) {
  int exponent = 0;
  (void)std::frexp(size, &exponent);
  return std::ldexp(
      1.0L, std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits);
}

/// Error of a result in ULP; infinite where it is of another class. The last number before infinity may be
/// either.
template <class T>
double error_of(T found, Wide exact) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(found)) return std::isnan(exact) && std::isnan(found) ? 0 : kWrong;
  const T rounded = static_cast<T>(exact);
  if (rounded == found)
    return std::isinf(found) ? 0 : static_cast<double>(std::fabs(found - exact) / ulp_at<T>(exact));
  if (std::isinf(rounded) || std::isinf(found)) {
    const long double largest = std::numeric_limits<T>::max();
    const long double room = 2 * largest * std::numeric_limits<T>::epsilon();
    return std::fabs(std::fabs(exact) - largest) < room ? 0.5 : kWrong;
  }
  return static_cast<double>(std::fabs(static_cast<Wide>(found) - exact) / ulp_at<T>(exact));
}

struct Worst {
  double error = 0;
  std::int64_t at = 0;
};

/// Elements per second of the op on 16 Ki elements into a given result.
double speed_of(std::string_view op, const std::vector<Value>& inputs, const Tensor& out) {
  using Clock = std::chrono::steady_clock;
  const auto run = [&] { (void)call(op, inputs, {NamedValue{"out", out}}); };
  run();
  double best = 0;
  for (int round = 0; round < 7; ++round) {
    int calls = 0;
    const Clock::time_point begin = Clock::now();
    double seconds = 0;
    do {
      run();
      ++calls;
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    } while (seconds < 0.002);
    best = std::max(best, calls * static_cast<double>(out.numel()) / seconds);
  }
  return best;
}

using Found = std::function<void(const PassportRow&)>;

template <class T>
std::string text_of(T x) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(x));
  return text;
}

constexpr std::int64_t kTimed = 1 << 14;

template <class T>
void measure(const PassportSettings& settings, const RealFunction& f, const std::vector<Isa>& isas,
             const Found& found) {
  const Tensor x = arguments<T>(settings.points, f.low, f.high, f.positive_only, 1);
  const Tensor y = arguments<T>(settings.points, f.low, f.high, false, 2);
  const T* px = x.data_ptr<T>();
  const T* py = y.data_ptr<T>();
  std::vector<Wide> exact(static_cast<std::size_t>(settings.points));
  for (std::int64_t i = 0; i < settings.points; ++i) {
    exact[static_cast<std::size_t>(i)] = f.reference(px[i], py[i]);
  }
  // Timed on the range alone.
  Tensor near_x = empty({kTimed}, scalar_type_of<T>);
  Tensor near_y = empty({kTimed}, scalar_type_of<T>);
  for (std::int64_t i = 0; i < kTimed; ++i) {
    near_x.data_ptr<T>()[i] = px[2 * i];
    near_y.data_ptr<T>()[i] = py[2 * i];
  }
  const auto inputs = [&f](const Tensor& a, const Tensor& b) {
    return f.second ? std::vector<Value>{a, b} : std::vector<Value>{a};
  };
  for (const Isa isa : isas) {
    const IsaGuard guard(isa);
    const Tensor r = call(f.op, inputs(x, y))[0];
    Worst worst;
    for (std::int64_t i = 0; i < settings.points; ++i) {
      const double error = error_of(r.data_ptr<T>()[i], exact[static_cast<std::size_t>(i)]);
      if (error > worst.error) worst = {error, i};
    }
    const double speed = speed_of(f.op, inputs(near_x, near_y), empty({kTimed}, scalar_type_of<T>));
    std::string at = text_of(px[worst.at]);
    if (f.second) at += ", " + text_of(py[worst.at]);
    found({std::string(f.op), sizeof(T) == 4 ? "f32" : "f64", isa, worst.error, speed * 1e-9, at});
  }
}

/// The distance from the exact value in ULP of its magnitude, where that is a normal number.
template <class T>
void measure(const PassportSettings& settings, const ComplexFunction& f, const std::vector<Isa>& isas,
             const Found& found) {
  using C = std::complex<T>;
  std::mt19937_64 random(3);
  const std::int64_t n = std::max(settings.points / 4, kTimed);
  Tensor z = empty({n}, scalar_type_of<C>);
  C* p = z.data_ptr<C>();
  for (std::int64_t i = 0; i < n; ++i) {
    const double range = i % 4 == 3 ? 1e-3 : f.range;
    const double re = (2 * unit(random) - 1) * range;
    p[i] = C(static_cast<T>(re), static_cast<T>((2 * unit(random) - 1) * range));
  }
  const Tensor timed = z.slice(0, 0, kTimed);
  for (const Isa isa : isas) {
    const IsaGuard guard(isa);
    const Tensor r = call(f.op, {z})[0];
    Worst worst;
    for (std::int64_t i = 0; i < n; ++i) {
      const WideComplex exact = f.reference(WideComplex(p[i].real(), p[i].imag()));
      const long double size = std::abs(exact);
      if (!(size >= std::numeric_limits<T>::min() && size <= std::numeric_limits<T>::max() / 4)) continue;
      const C value = r.data_ptr<C>()[i];
      const long double distance = std::abs(WideComplex(value.real(), value.imag()) - exact);
      const double error = static_cast<double>(distance / ulp_at<T>(size));
      if (error > worst.error) worst = {error, i};
    }
    const double speed = speed_of(f.op, {timed}, empty({kTimed}, scalar_type_of<C>));
    const C at = p[worst.at];
    found({std::string(f.op), sizeof(T) == 4 ? "complex64" : "complex128", isa, worst.error, speed * 1e-9,
           text_of(at.real()) + " + " + text_of(at.imag()) + " i"});
  }
}

/// True if the build has the op with an out= form.
bool is_op(std::string_view op) {
  const auto schemas = registry();
  return std::any_of(schemas.begin(), schemas.end(),
                     [op](const Schema& s) { return s.name == op && s.is_out; });
}

/// Asked for, and in this build.
bool is_wanted(const PassportSettings& settings, std::string_view op) {
  const auto& names = settings.names;
  return (names.empty() || std::find(names.begin(), names.end(), op) != names.end()) && is_op(op);
}

/// Calls f with every op's function, the real ones first.
template <class F>
void each_function(const PassportSettings& settings, F&& f) {
  for (const RealFunction& real : real_functions()) {
    if (is_wanted(settings, real.op)) f(real);
  }
  for (const ComplexFunction& complex : complex_functions()) {
    if (is_wanted(settings, complex.op)) f(complex);
  }
}

void check_names(const PassportSettings& settings) {
  std::set<std::string_view> known;
  for (const RealFunction& f : real_functions()) known.insert(f.op);
  for (const ComplexFunction& f : complex_functions()) known.insert(f.op);
  std::string list;
  for (const std::string_view op : known) list += (list.empty() ? "" : ", ") + std::string(op);
  for (const std::string& name : settings.names)
    LANEWISE_CHECK(ValueError, known.contains(name), "passport: '", name,
                   "': no mathematical op of that name; one of ", list);
}

}  // namespace

std::size_t passport_count(const PassportSettings& settings) {
  std::size_t count = 0;
  each_function(settings, [&](const auto&) { ++count; });
  return count;
}

void passport(const PassportSettings& settings, const std::function<void(const std::string&)>& begins,
              const Found& found) {
  check_names(settings);
  static_cast<void>(active_isa());  // a wrong LANEWISE_ISA is an error, though every tier is measured
  set_num_threads(1);
  const std::vector<Isa> isas(available_isas().begin(), available_isas().end());
  each_function(settings, [&](const auto& f) {
    begins(std::string(f.op));
    measure<float>(settings, f, isas, found);
    measure<double>(settings, f, isas, found);
  });
}

}  // namespace lanewise::tools
