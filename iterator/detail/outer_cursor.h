#pragma once

#include <array>

#include <lanewise/iterator/detail/tile_job.h>
#include <lanewise/tensor/dim_vector.h>

namespace lanewise::detail {

/// Steps through the dimensions of a job outside the first `inner` ones, with a pointer per operand.
class OuterCursor {
 public:
  OuterCursor(const TileJob& job, int inner) : job_(job), inner_(inner) {
    index_.resize(static_cast<std::size_t>(job.ndim - inner));
    for (int k = 0; k < job.operands; ++k) {
      at_[static_cast<std::size_t>(k)] = job.operand[static_cast<std::size_t>(k)].data;
    }
  }

  void seek(std::int64_t position) {
    for (std::size_t d = 0; d < index_.size(); ++d) {
      const std::int64_t size = job_.shape[d + static_cast<std::size_t>(inner_)];
      move(d, position % size - index_[d]);
      index_[d] = position % size;
      position /= size;
    }
  }

  void next() {
    for (std::size_t d = 0; d < index_.size(); ++d) {
      if (++index_[d] < job_.shape[d + static_cast<std::size_t>(inner_)]) {
        move(d, 1);
        return;
      }
      move(d, 1 - index_[d]);
      index_[d] = 0;
    }
  }

  char* at(int k) const { return at_[static_cast<std::size_t>(k)]; }

 private:
  void move(std::size_t d, std::int64_t steps) {
    for (int k = 0; k < job_.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      at_[i] += steps * job_.operand[i].strides[d + static_cast<std::size_t>(inner_)];
    }
  }

  const TileJob& job_;
  int inner_;
  DimVector index_;
  std::array<char*, kMaxTileOperands> at_{};
};

}  // namespace lanewise::detail
