#pragma once

#include <cstdint>

#include <lanewise/kernels/gemm_table.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/tensor.h>

/// The driver of matrix products: splits C into tiles, packs A and B, calls the micro-kernels.
namespace lanewise::ops {

/// The dtype that products of elements of `t` are summed up in: f32 for halves, Int for smaller integers, which wrap in its low bits; else
/// `t` itself.
ScalarType product_type(ScalarType t);

/// Multiplications that make it worth waking another thread.
inline constexpr std::int64_t kParallelProducts = std::int64_t{1} << 20;

/// A matrix in memory; strides in elements, any sign, zero allowed.
struct Matrix {
  char* data = nullptr;
  ScalarType type = ScalarType::Undefined;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 0;

  Matrix transposed() const { return {data, type, cols, rows, col_stride, row_stride}; }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(element_size(type)); }
  char* at(std::int64_t row, std::int64_t col) const {
    return data + (row * row_stride + col * col_stride) * element_bytes();
  }
};

/// `count` products of the same shape, whose matrices are these byte offsets apart.
struct GemmBatch {
  std::int64_t count = 1;
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  std::int64_t s = 0;
};

/// C = alpha * A B + beta * S. All of one dtype; C overlaps neither A nor B, and S only if it is C. With beta
/// == 0, S is not read.
///
/// Error    each element of C is a sum in order of k (see kernels::kGemmDepth); with one row or one column of
///          C, in the order of Note [Order of matrix-vector products]: the same bits for any layout and
///          thread count
class Gemm {
 public:
  Gemm(const Matrix& c, const Matrix& a, const Matrix& b, const Matrix& s, const Scalar& beta,
       const Scalar& alpha);

  void run(const GemmBatch& batch = {});

 private:
  struct Tile {
    std::int64_t row, rows, col, cols;
  };
  struct Operands {
    Matrix c, a, b, s;
  };
  Operands product(const GemmBatch& batch, std::int64_t n) const;
  bool is_batch_of_dots(const GemmBatch& batch) const;
  void run_vectors(const GemmBatch& batch);
  bool reads_vectors_in_place() const;
  void run_bare_vectors(const GemmBatch& batch, std::int64_t begin, std::int64_t end) const;
  void run_vector(const Operands& o, std::int64_t row, std::int64_t rows) const;
  void choose_tiles(std::int64_t batches);
  void share_blocks(std::int64_t tiles);
  void run_tile(const Operands& o, const Tile& t) const;
  std::int64_t bare_products(const GemmBatch& batch) const;
  void run_bare(const GemmBatch& batch, std::int64_t begin, std::int64_t end) const;
  std::int64_t depth_parts(std::int64_t batches) const;
  void run_depth_parts(std::int64_t parts) const;
  void add_block(const Matrix& a, const Matrix& b, const Matrix* s, const Tile& t, std::int64_t k0,
                 bool accumulate, char* out, std::int64_t out_stride) const;
  bool writes_in_place(const Matrix& c) const;
  bool reads_a_in_place(const Matrix& a, std::int64_t rows, std::int64_t cols) const;
  bool reads_b_in_place(const Matrix& b, std::int64_t rows, std::int64_t cols) const;
  const char* pack_a(const Matrix& a, std::int64_t row, std::int64_t rows, std::int64_t k0,
                     std::int64_t k) const;
  bool packs_rows(std::int64_t k, std::int64_t cols) const;
  const char* pack_rows(const Matrix& a, std::int64_t row, std::int64_t rows, std::int64_t k0,
                        std::int64_t k) const;
  const char* pack_b(const Matrix& b, std::int64_t col, std::int64_t cols, std::int64_t k0, std::int64_t k,
                     std::int64_t m) const;
  void add_s(const Matrix& s, char* c, std::int64_t c_stride, std::int64_t row, std::int64_t rows,
             std::int64_t col, std::int64_t cols) const;
  void store_tile(char* tile, const Matrix& c, const Tile& t) const;
  void load(const Matrix& from, char* to, std::int64_t count) const;

  Matrix c_, a_, b_, s_;
  kernels::KernelScalar alpha_, beta_;
  bool has_epilogue_;
  bool in_place_;   ///< S is C: a tile is computed beside it
  bool adds_to_c_;  ///< S is C, the depth one block: kernels add to what is there, to the same bits
  const kernels::Movers& movers_;
  ScalarType compute_;
  std::int64_t bytes_;  ///< of an element that is computed with
  const kernels::GemmKernel& kernel_;
  bool vector_;  ///< one row or column of C: made a column
  bool transposed_;
  std::int64_t depth_block_;  ///< see kernels::kGemmDepth
  std::int64_t block_rows_ = 0;  ///< of A packed at once
  std::int64_t tile_rows_ = 0;
  std::int64_t tile_cols_ = 0;
};

}  // namespace lanewise::ops
