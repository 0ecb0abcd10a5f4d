#include <algorithm>
#include <atomic>
#include <optional>
#include <sstream>
#include <utility>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/divisor.h>
#include <lanewise/ops/indexed_rows.h>
#include <lanewise/ops/masks.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>
#include <lanewise/tensor/warnings.h>

namespace lanewise::ops {
namespace {

constexpr std::int64_t kGrainElements = 16384;

/// Without dimensions of size 1, and with those merged that one step goes through.
void merge(DimVector& sizes, DimVector& strides) {
  std::size_t kept = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    if (kept > 0 && strides[kept - 1] == strides[d] * sizes[d]) {
      sizes[kept - 1] *= sizes[d];
      strides[kept - 1] = strides[d];
    } else {
      sizes[kept] = sizes[d];
      strides[kept++] = strides[d];
    }
  }
  sizes.resize(kept);
  strides.resize(kept);
}

[[noreturn]] void out_of_bounds(const char* op, std::int64_t index, std::size_t dim, std::int64_t size) {
  if (size == 0) {
    lanewise::detail::raise<IndexError>(op, ": index is out of bounds for dimension with size 0: index ",
                                        index, " of dimension ", dim);
  }
  lanewise::detail::raise<IndexError>(op, ": index ", index, " is out of bounds for dimension ", dim,
                                      " with size ", size, "; index out of range in self");
}

/// A list of indices, dense and checked, negative ones counted from the end if `wrap`. Not the memory of
/// self, which may be written to meanwhile.
Tensor checked_index(const char* op, const Tensor& any, const Tensor& self, std::size_t dim,
                     std::int64_t size, bool wrap) {
  const Tensor index = dense(any, kLong);
  const auto* values = index.const_data_ptr<std::int64_t>();
  std::atomic<bool> negative{false};
  parallel_for(0, index.numel(), kGrainElements, [&](std::int64_t begin, std::int64_t end) {
    if (kernels::active_kernels().in_bounds(values + begin, end - begin, size)) return;
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t i = values[p] < 0 && wrap ? values[p] + size : values[p];
      if (i < 0 || i >= size) [[unlikely]]
        out_of_bounds(op, values[p], dim, size);
    }
    negative.store(true, std::memory_order_relaxed);
  });
  if (!negative.load()) return index.is_alias_of(self) ? clone(index) : index;
  const Tensor wrapped = lanewise::detail::empty_cpu(index.sizes(), kLong);
  auto* out = wrapped.data_ptr<std::int64_t>();
  parallel_for(0, index.numel(), kGrainElements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) out[p] = values[p] < 0 ? values[p] + size : values[p];
  });
  return wrapped;
}

/// The indices of one more dimension: their steps become elements.
void add_offsets(IndexedRows& rows, const Tensor& index, std::int64_t stride) {
  if (!rows.offsets.defined()) {
    rows.offsets = index;
    rows.scale = stride;
    return;
  }
  const Tensor sums = lanewise::detail::empty_cpu({index.numel()}, kLong);
  const std::int64_t *x = rows.offsets_data(), *y = index.const_data_ptr<std::int64_t>();
  auto* sum = sums.data_ptr<std::int64_t>();
  parallel_for(0, index.numel(), kGrainElements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) sum[p] = x[p] * rows.scale + y[p] * stride;
  });
  rows.offsets = sums;
  rows.scale = 1;
}

