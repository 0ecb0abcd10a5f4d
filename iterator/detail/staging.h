#pragma once

#include <bit>

#include <lanewise/iterator/detail/copy_bytes.h>
#include <lanewise/iterator/detail/tile_job.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>

/// Moves blocks between memory and tiles, changing type on the way.
namespace lanewise::detail {

inline std::size_t size_index(std::int64_t size) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(size)));
}

/// A block of rows x cols elements of an operand in memory; strides in bytes.
struct Block {
  char* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
  std::int64_t rows;
  std::int64_t cols;

  std::int64_t count() const { return rows * cols; }
  bool contiguous(std::int64_t size) const {
    return (col_stride == size || cols == 1) && (rows == 1 || row_stride == cols * size);
  }
};

class Stager {
 public:
  Stager(const kernels::Movers& movers, const TileOperand& operand)
      : gather_(movers.gather[size_index(operand.memory_size())]),
        scatter_(movers.scatter[size_index(operand.memory_size())]),
        load_(convert(movers, operand.memory, operand.tile)),
        store_(convert(movers, operand.tile, operand.memory)),
        memory_size_(operand.memory_size()),
        tile_size_(operand.tile_size()) {}

  bool converts() const { return load_ != nullptr; }

  /// Memory to tile. `scratch` has room for the block in its memory type.
  void load(const Block& block, char* tile, char* scratch) const {
    const std::int64_t n = block.count();
    if (load_ == nullptr) {
      if (block.contiguous(memory_size_)) {
        copy_bytes(tile, block.data, static_cast<std::size_t>(n * memory_size_));
      } else {
        gather_(block.data, block.row_stride, block.col_stride, block.rows, block.cols, tile);
      }
    } else if (block.contiguous(memory_size_)) {
      load_(block.data, tile, n);
    } else if (block.col_stride == memory_size_ && block.cols >= kConvertRow) {
      for (std::int64_t r = 0; r < block.rows; ++r) {
        load_(block.data + r * block.row_stride, tile + r * block.cols * tile_size_, block.cols);
      }
    } else {
      char* packed = memory_size_ == tile_size_ ? tile : scratch;
      gather_(block.data, block.row_stride, block.col_stride, block.rows, block.cols, packed);
      load_(packed, tile, n);
    }
  }

  /// Tile to memory.
  void store(const char* tile, const Block& block, char* scratch) const {
    const std::int64_t n = block.count();
    if (store_ == nullptr) {
      if (block.contiguous(memory_size_)) {
        copy_bytes(block.data, tile, static_cast<std::size_t>(n * memory_size_));
      } else {
        scatter_(tile, block.data, block.row_stride, block.col_stride, block.rows, block.cols,
                 kernels::scatter_ahead);
      }
    } else if (block.contiguous(memory_size_)) {
      store_(tile, block.data, n);
    } else if (block.col_stride == memory_size_ && block.cols >= kConvertRow) {
      for (std::int64_t r = 0; r < block.rows; ++r) {
        store_(tile + r * block.cols * tile_size_, block.data + r * block.row_stride, block.cols);
      }
    } else {
      store_(tile, scratch, n);
      scatter_(scratch, block.data, block.row_stride, block.col_stride, block.rows, block.cols,
               kernels::scatter_ahead);
    }
  }

 private:
  /// Rows at least this long are converted where they lie; shorter ones are packed first.
  static constexpr std::int64_t kConvertRow = 64;

  static kernels::ConvertFn convert(const kernels::Movers& movers, ScalarType from, ScalarType to) {
    return from == to ? nullptr
                      : movers.convert[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

  kernels::GatherFn gather_;
  kernels::ScatterFn scatter_;
  kernels::ConvertFn load_;
  kernels::ConvertFn store_;
  std::int64_t memory_size_;
  std::int64_t tile_size_;
};

}  // namespace lanewise::detail
