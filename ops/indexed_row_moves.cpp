#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/accumulate.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/indexed_rows.h>
#include <lanewise/ops/row_walk.h>
#include <lanewise/ops/short_row_reads.h>

namespace lanewise::ops {
namespace {

/// Runs of so many elements apart are worth the call of a kernel.
constexpr std::int64_t kMovedRun = 64;

/// memcpy that does not call for a line or less; its last bytes may be copied twice.
inline void copy_row(char* to, const char* from, std::size_t n) {
  const auto copied = [&]<std::size_t kPart>() {
    for (std::size_t at = 0; at + kPart < n; at += kPart) std::memcpy(to + at, from + at, kPart);
    std::memcpy(to + n - kPart, from + n - kPart, kPart);
  };
  if (n > 64 || n < 4) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
    copied.template operator()<16>();
  } else if (n >= 8) {
    copied.template operator()<8>();
  } else {
    copied.template operator()<4>();
  }
}

/// Elements side by side behind one index; 0 where their neighbours lie apart.
std::int64_t run_of(const IndexedRows& rows) {
  return !rows.after_sizes.empty() && rows.after_strides.back() == 1 ? rows.after_sizes.back() : 0;
}

/// Rows of floating-point numbers, complex ones as pairs, by a kernel that takes many; false if they are not such.
bool add_contiguous(const IndexedRows& rows, const Tensor& self, const Tensor& values) {
  const ScalarType type = self.scalar_type(), part = toRealValueType(type);
  const bool fits = rows.after_sizes.size() == 1 && run_of(rows) > 1 && (part == kFloat || part == kDouble);
  // A row of many takes what one or two elements take whose places are written down, a batch what ten take.
  constexpr std::int64_t kFewInRow = 4, kFewInBatch = 16;
  const bool is_few = rows.row < kFewInRow || rows.per_index() * rows.row < kFewInBatch;
  if (!fits || (is_few && RowPlaces::pays(rows, rows.row) && row_step(rows, values) == rows.row))
    return false;
  const kernels::AddRowsTable& table = *kernels::active_kernels().add_rows;
  visit_size(self.itemsize(), [&]<class T>() {
    if constexpr (sizeof(T) >= sizeof(float))
      RowWalk<T>(rows, self, values).add(part == kFloat ? table.f32 : table.f64, is_complex(type) ? 2 : 1);
  });
  return true;
}

std::int64_t step_of(const Tensor& values) { return values.numel() == 1 ? 0 : 1; }

}  // namespace

std::optional<std::int64_t> row_step(const IndexedRows& rows, const Tensor& values) noexcept {
  const IntArrayRef sizes = values.sizes(), strides = values.strides();
  std::size_t d = sizes.size();
  std::int64_t inner = 1;
  for (; d > 0 && inner < rows.row; --d) {
    if (sizes[d - 1] != 1 && strides[d - 1] != inner) return std::nullopt;
    inner *= sizes[d - 1];
  }
  std::optional<std::int64_t> step;
  for (std::int64_t next = 0; d > 0; --d) {
    if (sizes[d - 1] == 1) continue;
    if (step && strides[d - 1] != next) return std::nullopt;
    if (!step) step = strides[d - 1];
    next = strides[d - 1] * sizes[d - 1];
  }
  return step.value_or(inner);
}

bool runs_along_indices(const IndexedRows& rows, const Tensor& self) noexcept {
  return rows.row > 1 && std::abs(rows.scale) == 1 &&
         std::abs(rows.after_strides.back()) * self.element_size() >= 64;
}

bool wants_dense(const IndexedRows& rows, const Tensor& self) noexcept {
  if (rows.row <= 1) return false;
  const std::int64_t wanted = rows.before_count * rows.per_index() * rows.row;
  if (runs_along_indices(rows, self)) return 2 * wanted >= self.numel();
  return std::abs(rows.after_strides.back()) > 1 && rows.after_sizes.back() < kMovedRun &&
         wanted >= self.numel();
}

