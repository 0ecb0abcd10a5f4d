#include <algorithm>
#include <numeric>
#include <optional>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/topology.h>
#include <lanewise/iterator/detail/offset_walk.h>
#include <lanewise/iterator/detail/staging.h>
#include <lanewise/iterator/detail/tile_plan.h>
#include <lanewise/tensor/dim_vector.h>

// Tiles of the linear index: for one-dimensional work, and where the fastest dimension is too short to work
// row by row.
namespace lanewise::detail {
namespace {

/// Where an operand stands in the linear index, with its own dimensions merged as far as its own strides
/// allow.
class Walk {
 public:
  Walk(const TileJob& job, const TileOperand& operand) : data_(operand.data) {
    for (int d = 0; d < job.ndim; ++d) {
      const std::int64_t size = job.shape[d], stride = operand.strides[d];
      if (!sizes_.empty() && stride == sizes_.back() * strides_.back()) {
        sizes_.back() *= size;
      } else {
        sizes_.push_back(size);
        strides_.push_back(stride);
      }
    }
    if (sizes_.size() < 2) {
      sizes_.resize(2, 1);
      strides_.resize(2, 0);
    }
    index_.resize(sizes_.size());
  }

  const DimVector& sizes() const { return sizes_; }
  const DimVector& strides() const { return strides_; }

  void seek(std::int64_t position) {
    at_ = data_;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      index_[d] = position % sizes_[d];
      position /= sizes_[d];
      at_ += index_[d] * strides_[d];
    }
  }

  /// Calls f(block) for the blocks that make up the next n elements, and stands behind them.
  template <class F>
  void take(std::int64_t n, F&& f) {
    while (n > 0) {
      const std::int64_t whole_rows = index_[0] == 0 ? std::min(n / sizes_[0], sizes_[1] - index_[1]) : 0;
      if (whole_rows > 0) {
        f(Block{at_, strides_[1], strides_[0], whole_rows, sizes_[0]});
        n -= whole_rows * sizes_[0];
        advance(1, whole_rows);
      } else {
        const std::int64_t cols = std::min(n, sizes_[0] - index_[0]);
        f(Block{at_, 0, strides_[0], 1, cols});
        n -= cols;
        advance(0, cols);
      }
    }
  }

 private:
  void advance(std::size_t d, std::int64_t steps) {
    index_[d] += steps;
    at_ += steps * strides_[d];
    while (index_[d] == sizes_[d]) {
      at_ -= index_[d] * strides_[d];
      index_[d] = 0;
      if (++d == sizes_.size()) {
        return;
      }
      ++index_[d];
      at_ += strides_[d];
    }
  }

  char* data_;
  char* at_ = nullptr;
  DimVector sizes_, strides_, index_;
};

/// Bytes of cache lines that an element of an operand in memory takes: those between its elements are read too.
std::int64_t line_bytes(const TileJob& job, const TileOperand& operand) {
  std::int64_t reach = operand.memory_size(), elements = 1;
  for (int d = 0; d < job.ndim; elements *= job.shape[d++]) {
    if (operand.strides[d] != 0) reach += (job.shape[d] - 1) * std::abs(operand.strides[d]);
  }
  return std::clamp<std::int64_t>(divup(reach, std::max<std::int64_t>(elements, 1)), operand.memory_size(),
                                  64);
}

/// How long tiles are, and where each operand's tile lies in the arena.
struct Layout {
  std::int64_t tile = 0;  // elements
  std::array<std::int64_t, kMaxTileOperands> offset{};
  std::int64_t scratch = 0;
  double cost = 1;
};

std::int64_t touched_bytes(std::int64_t lines) {
  return lines > kBeyondL2 && topology().l1d_bytes < kLargeL1 ? kTouchedBytesBeyondL2 : kTouchedBytes;
}

Layout lay_out(const Plan& plan) {
  const TileJob& job = *plan.job;
  std::int64_t bytes_per_element = 0, lines_per_element = 0, widest = 1, narrowest = 16, multiple = 1;
  int staged = 0;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
    const FlatOperand& flat = plan.flat[static_cast<std::size_t>(k)];
    if (flat.feed != Feed::Scalar) lines_per_element += line_bytes(job, operand);
    if (flat.feed == Feed::Scalar || flat.feed == Feed::Direct) {
      narrowest = std::min(narrowest, operand.memory_size());
      continue;
    }
    ++staged;
    bytes_per_element += operand.tile_size();
    widest = std::max({widest, operand.tile_size(), operand.memory_size()});
    if (flat.feed == Feed::Periodic) {
      multiple = std::lcm(multiple, flat.period);
    }
  }
  Layout layout;
  layout.cost = staged_cost(job, staged);
  const std::int64_t lines = plan.numel * lines_per_element;
  const std::int64_t touched = touched_bytes(lines) / (bytes_per_element + lines_per_element);
  const std::int64_t room =
      std::min({job.block > 0 ? job.block : kMaxRun, kRunBytes / widest,
                kArenaBytes / (bytes_per_element + widest) - 64, std::max({touched, kMinRun, multiple})});
  if (multiple == 1 && job.ndim > 1 && job.shape[0] <= room) {
    multiple = job.shape[0];  // whole rows
  }
  // Whole cache lines of what goes by pointer, as far as that agrees with the rest.
  const std::int64_t aligned = std::lcm(multiple, 64 / narrowest);
  if (aligned <= room) multiple = aligned;
  layout.tile = multiple <= room ? room / multiple * multiple : room;
  std::int64_t at = 0;
  for (int k = 0; k < job.operands; ++k) {
    const Feed feed = plan.flat[static_cast<std::size_t>(k)].feed;
    if (feed != Feed::Scalar && feed != Feed::Direct) {
      layout.offset[static_cast<std::size_t>(k)] = at;
      at += divup(layout.tile * job.operand[static_cast<std::size_t>(k)].tile_size(), 64) * 64;
    }
  }
  layout.scratch = at;
  return layout;
}

