#include <lanewise/iterator/pointwise.h>

#include <algorithm>
#include <array>
#include <memory>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/roles.h>
#include <lanewise/iterator/detail/tile_plan.h>
#include <lanewise/iterator/detail/dense.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise {
namespace {

using kernels::ElementwiseKernel;
using kernels::kMaxOperands;
using kernels::KernelScalar;
using kernels::Role;

/// bool 0, integral 1, floating 2, complex 3.
constexpr int category(ScalarType t) {
  return is_complex(t) ? 3 : is_floating_point(t) ? 2 : t == ScalarType::Bool ? 0 : 1;
}

/// A call whose operands the kernel can take as they lie: tensors of one shape, dtype and dense layout, and single elements
/// (numbers, 0-dim tensors) that do not change the dtype.
struct DirectCall {
  kernels::ElementwiseFn fn = nullptr;
  const TensorImpl* like = nullptr;  // has the shape and the layout of the result
  ScalarType dtype = ScalarType::Undefined;
  std::uint32_t broadcast = 0;
  std::array<char*, kMaxOperands> data;
  alignas(16) char elements[kMaxOperands][16];

  bool set_up(const PointwiseOp& op, const ElementwiseKernel& kernel, std::initializer_list<PointwiseInput> inputs);
  bool writes_to(const TensorImpl& out, const ElementwiseKernel& kernel, std::size_t which,
                 std::initializer_list<PointwiseInput> inputs) const;
  bool same_layout(const TensorImpl& t) const {
    return t.sizes().equals(like->sizes()) &&
           (t.is_contiguous() ? like->is_contiguous() : t.strides().equals(like->strides()));
  }
  void run(const ElementwiseKernel& kernel, const KernelScalar* params) const;
};

inline bool DirectCall::set_up(const PointwiseOp& op, const ElementwiseKernel& kernel,
                        std::initializer_list<PointwiseInput> inputs) {
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
  if (like == nullptr || like->is_wrapped_number() || !detail::has_dense_layout(*like)) {
    return false;
  }
  dtype = like->dtype();
  fn = kernel.fn[static_cast<std::size_t>(dtype)];
  if (fn == nullptr || (op.promote_integers_to_float && category(dtype) < 2)) {
    return false;  // halves have no function either
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PointwiseInput& input = inputs.begin()[i];
    const std::size_t k = outputs + i;
    if (input.is_scalar()) {
      const Scalar& number = input.scalar();
      if (kernel.roles[k] != Role::Compute || category(number.type()) > category(dtype)) {
        return false;
      }
      detail::write_number(number, dtype, elements[k]);
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
    if (t->dtype() != dtype) {
      kernels::active_kernels().movers->convert[static_cast<std::size_t>(t->dtype())][static_cast<std::size_t>(dtype)](
          data[k], elements[k], 1);
      data[k] = elements[k];
    }
    broadcast |= 1u << k;
  }
  return true;
}

/// Whether output `which` can be written where it lies: right dtype and layout, and apart from every input that it is not.
inline bool DirectCall::writes_to(const TensorImpl& out, const ElementwiseKernel& kernel, std::size_t which,
                           std::initializer_list<PointwiseInput> inputs) const {
  if (out.dtype() != detail::role_type(kernel.roles[which], dtype) || !same_layout(out)) {
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

void DirectCall::run(const ElementwiseKernel& kernel, const KernelScalar* params) const {
  const std::int64_t n = like->numel();
  constexpr std::int64_t kAlwaysInline = 4096;
  if (n <= kAlwaysInline) {
    if (n > 0) {
      fn(data.data(), broadcast, n, params);
    }
    return;
  }
  // Chunks begin at multiples of this many elements, so that threads do not share cache lines.
  constexpr std::int64_t kChunk = 1024;
  const double cost = std::max(1.0, double{kernel.cost});
  const auto grain = std::max<std::int64_t>(4, static_cast<std::int64_t>(detail::kGrainCost / cost / kChunk));
  parallel_for(0, (n + kChunk - 1) / kChunk, grain, [&](std::int64_t begin, std::int64_t end) {
    std::array<char*, kMaxOperands> at = data;
    for (std::size_t k = 0; k < std::size_t{kernel.num_outputs} + kernel.num_inputs; ++k) {
      if ((broadcast >> k & 1) == 0) {
        const auto size = static_cast<std::int64_t>(element_size(detail::role_type(kernel.roles[k], dtype)));
        at[k] += begin * kChunk * size;
      }
    }
    fn(at.data(), broadcast, std::min(end * kChunk, n) - begin * kChunk, params);
  });
}

/// Parameters as kernels read them. Of the first two, those left out are 1, so that add and sub without one are x + y and
/// x - y.
class Params {
 public:
  explicit Params(std::initializer_list<Scalar> params) {
    LANEWISE_ASSERT(params.size() <= kMost);
    for (const Scalar& param : params) {
      std::construct_at(&value_[size_++], detail::kernel_scalar(param));
    }
    while (size_ < 2) {
      std::construct_at(&value_[size_++], KernelScalar{1, 1, 0});
    }
  }
  const KernelScalar* data() const { return value_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kMost = 10;
  std::size_t size_ = 0;
  union {
    KernelScalar value_[kMost];  // made as needed: this is the hot path
  };
};

}  // namespace

/// Everything else: an iterator over the same operands.
struct PointwiseBuilder {
  const PointwiseOp& op;
  const ElementwiseKernel& kernel;
  std::initializer_list<PointwiseInput> inputs;

  ScalarType common_dtype() const {
    LANEWISE_CHECK(ValueError, inputs.size() == kernel.num_inputs, op.name, ": ", inputs.size(), " inputs, but the kernel has ",
                   int{kernel.num_inputs});
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
        LANEWISE_CHECK(DtypeError, t.scalar_type() == kBool, op.name, ": input ", i, " is a ", t.scalar_type(),
                       " tensor, expected Bool; compare it with something, as in x.ne(0)");
      } else {
        type.add(t);
      }
    }
    const ScalarType common = type.get();
    const ScalarType computed =
        op.promote_integers_to_float && is_integral(common, true) ? get_default_dtype() : common;
    LANEWISE_CHECK(DtypeError, kernel.fn[static_cast<std::size_t>(kernels::compute_type(computed))] != nullptr, op.name,
                   ": not implemented for ", common);
    return computed;
  }

  TensorIterator build(std::span<Tensor* const> outs, bool resize) const {
    const ScalarType common = common_dtype();
    TensorIteratorConfig config(op.name);
    config.promote_inputs_to_common_dtype(true)
        .promote_integer_inputs_to_float(op.promote_integers_to_float)
        .enforce_safe_casting_to_output(true)
        .resize_outputs(resize);
    for (std::size_t k = 0; k < outs.size(); ++k) {
      config.add_borrowed_output(*outs[k]).declare_dtype(detail::role_type(kernel.roles[k], common));
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
    return config.build();
  }

  void run(TensorIterator& iter, const Params& params) const {
    iter.for_each(kernel, std::span<const KernelScalar>(params.data(), params.size()));
  }
};

Tensor pointwise(const PointwiseOp& op, std::initializer_list<PointwiseInput> inputs,
                 std::initializer_list<Scalar> numbers) {
  const ElementwiseKernel& kernel = *(kernels::active_kernels().*op.kernel);
  const Params params(numbers);
  DirectCall call;
  if (call.set_up(op, kernel, inputs)) [[likely]] {
    const ScalarType type = detail::role_type(kernel.roles[0], call.dtype);
    Tensor out = call.like->is_contiguous()
                     ? detail::empty_cpu(call.like->sizes(), type)
                     : detail::empty_strided_cpu(call.like->sizes(), call.like->strides(), type);
    call.data[0] = static_cast<char*>(out.data_ptr());
    call.run(kernel, params.data());
    return out;
  }
  Tensor out;
  Tensor* const outs[] = {&out};
  const PointwiseBuilder builder{op, kernel, inputs};
  TensorIterator iter = builder.build(outs, true);
  builder.run(iter, params);
  return iter.output();
}

Tensor& pointwise_out(const PointwiseOp& op, Tensor& out, std::initializer_list<PointwiseInput> inputs,
                      std::initializer_list<Scalar> numbers) {
  const ElementwiseKernel& kernel = *(kernels::active_kernels().*op.kernel);
  const Params params(numbers);
  DirectCall call;
  if (out.defined() && call.set_up(op, kernel, inputs) && call.writes_to(*out.unsafeGetTensorImpl(), kernel, 0, inputs)) {
    call.data[0] = static_cast<char*>(out.data_ptr());
    call.run(kernel, params.data());
    return out;
  }
  Tensor* const outs[] = {&out};
  const PointwiseBuilder builder{op, kernel, inputs};
  TensorIterator iter = builder.build(outs, true);
  builder.run(iter, params);
  if (!out.defined()) {
    out = iter.output();
  }
  return out;
}

Tensor& pointwise_inplace(const PointwiseOp& op, Tensor& self, std::initializer_list<PointwiseInput> inputs,
                          std::initializer_list<Scalar> params) {
  Tensor* const outs[] = {&self};
  pointwise_multi(op, outs, inputs, params);
  return self;
}

void pointwise_multi(const PointwiseOp& op, std::span<Tensor* const> outs, std::initializer_list<PointwiseInput> inputs,
                     std::initializer_list<Scalar> numbers) {
  const ElementwiseKernel& kernel = *(kernels::active_kernels().*op.kernel);
  const Params params(numbers);
  LANEWISE_CHECK(ValueError, outs.size() == kernel.num_outputs, op.name, ": ", outs.size(), " outputs, but the kernel has ",
                 int{kernel.num_outputs});
  for (const Tensor* out : outs) {
    LANEWISE_CHECK(ValueError, out->defined(), op.name, ": an output is an undefined tensor");
  }
  DirectCall call;
  bool direct = call.set_up(op, kernel, inputs);
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
  const PointwiseBuilder builder{op, kernel, inputs};
  TensorIterator iter = builder.build(outs, false);
  builder.run(iter, params);
}

}  // namespace lanewise
