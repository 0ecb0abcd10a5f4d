#include <algorithm>
#include <array>

#include "kernel_support.h"

// One step of an optimizer against the textbook formulas in double.

namespace lanewise::test {
namespace {

template <class T>
using Arrays = std::vector<std::vector<T>>;

template <class T>
Arrays<T> random_arrays(std::size_t count, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Arrays<T> arrays(count, std::vector<T>(n));
  for (auto& a : arrays) {
    for (T& x : a) x = moderate_value<T>(random);
  }
  return arrays;
}

/// Runs the kernel in place: outputs are p (and state), inputs are p, grad (and state).
template <class T>
void step_in_place(const ElementwiseKernel& kernel, Arrays<T>& arrays, std::size_t n,
                   std::vector<KernelScalar> params) {
  params.resize(8);
  std::array<char*, kernels::kMaxOperands + 1> data{};
  std::size_t at = 0;
  for (std::size_t k = 0; k < arrays.size(); ++k) {  // all but the gradient are written
    if (k != 1) data[at++] = reinterpret_cast<char*>(arrays[k].data());
  }
  ASSERT_EQ(at, kernel.num_outputs);
  for (auto& a : arrays) data[at++] = reinterpret_cast<char*>(a.data());
  ASSERT_EQ(at, static_cast<std::size_t>(kernel.num_outputs + kernel.num_inputs));
  kernel.fn[type_index<T>()](data.data(), 0, static_cast<std::int64_t>(n), params.data());
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<double>& exact) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], exact[i],
                16 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (8 + std::abs(exact[i])))
        << "element " << i;
  }
}

template <class F>
void for_floats(F f) {
  for_each_isa([&](const KernelTable& table) {
    f.template operator()<float>(table);
    f.template operator()<double>(table);
  });
}

TEST(OptimizerSteps, Sgd) {
  for_floats([]<class T>(const KernelTable& table) {
    for (const std::size_t n : {1, 7, 16, 45}) {
      for (const bool nesterov : {false, true}) {
        for (const bool first : {false, true}) {
          const double lr = 0.1, momentum = 0.9, dampening = 0.25, decay = 0.01;
          Arrays<T> arrays = random_arrays<T>(3, n, 31);
          const Arrays<T> before = arrays;
          step_in_place(
              *table.sgd_step, arrays, n,
              {param(lr), param(momentum), param(dampening), param(decay), param(nesterov), param(first)});
          std::vector<double> p(n), buf(n);
          for (std::size_t i = 0; i < n; ++i) {
            const double p0 = static_cast<double>(before[0][i]), b0 = static_cast<double>(before[2][i]);
            const double g = static_cast<double>(before[1][i]) + decay * p0;
            buf[i] = first ? g : momentum * b0 + (1 - dampening) * g;
            p[i] = p0 - lr * (nesterov ? g + momentum * buf[i] : buf[i]);
          }
          expect_near(arrays[0], p);
          expect_near(arrays[2], buf);
          EXPECT_EQ(arrays[1], before[1]);
        }
      }
      Arrays<T> arrays = random_arrays<T>(2, n, 32);
      const Arrays<T> before = arrays;
      step_in_place(*table.sgd_step_plain, arrays, n, {param(0.1), param(0.02)});
      std::vector<double> p(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double p0 = static_cast<double>(before[0][i]);
        p[i] = p0 - 0.1 * (static_cast<double>(before[1][i]) + 0.02 * p0);
      }
      expect_near(arrays[0], p);
    }
  });
}

TEST(OptimizerSteps, Adam) {
  for_floats([]<class T>(const KernelTable& table) {
    for (const std::size_t n : {1, 7, 16, 45}) {
      for (const bool decoupled : {false, true}) {
        for (const bool amsgrad : {false, true}) {
          const double lr = 0.01, beta1 = 0.9, beta2 = 0.99, eps = 1e-3, decay = 0.05, step = 3;
          const double correction1 = 1 - std::pow(beta1, step), correction2 = 1 - std::pow(beta2, step);
          Arrays<T> arrays = random_arrays<T>(amsgrad ? 5 : 4, n, 33);
          for (std::size_t k = 3; k < arrays.size(); ++k) {
            for (T& x : arrays[k]) x = std::abs(x);
          }
          const Arrays<T> before = arrays;
          step_in_place(amsgrad ? *table.adam_step_amsgrad : *table.adam_step, arrays, n,
                        {param(lr), param(beta1), param(beta2), param(eps), param(decay), param(decoupled),
                         param(correction1), param(correction2)});
          std::vector<double> p(n), m(n), v(n), vmax(n);
          for (std::size_t i = 0; i < n; ++i) {
            double p0 = static_cast<double>(before[0][i]);
            double g = static_cast<double>(before[1][i]);
            if (decoupled) {
              p0 *= 1 - lr * decay;
            } else {
              g += decay * p0;
            }
            m[i] = beta1 * static_cast<double>(before[2][i]) + (1 - beta1) * g;
            v[i] = beta2 * static_cast<double>(before[3][i]) + (1 - beta2) * g * g;
            vmax[i] = amsgrad ? std::max(static_cast<double>(before[4][i]), v[i]) : v[i];
            p[i] = p0 - lr / correction1 * m[i] / (std::sqrt(vmax[i]) / std::sqrt(correction2) + eps);
          }
          expect_near(arrays[0], p);
          expect_near(arrays[2], m);
          expect_near(arrays[3], v);
          if (amsgrad) expect_near(arrays[4], vmax);
        }
      }
    }
  });
}

}  // namespace
}  // namespace lanewise::test
