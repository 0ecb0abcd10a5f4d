#include <lanewise/iterator/detail/reordered_job.h>

namespace lanewise::detail {
namespace {

DimVector reordered(const std::int64_t* in, const DimVector& order) {
  DimVector out;
  for (const std::int64_t d : order) out.push_back(in[d]);
  return out;
}

}  // namespace

ReorderedJob::ReorderedJob(const TileJob& from, const DimVector& order)
    : job(from), shape(reordered(from.shape, order)) {
  job.shape = shape.data();
  for (std::size_t k = 0; k < static_cast<std::size_t>(from.operands); ++k) {
    strides[k] = reordered(from.operand[k].strides, order);
    job.operand[k].strides = strides[k].data();
  }
}

}  // namespace lanewise::detail
