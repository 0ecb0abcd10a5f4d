#pragma once

#include <cstdint>

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// Dimensions as bits.
using DimMask = std::uint64_t;
inline constexpr std::int64_t kMaxReductionDims = 64;

/// A reduction to run.
struct ReductionArgs {
  const char* op;  ///< begins every error
  const kernels::ReductionKernel* kernels::ReductionTable::*kernel;
  DimMask dims;  ///< the dimensions to reduce
  bool keepdim = false;
  ScalarType element = ScalarType::Undefined;  ///< elements are converted to it first; Undefined: as they are
  ScalarType result =
      ScalarType::Undefined;  ///< type of the values; Undefined: what the kernel gives (for halves, the half)
  kernels::KernelScalar param = {};  ///< for the kernel's finish
};

/// Reduces `self` (any strides, any dtype) over the dimensions in args.dims. The reduced elements form a
/// sequence in row-major order of their indices, whatever their order in memory, or rows of such a sequence (Note [Rows of a
/// reduction] in detail/reduced_rows.h): so the bits of the result depend on the values and the shape only.
///
/// Shapes   the values get the shape of self without the reduced dimensions, or with size 1 there if keepdim
/// Throws   DtypeError if the kernel does not take the type. At least one element must be reduced if there
///          are any values.
LANEWISE_API Tensor reduce(const ReductionArgs& args, const Tensor& self);
/// The same with the positions (int64) in the reduced sequence, for kernels with has_index; `values` may be
/// null.
LANEWISE_API Tensor reduce_with_index(const ReductionArgs& args, const Tensor& self, Tensor* values);

/// The shape after a reduction.
LANEWISE_API DimVector reduced_shape(IntArrayRef sizes, DimMask dims, bool keepdim);

}  // namespace lanewise
