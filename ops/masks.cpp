#include <algorithm>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/divisor.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/masks.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// Elements that are looked at together; how many of them hold is counted first, so that blocks know where
/// their results go.
constexpr std::int64_t kBlock = 4096;

/// A contiguous mask, and how many of its elements hold before each block.
struct CountedMask {
  Tensor mask;
  const std::uint8_t* data;
  std::int64_t n;
  std::vector<std::int64_t> before;  ///< one more than there are blocks: the last is the total

  explicit CountedMask(const Tensor& any)
      : mask(any.scalar_type() == kBool ? dense(any) : to_copy(any, kBool, MemoryFormat::Contiguous)),
        data(static_cast<const std::uint8_t*>(mask.const_data_ptr())),
        n(mask.numel()) {
    const std::int64_t blocks = divup(n, kBlock);
    before.assign(static_cast<std::size_t>(blocks) + 1, 0);
    parallel_for(0, blocks, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        before[static_cast<std::size_t>(b) + 1] =
            kernels::active_kernels().count_set(data + b * kBlock, length(b));
      }
    });
    for (std::size_t b = 1; b < before.size(); ++b) before[b] += before[b - 1];
  }

  std::int64_t count() const { return before.back(); }
  std::int64_t length(std::int64_t block) const { return std::min(kBlock, n - block * kBlock); }

  /// Calls f(positions, how many, number of the first among all that hold) for each block, in parallel; f may
  /// write to the positions.
  template <class F>
  void each_block(F&& f) const {
    parallel_for(
        0, static_cast<std::int64_t>(before.size()) - 1, 4, [&](std::int64_t begin, std::int64_t end) {
          std::int64_t positions[kBlock + kernels::kPositionsPadding];
          for (std::int64_t b = begin; b < end; ++b) {
            const std::int64_t found =
                kernels::active_kernels().positions_set(data + b * kBlock, length(b), b * kBlock, positions);
            if (found > 0) f(positions, found, before[static_cast<std::size_t>(b)]);
          }
        });
  }
};

void check_mask(const char* op, const Tensor& mask) {
  LANEWISE_CHECK(DtypeError, mask.scalar_type() == kBool || mask.scalar_type() == kByte, op,
                 ": expected a bool mask, found ", short_name(mask.scalar_type()));
}

constexpr PointwiseOp kMaskedFill{"masked_fill", &kernels::KernelTable::where};

Scalar fill_value(const Tensor& self, const Scalar& value) {
  value.check_fits(self.scalar_type(), "masked_fill");
  return visit_dtype(self.scalar_type(), [&]<class T>() { return Scalar(value.to_unchecked<T>()); });
}

Scalar fill_value(const Tensor& value) {
  LANEWISE_CHECK(ShapeError, value.dim() == 0, "masked_fill: value must have 0 dimensions, it has ",
                 value.dim());
  return value.item();
}

}  // namespace

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  const Scalar number = fill_value(self, value);
  if (self.is_contiguous() && mask.is_contiguous()) return pointwise(kMaskedFill, {mask, number, self});
  Tensor result = lanewise::detail::empty_cpu(broadcast_shapes("masked_fill", self.sizes(), mask.sizes()),
                                              self.scalar_type());
  pointwise_out(kMaskedFill, result, {mask, number, self});
  return result;
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  return masked_fill(self, mask, fill_value(value));
}

void masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value) {
  pointwise_inplace(kMaskedFill, self, {mask, fill_value(self, value), self});
}

void masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value) {
  masked_fill_(self, mask, fill_value(value));
}

Tensor nonzero(const Tensor& self) {
  const CountedMask mask(self);
  const std::int64_t rank = self.dim();
  // A row per dimension, seen transposed, as PyTorch lays it out: indexing uses them one by one.
  const std::int64_t total = mask.count();
  const Tensor result = lanewise::detail::empty_cpu({rank, total}, kLong);
  auto* out = result.data_ptr<std::int64_t>();
  if (rank == 0) return transpose(result, 0, 1);
  const IntArrayRef sizes = self.sizes();
  mask.each_block([&](std::int64_t* positions, std::int64_t n, std::int64_t first) {
    for (std::int64_t d = rank - 1; d > 0; --d) {
      const Divisor size(sizes[static_cast<std::size_t>(d)]);
      std::int64_t* row = out + d * total + first;
      for (std::int64_t i = 0; i < n; ++i) row[i] = size.split(positions[i]);
    }
    std::copy(positions, positions + n, out + first);
  });
  return transpose(result, 0, 1);
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  check_mask("masked_select", mask);
  const DimVector sizes = broadcast_shapes("masked_select", self.sizes(), mask.sizes());
  const CountedMask counted(expand(mask, sizes));
  const Tensor from = dense(expand(self, sizes));
  Tensor result = lanewise::detail::empty_cpu({counted.count()}, self.scalar_type());
  visit_size(self.itemsize(), [&]<class T>() {
    const auto* x = static_cast<const T*>(from.const_data_ptr());
    auto* out = static_cast<T*>(result.data_ptr());
    counted.each_block([&](const std::int64_t* positions, std::int64_t n, std::int64_t first) {
      for (std::int64_t i = 0; i < n; ++i) out[first + i] = x[positions[i]];
    });
  });
  return result;
}

void masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source) {
  check_mask("masked_scatter", mask);
  LANEWISE_CHECK(DtypeError, self.scalar_type() == source.scalar_type(),
                 "masked_scatter: expected self and source to have same dtypes but got ", self.scalar_type(),
                 " and ", source.scalar_type());
  assert_no_internal_overlap(self);
  const CountedMask counted(expand(mask, self.sizes()));
  LANEWISE_CHECK(ValueError, counted.count() <= source.numel(),
                 "masked_scatter: Number of elements of source < number of ones in mask: ", source.numel(),
                 " < ", counted.count());
  Tensor values = dense(source);
  if (values.is_alias_of(self)) values = clone(values);
  Tensor target = dense(self);
  visit_size(self.itemsize(), [&]<class T>() {
    const auto* y = static_cast<const T*>(values.const_data_ptr());
    auto* out = static_cast<T*>(target.data_ptr());
    counted.each_block([&](const std::int64_t* positions, std::int64_t n, std::int64_t first) {
      for (std::int64_t i = 0; i < n; ++i) out[positions[i]] = y[first + i];
    });
  });
  if (!target.is_same(self)) copy_(self, target);
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  Tensor result = clone(expand(self, broadcast_shapes("masked_scatter", self.sizes(), mask.sizes())),
                        MemoryFormat::Contiguous);
  masked_scatter_(result, mask, source);
  return result;
}

}  // namespace lanewise::ops
