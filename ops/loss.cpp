#include <algorithm>
#include <cstring>

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/loss.h>
#include <lanewise/ops/room.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// The operands of one call, checked and dense: self seen as [batch, classes, inner].
struct Nll {
  Tensor self;
  Tensor target;
  Tensor weight;
  std::int64_t reduction;
  std::int64_t ignore_index;
  std::int64_t classes;
  std::int64_t inner = 1;
  std::int64_t samples;

  Nll(const char* op, const Tensor& input, const Tensor& classes_of, const Tensor& weights,
      std::int64_t reduce, std::int64_t ignore)
      : reduction(reduce), ignore_index(ignore) {
    LANEWISE_CHECK(DtypeError, input.is_floating_point(), op, ": needs floating log-probabilities, found ",
                   input.scalar_type());
    LANEWISE_CHECK(DtypeError, classes_of.scalar_type() == kLong || classes_of.scalar_type() == kByte, op,
                   ": expected a target of int64 or uint8, found ", classes_of.scalar_type());
    LANEWISE_CHECK(ValueError, reduce >= 0 && reduce <= 2, op,
                   ": reduction must be 0 (none), 1 (mean) or 2 (sum), found ", reduce);
    LANEWISE_CHECK(ShapeError, input.dim() >= 1, op,
                   ": input tensor should be [C], [N, C] or [N, C, d...], found a 0-dim tensor");
    const std::size_t axis = input.dim() == 1 ? 0 : 1;
    DimVector expected(input.sizes());
    classes = expected[axis];
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(axis));
    LANEWISE_CHECK(ShapeError, classes_of.sizes() == IntArrayRef(expected), op, ": size mismatch, input ",
                   input.sizes(), " needs a target of shape ", IntArrayRef(expected), ", found ",
                   classes_of.sizes());
    for (std::size_t d = axis + 1; d < input.sizes().size(); ++d) inner *= input.sizes()[d];
    if (weights.defined()) {
      LANEWISE_CHECK(ShapeError, weights.dim() == 1 && weights.numel() == classes, op,
                     ": weight tensor should be defined either for all ", classes,
                     " classes or no classes, found shape ", weights.sizes());
      LANEWISE_CHECK(DtypeError, weights.scalar_type() == input.scalar_type(), op, ": weight is ",
                     weights.scalar_type(), ", input is ", input.scalar_type());
      weight = dense(weights);
    }
    target = dense(classes_of, kLong);
    samples = target.numel();
    const auto* t = target.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < samples; ++i) {
      LANEWISE_CHECK(IndexError, t[i] == ignore_index || (t[i] >= 0 && t[i] < classes), op, ": Target ", t[i],
                     " is out of bounds; there are ", classes, " classes");
    }
    self = input;
  }

  /// Calls f(sample, class, position of its element in self as [batch, classes, inner]) for samples that
  /// count.
  template <class F>
  void each(F f) const {
    const auto* t = target.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0, batch = 0, at = 0; i < samples; ++i) {
      if (t[i] != ignore_index) f(i, t[i], (batch * classes + t[i]) * inner + at);
      if (++at == inner) at = 0, ++batch;
    }
  }
  bool keeps_samples() const { return reduction == Reduction::None; }
};

/// The type in which terms of T are computed and added.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class R>
R tree_sum(const R* terms, std::int64_t n) {
  if (n == 0) return 0;
  alignas(64) char acc[64];
  R value;
  const kernels::ReductionKernel& sum = *kernels::active_kernels().reductions->sum;
  const auto type = static_cast<std::size_t>(scalar_type_of<R>);
  sum.inner[type](reinterpret_cast<const char*>(terms), n, 0, kernels::kPrefetchBytes, acc);
  sum.finish[type](acc, 1, nullptr, reinterpret_cast<char*>(&value), nullptr);
  return value;
}

template <class F>
void visit_floating(ScalarType t, F f) {
  switch (t) {
    case kDouble: f.template operator()<double>(); return;
    case kHalf: f.template operator()<Half>(); return;
    case kBFloat16: f.template operator()<BFloat16>(); return;
    default: f.template operator()<float>(); return;
  }
}

}  // namespace

