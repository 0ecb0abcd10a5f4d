#include <algorithm>

#include <lanewise/tensor/detail/wrapping_product.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise {

std::int64_t wrap_dim(const char* op, std::int64_t dim, std::int64_t rank) {
  const std::int64_t n = std::max<std::int64_t>(rank, 1);
  LANEWISE_CHECK(IndexError, dim >= -n && dim < n, op,
                 ": Dimension out of range (expected to be in range of [", -n, ", ", n - 1, "], but got ",
                 dim, ")");
  return dim < 0 ? dim + n : dim;
}

DimVector wrap_dims(const char* op, IntArrayRef dims, std::int64_t rank) {
  DimVector wrapped;
  for (const std::int64_t dim : dims) {
    const std::int64_t d = wrap_dim(op, dim, rank);
    LANEWISE_CHECK(IndexError, std::find(wrapped.begin(), wrapped.end(), d) == wrapped.end(), op, ": dim ", d,
                   " appears multiple times in the list of dims ", dims);
    wrapped.push_back(d);
  }
  return wrapped;
}

DimVector contiguous_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride = detail::wrapping_product(stride, std::max<std::int64_t>(sizes[d], 1));
  }
  return strides;
}

std::optional<DimVector> view_strides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef new_sizes) {
  std::int64_t numel = 1;
  for (const std::int64_t size : sizes) numel = detail::wrapping_product(numel, size);
  if (numel == 0) return sizes.equals(new_sizes) ? DimVector(strides) : contiguous_strides(new_sizes);
  if (sizes.empty()) return DimVector(new_sizes.size(), 1);

  // Walks both shapes from the end. A run of old dimensions that are contiguous among themselves (a chunk)
  // must be covered exactly by a run of new dimensions, which then share its innermost stride.
  DimVector result(new_sizes.size());
  std::ptrdiff_t to = static_cast<std::ptrdiff_t>(new_sizes.size()) - 1;
  std::int64_t chunk_stride = strides.back();
  std::int64_t chunk = 1;
  for (std::ptrdiff_t from = static_cast<std::ptrdiff_t>(sizes.size()) - 1; from >= 0; --from) {
    chunk *= sizes[from];
    const bool ends = from == 0 || (sizes[from - 1] != 1 && strides[from - 1] != chunk * chunk_stride);
    if (!ends) continue;
    std::int64_t covered = 1;
    while (to >= 0 && (covered < chunk || new_sizes[to] == 1)) {
      result[to] = covered * chunk_stride;
      covered *= new_sizes[to];
      --to;
    }
    if (covered != chunk) return std::nullopt;
    if (from > 0) {
      chunk = 1;
      chunk_stride = strides[from - 1];
    }
  }
  if (to != -1) return std::nullopt;
  return result;
}

DimVector infer_size(const char* op, IntArrayRef sizes, std::int64_t numel) {
  DimVector result(sizes);
  std::int64_t known = 1;
  std::ptrdiff_t unknown = -1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      LANEWISE_CHECK(ShapeError, unknown == -1, op, ": only one dimension can be inferred, but shape ", sizes,
                     " has -1 more than once");
      unknown = static_cast<std::ptrdiff_t>(d);
      continue;
    }
    LANEWISE_CHECK(ShapeError, sizes[d] >= 0, op, ": invalid shape dimension ", sizes[d], " in ", sizes,
                   "; only -1 may be negative");
    LANEWISE_CHECK(ShapeError, !__builtin_mul_overflow(known, sizes[d], &known), op, ": shape ", sizes,
                   " has more elements than fit in int64");
  }
  if (unknown == -1) {
    LANEWISE_CHECK(ShapeError, known == numel, op, ": shape '", sizes, "' is invalid for input of size ",
                   numel);
    return result;
  }
  LANEWISE_CHECK(ShapeError, known != 0, op, ": cannot reshape tensor of ", numel, " elements into shape ",
                 sizes, " because the unspecified dimension size -1 can be any value and is ambiguous");
  LANEWISE_CHECK(ShapeError, numel % known == 0, op, ": shape '", sizes, "' is invalid for input of size ",
                 numel);
  result[unknown] = numel / known;
  return result;
}

DimVector broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b) {
  const std::size_t rank = std::max(a.size(), b.size());
  DimVector shape(rank);
  for (std::size_t back = 1; back <= rank; ++back) {
    const std::int64_t m = back <= a.size() ? a[a.size() - back] : 1;
    const std::int64_t n = back <= b.size() ? b[b.size() - back] : 1;
    LANEWISE_CHECK(ShapeError, m == n || m == 1 || n == 1, op, ": shapes ", a, " and ", b,
                   " do not broadcast: the size of tensor a (", m, ") must match the size of tensor b (", n,
                   ") at non-singleton dimension ", rank - back, " (dimension ", rank - back, " is ", m,
                   " against ", n, ")");
    shape[rank - back] = m == 1 ? n : m;
  }
  return shape;
}

std::int64_t maybe_wrap_dim(std::int64_t dim, std::int64_t rank, bool wrap_scalar) {
  LANEWISE_CHECK(IndexError, rank > 0 || wrap_scalar, "maybe_wrap_dim: Dimension specified as ", dim,
                 " but tensor has no dimensions");
  return wrap_dim("maybe_wrap_dim", dim, rank);
}

std::vector<std::int64_t> infer_size(IntArrayRef a, IntArrayRef b) {
  const DimVector together = broadcast_shapes("infer_size", a, b);
  return {together.begin(), together.end()};
}

}  // namespace lanewise
