#pragma once

#include <lanewise/ops/indexed_rows.h>

/// Copies of rows, see read_rows(), that are so short that what is done for each matters. False: they are not, nothing is done.
namespace lanewise::ops {

/// Contiguous rows of two elements up to a kilobyte.
bool read_contiguous_rows(const IndexedRows& rows, const Tensor& self, const Tensor& out);

/// Single elements that lie in one register in each place.
bool read_arranged(const IndexedRows& rows, const Tensor& self, const Tensor& out);

/// Single elements by the same few indices in each of many places.
bool read_few_elements(const IndexedRows& rows, const Tensor& self, const Tensor& out);

}  // namespace lanewise::ops
