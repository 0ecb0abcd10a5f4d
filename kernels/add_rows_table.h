#pragma once

#include <cstdint>

/// Sums of rows that an index chooses.
namespace lanewise::kernels {

/// Rows of contiguous elements; strides in bytes.
struct AddedRows {
  char* to;
  const std::int64_t* offsets;  ///< of the rows that are added to, in steps of `scale`
  std::int64_t scale;
  const char* from;
  std::int64_t step;        ///< from one row that is added to the next
  std::int64_t n;           ///< elements
  std::int64_t count;       ///< offsets
  std::int64_t batches;     ///< each of `count` rows more by the same offsets
  std::int64_t batch_step;  ///< of `to`, from one batch to the next
  bool asks;                ///< for rows to come, which no cache close by holds
};

/// Adds them one after the other, so that those with one offset add up in this order.
using AddRowsFn = void (*)(const AddedRows& rows) noexcept;

struct AddRowsTable {
  AddRowsFn f32, f64;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const AddRowsTable add_rows_table;
}
#endif

}  // namespace lanewise::kernels
