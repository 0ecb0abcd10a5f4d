// arange and linspace: values that are arithmetic in their position.

#include <lanewise/kernels/convert_element.h>
#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/kernel_declarations.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

constexpr std::int64_t kChunk = 1024;

/// Calls make(k, position of k as f64) for k in [0, n): by way of small integers, which every tier converts
/// fast.
template <class Make>
void for_positions(std::int64_t first, std::int64_t n, Make make) {
  for (std::int64_t begin = 0; begin < n; begin += kChunk) {
    const auto base = static_cast<double>(first + begin);
    const int count = static_cast<int>(n - begin < kChunk ? n - begin : kChunk);
    for (int k = 0; k < count; ++k) make(begin + k, base + k);
  }
}

/// Floats are computed in f64 and rounded once; integers wrap.
template <class T>
void arange_values(char* out, std::int64_t first, std::int64_t n, const KernelScalar* params) noexcept {
  T* y = reinterpret_cast<T*>(out);
  if constexpr (std::is_integral_v<T>) {
    const auto start = static_cast<std::uint64_t>(params[0].i);
    const auto step = static_cast<std::uint64_t>(params[1].i);
    for (std::int64_t k = 0; k < n; ++k)
      y[k] = static_cast<T>(start + static_cast<std::uint64_t>(first + k) * step);
  } else {
    const double start = params[0].re;
    const double step = params[1].re;
    for_positions(first, n, [=](std::int64_t k, double i) { y[k] = convert_element<T>(start + i * step); });
  }
}

/// One part of each of the values, counted from the nearer end.
template <class T, int Stride>
__attribute__((noinline)) void line(T* y, std::int64_t first, std::int64_t n, double start, double end,
                                    std::int64_t steps) {
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  const auto last = static_cast<double>(steps - 1);
  const std::int64_t middle = steps == 1 ? 1 : steps / 2;
  const std::int64_t near = middle < first ? 0 : middle - first < n ? middle - first : n;
  for_positions(first, near, [=](std::int64_t k, double i) { y[k * Stride] = convert_element<T>(start + step * i); });
  y += near * Stride;
  for_positions(first + near, n - near, [=](std::int64_t k, double i) {
    y[k * Stride] = convert_element<T>(end - step * (last - i));
  });
}

template <class T>
void linspace_values(char* out, std::int64_t first, std::int64_t n, const KernelScalar* params) noexcept {
  const std::int64_t steps = params[2].i;
  if constexpr (is_complex<T>) {
    auto* y = reinterpret_cast<real_of<T>*>(out);
    line<real_of<T>, 2>(y, first, n, params[0].re, params[1].re, steps);
    line<real_of<T>, 2>(y + 1, first, n, params[0].im, params[1].im, steps);
  } else {
    T* y = reinterpret_cast<T*>(out);
    if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(int)) {
      // By way of the code for int32, which is what their conversion goes through: 16 KB less in all.
      int pieces[kChunk / 4];
      for (std::int64_t begin = 0; begin < n; begin += kChunk / 4) {
        const std::int64_t count = n - begin < kChunk / 4 ? n - begin : kChunk / 4;
        line<int, 1>(pieces, first + begin, count, params[0].re, params[1].re, steps);
        for (std::int64_t k = 0; k < count; ++k) y[begin + k] = static_cast<T>(pieces[k]);
      }
    } else {
      line<T, 1>(y, first, n, params[0].re, params[1].re, steps);
    }
    if constexpr (std::is_integral_v<T>) {  // the ends may have more digits than a double
      if (n > 0 && first + n == steps) y[n - 1] = static_cast<T>(params[1].i);
      if (n > 0 && first == 0) y[0] = static_cast<T>(params[0].i);
    }
  }
}

template <class... T>
constexpr IndexedKernel arange_kernel(Types<T...>) {
  IndexedKernel kernel{2, {}};
  ((kernel.fn[index_of<T>] = &arange_values<T>), ...);
  return kernel;
}
template <class... T>
constexpr IndexedKernel linspace_kernel(Types<T...>) {
  IndexedKernel kernel{3, {}};
  ((kernel.fn[index_of<T>] = &linspace_values<T>), ...);
  return kernel;
}

}  // namespace

constinit const IndexedKernel arange = arange_kernel(real);
constinit const IndexedKernel linspace = linspace_kernel(numbers);

}  // namespace lanewise::kernels::LANEWISE_ISA
