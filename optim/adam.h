#pragma once

#include <array>

#include <lanewise/optim/optimizer.h>

namespace lanewise::optim {

/// Settings of Adam and AdamW; each setter returns the options, so that they read as a sentence.
class AdamOptions {
 public:
  explicit AdamOptions(double lr = 1e-3) : lr_(lr) {}

  double lr() const { return lr_; }
  std::array<double, 2> betas() const { return betas_; }
  double eps() const { return eps_; }
  double weight_decay() const { return weight_decay_; }
  bool amsgrad() const { return amsgrad_; }

  AdamOptions& lr(double value) { return lr_ = value, *this; }
  AdamOptions& betas(std::array<double, 2> value) { return betas_ = value, *this; }
  AdamOptions& eps(double value) { return eps_ = value, *this; }
  AdamOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  AdamOptions& amsgrad(bool value) { return amsgrad_ = value, *this; }

 private:
  double lr_;
  std::array<double, 2> betas_ = {0.9, 0.999};
  double eps_ = 1e-8;
  double weight_decay_ = 0;
  bool amsgrad_ = false;
};

/// Settings of AdamW: Adam's, with a weight decay of 0.01.
class AdamWOptions : public AdamOptions {
 public:
  explicit AdamWOptions(double lr = 1e-3) : AdamOptions(lr) { AdamOptions::weight_decay(1e-2); }
  AdamWOptions(const AdamOptions& options) : AdamOptions(options) {}  // NOLINT: a chain of setters ends as AdamOptions
};

/// Adam: step sizes from running means of the gradient and its square, corrected for their start at zero. Weight decay is added to
/// the gradient.
/// Source: D. Kingma, J. Ba, "Adam: a method for stochastic optimization" (2015); amsgrad: S. Reddi, S. Kale, S. Kumar (2018).
class LANEWISE_API Adam : public Optimizer {
 public:
  /// Dtypes   floating parameters
  /// Throws   ValueError for settings out of range (lr, eps, weight_decay >= 0; betas in [0, 1))
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = AdamOptions());

  void step() override;

  /// Settings may change between steps, for schedules.
  AdamOptions& options() { return options_; }

 protected:
  Adam(std::vector<Tensor> parameters, const AdamOptions& options, bool decoupled_weight_decay);

 private:
  struct State {
    std::int64_t step = 0;
    Tensor mean;         // exp_avg
    Tensor square;       // exp_avg_sq
    Tensor largest;      // the largest square so far, for amsgrad
  };
  AdamOptions options_;
  bool decoupled_weight_decay_;
  std::vector<State> states_;
};

/// Adam with weight decay applied to the parameter itself.
/// Source: I. Loshchilov, F. Hutter, "Decoupled weight decay regularization" (2019).
class LANEWISE_API AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = AdamWOptions());
};

}  // namespace lanewise::optim
