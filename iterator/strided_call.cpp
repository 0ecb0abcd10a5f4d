#include <algorithm>

#include <lanewise/iterator/detail/chosen_run.h>
#include <lanewise/iterator/detail/halves.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/detail/roles.h>
#include <lanewise/iterator/detail/strided_call.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::detail {
namespace {

using kernels::ElementwiseKernel;
using kernels::Role;

/// Bytes from the first element to behind the last one; negative if a stride is.
std::int64_t reach(const TensorImpl& t) {
  const IntArrayRef sizes = t.sizes(), strides = t.strides();
  std::int64_t last = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    if (strides[d] < 0) return -1;
    last += (sizes[d] - 1) * strides[d];
  }
  return (last + 1) * static_cast<std::int64_t>(t.itemsize());
}

/// Each dimension steps over everything inside it.
bool is_nested(const TensorImpl& t) {
  const IntArrayRef sizes = t.sizes(), strides = t.strides();
  std::int64_t inside = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (strides[d] < inside) return false;
    inside = strides[d] * sizes[d];
  }
  return true;
}

}  // namespace

bool StridedCall::set_up(bool promote_integers_to_float, const ElementwiseKernel& kernel,
                         std::initializer_list<PointwiseInput> inputs) {
  const std::size_t outputs = kernel.num_outputs;
  if (inputs.size() != kernel.num_inputs) return false;
  kernel_ = &kernel;
  operands_ = outputs + inputs.size();
  sizes_.fill(1);
  ResultType type;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PointwiseInput& input = inputs.begin()[i];
    if (input.is_scalar()) {
      type.add(input.scalar());
      continue;
    }
    const TensorImpl* t = input.tensor().unsafeGetTensorImpl();
    if (t == nullptr || t->dim() > static_cast<std::int64_t>(kMostDims)) return false;
    operand_[outputs + i].tensor = t;
    const IntArrayRef own = t->sizes();
    ndim_ = std::max(ndim_, own.size());
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& size = sizes_[kMostDims - own.size() + d];
      if (own[d] == size || own[d] == 1) continue;
      if (size != 1 || own[d] == 0) return false;
      size = own[d];
    }
    const Role role = kernel.roles[outputs + i];
    if (role == Role::Compute) {
      t->is_wrapped_number() ? type.add_number(t->dtype()) : type.add_tensor(t->dtype(), t->dim());
    } else if (role != Role::Bool || t->dtype() != ScalarType::Bool) {
      return false;
    }
  }
  const ScalarType common = type.get();
  if (common == ScalarType::Undefined) return false;
  result_ = promote_integers_to_float && is_integral(common, true) ? get_default_dtype() : common;
  const ScalarType compute = kernels::compute_type(result_);
  if (kernel.fn[static_cast<std::size_t>(compute)] == nullptr) return false;
  for (std::size_t k = outputs; k < operands_; ++k) {
    Operand& o = operand_[k];
    o.tile = role_type(kernel.roles[k], compute);
    if (o.tensor != nullptr) {
      if (o.tile == compute && rounds_to_half(*o.tensor, result_)) return false;
      place(o, *o.tensor);
      continue;
    }
    if (kernel.roles[k] != Role::Compute) return false;
    o.data = numbers_[k];
    o.memory = o.tile;
    o.strides.fill(0);
    write_number(inputs.begin()[k - outputs].scalar(), result_, o.tile, o.data);
  }
  return true;
}

void StridedCall::place(Operand& o, const TensorImpl& t) const {
  o.data = static_cast<char*>(t.data());
  o.memory = t.dtype();
  const auto bytes = static_cast<std::int64_t>(t.itemsize());
  const IntArrayRef sizes = t.sizes(), strides = t.strides();
  const std::size_t offset = kMostDims - sizes.size();
  for (std::size_t d = first_dim(); d < offset; ++d) o.strides[d] = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const bool repeats = sizes[d] == 1 && sizes_[offset + d] != 1;
    o.strides[offset + d] = repeats ? 0 : strides[d] * bytes;
  }
}

