// Determinants, inverses and solutions at sizes around those of panels, against elimination in long double.
#include <cmath>
#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using Wide = std::complex<long double>;

/// Gauss's method on [A | B] in place, with partial pivoting; returns the determinant. B becomes the solution.
Wide eliminate(std::vector<Wide>& a, std::vector<Wide>& b, std::size_t n, std::size_t cols) {
  Wide det = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    for (std::size_t j = 0; j < cols; ++j) std::swap(b[k * cols + j], b[pivot * cols + j]);
    if (pivot != k) det = -det;
    det *= a[k * n + k];
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Wide factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      for (std::size_t j = 0; j < cols; ++j) b[i * cols + j] -= factor * b[k * cols + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < cols; ++j) b[i * cols + j] /= a[i * n + i];
  }
  return det;
}

std::vector<Wide> wide(const Tensor& t) {
  const Tensor z = t.to(kComplexDouble).contiguous();
  const auto* x = z.const_data_ptr<std::complex<double>>();
  return {x, x + z.numel()};
}

/// The largest distance, relative to the largest element expected.
double error_of(const Tensor& found, const std::vector<Wide>& expected) {
  const std::vector<Wide> f = wide(found);
  long double distance = 0, largest = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    distance = std::max(distance, std::abs(f[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return static_cast<double>(distance / largest);
}

TEST(LinearSystems, AgreeWithLongDouble) {
  manual_seed(1);
  for (const ScalarType dtype : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
    const double unit = dtype == kFloat || dtype == kComplexFloat ? 1.2e-7 : 2.3e-16;
    for (const std::int64_t n : {1, 2, 4, 7, 8, 9, 16, 17, 31, 32, 33, 47, 64, 65, 100, 130}) {
      // Well conditioned, and every row moves.
      const double scale = 3 * std::sqrt(static_cast<double>(n));
      const Tensor A = randn({n, n}, dtype) + eye(n, dtype).flip({0}) * scale;
      const Tensor B = randn({n, 3}, dtype);
      const auto size = static_cast<std::size_t>(n);
      std::vector<Wide> a = wide(A), b = wide(B);
      const Wide det = eliminate(a, b, size, 3);
      EXPECT_LE(error_of(linalg_solve(A, B), b), unit * 20 * static_cast<double>(n)) << dtype << " " << n;
      EXPECT_LE(error_of(linalg_solve(A, B.select(1, 1)),
                         [&] {
                           std::vector<Wide> column;
                           for (std::size_t i = 0; i < size; ++i) column.push_back(b[3 * i + 1]);
                           return column;
                         }()),
                unit * 20 * static_cast<double>(n));
      const Wide near_one = det / std::pow(static_cast<long double>(scale), static_cast<long double>(n));
      EXPECT_LE(error_of(linalg_det(A / scale), {near_one}), unit * 20 * static_cast<double>(n))
          << dtype << " " << n;
      a = wide(A);
      std::vector<Wide> unit_matrix = wide(eye(n, dtype));
      eliminate(a, unit_matrix, size, size);
      EXPECT_LE(error_of(inverse(A), unit_matrix), unit * 20 * static_cast<double>(n)) << dtype << " " << n;
    }
  }
}

TEST(LinearSystems, SingularOnesAreFoundAtAnySize) {
  for (const std::int64_t n : {2, 9, 40, 70, 130}) {
    Tensor A = randn({n, n}, kDouble) + eye(n, kDouble) * static_cast<double>(n);
    A.select(1, n / 2).zero_();
    EXPECT_THROW(inverse(A), ValueError);
    EXPECT_THROW(linalg_solve(A, ones({n}, kDouble)), ValueError);
    EXPECT_EQ(linalg_det(A).item<double>(), 0);
  }
}

TEST(LinearSystems, DeterminantsOfSingularMatricesHaveTwoDerivatives) {
  const Tensor a = tensor({1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 1.0}, kDouble).view({3, 3});
  const Tensor both = stack({a, zeros({3, 3}, kDouble), eye(3, kDouble)}).requires_grad_();
  const Tensor once = autograd::grad({linalg_det(both).sum()}, {both}, {}, true, true)[0];
  EXPECT_TRUE(allclose(once.detach(), autograd::grad({linalg_det(both).sum()}, {both})[0]));
  const auto gradient = [](const autograd::variable_list& x) {
    return autograd::variable_list{autograd::grad({linalg_det(x[0]).sum()}, {x[0]}, {}, true, true)[0]};
  };
  const Tensor second = autograd::grad({(once * once).sum()}, {both})[0];
  const double step = 1e-5;
  for (const std::int64_t i : {0, 4, 8, 13, 20}) {
    const auto at = [&](double h) {
      Tensor x = both.detach().clone();
      x.view({-1})[i].add_(h);
      const Tensor g = gradient({x.requires_grad_()})[0].detach();
      return (g * g).sum().item<double>();
    };
    EXPECT_NEAR(second.view({-1})[i].item<double>(), (at(step) - at(-step)) / (2 * step), 1e-5) << i;
  }
}

TEST(LinearSystems, SameBitsForAnyNumberOfThreads) {
  manual_seed(2);
  const Tensor A = randn({3, 200, 200}), B = randn({3, 200, 50});
  const int threads = get_num_threads();
  set_num_threads(1);
  const Tensor one = linalg_solve(A, B), det = linalg_det(A / 14);
  for (const int count : {2, 3, 7}) {
    set_num_threads(count);
    EXPECT_TRUE(equal(one, linalg_solve(A, B)));
    EXPECT_TRUE(equal(one[1], linalg_solve(A[1], B[1])));
    EXPECT_TRUE(equal(det, linalg_det(A / 14)));
  }
  set_num_threads(threads);
}

TEST(Determinant, SecondDerivativesOfMatricesThatRoundingMakesRegular) {
  // The second derivative along I of a 3 x 3 determinant is tr(A) I - A^T, of a 2 x 2 one I.
  const auto second = [](Tensor A) {
    A.requires_grad_(true);
    const Tensor first = autograd::grad({det(A)}, {A}, {}, true, true)[0];
    return autograd::grad({first}, {A}, {eye(A.size(0), kDouble)})[0];
  };
  const Tensor flat = tensor({.1, .7, .3, 2.1}).to(kDouble).reshape({2, 2});
  EXPECT_TRUE(allclose(second(flat), eye(2, kDouble)));
  const Tensor cube = (arange(1, 10, kDouble) / 10).reshape({3, 3});
  const Tensor wanted = cube.trace() * eye(3, kDouble) - cube.t();
  EXPECT_TRUE(allclose(second(cube.detach().clone()), wanted.detach()));
}

}  // namespace
}  // namespace lanewise
