#include <array>
#include <cstring>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/staging.h>
#include <lanewise/iterator/detail/tile_plan.h>

// Few elements: one tile for everything, and as little as possible around it.
namespace lanewise::detail {
namespace {

/// Calls f(block) for the blocks of an operand's two fastest dimensions, in order.
template <class F>
void for_each_block(const TileJob& job, const TileOperand& operand, F&& f) {
  const std::int64_t* shape = job.shape;
  const std::int64_t* strides = operand.strides;
  if (job.ndim <= 2) {
    f(Block{operand.data, job.ndim > 1 ? strides[1] : 0, strides[0], job.ndim > 1 ? shape[1] : 1, shape[0]});
    return;
  }
  std::array<std::int64_t, kSmallDims> index{};
  char* at = operand.data;
  while (true) {
    f(Block{at, strides[1], strides[0], shape[1], shape[0]});
    int d = 2;
    for (; d < job.ndim; ++d) {
      at += strides[d];
      if (++index[static_cast<std::size_t>(d)] < shape[d]) {
        break;
      }
      at -= shape[d] * strides[d];
      index[static_cast<std::size_t>(d)] = 0;
    }
    if (d == job.ndim) {
      return;
    }
  }
}

}  // namespace

void run_small(const Plan& plan) {
  const TileJob& job = *plan.job;
  const std::int64_t n = plan.numel;
  alignas(64) char arena[(kMaxTileOperands + 1) * kSmallElements * 16];
  char* next = arena + kSmallElements * 16;
  std::array<char*, kMaxTileOperands> data;
  for (int k = 0; k < job.operands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const TileOperand& operand = job.operand[i];
    const Feed feed = plan.flat[i].feed;
    if (feed == Feed::Direct) {
      data[i] = operand.data;
    } else if (feed == Feed::Scalar) {
      data[i] = const_cast<char*>(plan.scalar(k));
    } else {
      char* tile = data[i] = next;
      next += divup(n * operand.tile_size(), 64) * 64;
      if (k >= job.outputs) {
        const Stager stager(*job.movers, operand);
        if (feed == Feed::Convert) {
          stager.load({operand.data, 0, operand.memory_size(), 1, n}, tile, arena);
        } else {
          for_each_block(job, operand, [&](const Block& block) {
            stager.load(block, tile, arena);
            tile += block.count() * operand.tile_size();
          });
        }
      }
    }
  }
  job.fn(data.data(), plan.scalar_bits, n, job.context);
  for (int k = 0; k < job.outputs; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const TileOperand& operand = job.operand[i];
    const Feed feed = plan.flat[i].feed;
    const char* tile = data[i];
    if (feed == Feed::Convert) {
      Stager(*job.movers, operand).store(tile, {operand.data, 0, operand.memory_size(), 1, n}, arena);
    } else if (feed != Feed::Direct) {
      const Stager stager(*job.movers, operand);
      for_each_block(job, operand, [&](const Block& block) {
        stager.store(tile, block, arena);
        tile += block.count() * operand.tile_size();
      });
    }
  }
}

}  // namespace lanewise::detail
