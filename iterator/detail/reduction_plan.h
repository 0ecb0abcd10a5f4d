#pragma once

#include <cstdint>

#include <lanewise/iterator/detail/reduction_functions.h>
#include <lanewise/iterator/reduction.h>

/// How a reduction walks memory.
namespace lanewise::detail {

struct KeptDim {
  std::int64_t size;
  std::int64_t stride;      ///< of the input, bytes
  std::int64_t out_stride;  ///< of the result, elements
};

/// Fewer columns, or narrower rows, are not worth calls of their own: they are gathered first, and converted then.
inline constexpr std::int64_t kFewColumns = 16;

/// So many columns are worth a walk over rows of two dimensions.
inline constexpr std::int64_t kLeastApart = 4;

/// Sequences of up to so many pieces of so many bytes are copied together.
inline constexpr std::int64_t kMostPieces = 64, kMostPieceBytes = 1024;

/// Rows of up to so many bytes are packed at once where they lie apart.
inline constexpr std::int64_t kShortRowBytes = 64;

/// Elements that make it worth waking another thread.
inline constexpr std::int64_t kParallelElements = std::int64_t{1} << 16;

/// The ways to feed the kernel.
enum class ReductionPath : std::uint8_t {
  Inner,     ///< the sequence is contiguous in memory, or gathered; `width` at once, converted if need be
  Outer,     ///< the columns are contiguous in memory
  Apart,     ///< the same, of rows that lie in two dimensions
  Rows,      ///< the sequence is rows that lie apart, each contiguous; its order is free
  Sequence,  ///< a contiguous copy of parts of the sequence, one column at a time
  Tile,      ///< a copy of parts of the sequence for some columns, as rows of columns
};

/// Coalesced dimensions. One kept dimension is `column`, the others are `batch`; the reduced dimensions stay
/// in order.
struct ReductionPlan {
  const char* data = nullptr;
  ScalarType from = ScalarType::Undefined;
  ScalarType element = ScalarType::Undefined;  ///< what the kernel computes in
  DimVector sizes;                             ///< of the reduced dimensions, at least one
  DimVector strides;                           ///< bytes
  std::int64_t length = 1;                     ///< elements of a sequence
  KeptDim column{1, 0, 1};
  KeptDim batch[kMaxReductionDims];
  int batch_dims = 0;
  std::int64_t batches = 1;
  ReductionPath path = ReductionPath::Inner;
  std::int64_t width = 1;  ///< columns given to the kernel at once
  /// So many steps along batch[0] are one piece of work, all their columns: the results lie next to each other, and each is soon done.
  std::int64_t batches_at_once = 1;
  /// So many columns lie next to each other, and column.stride leads from such a run to the next one: few columns of many
  /// batches, taken together.
  std::int64_t run = 1;
  bool packs = false;     ///< whether sequences are gathered first, because they or their elements lie apart
  std::int64_t part = 0;  ///< elements of a sequence copied at once: a power of two of leaves

  /// If the order of the elements is free, they are taken as they lie in memory. `threads`: that share the work.
  ReductionPlan(const Tensor& self, DimMask dims, ScalarType element, bool order_free,
                const ReductionFunctions& functions, std::int64_t threads = 1);

  bool converts() const { return from != element; }
  std::int64_t from_size() const { return static_cast<std::int64_t>(element_size(from)); }
  /// Fewer elements are walked as they lie: sums of 2000 to 5000 took up to three times as long by a copy.
  static constexpr std::int64_t kLeastCopied = 8192;
  /// Whether a contiguous copy of the tensor costs less than the walk: calls would have few elements each, or the elements of a cache line
  /// would come far apart from each other.
  bool is_better_copied() const;
  /// Whether a sequence is a few contiguous pieces, of which those of many sequences are copied with one call.
  bool lies_in_pieces() const;
  /// Byte offset of element s of a sequence.
  std::int64_t sequence_offset(std::int64_t s) const;

 private:
  /// Whether these are columns that a kernel takes where they lie, in rows of two dimensions.
  bool lies_apart(const KeptDim& columns, const ReductionFunctions& functions) const;
  void choose_column(const ReductionFunctions& functions);
  void join_runs(std::int64_t least_columns);
  void take_out(int d);  ///< of the batch
  /// Of a sequence of several dimensions: whether a row of it is worth an accumulator of its own, and its order is free.
  bool has_rows(const ReductionFunctions& functions, bool order_free) const;
  void choose_path(const ReductionFunctions& functions, bool order_free);
  /// Takes fewer columns at once where so many threads would find too few units to share. No bit depends on it.
  void share_columns(std::int64_t threads);
  /// Makes one piece of work of batches whose results lie next to each other, where what comes with a piece would be much of
  /// it. No bit depends on it.
  void join_batches(const ReductionFunctions& functions, std::int64_t threads);
};

}  // namespace lanewise::detail
