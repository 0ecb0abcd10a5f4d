#pragma once

#include <lanewise/ops/indexed_rows.h>

namespace lanewise::ops {

// Whole slices along the one dimension that an index list reaches, each moved by an iterator in whatever layout it lies. Rows (Note
// [Indexed rows]) have a call each, and need values in dense rows.

/// Whether that is quicker than by rows: large slices that do not lie in dense rows, into a contiguous result.
bool reads_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim);
/// The same from `values`; false if they are not of the result's sizes.
bool writes_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim,
                   const Tensor& values) noexcept;

/// The slices of `rows`, which are along `dim`, into `out`; `values` into them; self += values. One after the other in the order of the
/// indices; out and values are of the result's sizes.
void read_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim, const Tensor& out);
void write_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim, const Tensor& values);
void add_slices(const IndexedRows& rows, const Tensor& self, std::int64_t dim, const Tensor& values);

}  // namespace lanewise::ops
