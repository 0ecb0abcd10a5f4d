#include <algorithm>
#include <cmath>
#include <memory>

#include <lanewise/iterator/detail/direct_call.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/detail/roles.h>
#include <lanewise/iterator/detail/spare_input.h>
#include <lanewise/iterator/detail/strided_call.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise {
namespace {

using detail::DirectCall;
using detail::kDefaultParam;
using detail::kDefaultParams;
using detail::StridedCall;
using kernels::ElementwiseKernel;
using kernels::KernelScalar;
using kernels::Role;

/// Whether every floating and complex dtype holds the number.
bool fits_everywhere(const Scalar& number, const KernelScalar& value) {
  constexpr double kLargestHalf = 65504;
  return !number.isComplex() && std::abs(value.re) <= kLargestHalf;
}

/// A kernel would drop the imaginary part of a number, or take an infinity for one beyond its dtype.
void check_fits(const PointwiseOp& op, const ElementwiseKernel& kernel,
                std::initializer_list<PointwiseInput> inputs, const Scalar& number);

/// Parameters as kernels read them, with kDefaultParams for those left out.
class Params {
 public:
  Params(const PointwiseOp& op, const ElementwiseKernel& kernel, std::initializer_list<PointwiseInput> inputs,
         ArrayRef<Scalar> params) {
    if (params.size() == 0 || (params.size() == 1 && is_default(params[0]))) [[likely]] {
      data_ = kDefaultParams.data();
      size_ = kDefaultParams.size();
      return;
    }
    LANEWISE_ASSERT(params.size() <= kMost);
    for (const Scalar& param : params) {
      std::construct_at(&value_[size_], detail::kernel_scalar(param));
      if (!fits_everywhere(param, value_[size_++])) [[unlikely]]
        check_fits(op, kernel, inputs, param);
    }
    while (size_ < kDefaultParams.size()) std::construct_at(&value_[size_++], kDefaultParam);
  }
  Params(const Params&) = delete;
  Params& operator=(const Params&) = delete;
  const KernelScalar* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  /// An alpha of 1, which most calls of add and sub have.
  static bool is_default(const Scalar& param) {
    return param.isIntegral(false) && param.to_unchecked<std::int64_t>() == kDefaultParam.i;
  }

  static constexpr std::size_t kMost = 10;
  const KernelScalar* data_ = value_;
  std::size_t size_ = 0;
  union {
    KernelScalar value_[kMost];  // made as needed: this is the hot path
  };
};

/// The memory of the spare input, if the op reads it and the result fits there; else an undefined tensor.
Tensor take_spare(const DirectCall& call, const ElementwiseKernel& kernel,
                  std::initializer_list<PointwiseInput> inputs) {
  const Tensor& spare = *detail::SpareInput::lent();
  const auto is_spare = [&](const PointwiseInput& input) {
    return !input.is_scalar() && input.tensor().is_same(spare);
  };
  if (std::none_of(inputs.begin(), inputs.end(), is_spare)) return Tensor();
  const TensorImpl& impl = *spare.unsafeGetTensorImpl();
  const bool fits =
      call.writes_to(impl, kernel, 0, inputs) && (impl.has_default_strides() || !call.like->is_contiguous());
  detail::SpareInput::take();
  return fits ? spare : Tensor();
}

Tensor fresh_result(const DirectCall& call, ScalarType type) {
  return call.like->is_contiguous()
             ? detail::empty_contiguous_like(*call.like, type)
             : detail::empty_strided_cpu(call.like->sizes(), call.like->strides(), type);
}

}  // namespace

constinit thread_local const Tensor* detail::SpareInput::current = nullptr;

/// Everything else: an iterator over the same operands.
struct PointwiseBuilder {
  const PointwiseOp& op;
  const ElementwiseKernel& kernel;
  std::initializer_list<PointwiseInput> inputs;

