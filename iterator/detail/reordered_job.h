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

  ReorderedJob(const TileJob& from, const DimVector& order);
  ReorderedJob(const ReorderedJob&) = delete;
  ReorderedJob& operator=(const ReorderedJob&) = delete;
};

}  // namespace lanewise::detail