bool StridedCall::result_is_contiguous() const {
  for (std::size_t outer = first_dim(); outer < kMostDims; ++outer) {
    for (std::size_t inner = outer + 1; inner < kMostDims; ++inner) {
      for (std::size_t k = kernel_->num_outputs; k < operands_; ++k) {
        const Operand& o = operand_[k];
        const std::int64_t in = std::abs(o.strides[inner]), out = std::abs(o.strides[outer]);
        if (o.tensor == nullptr || in == 0 || out == 0) continue;
        if (in > out || (in == out && sizes_[inner] > sizes_[outer])) return false;
        if (in < out) break;
      }
    }
  }
  return true;
}

bool StridedCall::writes_to(const TensorImpl& out, std::size_t which) {
  if (out.dtype() != role_type(kernel_->roles[which], result_) ||
      !out.sizes().equals(IntArrayRef(sizes_.data() + first_dim(), ndim_)) || !is_nested(out)) {
    return false;
  }
  const char* begin = static_cast<const char*>(out.data());
  const char* end = begin + reach(out);
  for (std::size_t k = kernel_->num_outputs; k < operands_; ++k) {
    const TensorImpl* t = operand_[k].tensor;
    if (t == nullptr || t == &out) continue;
    const std::int64_t length = reach(*t);
    const char* first = static_cast<const char*>(t->data());
    if (length < 0 || (first < end && begin < first + length)) return false;
  }
  place(operand_[which], out);
  return true;
}

Tensor StridedCall::fresh_result() {
  const ScalarType type = role_type(kernel_->roles[0], result_);
  Tensor out = empty_cpu(IntArrayRef(sizes_.data() + first_dim(), ndim_), type);
  place(operand_[0], *out.unsafeGetTensorImpl());
  return out;
}

void StridedCall::run(const kernels::KernelScalar* params) const {
  const ScalarType compute = kernels::compute_type(result_);
  // Dimensions as tile loops want them: the fastest first, none of size 1, and one in place of those that are walked as one.
  std::array<std::int64_t, kMostDims> shape;
  std::array<std::array<std::int64_t, kMostDims>, kernels::kMaxOperands> strides;
  std::size_t n = 0;
  std::int64_t numel = 1;
  for (std::size_t d = kMostDims; d-- > first_dim();) {
    const std::int64_t size = sizes_[d];
    if (size == 1) continue;
    numel *= size;
    bool joins = n > 0;
    for (std::size_t k = 0; joins && k < operands_; ++k)
      joins = operand_[k].strides[d] == strides[k][n - 1] * shape[n - 1];
    if (joins) {
      shape[n - 1] *= size;
      continue;
    }
    shape[n] = size;
    for (std::size_t k = 0; k < operands_; ++k) strides[k][n] = operand_[k].strides[d];
    ++n;
  }
  const ChosenRun chosen = choose_run(*kernel_, result_, numel);
  TileJob job;
  job.ndim = static_cast<int>(n);
  job.shape = shape.data();
  job.outputs = kernel_->num_outputs;
  job.operands = static_cast<int>(operands_);
  job.fn = chosen.fn;
  job.context = params;
  job.movers = kernels::active_kernels().movers;
  job.cost = kernel_->cost;
  job.grain = chosen.grain;
  job.block = chosen.block;
  job.streams = (kernel_->streams >> static_cast<int>(compute) & 1) != 0;
  job.rows = chosen.rows;
  job.identity = only_copies(*kernel_);
  for (std::size_t k = 0; k < operands_; ++k) {
    const Operand& o = operand_[k];
    job.operand[k] = {o.data, strides[k].data(), o.memory,
                      k < kernel_->num_outputs ? role_type(kernel_->roles[k], compute) : o.tile};
  }
  if (compute != result_) [[unlikely]]
    take_halves(job, *kernel_, result_);
  run_tiles(job);
}

}  // namespace lanewise::detail
