#include <chrono>
#include <utility>

#include <lanewise/iterator/detail/tile_job.h>
#include <lanewise/iterator/detail/walk_record.h>

namespace lanewise::detail {

constinit thread_local WalkLog* walk_log = nullptr;

void record_walk(WalkRecord record) {
  record.time = std::chrono::steady_clock::now().time_since_epoch().count();
  record.isa = walk_log->isa;
  if (op_notes != nullptr) record.path = op_notes->path;
  walk_log->records.push_back(std::move(record));
}

void record_walk(const TileJob& job, double cost, std::int64_t piece, std::int64_t grain) {
  WalkRecord record;
  record.shape = DimVector(job.shape, job.shape + job.ndim);
  record.outputs = job.outputs;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& o = job.operand[static_cast<std::size_t>(k)];
    record.operands.push_back({o.memory, o.tile, DimVector(o.strides, o.strides + job.ndim)});
  }
  record.cost = cost;
  record.piece = piece;
  record.grain = grain > INT64_MAX / piece ? INT64_MAX : grain * piece;
  record_walk(std::move(record));
}

}  // namespace lanewise::detail