/// Masks replaced by the positions where they hold, int32 by int64.
std::vector<Tensor> without_masks(const char* op, const Tensor& self, ArrayRef<Tensor> indices) {
  std::vector<Tensor> plain;
  for (const Tensor& index : indices) {
    if (!index.defined()) {
      plain.emplace_back();
      continue;
    }
    const ScalarType dtype = index.scalar_type();
    LANEWISE_CHECK(IndexError, dtype == kLong || dtype == kInt || dtype == kBool || dtype == kByte, op,
                   ": tensors used as indices must be int64 or int32, or bool or uint8 as masks; found ",
                   short_name(dtype));
    if (dtype != kBool && dtype != kByte) {
      plain.push_back(dtype == kLong ? index : dense(index, kLong));
      continue;
    }
    // It takes all or nothing along a dimension of size 1 that Tensor::index makes for it.
    LANEWISE_CHECK(IndexError, index.dim() > 0, op,
                   ": a 0-dim mask needs a dimension of its own; use Tensor::index");
    for (std::int64_t d = 0; d < index.dim(); ++d) {
      const auto at = static_cast<std::int64_t>(plain.size()) + d;
      LANEWISE_CHECK(IndexError, at < self.dim(), op, ": too many indices for tensor of dimension ",
                     self.dim());
      LANEWISE_CHECK(IndexError, index.size(d) == self.size(at), op, ": The shape of the mask ",
                     index.sizes(), " at index ", d, " does not match the shape of the indexed tensor ",
                     self.sizes(), " at index ", at);
    }
    if (dtype == kByte) {
      warn(op,
           ": indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead; "
           "x.to(kBool) "
           "is one");
    }
    const Tensor positions = nonzero(index);
    for (std::int64_t d = 0; d < index.dim(); ++d) plain.push_back(select(positions, 1, d));
  }
  LANEWISE_CHECK(IndexError, static_cast<std::int64_t>(plain.size()) <= self.dim(), op,
                 ": too many indices for tensor of dimension ", self.dim(), " (got ", plain.size(), ")");
  plain.resize(static_cast<std::size_t>(self.dim()));
  return plain;
}

/// The common shape of all indices.
DimVector common_shape(const char* op, const std::vector<Tensor>& indices) {
  DimVector shape;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    bool fits = true;
    const IntArrayRef sizes = index.sizes();
    for (std::size_t d = 0; d < std::min(shape.size(), sizes.size()); ++d) {
      const std::int64_t a = shape[shape.size() - 1 - d], b = sizes[sizes.size() - 1 - d];
      fits = fits && (a == b || a == 1 || b == 1);
    }
    if (!fits) {
      std::ostringstream shapes;
      for (const Tensor& t : indices) {
        if (t.defined()) shapes << ' ' << t.sizes();
      }
      lanewise::detail::raise<IndexError>(
          op, ": shape mismatch: indexing tensors could not be broadcast together with shapes", shapes.str());
    }
    shape = broadcast_shapes(op, shape, sizes);
  }
  return shape;
}

}  // namespace

std::int64_t offset_of(std::int64_t position, const DimVector& sizes, const DimVector& strides) noexcept {
  std::int64_t offset = 0;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    offset += position % sizes[d] * strides[d];
    position /= sizes[d];
  }
  return offset;
}

IndexedRows indexed_rows(const char* op, const Tensor& self, ArrayRef<Tensor> indices) {
  std::vector<Tensor> index = without_masks(op, self, indices);
  const DimVector shape = common_shape(op, index);
  const auto is_index = [&](std::size_t d) { return index[d].defined(); };
  std::optional<std::size_t> first;
  std::size_t last = 0, count = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (!is_index(d)) continue;
    if (!first) first = d;
    last = d;
    ++count;
  }
  LANEWISE_CHECK(ValueError, first.has_value(), op, ": expected at least one tensor among the indices");
  const bool adjacent = last - *first + 1 == count;

  IndexedRows rows;
  DimVector after;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (is_index(d)) continue;
    const bool in_front = adjacent && d < *first;
    (in_front ? rows.before_sizes : rows.after_sizes).push_back(self.sizes()[d]);
    (in_front ? rows.before_strides : rows.after_strides).push_back(self.strides()[d]);
  }
  rows.sizes = rows.before_sizes;
  rows.sizes.append(shape.begin(), shape.end());
  rows.sizes.append(rows.after_sizes.begin(), rows.after_sizes.end());
  rows.before_count = multiply_integers(rows.before_sizes);
  rows.row = multiply_integers(rows.after_sizes);
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (!is_index(d)) continue;
    const Tensor whole = index[d].sizes().equals(shape) ? index[d] : expand(index[d], shape);
    add_offsets(rows, checked_index(op, whole, self, d, self.sizes()[d], true), self.strides()[d]);
  }
  const std::size_t before = rows.before_sizes.size(), rank = rows.sizes.size();
  DimVector of_self(rank, 0);
  std::copy(rows.before_strides.begin(), rows.before_strides.end(), of_self.begin());
  std::copy(rows.after_strides.begin(), rows.after_strides.end(),
            of_self.begin() + static_cast<std::ptrdiff_t>(before + shape.size()));
  rows.operand_strides.push_back(of_self);
  for (const Tensor& one : index) {
    if (!one.defined()) continue;
    DimVector of_index(rank, 0);
    const std::size_t lead = shape.size() - one.sizes().size();
    for (std::size_t d = 0; d < one.sizes().size(); ++d) {
      if (one.sizes()[d] != 1) of_index[before + lead + d] = one.strides()[d];
    }
    rows.operand_strides.push_back(of_index);
  }
  merge(rows.before_sizes, rows.before_strides);
  merge(rows.after_sizes, rows.after_strides);
  return rows;
}

