#include <cmath>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/activations.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;

constexpr PointwiseOp kLogSigmoid{"log_sigmoid", &KernelTable::log_sigmoid_forward};
constexpr PointwiseOp kPrelu{"prelu", &KernelTable::prelu};
constexpr PointwiseOp kPreluBackward{"prelu_backward", &KernelTable::prelu_backward};
constexpr PointwiseOp kLeakyRelu{"rrelu_with_noise", &KernelTable::leaky_relu};
constexpr PointwiseOp kGt{"rrelu_with_noise", &KernelTable::gt};
constexpr PointwiseOp kWhere{"rrelu_with_noise", &KernelTable::where};
constexpr PointwiseOp kMul{"rrelu_with_noise", &KernelTable::mul};
constexpr PointwiseOp kAdd{"rrelu_with_noise", &KernelTable::add};
constexpr PointwiseOp kGlu{"glu", &KernelTable::glu};
constexpr PointwiseOp kGluBackward{"glu_backward", &KernelTable::glu};
constexpr PointwiseOp kGluGateBackward{"glu_backward", &KernelTable::glu_gate_backward};

struct Halves {
  Tensor value;
  Tensor gate;
};
Halves halves(const Tensor& self, std::int64_t dim) {
  const std::int64_t half = self.size(dim) / 2;
  return {slice(self, dim, 0, half, 1), slice(self, dim, half, 2 * half, 1)};
}

std::int64_t glu_dim(const char* op, const Tensor& self, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, op, ": a 0-dim tensor has no dimension to halve");
  const std::int64_t d = wrap_dim(op, dim, self.dim());
  LANEWISE_CHECK(ShapeError, self.size(d) % 2 == 0, op, ": dimension ", d, " has the odd size ", self.size(d),
                 "; expected an even one");
  return d;
}

}  // namespace

std::tuple<Tensor, Tensor> log_sigmoid_forward(const Tensor& self) {
  LANEWISE_CHECK(DtypeError, self.is_floating_point(), "log_sigmoid: not implemented for ",
                 to_string(self.scalar_type()));
  // Contiguous, as in PyTorch.
  Tensor output = lanewise::detail::empty_cpu(self.sizes(), self.scalar_type());
  Tensor buffer = lanewise::detail::empty_cpu(self.sizes(), self.scalar_type());
  Tensor* const outs[] = {&output, &buffer};
  pointwise_multi(kLogSigmoid, outs, {self});
  return {output, buffer};
}

Tensor prelu_weight(const Tensor& self, const Tensor& weight) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() == weight.scalar_type(), "prelu: self is ",
                 to_string(self.scalar_type()), " and weight is ", to_string(weight.scalar_type()),
                 "; expected one dtype");
  LANEWISE_CHECK(ShapeError, weight.dim() <= 1, "prelu: expected a weight of 0 or 1 dimensions, found shape ",
                 weight.sizes());
  if (weight.numel() == 1) return view(weight, IntArrayRef());
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "prelu: a 0-dim tensor has no channels for a weight of shape ",
                 weight.sizes());
  const std::int64_t channels = self.dim() > 1 ? self.size(1) : 1;
  LANEWISE_CHECK(ShapeError, weight.numel() == channels, "prelu: ", weight.numel(), " weights for ", channels,
                 " channels");
  DimVector sizes(static_cast<std::size_t>(self.dim()), 1);
  sizes[1] = channels;
  return view(weight, sizes);
}

Tensor prelu(const Tensor& self, const Tensor& weight) {
  const Tensor weights = prelu_weight(self, weight);
  Tensor output = lanewise::detail::empty_cpu(self.sizes(), self.scalar_type());  // contiguous for any self
  Tensor* const outs[] = {&output};
  pointwise_multi(kPrelu, outs, {self, weights});
  return output;
}

std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight) {
  Tensor of_self = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  Tensor of_weight = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  Tensor* const outs[] = {&of_self, &of_weight};
  pointwise_multi(kPreluBackward, outs, {grad_output, self, prelu_weight(self, weight)});
  return {of_self, of_weight};
}

Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, const Scalar& lower, const Scalar& upper,
                        bool training) {
  const double low = lower.to<double>();
  const double high = upper.to<double>();
  LANEWISE_CHECK(ValueError, low <= high, "rrelu_with_noise: lower ", lower, " is above upper ", upper);
  LANEWISE_CHECK(ValueError, std::isfinite(high - low), "rrelu_with_noise: the slopes from ", lower, " to ",
                 upper, " must be finite");
  LANEWISE_CHECK(DtypeError, self.is_floating_point(), "rrelu_with_noise: not implemented for ",
                 to_string(self.scalar_type()));
  if (!training) return pointwise(kLeakyRelu, {self}, {(low + high) / 2});
  LANEWISE_CHECK(ShapeError, noise.sizes() == self.sizes(), "rrelu_with_noise: noise has shape ",
                 noise.sizes(), ", self ", self.sizes());
  LANEWISE_CHECK(DtypeError, noise.scalar_type() == self.scalar_type(), "rrelu_with_noise: noise is ",
                 to_string(noise.scalar_type()), ", self ", to_string(self.scalar_type()));
  const Tensor drawn = pointwise(kAdd, {pointwise(kMul, {rand_like(self), Scalar(high - low)}), Scalar(low)});
  const Tensor slopes = pointwise(kWhere, {pointwise(kGt, {self, Scalar(0)}), Scalar(1), drawn});
  Tensor target = noise;
  copy_(target, slopes);
  return pointwise(kMul, {self, slopes});
}

Tensor glu(const Tensor& self, std::int64_t dim) {
  const Halves x = halves(self, glu_dim("glu", self, dim));
  return pointwise(kGlu, {x.value, x.gate});
}

Tensor glu_backward(const Tensor& grad_output, const Tensor& self, std::int64_t dim) {
  const std::int64_t d = glu_dim("glu_backward", self, dim);
  const Halves x = halves(self, d);
  LANEWISE_CHECK(ShapeError, grad_output.sizes() == x.value.sizes(),
                 "glu_backward: expected a grad_output of shape ", x.value.sizes(), ", found ",
                 grad_output.sizes());
  const Tensor result = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  Halves grad = halves(result, d);
  pointwise_out(kGluBackward, grad.value, {grad_output, x.gate});
  pointwise_out(kGluGateBackward, grad.gate, {grad_output, x.value, x.gate});
  return result;
}

}  // namespace lanewise::ops