  ScalarType common_dtype() const {
    LANEWISE_CHECK(ValueError, inputs.size() == kernel.num_inputs, op.name, ": ", inputs.size(),
                   " inputs, but the kernel has ", int{kernel.num_inputs});
    ResultType type;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const PointwiseInput& input = inputs.begin()[i];
      const Role role = kernel.roles[kernel.num_outputs + i];
      if (input.is_scalar()) {
        type.add(input.scalar());
        continue;
      }
      const Tensor& t = input.tensor();
      LANEWISE_CHECK(ValueError, t.defined(), op.name, ": input ", i, " is an undefined tensor");
      if (role == Role::Bool) {
        // Bytes stand for bools, as masks did in PyTorch before it had bools: any but 0 is true.
        LANEWISE_CHECK(DtypeError, t.scalar_type() == kBool || t.scalar_type() == kByte, op.name,
                       " expected condition to be a boolean tensor, but got a tensor with dtype ",
                       t.scalar_type(), " for input ", i,
                       ", expected Bool; compare it with something, as in x.ne(0)");
      } else {
        type.add(t);
      }
    }
    const ScalarType common = type.get();
    const ScalarType computed =
        op.promote_integers_to_float && is_integral(common, true) ? get_default_dtype() : common;
    LANEWISE_CHECK(DtypeError,
                   kernel.fn[static_cast<std::size_t>(kernels::compute_type(computed))] != nullptr, op.name,
                   ": not implemented for '", common, "'");
    return computed;
  }

  void build(TensorIterator& iter, std::span<Tensor* const> outs, bool resize) const {
    const ScalarType common = common_dtype();
    TensorIteratorConfig config(op.name);
    config.promote_inputs_to_common_dtype(true)
        .promote_integer_inputs_to_float(op.promote_integers_to_float)
        .enforce_safe_casting_to_output(true)
        .resize_outputs(resize);
    for (std::size_t k = 0; k < outs.size(); ++k) {
      const ScalarType result = detail::role_type(kernel.roles[k], common);
      if (op.exact_out && outs[k]->defined()) check_exact(outs[k]->scalar_type(), result, common);
      config.add_borrowed_output(*outs[k]).declare_dtype(result);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const PointwiseInput& input = inputs.begin()[i];
      if (input.is_scalar()) {
        config.add_number(input.scalar());
      } else {
        config.add_borrowed_input(input.tensor());
        if (kernel.roles[kernel.num_outputs + i] == Role::Bool) {
          config.declare_dtype(kBool);
        }
      }
    }
    iter.build(config);
  }

  // The modulus of complex numbers may be stored as one of them, or as a real number that it can be cast to.
  void check_exact(ScalarType found, ScalarType result, ScalarType common) const {
    const bool is_modulus = is_complex(common) && !is_complex(result);
    LANEWISE_CHECK(DtypeError, found == result || (is_modulus && (found == common || !is_complex(found))),
                   op.name, ": Found dtype ", found, " but expected ", result,
                   "; this op casts to no other output");
  }

  void run(TensorIterator& iter, const Params& params) const {
    iter.for_each(kernel, std::span<const KernelScalar>(params.data(), params.size()));
  }
};

namespace {

[[gnu::cold]] void check_fits(const PointwiseOp& op, const ElementwiseKernel& kernel,
                              std::initializer_list<PointwiseInput> inputs, const Scalar& number) {
  const ScalarType common = PointwiseBuilder{op, kernel, inputs}.common_dtype();
  if (!is_integral(common, true) && !(op.numbers_are_doubles && !number.isComplex()))
    number.check_fits(common, op.name);
}

/// Broadcast or strided operands, and several dtypes: out of the way of those that are neither.
[[gnu::noinline]] Tensor pointwise_any(const PointwiseOp& op, const ElementwiseKernel& kernel,
                                       std::initializer_list<PointwiseInput> inputs, const Params& params) {
  StridedCall strided;
  if (strided.set_up(op.promote_integers_to_float, kernel, inputs) && strided.result_is_contiguous()) {
    Tensor out = strided.fresh_result();
    strided.run(params.data());
    return out;
  }
  Tensor out;
  Tensor* const outs[] = {&out};
  const PointwiseBuilder builder{op, kernel, inputs};
  TensorIterator iter;
  builder.build(iter, outs, true);
  builder.run(iter, params);
  return iter.output();
}

}  // namespace