/// One thread's part of the tiles.
class FlatRun {
 public:
  FlatRun(const Plan& plan, const Layout& layout, char* arena, std::int64_t first)
      : plan_(plan), arena_(arena) {
    const TileJob& job = *plan.job;
    for (int k = 0; k < job.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const FlatOperand& flat = plan.flat[i];
      const TileOperand& operand = job.operand[i];
      Lane& lane = lanes_[i];
      lane.feed = flat.feed;
      lane.tile = arena + layout.offset[i];
      if (flat.feed == Feed::Scalar) {
        data_[i] = const_cast<char*>(plan.scalar(k));
        continue;
      }
      if (flat.feed == Feed::Direct) {
        data_[i] = operand.data + first * operand.memory_size();
        continue;
      }
      data_[i] = lane.tile;
      stagers_[i].emplace(*job.movers, operand);
      lane.on_line = flat.feed == Feed::Convert || (flat.feed == Feed::Gather && job.ndim == 1);
      if (lane.on_line) {
        lane.stride = flat.feed == Feed::Convert ? operand.memory_size() : operand.strides[0];
        lane.at = operand.data + first * lane.stride;
      } else {
        const Walk& walk = walks_[i].emplace(job, operand);
        if (flat.feed == Feed::Gather &&
            OffsetWalk::suits(walk.sizes(), walk.strides(), operand.memory_size())) {
          offsets_[i].emplace(operand.data, walk.sizes(), walk.strides(), plan.numel, operand.memory_size(),
                              room_[i]);
          offsets_[i]->seek(first);
        } else {
          walks_[i]->seek(first);
        }
      }
      // A tile holds whole periods, so it is right for every tile that starts at a multiple of its length; if
      // no length fits all periods it is gathered like any other.
      lane.keeps = flat.feed == Feed::Periodic && layout.tile % flat.period == 0;
    }
    scratch_ = arena_ + layout.scratch;
    // A copy needs at most one tile in between.
    through_ = job.identity && job.operands == 2;
  }

  void step(std::int64_t n) {
    const TileJob& job = *plan_.job;
    if (through_ && lanes_[0].feed == Feed::Direct && plan_.streams) {
      load(1, n, lanes_[1].tile);
      stream_copy(data_[0], data_[1], n * job.operand[0].memory_size());
    } else if (through_ && lanes_[0].feed == Feed::Direct) {
      load(1, n, data_[0]);
    } else if (through_ && lanes_[1].feed == Feed::Direct) {
      store(0, n, data_[1]);
    } else if (through_ && lanes_[1].feed != Feed::Scalar) {
      load(1, n, lanes_[1].tile);
      store(0, n, lanes_[1].tile);
    } else {
      for (int k = job.outputs; k < job.operands; ++k) {
        load(k, n, lanes_[static_cast<std::size_t>(k)].tile);
      }
      job.fn(data_.data(), plan_.broadcast(), n, job.context);
      for (int k = 0; k < job.outputs; ++k) {
        store(k, n, lanes_[static_cast<std::size_t>(k)].tile);
      }
    }
    for (int k = 0; k < job.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (lanes_[i].feed == Feed::Direct) {
        data_[i] += n * job.operand[i].memory_size();
      }
    }
  }

 private:
  struct Lane {
    Feed feed = Feed::Scalar;
    char* tile = nullptr;
    bool on_line = false;  ///< elements lie `stride` bytes apart, the next one at `at`
    char* at = nullptr;
    std::int64_t stride = 0;
    bool keeps = false;
    bool built = false;
  };

