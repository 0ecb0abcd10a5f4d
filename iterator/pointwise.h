#pragma once

#include <initializer_list>
#include <span>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace kernels {
struct KernelTable;
}

/// An elementwise op, as data: the field of the KernelTable that computes it and how its inputs are promoted.
struct PointwiseOp {
  const char* name;  ///< begins every error
  const kernels::ElementwiseKernel* kernels::KernelTable::*kernel;
  bool promote_integers_to_float = false;  ///< integral and bool inputs compute in the default dtype
  bool exact_out = false;  ///< an output of another dtype than the result's is an error, and not cast to
  bool numbers_are_doubles = false;  ///< whatever the dtype: parameters beyond its range are no errors
};

/// One input of a pointwise call: a tensor, or a number that promotes as a wrapped number. Does not own what
/// it refers to, which must outlive the call (a temporary in the argument list does).
class PointwiseInput {
 public:
  PointwiseInput(const Tensor& tensor) noexcept : tensor_(&tensor) {}
  PointwiseInput(const Scalar& scalar) noexcept : scalar_(&scalar) {}

  bool is_scalar() const noexcept { return scalar_ != nullptr; }
  const Tensor& tensor() const noexcept { return *tensor_; }
  const Scalar& scalar() const noexcept { return *scalar_; }

 private:
  const Tensor* tensor_ = nullptr;
  const Scalar* scalar_ = nullptr;
};

/// Runs `op` over the broadcast inputs into a fresh tensor.
///
/// Shapes   inputs that broadcast to one shape -> that shape; layout of the first input of full size
/// Dtypes   computes in the promoted type of the inputs (halves in f32, rounded once; numbers and tensors beside halves are
///          rounded to them first); Role::Bool inputs must be bool and do not take part in promotion; the result has the dtype
///          of the kernel's output role
/// Throws   ShapeError if the shapes do not broadcast, DtypeError if the op has no kernel for the promoted
///          type
LANEWISE_API Tensor pointwise(const PointwiseOp& op, std::initializer_list<PointwiseInput> inputs,
                              ArrayRef<Scalar> params = {});

/// The same into `out`, which is resized if its shape differs (its strides are kept if not). Its dtype must
/// be one that the result can be cast to, and the result's own for an op with exact_out. `out` may be exactly
/// an input, never overlap one partially. An undefined `out` becomes a fresh tensor.
LANEWISE_API Tensor& pointwise_out(const PointwiseOp& op, Tensor& out,
                                   std::initializer_list<PointwiseInput> inputs,
                                   ArrayRef<Scalar> params = {});

/// The same into `self`, which is never resized: the broadcast shape of the inputs must be its own.
LANEWISE_API Tensor& pointwise_inplace(const PointwiseOp& op, Tensor& self,
                                       std::initializer_list<PointwiseInput> inputs,
                                       ArrayRef<Scalar> params = {});

/// A kernel with several outputs, all given and never resized; each may be exactly one of the inputs.
LANEWISE_API void pointwise_multi(const PointwiseOp& op, std::span<Tensor* const> outs,
                                  std::initializer_list<PointwiseInput> inputs, ArrayRef<Scalar> params = {});

}  // namespace lanewise
