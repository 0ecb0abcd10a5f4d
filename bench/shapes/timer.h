#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operands.h"

namespace shapes {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double sum_of(Tensor t) {
  if (t.is_complex()) t = lib::view_as_real(t.contiguous());
  const Tensor wide = t.to(lib::kDouble);
  return lib::where(lib::isfinite(wide), wide, lib::zeros_like(wide)).sum().item<double>();
}

/// Prints the best of some calls, or of the backward passes of their answers.
class Timer {
 public:
  Timer(std::string shape, std::vector<Tensor> differentiated, std::string_view part)
      : shape_(std::move(shape)), differentiated_(std::move(differentiated)), part_(part) {}

  void operator()(const std::string& op, const std::function<Tensor()>& call) const {
    const bool backward = !differentiated_.empty();
    const std::string name = shape_ + " " + op + (backward ? " backward" : "");
    if (name.find(part_) == std::string::npos) return;
    try {
      backward ? run_backward(name, call) : run(name, call);
    } catch (const std::exception&) {
      std::printf("%s\terror\t0\n", name.c_str());  // not defined for the type
    }
  }

 private:
  /// The shortest time that `call` says it took.
  template <class F>
  static double best_of(F call) {
    constexpr int kMost = 30, kLeast = 3;
    constexpr double kSeconds = 0.03;
    double best = INFINITY;
    const auto start = Clock::now();
    for (int i = 0; i < kMost && (i < kLeast || seconds_since(start) < kSeconds); ++i)
      best = std::min(best, call());
    return best;
  }
  static void print(const std::string& name, double seconds, double sum) {
    std::printf("%s\t%.1f\t%.9g\n", name.c_str(), seconds * 1e9, sum);
  }
  static void run(const std::string& name, const std::function<Tensor()>& call) {
    const double sum = sum_of(call());
    print(name, best_of([&] {
            const auto begin = Clock::now();
            const Tensor answer = call();
            return seconds_since(begin);
          }),
          sum);
  }
  void run_backward(const std::string& name, const std::function<Tensor()>& call) const {
    const Tensor first = call();
    if (!first.requires_grad()) return;
    const Tensor grad = laid_out_as(lib::remainder(integers(first.numel()) * 37, 127)
                                        .to(first.scalar_type())
                                        .div(63)
                                        .sub(0.4)
                                        .view(first.sizes()),
                                    first.detach());
    std::vector<Tensor> gradients;
    const double seconds = best_of([&] {
      const Tensor answer = call();
      const auto begin = Clock::now();
      gradients = lib::autograd::grad({answer}, differentiated_, {grad}, {}, false, true);
      return seconds_since(begin);
    });
    double sum = 0;
    for (const Tensor& g : gradients) {
      if (g.defined()) sum += sum_of(g.abs());  // those of a normalization add up to rounding
    }
    print(name, seconds, sum);
  }
  /// The gradient of an op's answer has its layout, as another op's backward would give it.
  static Tensor laid_out_as(const Tensor& t, const Tensor& answer) {
    return lib::empty_like(answer).copy_(t);
  }

  std::string shape_;
  std::vector<Tensor> differentiated_;
  std::string_view part_;
};

}  // namespace shapes
