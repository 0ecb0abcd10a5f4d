#include <algorithm>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/custom_node.h>
#include <lanewise/autograd/detail/spare_gradient.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/input_buffer.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd {

bool is_expandable_to(IntArrayRef shape, IntArrayRef desired) noexcept {
  if (shape.size() > desired.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t from = shape[shape.size() - 1 - i];
    if (from != 1 && from != desired[desired.size() - 1 - i]) return false;
  }
  return true;
}

void accumulate_into(Tensor& sum, Tensor&& grad) {
  if (!grad.defined()) return;
  if (!sum.defined()) {
    sum = std::move(grad);
    return;
  }
  if (!GradMode::is_enabled() && !transforms_on() && sum.scalar_type() == grad.scalar_type()) {
    const bool in_sum = is_free(sum);
    if (in_sum || is_free(grad)) {
      if (!in_sum) std::swap(sum, grad);  // the same bits: addition commutes
      sum.add_(grad);
      if (AutogradMeta* meta = get_autograd_meta(sum))
        meta->creation_ = CreationMeta::Default;  // no view any more
      return;
    }
  }
  sum = sum + grad;
}

Tensor sum_to_shape(const Tensor& t, IntArrayRef shape) {
  if (shape.empty()) return t.dim() == 0 ? t : sum(t);
  DimVector dims;
  const std::size_t lead = t.sizes().size() - shape.size();
  for (std::size_t d = 0; d < t.sizes().size(); ++d) {
    if (d < lead || (shape[d - lead] == 1 && t.sizes()[d] != 1)) dims.push_back(static_cast<std::int64_t>(d));
  }
  if (dims.empty()) return t;
  if (t.numel() > 0 &&
      std::all_of(dims.begin(), dims.end(), [&](std::int64_t d) { return t.size(d) == 1; })) {
    return view(t, shape);  // nothing to add up, as in the gradient of a bias with a batch of 1
  }
  const Tensor summed = sum(t, OptionalIntArrayRef(IntArrayRef(dims)), /*keepdim=*/true);
  return lead == 0 ? summed : view(summed, shape);
}

void validate_gradient(const Node& producer, std::size_t output, const InputMetadata& expected,
                       Tensor& grad) {
  if (!grad.defined() || !expected.is_defined() || expected.matches(grad)) return;
  LANEWISE_CHECK(AutogradError,
                 is_differentiable(grad.scalar_type()) || !lanewise::is_complex(expected.dtype()),
                 producer.name(), ": gradient ", output, " is of type ", to_string(grad.scalar_type()),
                 "; gradients of complex tensors are floating or complex");
  if (grad.sizes() != expected.shape()) {
    LANEWISE_CHECK(AutogradError, is_expandable_to(expected.shape(), grad.sizes()), producer.name(),
                   ": returned an invalid gradient at index ", output, " - got ", grad.sizes(),
                   " but expected shape compatible with ", expected.shape());
    grad = sum_to_shape(grad, expected.shape());
  }
  if (grad.is_complex() && !lanewise::is_complex(expected.dtype())) {
    // Formulas of ours leave this to the engine; of others it is a mistake.
    LANEWISE_CHECK(AutogradError, dynamic_cast<const CustomNodeBase*>(&producer) == nullptr, producer.name(),
                   ": gradient ", output, " is complex, but what it belongs to is ",
                   to_string(expected.dtype()), "; backward has to return its real part");
    grad = real(grad);
  }
  if (grad.scalar_type() != expected.dtype()) grad = grad.to(expected.dtype());
}

}  // namespace lanewise::autograd
