#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/detail/roles.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/kernels/tuning.h>
#include <lanewise/tensor/detail/category.h>

namespace lanewise::detail {

/// A pointwise call that needs no iterator: tensors of one shape, dtype and dense layout, and single elements
/// (numbers, 0-dim tensors) that do not change the dtype. Where the kernel computes in another type (halves,
/// integers of float ops) short runs are converted on the way.
struct DirectCall {
  /// So few elements are not worth a second thread; a tuning of calls of them is in the table of kernels.
  static constexpr std::int64_t kAlwaysHere = kernels::kSmallElements;

  kernels::ElementwiseFn fn = nullptr;
  const TensorImpl* like = nullptr;            ///< has the shape and the layout of the result
  ScalarType dtype = ScalarType::Undefined;    ///< of the tensors in memory
  ScalarType result = ScalarType::Undefined;   ///< what the op computes in, as users see it
  ScalarType compute = ScalarType::Undefined;  ///< what the kernel takes
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
  /// The case of most calls: contiguous tensors of one shape and a dtype that the kernel takes, beside single elements:
  /// numbers, and tensors that expand one.
  bool set_up_plain(bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
                    std::initializer_list<PointwiseInput> inputs);
  /// The others.
  bool set_up_any(bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
                  std::initializer_list<PointwiseInput> inputs);
  bool same_layout(const TensorImpl& t) const {
    if (&t == like) return true;
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

/// A few sizes; a call of memcmp costs more.
inline bool same_sizes(const TensorImpl& a, const TensorImpl& b) {
  const IntArrayRef x = a.sizes(), y = b.sizes();
  if (x.size() != y.size()) return false;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (x[d] != y[d]) return false;
  }
  return true;
}

/// Whether all elements of `t` are one in memory.
inline bool expands_one_element(const TensorImpl& t) {
  const IntArrayRef sizes = t.sizes(), strides = t.strides();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d] != 0 && sizes[d] != 1) return false;
  }
  return t.numel() > 0;
}

__attribute__((always_inline)) inline bool DirectCall::set_up_plain(
    bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
    std::initializer_list<PointwiseInput> inputs) {
  const kernels::Role* roles = kernel.roles.data() + kernel.num_outputs;
  const PointwiseInput* in = inputs.begin();
  const std::size_t n = inputs.size();
  const TensorImpl* head = nullptr;
  for (std::size_t i = 0; i < n && head == nullptr; ++i) {
    if (in[i].is_scalar()) continue;
    const TensorImpl* t = in[i].tensor().unsafeGetTensorImpl();
    if (t == nullptr || t->dim() == 0) return false;
    if (t->has_default_strides()) {
      head = t;
    } else if (!expands_one_element(*t)) {
      return false;
    }
  }
  if (head == nullptr) return false;
  const ScalarType type = head->dtype();
  if (promote_integers_to_float && category(type) < Category::Floating) return false;
  const ScalarType computed = kernels::compute_type(type);
  fn = kernel.fn[static_cast<std::size_t>(type)];
  if (fn == nullptr) return false;
  std::uint32_t single = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (roles[i] != kernels::Role::Compute) return false;
    const std::size_t k = kernel.num_outputs + i;
    if (in[i].is_scalar()) {
      const Scalar& number = in[i].scalar();
      if (category(number.type()) > category(type)) return false;
      write_number(number, type, computed, elements[k]);
      data[k] = elements[k];
      single |= 1u << k;
      continue;
    }
    const TensorImpl* t = in[i].tensor().unsafeGetTensorImpl();
    if (t != head) {
      if (t == nullptr || t->dtype() != type || !same_sizes(*t, *head)) return false;
      if (!t->has_default_strides()) {
        if (computed != type || !expands_one_element(*t)) return false;
        single |= 1u << k;
      }
    }
    data[k] = static_cast<char*>(t->data());
  }
  like = head;
  dtype = result = compute = type;
  broadcast = single;
  return true;
}

inline bool DirectCall::set_up(bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
                               std::initializer_list<PointwiseInput> inputs) {
  if (inputs.size() != kernel.num_inputs) return false;
  if (set_up_plain(promote_integers_to_float, kernel, inputs)) [[likely]]
    return true;
  return set_up_any(promote_integers_to_float, kernel, inputs);
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