Tensor pointwise(const PointwiseOp& op, std::initializer_list<PointwiseInput> inputs,
                 ArrayRef<Scalar> numbers) {
  const ElementwiseKernel& kernel = *(kernels::active_kernels().*op.kernel);
  const Params params(op, kernel, inputs, numbers);
  DirectCall call;
  if (!call.set_up(op.promote_integers_to_float, kernel, inputs)) [[unlikely]]
    return pointwise_any(op, kernel, inputs, params);
  Tensor out;
  if (detail::SpareInput::lent() != nullptr) [[unlikely]]
    out = take_spare(call, kernel, inputs);
  if (!out.defined()) [[likely]]
    out = fresh_result(call, detail::role_type(kernel.roles[0], call.result));
  call.data[0] = static_cast<char*>(out.data_ptr());
  call.run(kernel, params.data());
  return out;
}

Tensor& pointwise_out(const PointwiseOp& op, Tensor& out, std::initializer_list<PointwiseInput> inputs,
                      ArrayRef<Scalar> numbers) {
  const ElementwiseKernel& kernel = *(kernels::active_kernels().*op.kernel);
  const Params params(op, kernel, inputs, numbers);
  DirectCall call;
  if (out.defined() && call.set_up(op.promote_integers_to_float, kernel, inputs) &&
      call.writes_to(*out.unsafeGetTensorImpl(), kernel, 0, inputs)) {
    call.data[0] = static_cast<char*>(out.data_ptr());
    call.run(kernel, params.data());
    return out;
  }
  StridedCall strided;
  if (out.defined() && strided.set_up(op.promote_integers_to_float, kernel, inputs) &&
      strided.writes_to(*out.unsafeGetTensorImpl(), 0)) {
    strided.run(params.data());
    return out;
  }
  Tensor* const outs[] = {&out};
  const PointwiseBuilder builder{op, kernel, inputs};
  TensorIterator iter;
  builder.build(iter, outs, true);
  builder.run(iter, params);
  if (!out.defined()) {
    out = iter.output();
  }
  return out;
}

Tensor& pointwise_inplace(const PointwiseOp& op, Tensor& self, std::initializer_list<PointwiseInput> inputs,
                          ArrayRef<Scalar> params) {
  Tensor* const outs[] = {&self};
  pointwise_multi(op, outs, inputs, params);
  return self;
}

void pointwise_multi(const PointwiseOp& op, std::span<Tensor* const> outs,
                     std::initializer_list<PointwiseInput> inputs, ArrayRef<Scalar> numbers) {
  const ElementwiseKernel& kernel = *(kernels::active_kernels().*op.kernel);
  const Params params(op, kernel, inputs, numbers);
  LANEWISE_CHECK(ValueError, outs.size() == kernel.num_outputs, op.name, ": ", outs.size(),
                 " outputs, but the kernel has ", int{kernel.num_outputs});
  for (const Tensor* out : outs) {
    LANEWISE_CHECK(ValueError, out->defined(), op.name, ": an output is an undefined tensor");
  }
  DirectCall call;
  bool direct = call.set_up(op.promote_integers_to_float, kernel, inputs);
  for (std::size_t k = 0; direct && k < outs.size(); ++k) {
    const TensorImpl& out = *outs[k]->unsafeGetTensorImpl();
    direct = call.writes_to(out, kernel, k, inputs);
    for (std::size_t j = 0; direct && j < k; ++j) {
      direct = !outs[j]->is_alias_of(*outs[k]);
    }
    call.data[k] = static_cast<char*>(out.data());
  }
  if (direct) [[likely]] {
    call.run(kernel, params.data());
    return;
  }
  StridedCall strided;
  if (outs.size() == 1 && strided.set_up(op.promote_integers_to_float, kernel, inputs) &&
      strided.writes_to(*outs[0]->unsafeGetTensorImpl(), 0)) {
    strided.run(params.data());
    return;
  }
  const PointwiseBuilder builder{op, kernel, inputs};
  TensorIterator iter;
  builder.build(iter, outs, false);
  builder.run(iter, params);
}

}  // namespace lanewise