  void load(int k, std::int64_t n, char* tile) {
    const auto i = static_cast<std::size_t>(k);
    Lane& lane = lanes_[i];
    const TileOperand& operand = plan_.job->operand[i];
    if (lane.on_line) {
      stagers_[i]->load({lane.at, 0, lane.stride, 1, n}, tile, scratch_);
      lane.at += n * lane.stride;
    } else if (offsets_[i]) {
      char* const packed = stagers_[i]->converts() ? scratch_ : tile;
      offsets_[i]->load(n, packed);
      if (packed != tile)
        stagers_[i]->load({packed, 0, operand.memory_size(), 1, n}, tile, scratch_);
    } else if (lane.feed == Feed::Gather ||
               (lane.feed == Feed::Periodic && (!lane.built || tile != lane.tile))) {
      walks_[i]->take(n, [&](const Block& block) {
        stagers_[i]->load(block, tile, scratch_);
        tile += block.count() * operand.tile_size();
      });
      lane.built = lane.keeps;
    }
  }

  void store(int k, std::int64_t n, const char* tile) {
    const auto i = static_cast<std::size_t>(k);
    Lane& lane = lanes_[i];
    const TileOperand& operand = plan_.job->operand[i];
    if (lane.on_line) {
      stagers_[i]->store(tile, {lane.at, 0, lane.stride, 1, n}, scratch_);
      lane.at += n * lane.stride;
    } else if (offsets_[i]) {
      const char* packed = tile;
      if (stagers_[i]->converts()) {
        stagers_[i]->store(tile, {scratch_, 0, operand.memory_size(), 1, n}, scratch_);
        packed = scratch_;
      }
      offsets_[i]->store(n, packed);
    } else if (lane.feed == Feed::Gather) {
      walks_[i]->take(n, [&](const Block& block) {
        stagers_[i]->store(tile, block, scratch_);
        tile += block.count() * operand.tile_size();
      });
    }
  }

  const Plan& plan_;
  char* arena_;
  char* scratch_;
  bool through_ = false;
  std::array<char*, kMaxTileOperands> data_{};
  std::array<Lane, kMaxTileOperands> lanes_{};
  std::array<std::optional<Walk>, kMaxTileOperands> walks_;
  std::array<std::optional<OffsetWalk>, kMaxTileOperands> offsets_;
  /// Beside the arena. Not zeroed, which would take as long as a small tensor.
  OffsetWalk::Offsets room_[kMaxTileOperands];
  std::array<std::optional<Stager>, kMaxTileOperands> stagers_;
};

}  // namespace

void run_whole(const Plan& plan) {
  const TileJob& job = *plan.job;
  // Copies past the caches: memcpy takes 1.5 times as long for 64 MiB (Zen 4).
  const bool streamed = plan.streams && job.identity && job.operands == 2 && plan.scalar_bits == 0;
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kChunk;
    std::array<char*, kMaxTileOperands> data;
    for (int k = 0; k < job.operands; ++k) {
      const auto i = static_cast<std::size_t>(k);
      data[i] = (plan.scalar_bits >> k & 1) != 0 ? const_cast<char*>(plan.scalar(k))
                                                 : job.operand[i].data + first * job.operand[i].memory_size();
    }
    const std::int64_t n = std::min(end * kChunk, plan.numel) - first;
    if (streamed) return stream_copy(data[0], data[1], n * job.operand[0].memory_size());
    job.fn(data.data(), plan.broadcast(), n, job.context);
  };
  walk(plan, divup(plan.numel, kChunk), kChunk, grain_items(job, kChunk, staged_cost(job, 0)), run);
}

void run_conversion(const Plan& plan) {
  const TileJob& job = *plan.job;
  const TileOperand& to = job.operand[0];
  const TileOperand& from = job.operand[1];
  const kernels::ConvertFn convert =
      job.movers->convert[static_cast<std::size_t>(from.memory)][static_cast<std::size_t>(to.memory)];
  walk(plan, divup(plan.numel, kChunk), kChunk, grain_items(job, kChunk, staged_cost(job, 0)),
       [&](std::int64_t begin, std::int64_t end) {
         const std::int64_t first = begin * kChunk;
         convert(from.data + first * from.memory_size(), to.data + first * to.memory_size(),
                 std::min(end * kChunk, plan.numel) - first);
       });
}

void run_flat(const Plan& plan) {
  const TileJob& job = *plan.job;
  const Layout layout = lay_out(plan);
  walk(plan, divup(plan.numel, layout.tile), layout.tile, grain_items(job, layout.tile, layout.cost),
       [&](std::int64_t begin, std::int64_t end) {
         alignas(64) char arena[kArenaBytes + 64 * kMaxTileOperands];
         FlatRun run(plan, layout, arena, begin * layout.tile);
         for (std::int64_t t = begin; t < end; ++t) {
           run.step(std::min(layout.tile, plan.numel - t * layout.tile));
         }
       });
}

}  // namespace lanewise::detail
