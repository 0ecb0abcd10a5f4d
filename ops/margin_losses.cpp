#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/loss_reduction.h>
#include <lanewise/ops/margin_losses.h>
#include <lanewise/ops/pointwise_losses.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// Scores [samples, classes] in the type that terms are computed in.
struct Scores {
  Tensor self;
  Tensor target;
  std::int64_t samples, classes;

  Scores(const char* op, const Tensor& input, const Tensor& targets, std::int64_t reduction) {
    LANEWISE_CHECK(DtypeError, input.is_floating_point(), op, ": not defined for ", input.scalar_type(),
                   " elements");
    LANEWISE_CHECK(DtypeError, targets.scalar_type() == kLong, op, ": expected an int64 target, found ",
                   targets.scalar_type());
    check_reduction(op, reduction);
    LANEWISE_CHECK(
        ShapeError, input.dim() <= 2 && (input.dim() == 0 || input.sizes().back() > 0), op,
        ": Expected non-empty vector or matrix with optional 0-dim batch size, but got: ", input.sizes());
    samples = input.dim() == 2 ? input.size(0) : 1;
    classes = input.dim() == 0 ? 1 : input.size(-1);
    self = dense(input, kernels::compute_type(input.scalar_type()));
    target = dense(targets);
  }

  template <class F>
  Tensor terms(F f) const {
    Tensor result = detail::empty_cpu({samples}, self.scalar_type());
    const auto fill = [&]<class T>() {
      const T* x = self.const_data_ptr<T>();
      T* term = result.data_ptr<T>();
      parallel_for(0, samples, divup(internal::GRAIN_SIZE, classes),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) term[i] = f(x + i * classes, i);
                   });
    };
    self.scalar_type() == kDouble ? fill.template operator()<double>() : fill.template operator()<float>();
    return result;
  }
};

Tensor reduced(const Tensor& terms, std::int64_t reduction, bool batched, ScalarType dtype) {
  if (reduction == Reduction::None)
    return dense(batched ? terms : detail::make_view(terms, {}, {}, terms.storage_offset()), dtype);
  return dense(reduction == Reduction::Mean ? mean(terms) : sum(terms), dtype);
}

}  // namespace

Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin,
                         const Tensor& weight, std::int64_t reduction) {
  constexpr const char* kOp = "multi_margin_loss";
  LANEWISE_CHECK(ValueError, p.equal(1) || p.equal(2), kOp, ": only p == 1 and p == 2 supported, found ", p);
  const Scores scores(kOp, self, target, reduction);
  LANEWISE_CHECK(ShapeError, target.dim() <= 1 && target.numel() == scores.samples, kOp,
                 ": inconsistent target size, expected ", scores.samples, " but got ", target.sizes());
  LANEWISE_CHECK(ShapeError, !weight.defined() || (weight.dim() <= 1 && weight.numel() == scores.classes),
                 kOp, ": inconsistent weight size, expected ", scores.classes, " but got ", weight.sizes());
  const Tensor w = weight.defined() ? dense(weight, scores.self.scalar_type()) : weight;
  const auto* t = scores.target.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < scores.samples; ++i) {
    LANEWISE_CHECK(IndexError, t[i] >= 0 && t[i] < scores.classes, kOp, ": target out of range: ", t[i],
                   " of ", scores.classes, " classes");
  }
  const bool is_square = p.equal(2);
  const Tensor terms = scores.terms([&]<class T>(const T* x, std::int64_t i) {
    const auto m = static_cast<T>(margin.to<double>());
    const T least = m - x[t[i]];
    T sum = 0;
    const auto add = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) {
        const T z = least + x[c], term = is_square ? z * z : z;
        sum += z <= 0 ? T(0) : term;  // a choice: a jump would go either way
      }
    };
    add(0, t[i]);
    add(t[i] + 1, scores.classes);
    const T scale = w.defined() ? w.const_data_ptr<T>()[t[i]] : T(1);
    return sum * scale / static_cast<T>(scores.classes);
  });
  return reduced(terms, reduction, target.dim() > 0, self.scalar_type());
}

std::tuple<Tensor, Tensor> multilabel_margin_loss_forward(const Tensor& self, const Tensor& target,
                                                          std::int64_t reduction) {
  constexpr const char* kOp = "multilabel_margin_loss";
  const Scores scores(kOp, self, target, reduction);
  LANEWISE_CHECK(ShapeError, target.sizes() == self.sizes(), kOp, ": inconsistent target size ",
                 target.sizes(), " for input of size ", self.sizes());
  const std::int64_t n = scores.classes;
  const auto* t = scores.target.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < scores.samples * n; ++i) {
    LANEWISE_CHECK(IndexError, t[i] >= -1 && t[i] < n, kOp, ": target out of range: ", t[i], " of ", n,
                   " classes");
  }
  Tensor is_target = detail::empty_cpu(self.sizes(), scores.self.scalar_type());
  const Tensor terms = scores.terms([&]<class T>(const T* x, std::int64_t i) {
    T* is = is_target.data_ptr<T>() + i * n;
    const std::int64_t* targets = t + i * n;
    for (std::int64_t c = 0; c < n; ++c) is[c] = 0;
    std::int64_t count = 0;
    for (; count < n && targets[count] >= 0; ++count) is[targets[count]] = 1;
    T sum = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t c = 0; c < n; ++c) {
        const T z = 1 - x[targets[k]] + x[c];
        if (is[c] == 0 && !(z <= 0)) sum += z;
      }
    }
    return sum / static_cast<T>(n);
  });
  return {reduced(terms, reduction, self.dim() == 2, self.scalar_type()),
          dense(is_target, self.scalar_type())};
}

}  // namespace lanewise::ops
