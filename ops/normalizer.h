#pragma once

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// (x - mean) * scale * weight + bias over rows of n elements that follow each other in `x` and in `out`, both contiguous. Computed in
/// f32 or f64; where x or out are halves, some rows at a time are converted, which stay in L1.
class Normalizer {
 public:
  /// One of the four: an element for each of a row or one for all, and how many of them the next row is ahead. In the dtype that is
  /// computed in; null changes nothing.
  struct Part {
    const char* data = nullptr;
    bool one = false;
    std::int64_t ahead = 0;
  };
  struct Parts {
    Part mean, scale, weight, bias;
  };

  Normalizer(const Tensor& x, const Tensor& out, std::int64_t n);

  /// From element `first` on.
  void operator()(std::int64_t first, std::int64_t rows, const Parts& parts) const;
  void operator()(std::int64_t first, std::int64_t rows, std::int64_t n, const Parts& parts) const;

 private:
  void run(const char* x, char* out, std::int64_t rows, std::int64_t n, const Parts& parts) const;

  const char* x_;
  char* out_;
  ScalarType from_, to_, type_;
  std::int64_t n_;
  const kernels::ElementwiseKernel& kernel_;
  const kernels::Movers& movers_;
};

}  // namespace lanewise::ops
