#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

// Note [Indexed rows]
// What tensors as indices reach in `self`: its dimensions are [before..., indexed..., after...], the indexed
// ones become one list of offsets. A row is what one offset reaches: the dimensions behind it. Indices that
// do not stand side by side are brought to the front first. All indices are checked while the list is made,
// before anything is written.
struct IndexedRows {
  DimVector sizes;  ///< of the result: [before..., shape of the indices..., after...]
  // Dimensions that lie in memory one after the other are merged.
  DimVector before_sizes, before_strides;
  DimVector after_sizes, after_strides;
  std::int64_t before_count = 1;
  std::int64_t row = 1;  ///< elements of a row
  /// Strides of self and of each index in the dimensions of the result, 0 where an operand has none: they
  /// decide its layout.
  std::vector<DimVector> operand_strides;
  Tensor offsets;          ///< int64, dense: one per position in the indices, in steps of `scale`
  std::int64_t scale = 1;  ///< elements

  std::int64_t per_index() const { return offsets.numel(); }
  const std::int64_t* offsets_data() const { return offsets.const_data_ptr<std::int64_t>(); }
};

/// The offset of the element at that position in row-major order.
std::int64_t offset_of(std::int64_t position, const DimVector& sizes, const DimVector& strides) noexcept;

/// `indices` in order of the dimensions of self, undefined where a dimension is taken whole; int64 after
/// masks are expanded. Integers of any signed type count from the end if negative; bool and uint8 are masks
/// over as many dimensions as they have. Throws   IndexError (too many, of another dtype, out of bounds, a
/// mask of another shape); ShapeError if they do not broadcast
IndexedRows indexed_rows(const char* op, const Tensor& self, ArrayRef<Tensor> indices);
/// One list of indices along `dim`, none of them negative unless `wrap`. A 0-dim self counts as of one
/// dimension.
IndexedRows indexed_rows(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                         bool wrap = false);
/// Elements of self by their number in row-major order; negative ones from the end.
IndexedRows indexed_elements(const char* op, const Tensor& self, const Tensor& index);

/// Elements from a row of `values`, of the sizes of the result, to the next; nothing if rows are not contiguous or have no one step.
std::optional<std::int64_t> row_step(const IndexedRows& rows, const Tensor& values) noexcept;

/// Whether memory runs along the indices, and the elements of a row lie in lines of their own.
bool runs_along_indices(const IndexedRows& rows, const Tensor& self) noexcept;
/// Whether rows are better read from a dense copy of self: memory runs across them and half of them or more are wanted, or they are
/// short, their elements lie apart, and all are wanted.
bool wants_dense(const IndexedRows& rows, const Tensor& self) noexcept;
/// The rows, in the order of the result, into `out`: of the result's sizes, with a row_step(), and the dtype of self.
void read_rows(const IndexedRows& rows, const Tensor& self, const Tensor& out);
/// `values` into the rows: of the result's sizes, with a row_step(), or a single element for all; dtype of self.
/// Of several writes to one place the last one stays, whatever the number of threads.
void write_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values);
/// Whether rows consist of contiguous runs that are worth the call of a kernel each.
bool has_long_runs(const IndexedRows& rows);
/// rows = kernel(values, rows), one after the other in order of the indices, for such rows and a kernel of their dtype;
/// values are of the result's sizes and have a row_step().
void combine_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values,
                  kernels::ElementwiseFn kernel);
/// rows += alpha * values in that order; sums of the halves are rounded at every step.
void add_rows(const IndexedRows& rows, const Tensor& self, const Tensor& values, const Scalar& alpha = 1);

}  // namespace lanewise::ops
