#include <algorithm>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/iterator/detail/direct_call.h>
#include <lanewise/iterator/detail/sawtooth.h>
#include <lanewise/iterator/detail/stream.h>
#include <lanewise/iterator/detail/tile_plan.h>
#include <lanewise/iterator/detail/walk_record.h>
#include <lanewise/kernels/tuning.h>

namespace lanewise::detail {
namespace {

using kernels::ElementwiseKernel;
using kernels::KernelScalar;
using kernels::kMaxOperands;

/// How one operand gets from memory to the kernel and back.
struct Lane {
  char* data = nullptr;
  std::int64_t memory_size = 0;  // 0: one element for all
  std::int64_t tile_size = 0;
  kernels::ConvertFn convert = nullptr;  // to the tile for inputs, from it for outputs; null: by pointer
  std::int64_t offset = 0;
};

/// The run [first, first + n) of every operand, `run` elements at a time through tiles in `arena`.
void run_converted(const std::array<Lane, kMaxOperands>& lanes, std::size_t outputs, std::size_t operands,
                   kernels::ElementwiseFn fn, std::uint32_t broadcast, const KernelScalar* params,
                   std::int64_t run, char* arena, std::int64_t first, std::int64_t n) {
  std::array<char*, kMaxOperands> at;
  for (std::int64_t done = 0; done < n; done += run) {
    const std::int64_t count = std::min(run, n - done);
    for (std::size_t k = 0; k < operands; ++k) {
      const Lane& lane = lanes[k];
      at[k] = lane.data + (first + done) * lane.memory_size;
      if (lane.convert != nullptr) {
        char* tile = arena + lane.offset;
        if (k >= outputs) {
          lane.convert(at[k], tile, count);
        }
        at[k] = tile;
      }
    }
    fn(at.data(), broadcast, count, params);
    for (std::size_t k = 0; k < outputs; ++k) {
      if (lanes[k].convert != nullptr) {
        lanes[k].convert(at[k], lanes[k].data + (first + done) * lanes[k].memory_size, count);
      }
    }
  }
}

/// Of a call without an iterator: every operand is one run, or a single element.
[[gnu::cold]] void record_direct(const DirectCall& call, const ElementwiseKernel& kernel, double cost,
                                 std::int64_t piece, std::int64_t grain) {
  WalkRecord record;
  record.shape.push_back(call.like->numel());
  record.outputs = kernel.num_outputs;
  for (std::size_t k = 0; k < std::size_t{kernel.num_outputs} + kernel.num_inputs; ++k) {
    const bool single = (call.broadcast >> k & 1) != 0, out = k < kernel.num_outputs;
    const ScalarType tile = role_type(kernel.roles[k], call.compute);
    const ScalarType memory = single ? tile
                              : out  ? role_type(kernel.roles[k], call.result)
                              : kernel.roles[k] == kernels::Role::Bool ? kBool
                                                                       : call.dtype;
    DimVector strides;
    strides.push_back(single ? 0 : static_cast<std::int64_t>(element_size(memory)));
    record.operands.push_back({memory, tile, std::move(strides)});
  }
  record.cost = cost;
  record.piece = piece;
  record.grain = grain;
  record_walk(std::move(record));
}

}  // namespace

void DirectCall::run_parallel(const ElementwiseKernel& kernel, const KernelScalar* params) const {
  const std::int64_t n = like->numel();
  const std::size_t outputs = kernel.num_outputs, operands = outputs + kernel.num_inputs;
  // Halves as they lie have one function a tier.
  const bool halves = compute == dtype && kernels::compute_type(dtype) != dtype;
  const kernels::TunedRun* tuned = halves ? nullptr : kernels::tuned_run(kernel, result, n);
  const kernels::ElementwiseFn chosen = tuned != nullptr ? tuned->fn : fn;
  const kernels::Movers& movers = *kernels::active_kernels().movers;
  const auto index = [](ScalarType t) { return static_cast<std::size_t>(t); };
  std::array<Lane, kMaxOperands> lanes;
  std::int64_t tile_bytes = 0, bytes = 0;
  int staged = 0;
  for (std::size_t k = 0; k < operands; ++k) {
    Lane& lane = lanes[k];
    lane.data = data[k];
    if ((broadcast >> k & 1) != 0) {
      continue;
    }
    const ScalarType memory = k < outputs                              ? role_type(kernel.roles[k], result)
                              : kernel.roles[k] == kernels::Role::Bool ? kBool
                                                                       : dtype;
    const ScalarType tile = role_type(kernel.roles[k], compute);
    lane.memory_size = static_cast<std::int64_t>(element_size(memory));
    bytes += lane.memory_size;
    if (memory != tile) {
      lane.convert = k < outputs ? movers.convert[index(tile)][index(memory)]
                                 : movers.convert[index(memory)][index(tile)];
      lane.tile_size = static_cast<std::int64_t>(element_size(tile));
      tile_bytes += lane.tile_size;
      ++staged;
    }
  }
  if (staged > 0) note_path(Path::Staged);
  // Tiles of all operands together stay within half of a usual first-level cache.
  const std::int64_t most = tuned != nullptr && tuned->block > 0 ? tuned->block : kMaxRun;
  const std::int64_t run =
      tile_bytes == 0 ? n : std::clamp<std::int64_t>(kArenaBytes / 2 / tile_bytes / 64 * 64, 64, most);
  std::int64_t at = 0;
  for (Lane& lane : lanes) {
    lane.offset = at;
    at += run * lane.tile_size;
  }
  bool streams =
      outputs == 1 && lanes[0].convert == nullptr && n * lanes[0].memory_size >= kernels::kStreamOutputFrom;
  for (std::size_t k = 1; k < operands; ++k) streams = streams && data[k] != data[0];
  const std::uint32_t bits = broadcast | (streams ? kernels::kStreamOutput : 0);
  const auto work = [&](std::int64_t first, std::int64_t count) {
    alignas(64) char arena[kArenaBytes];
    run_converted(lanes, outputs, operands, chosen, bits, params, run, arena, first, count);
  };
  const auto cost = [&] { return element_cost(kernel.cost, staged, bytes); };
  const auto record = [&](std::int64_t grain) {
    walk_log->isa = tuned != nullptr ? tuned->isa : lanewise::active_isa();
    record_direct(*this, kernel, cost(), tile_bytes == 0 ? kChunk : run, grain);
  };
  if (n <= kAlwaysHere) {
    if (records_walks()) [[unlikely]]
      record(INT64_MAX);
    work(0, n);
    return;
  }
  const std::int64_t grain =
      tuned != nullptr && tuned->grain > 0
          ? std::max<std::int64_t>(1, tuned->grain / kChunk)
          : std::max<std::int64_t>(4, static_cast<std::int64_t>(kGrainCost / cost() / kChunk));
  if (records_walks()) [[unlikely]]
    record(grain * kChunk);
  parallel_walk(pieces_of(n, kChunk), kChunk * bytes, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kChunk, count = std::min(end * kChunk, n) - first;
    if (tile_bytes > 0) {
      work(first, count);
    } else {
      std::array<char*, kMaxOperands> here;
      for (std::size_t k = 0; k < operands; ++k) here[k] = lanes[k].data + first * lanes[k].memory_size;
      chosen(here.data(), bits, count, params);
    }
    if (streams) stream_fence();
  });
}

}  // namespace lanewise::detail
