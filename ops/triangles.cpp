#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/copy_bytes.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/rearranging.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

// tril and triu.
namespace lanewise::ops {
namespace {

void check_matrices(const char* op, const Tensor& self) {
  LANEWISE_CHECK(ShapeError, self.dim() >= 2, op,
                 ": input tensor must have at least 2 dimensions, found shape ", self.sizes());
}

constexpr std::int64_t kShortRow = 8;  // elements

/// Which elements of a row of a matrix a triangle keeps: [first(i), last(i)).
struct Triangle {
  bool lower;
  std::int64_t diagonal;
  std::int64_t columns;

  Triangle(bool is_lower, std::int64_t d, std::int64_t m) : lower(is_lower), diagonal(d), columns(m) {}
  Triangle(const Tensor& t, bool is_lower, std::int64_t d)
      : lower(is_lower), diagonal(std::clamp(d, -t.size(-2), t.size(-1))), columns(t.size(-1)) {}
  std::int64_t first(std::int64_t i) const {
    return lower ? 0 : std::clamp<std::int64_t>(i + diagonal, 0, columns);
  }
  std::int64_t last(std::int64_t i) const {
    return lower ? std::clamp<std::int64_t>(i + diagonal + 1, 0, columns) : columns;
  }
};

/// Calls f(number of the row, its number in its matrix, its offset in elements) for the rows of all matrices.
template <class F>
void each_row(const Tensor& t, F f) {
  if (t.numel() == 0) return;
  const std::int64_t rows = t.size(-2), columns = t.size(-1), step = t.stride(-2);
  const auto start_of = [&](std::int64_t matrix) {
    std::int64_t offset = 0;
    for (std::int64_t d = t.dim() - 2; d-- > 0; matrix /= t.size(d))
      offset += matrix % t.size(d) * t.stride(d);
    return offset;
  };
  parallel_for(0, t.numel() / columns, std::max<std::int64_t>(1, 32768 / columns),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t r = begin; r < end;) {
                   const std::int64_t matrix = r / rows, start = start_of(matrix);
                   const std::int64_t last = std::min(end, (matrix + 1) * rows);
                   for (std::int64_t i = r - matrix * rows; r < last; ++r, ++i) f(r, i, start + i * step);
                 }
               });
}

std::size_t size_log2(const Tensor& t) { return static_cast<std::size_t>(std::countr_zero(t.itemsize())); }

/// The triangle of `self`, and zeros elsewhere, into a contiguous tensor.
void keep_triangle(const Tensor& self, const Triangle& triangle, const Tensor& result) {
  // Where a row is not next to itself in memory, its kept part is gathered; columns are turned first.
  const bool turned = self.stride(-1) != 1 && std::abs(self.stride(-2)) < std::abs(self.stride(-1));
  const Tensor from = turned ? dense(self) : self;
  const auto bytes = static_cast<std::int64_t>(self.itemsize());
  const std::int64_t step = from.stride(-1), m = triangle.columns;
  const auto* x = static_cast<const char*>(from.const_data_ptr());
  auto* y = static_cast<char*>(result.data_ptr());
  if (m <= kShortRow) {  // a choice for each element, rather than three calls for the row
    return visit_size(self.itemsize(), [&]<class T>() {
      each_row(from, [=](std::int64_t r, std::int64_t i, std::int64_t offset) {
        const std::int64_t a = triangle.first(i);
        const auto n = static_cast<std::uint64_t>(std::max(a, triangle.last(i)) - a);
        const T* kept = reinterpret_cast<const T*>(x) + offset;
        T* row = reinterpret_cast<T*>(y) + r * m;
        for (std::int64_t j = 0; j < m; ++j)
          row[j] = static_cast<std::uint64_t>(j - a) < n ? kept[j * step] : T{};
      });
    });
  }
  const kernels::GatherFn gather = kernels::active_kernels().movers->gather[size_log2(self)];
  each_row(from, [&](std::int64_t r, std::int64_t i, std::int64_t offset) {
    const std::int64_t a = triangle.first(i), b = std::max(a, triangle.last(i));
    char* row = y + r * m * bytes;
    const char* kept = x + (offset + a * step) * bytes;
    std::memset(row, 0, static_cast<std::size_t>(a * bytes));
    if (step == 1) {
      lanewise::detail::copy_bytes(row + a * bytes, kept, static_cast<std::size_t>((b - a) * bytes));
    } else {
      gather(kept, 0, step * bytes, 1, b - a, row + a * bytes);
    }
    std::memset(row + b * bytes, 0, static_cast<std::size_t>((m - b) * bytes));
  });
}