void read_rows(const IndexedRows& rows, const Tensor& self, const Tensor& out) {
  if (read_contiguous_rows(rows, self, out) || read_arranged(rows, self, out) ||
      read_few_elements(rows, self, out))
    return;
  visit_size(self.itemsize(), [&]<class T>() {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const kernels::GatherFn gather =
        kernels::active_kernels().movers->gather[static_cast<std::size_t>(std::countr_zero(sizeof(T)))];
    RowWalk<T>(rows, self, out).read([gather](const T* x, std::int64_t stride, T* y, std::int64_t n) {
      if (n == 1) {
        *y = *x;
      } else if (n < kMovedRun && stride != 1) {
#pragma GCC unroll 4  // a loop of one element that lies across two lines of code takes 1.5 times as long
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i * stride];
      } else if (stride == 1) {
        copy_row(reinterpret_cast<char*>(y), reinterpret_cast<const char*>(x),
                 static_cast<std::size_t>(n) * sizeof(T));
      } else {
        gather(reinterpret_cast<const char*>(x), 0, stride * kSize, 1, n, reinterpret_cast<char*>(y));
      }
    });
  });
}

void write_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values) {
  const std::int64_t step = step_of(values);
  visit_size(self.itemsize(), [&]<class T>() {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const kernels::ScatterFn scatter =
        kernels::active_kernels().movers->scatter[static_cast<std::size_t>(std::countr_zero(sizeof(T)))];
    RowWalk<T>(rows, self, values, step).write([=](T* x, std::int64_t stride, const T* y, std::int64_t n) {
      if (n == 1) {
        *x = *y;
      } else if (step == 0) {
        const T value = *y;  // what is written might be it, as far as the compiler knows
        if (stride == 1) {
          std::fill_n(x, n, value);
        } else {
#pragma GCC unroll 4  // as of reads
          for (std::int64_t i = 0; i < n; ++i, x += stride) *x = value;
        }
      } else if (stride == 1) {
        std::memcpy(static_cast<void*>(x), y, static_cast<std::size_t>(n) * sizeof(T));
      } else if (n >= kMovedRun) {
        scatter(reinterpret_cast<const char*>(y), reinterpret_cast<char*>(x), 0, stride * kSize, 1, n,
                kernels::scatter_ahead);
      } else {
        for (std::int64_t i = 0; i < n; ++i) x[i * stride] = y[i];
      }
    });
  });
}

bool has_long_runs(const IndexedRows& rows) {
  constexpr std::int64_t kLeastRun = 16;
  return run_of(rows) >= kLeastRun;
}

void combine_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values,
                  kernels::ElementwiseFn kernel) {
  visit_size(self.itemsize(), [&]<class T>() {
    RowWalk<T>(rows, self, values).template write<true>([kernel](T* x, std::int64_t, T* y, std::int64_t n) {
      constexpr kernels::KernelScalar kAlpha{1, 1, 0};
      auto* const to = reinterpret_cast<char*>(x);
      char* const operands[] = {to, reinterpret_cast<char*>(y), to};
      kernel(operands, 0, n, &kAlpha);
    });
  });
}

void add_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values, const Scalar& alpha) {
  const std::int64_t step = step_of(values);
  const bool plain = alpha.equal(1);
  const kernels::ElementwiseFn kernel =
      kernels::active_kernels().add->fn[static_cast<std::size_t>(self.scalar_type())];
  if (plain && step == 1 && add_contiguous(rows, self, values)) return;
  if (plain && step == 1 && kernel != nullptr && has_long_runs(rows))
    return combine_rows(rows, self, values, kernel);
  visit_dtype(self.scalar_type(), [&]<class T>() {
    const auto factor = alpha.to_unchecked<SumType<T>>();
    RowWalk<T>(rows, self, values, step).write([=](T* x, std::int64_t stride, const T* y, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        T& a = x[i * stride];
        const T b = y[i * step];
        if constexpr (!std::is_same_v<T, SumType<T>>) {
          a = static_cast<T>(static_cast<float>(a) + factor * static_cast<float>(b));
        } else if constexpr (is_complex(scalar_type_of<T>)) {
          a = add_elements(a,
                           plain ? b : multiply_elements(factor, b));  // a complex 1 makes NaN of infinities
        } else {
          a = add_elements(a, multiply_elements(factor, b));
        }
      }
    });
  });
}

}  // namespace lanewise::ops
