#pragma once

#include <bit>
#include <cstring>

#include <lanewise/iterator/detail/reduction_functions.h>

namespace lanewise::detail {

/// The binary counter of the fixed tree over accumulators of `width` columns.
class ReductionCounter {
 public:
  /// Bytes that a counter for up to `parts` parts needs, its own current accumulators first.
  static std::size_t bytes(std::size_t acc_bytes, std::int64_t parts) {
    return acc_bytes * (static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(parts))) + 1);
  }
  ReductionCounter(const ReductionFunctions& f, std::int64_t width, std::size_t acc_bytes, char* memory)
      : f_(f), width_(width), bytes_(acc_bytes), digits_(memory) {}
  /// Where the accumulators of the next part go, then push().
  char* current() { return digits_; }
  void push() {
    int level = 0;
    for (; (count_ >> level) & 1; ++level) take_in(level);
    std::memcpy(digit(level), digits_, bytes_);
    ++count_;
  }
  char* finish() {
    int level = std::countr_zero(static_cast<std::uint64_t>(count_));
    std::memcpy(digits_, digit(level), bytes_);
    for (++level; count_ >> level; ++level) {
      if ((count_ >> level) & 1) take_in(level);
    }
    return digits_;
  }

 private:
  char* digit(int level) { return digits_ + bytes_ * (static_cast<std::size_t>(level) + 1); }
  void take_in(int level) {
    f_.combine(digit(level), digits_, width_);
    std::memcpy(digits_, digit(level), bytes_);
  }

  const ReductionFunctions& f_;
  std::int64_t width_;
  std::size_t bytes_;
  char* digits_;
  std::int64_t count_ = 0;
};

}  // namespace lanewise::detail