/// Zeros outside of the triangle, in place, row by row.
void clear_parts(const Tensor& self, const Triangle& triangle) {
  const auto bytes = static_cast<std::int64_t>(self.itemsize());
  const std::int64_t step = self.stride(-1), m = triangle.columns;
  const kernels::ScatterFn scatter = kernels::active_kernels().movers->scatter[size_log2(self)];
  const std::vector<char> zeros(step == 1 ? 0 : static_cast<std::size_t>(m * bytes), 0);
  auto* x = static_cast<char*>(self.data_ptr());
  each_row(self, [&](std::int64_t, std::int64_t i, std::int64_t offset) {
    const auto clear = [&](std::int64_t from, std::int64_t to) {
      char* at = x + (offset + from * step) * bytes;
      if (to <= from) return;
      if (step == 1) {
        std::memset(at, 0, static_cast<std::size_t>((to - from) * bytes));
      } else {
        scatter(zeros.data(), at, 0, step * bytes, 1, to - from, kernels::scatter_ahead);
      }
    };
    const std::int64_t a = triangle.first(i), b = std::max(a, triangle.last(i));
    clear(0, a);
    clear(b, m);
  });
}

/// Zeros outside of the triangle, in place.
void clear_outside(const Tensor& self, const Triangle& triangle) {
  assert_no_internal_overlap(self);
  if (self.stride(-1) != 1 && std::abs(self.stride(-2)) < std::abs(self.stride(-1))) {
    const Tensor turned = transpose(self, -1, -2);
    return clear_outside(turned, Triangle(turned, !triangle.lower, -triangle.diagonal));
  }
  // Rows of which something is kept lie between those that are cleared whole and those that are kept whole.
  const std::int64_t n = self.size(-2), m = triangle.columns, d = triangle.diagonal;
  const auto row = [n](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, n); };
  const std::int64_t first = row(triangle.lower ? -d : 1 - d),
                     last = std::max(first, row(triangle.lower ? m - 1 - d : m - d));
  const std::int64_t cleared = triangle.lower ? 0 : last, clears = triangle.lower ? first : n - last;
  if (clears > 0) {
    Tensor whole = narrow(self, -2, cleared, clears);
    fill_(whole, 0);
  }
  clear_parts(narrow(self, -2, first, last - first), Triangle(triangle.lower, d + first, m));
}

Tensor triangle_of(const char* op, const Tensor& self, bool lower, std::int64_t diagonal) {
  check_matrices(op, self);
  const Tensor result = lanewise::detail::empty_cpu(self.sizes(), self.scalar_type());
  keep_triangle(self, Triangle(self, lower, diagonal), result);
  return result;
}

void triangle_into(const Destination& to, const Tensor& self, bool lower, std::int64_t diagonal) {
  check_matrices(to.op, self);
  check_out_exact(to.op, to.tensor, self.scalar_type());
  const Triangle triangle(self, lower, diagonal);
  if (to.tensor.defined() && to.tensor.is_same(self)) return clear_outside(self, triangle);
  // Rows with gaps, or columns: a copy knows best how to get there.
  const auto takes_copy = [&] {
    const Tensor& out = to.tensor;
    return !out.is_contiguous() && (out.stride(-1) == 1 || out.stride(-2) == 1) &&
           internal_overlap(out) == MemoryOverlap::None;
  };
  if (fits_apart(to, self.sizes(), self.scalar_type(), {&self}) && takes_copy()) {
    copy_(to.tensor, self);
    return clear_outside(to.tensor, triangle);
  }
  write_result(to, self.sizes(), self.scalar_type(), {&self},
               [&](const Tensor& out) { keep_triangle(self, triangle, out); });
}

}  // namespace

Tensor tril(const Tensor& self, std::int64_t diagonal) { return triangle_of("tril", self, true, diagonal); }
Tensor triu(const Tensor& self, std::int64_t diagonal) { return triangle_of("triu", self, false, diagonal); }

void tril_into(const Destination& to, const Tensor& self, std::int64_t diagonal) {
  triangle_into(to, self, true, diagonal);
}
void triu_into(const Destination& to, const Tensor& self, std::int64_t diagonal) {
  triangle_into(to, self, false, diagonal);
}

}  // namespace lanewise::ops
