#pragma once

#include <array>
#include <cstdint>

#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/dtype.h>

/// What the tile loops work on: strided operands and a function on contiguous runs.
namespace lanewise::detail {

inline constexpr int kMaxTileOperands = kernels::kMaxOperands;

/// A kernels::ElementwiseFn that may throw; `context` is a kernel's parameters, or whatever a caller of ours
/// passes through.
using TileFn = void (*)(char* const* data, std::uint32_t broadcast, std::int64_t n,
                        const kernels::KernelScalar* context);

struct TileOperand {
  char* data;
  const std::int64_t* strides;  ///< bytes, a step per dimension of the job
  ScalarType memory;
  ScalarType tile;  ///< what the function sees

  std::int64_t memory_size() const { return static_cast<std::int64_t>(element_size(memory)); }
  std::int64_t tile_size() const { return static_cast<std::int64_t>(element_size(tile)); }
};

/// Dimension 0 is the fastest; every size is at least 2, or there are no dimensions. Outputs come first.
struct TileJob {
  int ndim = 0;
  const std::int64_t* shape = nullptr;
  int outputs = 0;
  int operands = 0;
  std::array<TileOperand, kMaxTileOperands> operand;  // of which the first `operands` count
  TileFn fn = nullptr;
  const kernels::KernelScalar* context = nullptr;
  const kernels::Movers* movers = nullptr;
  float cost = 1;
  std::int64_t grain = 0;  ///< as in TensorIterator::RunOptions
  std::int64_t block = 0;
  bool serial = false;    ///< one thread
  bool in_order = false;  ///< tiles come in the order of the linear index, elements of a tile too
  bool streams = false;   ///< fn knows kernels::kStreamOutput
  bool rows = false;      ///< fn knows kernels::kManyRows
  bool identity = false;  ///< fn copies its input to its output; both have one tile type

  /// Whether an operand stays where it is along dimension `first` and all slower ones.
  bool repeats_from(int first, const TileOperand& o) const {
    for (int d = first; d < ndim; ++d) {
      if (o.strides[d] != 0) return false;
    }
    return true;
  }
  std::int64_t numel() const {
    std::int64_t n = 1;
    for (int d = 0; d < ndim; ++d) {
      n *= shape[d];
    }
    return n;
  }
};

/// Runs the function over every element.
void run_tiles(const TileJob& job);

}  // namespace lanewise::detail
