#include <algorithm>
#include <cstdlib>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/indexed_slices.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// Bytes of a slice that are worth setting an iterator up.
constexpr std::int64_t kLeastSlice = 16384;
constexpr std::int64_t kLine = 64;
/// Elements of lines that are turned well where slices lie in another order than what is read from them.
constexpr std::int64_t kLeastTurned = 8;

constexpr PointwiseOp kAdd{"index_add_", &kernels::KernelTable::add};

/// f(the slice of self, the slice of values) for each index.
template <class F>
void each_slice(const IndexedRows& rows, const Tensor& self, std::int64_t dim, const Tensor& values, F f) {
  const std::int64_t* index = rows.offsets_data();
  for (std::int64_t i = 0; i < rows.per_index(); ++i) {
    Tensor of_self = select(self, dim, index[i]), of_values = select(values, dim, i);
    f(of_self, of_values);
  }
}

/// Slices of self along `dim`, beside those of values with these strides.
struct Slices {
  const Tensor& self;
  std::size_t dim;
  IntArrayRef strides;

  bool are_large() const noexcept {
    return self.numel() > 0 && self.numel() / self.sizes()[dim] >= kLeastSlice / self.element_size();
  }
  /// Every slice would read lines again that it shares with the next.
  bool share_lines() const noexcept {
    return std::min(std::abs(self.strides()[dim]), std::abs(strides[dim])) * self.element_size() < kLine;
  }
  /// Whether less than a line of both lies side by side.
  bool turn() const noexcept {
    std::int64_t run = 1;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t d = 0; d < strides.size(); ++d) {
        if (d == dim || self.sizes()[d] == 1 || self.strides()[d] != run || strides[d] != run) continue;
        run *= self.sizes()[d];
        grows = true;
      }
    }
    return run * self.element_size() < kLine;
  }
  /// The size of the dimension whose elements lie side by side.
  std::int64_t innermost(IntArrayRef of) const noexcept {
    for (std::size_t d = of.size(); d-- > 0;) {
      if (d != dim && self.sizes()[d] > 1 && of[d] == 1) return self.sizes()[d];
    }
    return 1;
  }
};

bool has_long_rows(const IndexedRows& rows, const Tensor& self) noexcept {
  return !rows.after_sizes.empty() && rows.after_strides.back() == 1 &&
         rows.after_sizes.back() * self.element_size() >= kLine;
}

}  // namespace

bool reads_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim) {
  if (self.dim() == 0 || self.is_contiguous() || has_long_rows(rows, self)) return false;
  const DimVector strides = contiguous_strides(rows.sizes);
  const Slices slices{self, static_cast<std::size_t>(dim), strides};
  if (!slices.are_large() || slices.share_lines()) return false;
  return !slices.turn() ||
         std::min(slices.innermost(self.strides()), slices.innermost(strides)) >= kLeastTurned;
}

bool writes_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim,
                   const Tensor& values) noexcept {
  if (self.dim() == 0 || !values.sizes().equals(rows.sizes)) return false;
  if (self.is_contiguous() && values.is_contiguous()) return false;
  const Slices slices{self, static_cast<std::size_t>(dim), values.strides()};
  if (!slices.are_large() || slices.share_lines() || slices.turn()) return false;
  return !has_long_rows(rows, self) || !row_step(rows, values);
}

void read_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim, const Tensor& out) {
  each_slice(rows, self, dim, out, [](const Tensor& slice, Tensor& to) { copy_(to, slice); });
}

void write_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim, const Tensor& values) {
  each_slice(rows, self, dim, values, [](Tensor& slice, const Tensor& from) { copy_(slice, from); });
}

void add_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim, const Tensor& values) {
  const Scalar alpha(1);
  each_slice(rows, self, dim, values, [&](Tensor& slice, const Tensor& from) {
    pointwise_inplace(kAdd, slice, {slice, from}, {&alpha, 1});
  });
}

}  // namespace lanewise::ops
