#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include <lanewise/iterator/detail/dense.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/detail/roles.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>

namespace lanewise::detail {

/// bool 0, integral 1, floating 2, complex 3.
constexpr int category(ScalarType t) {
  return is_complex(t) ? 3 : is_floating_point(t) ? 2 : t == ScalarType::Bool ? 0 : 1;
}

/// A pointwise call that needs no iterator: tensors of one shape, dtype and dense layout, and single elements
/// (numbers, 0-dim tensors) that do not change the dtype. Where the kernel computes in another type (halves,
/// integers of float ops) short runs are converted on the way.
struct DirectCall {
  kernels::ElementwiseFn fn = nullptr;
  const TensorImpl* like = nullptr;            ///< has the shape and the layout of the result
  ScalarType dtype = ScalarType::Undefined;    ///< of the tensors in memory
  ScalarType result = ScalarType::Undefined;   ///< what the op computes in, as users see it
  ScalarType compute = ScalarType::Undefined;  ///< what the kernel computes in
  std::uint32_t broadcast = 0;
  std::array<char*, kernels::kMaxOperands> data;
  alignas(16) char elements[kernels::kMaxOperands][16];

  bool set_up(bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
              std::initializer_list<PointwiseInput> inputs);
  /// Whether output `which` can be written where it lies: right dtype and layout, and apart from every input
  /// that it is not.
  bool writes_to(const TensorImpl& out, const kernels::ElementwiseKernel& kernel, std::size_t which,
                 std::initializer_list<PointwiseInput> inputs) const;
  /// Over all elements, in parallel where that pays.
  void run(const kernels::ElementwiseKernel& kernel, const kernels::KernelScalar* params) const {
    constexpr std::int64_t kAlwaysHere = 4096;
    const std::int64_t n = like->numel();
    if (n <= kAlwaysHere && compute == dtype) [[likely]] {
      if (n > 0) {
        fn(data.data(), broadcast, n, params);
      }
      return;
    }
    run_parallel(kernel, params);
  }

 private:
  bool same_layout(const TensorImpl& t) const {
    return t.sizes().equals(like->sizes()) &&
           (t.is_contiguous() ? like->is_contiguous() : t.strides().equals(like->strides()));
  }
  /// Beside an operand of another shape, PyTorch's rule sorts the dimensions, and those of size 1 count; else
  /// `like` decides alone.
  bool order_is_plain() const {
    if (like->has_default_strides()) {
      return true;
    }
    for (const std::int64_t size : like->sizes()) {
      if (size <= 1) return false;
    }
    return true;
  }
  void run_parallel(const kernels::ElementwiseKernel& kernel, const kernels::KernelScalar* params) const;
};

inline bool DirectCall::set_up(bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
                               std::initializer_list<PointwiseInput> inputs) {
  using kernels::Role;
  const std::size_t outputs = kernel.num_outputs;
  if (inputs.size() != kernel.num_inputs) {
    return false;
  }
  // The tensor that decides: the first with dimensions, or the first that is no wrapped number, or the first.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PointwiseInput& input = inputs.begin()[i];
    if (input.is_scalar() || kernel.roles[outputs + i] != Role::Compute) {
      continue;
    }
    const TensorImpl* t = input.tensor().unsafeGetTensorImpl();
    if (t == nullptr) {
      return false;
    }
    if (like == nullptr ||
        (like->dim() == 0 && (t->dim() != 0 || (like->is_wrapped_number() && !t->is_wrapped_number())))) {
      like = t;
    }
  }
  if (like == nullptr || like->is_wrapped_number() || !has_dense_layout(*like)) {
    return false;
  }
  dtype = result = like->dtype();
  if (promote_integers_to_float && category(dtype) < 2) {
    result = get_default_dtype();
  }
  compute = kernels::compute_type(result);
  fn = kernel.fn[static_cast<std::size_t>(compute)];
  if (fn == nullptr) {
    return false;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PointwiseInput& input = inputs.begin()[i];
    const std::size_t k = outputs + i;
    if (input.is_scalar()) {
      const Scalar& number = input.scalar();
      if (kernel.roles[k] != Role::Compute || category(number.type()) > category(dtype)) {
        return false;
      }
      write_number(number, compute, elements[k]);
      data[k] = elements[k];
      broadcast |= 1u << k;
      continue;
    }
    const TensorImpl* t = input.tensor().unsafeGetTensorImpl();
    if (t == nullptr) {
      return false;
    }
    data[k] = static_cast<char*>(t->data());
    const bool is_bool = kernel.roles[k] == Role::Bool;
    if (!is_bool && kernel.roles[k] != Role::Compute) {
      return false;
    }
    if (t == like && !is_bool) {
      continue;
    }
    const ScalarType wanted = is_bool ? ScalarType::Bool : dtype;
    if (t->dtype() == wanted && same_layout(*t)) {
      continue;
    }
    if (is_bool || t->dim() != 0 || (like->dim() == 0 && !t->is_wrapped_number()) ||
        category(t->dtype()) > category(dtype)) {
      return false;
    }
    if (t->dtype() != compute) {
      const kernels::Movers& movers = *kernels::active_kernels().movers;
      movers.convert[static_cast<std::size_t>(t->dtype())][static_cast<std::size_t>(compute)](data[k],
                                                                                              elements[k], 1);
      data[k] = elements[k];
    }
    broadcast |= 1u << k;
  }
  return broadcast == 0 || order_is_plain();
}

inline bool DirectCall::writes_to(const TensorImpl& out, const kernels::ElementwiseKernel& kernel,
                                  std::size_t which, std::initializer_list<PointwiseInput> inputs) const {
  if (out.dtype() != role_type(kernel.roles[which], result) || !same_layout(out)) {
    return false;
  }
  const auto span = [](const TensorImpl& t) { return static_cast<std::size_t>(t.numel()) * t.itemsize(); };
  const char* begin = static_cast<const char*>(out.data());
  const char* end = begin + span(out);
  for (const PointwiseInput& input : inputs) {
    if (input.is_scalar()) {
      continue;
    }
    const TensorImpl& t = *input.tensor().unsafeGetTensorImpl();
    const char* first = static_cast<const char*>(t.data());
    if (&t != &out && first < end && begin < first + span(t)) {
      return false;
    }
  }
  return true;
}

}  // namespace lanewise::detail
