#pragma once

#include <cstdint>

namespace lanewise::kernels {

/// Groups of elements that share a mean and a scale, of Float or Double: `runs` runs of n elements next to each other. Lengths and
/// steps are in elements.
struct NormalGroups {
  const char* grad;
  const char* x;
  const char* weight;  ///< rows of n, taken in turn by the groups; null for none, and where runs is not 1
  const char* mean;    ///< for each group
  const char* scale;   ///< for each group
  const char* factor;  ///< for each group: the scale, times the weight of a channel
  char* out;           ///< as grad lies, or null
  char* sums;          ///< for each group, of (weighted) gradients; or null
  char* products;      ///< for each group, of these times (x - mean) * scale; or null
  std::int64_t count;
  std::int64_t group_step;
  std::int64_t runs;
  std::int64_t run_step;
  std::int64_t n;
  std::int64_t weight_rows;  ///< groups until the weights begin anew
  std::int64_t first;        ///< of these rows that of the first group
  std::int64_t element_step = 1;  ///< within a run
};

/// The backward pass of (x - mean) * scale, where these are of the group, and what gradients by weight and bias sum. Sums are taken in an
/// order that is the same on every ISA: lanes of 128 bytes over some thousand elements, of several runs or of a piece of one, and those one
/// after the other in double.
using NormalGroupsFn = void (*)(const NormalGroups& groups) noexcept;

struct NormalizationTable {
  NormalGroupsFn backward_f32;
  NormalGroupsFn backward_f64;
  /// The same bits where group_step is 1 and element_step is not. Needs sums and products; knows no weights.
  NormalGroupsFn columns_f32;
  NormalGroupsFn columns_f64;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const NormalizationTable normalization_table;
}
#endif

}  // namespace lanewise::kernels
