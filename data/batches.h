#pragma once

#include <cstdint>
#include <vector>

#include <lanewise/tensor/tensor.h>

namespace lanewise::data {

/// Features and labels of some examples: the same rows of both.
struct Batch {
  Tensor features;
  Tensor labels;
};

/// A permutation of 0..n-1 that depends on `seed` and `stream` alone (not on threads, ISA or earlier draws):
/// the order of n 62-bit Philox words. Throws ValueError unless 0 <= n < 2^32.
LANEWISE_API std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed, std::uint64_t stream);

struct BatchOptions {
  std::int64_t batch_size = 64;
  bool shuffle = true;
  bool drop_last = false;  ///< leave out a last batch that is smaller than batch_size
  std::uint64_t seed = 0;
};

/// Cuts a data set into batches, in an order that each epoch draws anew from the seed.
class LANEWISE_API Batches {
 public:
  /// Shapes   features [n, ...], labels [n, ...]
  /// Dtypes   any; both become contiguous once, here
  /// Throws   DataError if the numbers of rows differ or a tensor has no rows; ValueError if batch_size < 1
  Batches(const Tensor& features, const Tensor& labels, const BatchOptions& options = {});

  /// Batches in an epoch.
  std::int64_t size() const;

  /// Puts the cursor in front of the first batch of epoch `epoch` and draws that epoch's order.
  void start(std::int64_t epoch);

  /// Copies the rows of the next batch into fresh tensors. False at the end of the epoch.
  bool next(Batch& batch);

 private:
  Tensor features_;
  Tensor labels_;
  BatchOptions options_;
  std::vector<std::int64_t> order_;
  std::int64_t cursor_ = 0;
};

}  // namespace lanewise::data
