#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include <lanewise/iterator/detail/tile_job.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::detail {

/// A pointwise call that is no DirectCall, but whose operands ask for no other order of dimensions than C's: broadcast, strided
/// and of mixed dtypes. It is the job that an iterator would come to: so few elements as a bias has take longer to set up
/// than to compute. [4, 4] + [4] takes 2421 instructions in all, not 4478.
class StridedCall {
 public:
  /// Whether it is one. Whatever is wrong with the call is left to the iterator, which has the messages.
  bool set_up(bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
              std::initializer_list<PointwiseInput> inputs);
  /// Whether PyTorch's rule makes a fresh result contiguous, see TensorIterator::reorder_dimensions.
  bool result_is_contiguous() const;
  /// Whether `out` can be output `which` as it is: it has the shape and the dtype, no element twice, and lies apart from
  /// every input that it is not. Made that output.
  bool writes_to(const TensorImpl& out, std::size_t which);
  Tensor fresh_result();
  void run(const kernels::KernelScalar* params) const;

 private:
  static constexpr std::size_t kMostDims = 6;
  struct Operand {
    const TensorImpl* tensor = nullptr;  ///< null: a number
    char* data = nullptr;
    ScalarType memory = ScalarType::Undefined;
    ScalarType tile = ScalarType::Undefined;
    std::array<std::int64_t, kMostDims> strides;  ///< bytes; 0 where it repeats
  };

  std::size_t first_dim() const { return kMostDims - ndim_; }
  void place(Operand& operand, const TensorImpl& t) const;

  const kernels::ElementwiseKernel* kernel_ = nullptr;
  std::size_t operands_ = 0;
  std::size_t ndim_ = 0;
  ScalarType result_ = ScalarType::Undefined;           ///< what the op computes in, as users see it
  std::array<std::int64_t, kMostDims> sizes_;           ///< the last ndim_ of them
  std::array<Operand, kernels::kMaxOperands> operand_;  ///< outputs first
  alignas(16) char numbers_[kernels::kMaxOperands][16];
};

}  // namespace lanewise::detail
