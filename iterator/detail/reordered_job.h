#pragma once

#include <array>

#include <lanewise/iterator/detail/tile_job.h>
#include <lanewise/tensor/dim_vector.h>

namespace lanewise::detail {

/// A job whose dimension i is dimension order[i] of another one.
struct ReorderedJob {
  TileJob job;
  DimVector shape;
  std::array<DimVector, kMaxTileOperands> strides;

  ReorderedJob(const TileJob& from, const DimVector& order) : job(from) {
    const auto reordered = [&](const std::int64_t* in) {
      DimVector out;
      for (const std::int64_t d : order) out.push_back(in[d]);
      return out;
    };
    shape = reordered(from.shape);
    job.shape = shape.data();
    for (std::size_t k = 0; k < static_cast<std::size_t>(from.operands); ++k) {
      strides[k] = reordered(from.operand[k].strides);
      job.operand[k].strides = strides[k].data();
    }
  }
  ReorderedJob(const ReorderedJob&) = delete;
  ReorderedJob& operator=(const ReorderedJob&) = delete;
};

}  // namespace lanewise::detail