IndexedRows indexed_rows(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                         bool wrap) {
  IndexedRows rows;
  const auto d = static_cast<std::size_t>(wrap_dim(op, dim, self.dim()));
  LANEWISE_CHECK(ShapeError, index.dim() <= 1, op, ": Index is supposed to be a vector, found shape ",
                 index.sizes());
  LANEWISE_CHECK(DtypeError, index.scalar_type() == kLong || index.scalar_type() == kInt, op,
                 ": Expected dtype int32/int64 for index, found ", short_name(index.scalar_type()));
  const bool number = self.dim() == 0;
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    if (i == d) continue;
    (i < d ? rows.before_sizes : rows.after_sizes).push_back(self.sizes()[i]);
    (i < d ? rows.before_strides : rows.after_strides).push_back(self.strides()[i]);
  }
  rows.sizes = rows.before_sizes;
  if (!number) rows.sizes.push_back(index.numel());
  rows.sizes.append(rows.after_sizes.begin(), rows.after_sizes.end());
  rows.before_count = multiply_integers(rows.before_sizes);
  rows.row = multiply_integers(rows.after_sizes);
  rows.offsets = checked_index(op, index, self, d, number ? 1 : self.sizes()[d], wrap);
  rows.scale = number ? 1 : self.strides()[d];
  merge(rows.before_sizes, rows.before_strides);
  merge(rows.after_sizes, rows.after_strides);
  return rows;
}

IndexedRows indexed_elements(const char* op, const Tensor& self, const Tensor& index) {
  LANEWISE_CHECK(DtypeError, index.scalar_type() == kLong, op, ": Expected a long tensor for index, but got ",
                 short_name(index.scalar_type()));
  LANEWISE_CHECK(IndexError, self.numel() > 0 || index.numel() == 0, op,
                 ": tried to take from an empty tensor");
  IndexedRows rows;
  rows.sizes = DimVector(index.sizes());
  rows.offsets = checked_index(op, index, self, 0, self.numel(), true);
  if (self.is_contiguous()) return rows;
  DimVector sizes(self.sizes()), strides(self.strides());
  merge(sizes, strides);
  const Tensor offsets = lanewise::detail::empty_cpu({index.numel()}, kLong);
  const std::int64_t* positions = rows.offsets_data();
  auto* out = offsets.data_ptr<std::int64_t>();
  parallel_for(0, index.numel(), kGrainElements, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kBlock = 512;
    std::int64_t rest[kBlock];
    for (; begin < end; begin += kBlock) {
      const std::int64_t n = std::min(kBlock, end - begin);
      std::copy_n(positions + begin, n, rest);
      std::fill_n(out + begin, n, 0);
      for (std::size_t d = sizes.size(); d-- > 1;) {
        const Divisor size(sizes[d]);
        const std::int64_t stride = strides[d];
        for (std::int64_t i = 0; i < n; ++i) out[begin + i] += size.split(rest[i]) * stride;
      }
      for (std::int64_t i = 0; i < n; ++i) out[begin + i] += rest[i] * strides[0];
    }
  });
  rows.offsets = offsets;
  return rows;
}

}  // namespace lanewise::ops