std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target, const Tensor& weight,
                                            std::int64_t reduction, std::int64_t ignore_index) {
  const Nll nll("nll_loss", self, target, weight, reduction, ignore_index);
  const Tensor input = dense(self);
  Tensor output = detail::empty_cpu(nll.keeps_samples() ? target.sizes() : IntArrayRef(), self.scalar_type());
  Tensor total_weight = detail::empty_cpu({}, self.scalar_type());
  visit_floating(self.scalar_type(), [&]<class T>() {
    using R = Compute<T>;
    const T* x = input.const_data_ptr<T>();
    const T* w = weight.defined() ? nll.weight.const_data_ptr<T>() : nullptr;
    T* out = output.data_ptr<T>();
    T& total = *total_weight.data_ptr<T>();
    const auto weight_of = [&](std::int64_t c) { return w != nullptr ? static_cast<R>(w[c]) : R(1); };
    if (nll.keeps_samples()) {
      for (std::int64_t i = 0; i < nll.samples; ++i) out[i] = static_cast<T>(R(0));
      total = static_cast<T>(R(0));
      nll.each([&](std::int64_t i, std::int64_t c, std::int64_t at) {
        out[i] = static_cast<T>(-weight_of(c) * static_cast<R>(x[at]));
        if (self.dim() == 1) total = static_cast<T>(weight_of(c));  // one sample is its own batch, as in PyTorch
      });
      return;
    }
    const Room<R> terms(nll.samples), weights(nll.samples);
    std::fill_n(terms.get(), nll.samples, R(0));
    std::fill_n(weights.get(), nll.samples, R(0));
    nll.each([&](std::int64_t i, std::int64_t c, std::int64_t at) {
      weights[i] = weight_of(c);
      terms[i] = -weight_of(c) * static_cast<R>(x[at]);
    });
    const R weight_sum = tree_sum(weights.get(), nll.samples);
    const R sum = tree_sum(terms.get(), nll.samples);
    total = static_cast<T>(weight_sum);
    *out = static_cast<T>(nll.reduction == Reduction::Mean ? sum / weight_sum : sum);
  });
  return {std::move(output), std::move(total_weight)};
}

std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target, const Tensor& weight,
                                              std::int64_t reduction, std::int64_t ignore_index) {
  LANEWISE_CHECK(
      ShapeError, self.dim() == 4,
      "nll_loss2d: only batches of spatial inputs supported (4D tensors), but got input of dimension: ",
      self.dim());
  LANEWISE_CHECK(
      ShapeError, target.dim() == 3,
      "nll_loss2d: only batches of spatial targets supported (3D tensors) but got targets of dimension: ",
      target.dim());
  return nll_loss_forward(self, target, weight, reduction, ignore_index);
}

Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         const Tensor& weight, std::int64_t reduction, std::int64_t ignore_index,
                         const Tensor& total_weight) {
  const Nll nll("nll_loss_backward", self, target, weight, reduction, ignore_index);
  const IntArrayRef expected = nll.keeps_samples() ? target.sizes() : IntArrayRef();
  LANEWISE_CHECK(ShapeError, grad_output.sizes() == expected,
                 "nll_loss_backward: expected a grad_output of shape ", expected, ", found ",
                 grad_output.sizes());
  LANEWISE_CHECK(DtypeError, grad_output.scalar_type() == self.scalar_type(),
                 "nll_loss_backward: grad_output is ", grad_output.scalar_type(), ", input is ",
                 self.scalar_type());
  LANEWISE_CHECK(ShapeError, total_weight.numel() == 1,
                 "nll_loss_backward: expected total_weight to be a single element, found ",
                 total_weight.sizes());
  const Tensor grads = dense(grad_output);
  Tensor result = detail::empty_cpu(self.sizes(), self.scalar_type());
  if (result.nbytes() > 0) std::memset(result.data_ptr(), 0, result.nbytes());
  visit_floating(self.scalar_type(), [&]<class T>() {
    using R = Compute<T>;
    const T* g = grads.const_data_ptr<T>();
    const T* w = weight.defined() ? nll.weight.const_data_ptr<T>() : nullptr;
    T* out = result.data_ptr<T>();
    const R divisor = nll.reduction == Reduction::Mean ? total_weight.item<R>() : R(1);
    nll.each([&](std::int64_t i, std::int64_t c, std::int64_t at) {
      const R scale = w != nullptr ? static_cast<R>(w[c]) : R(1);
      const R grad = static_cast<R>(nll.keeps_samples() ? g[i] : *g);
      out[at] = static_cast<T>(-scale * (grad / divisor));
    });
  });
  return result;
}

}  // namespace lanewise::ops
