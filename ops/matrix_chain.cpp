#include <limits>
#include <vector>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/tensor/errors.h>

/// Products of several matrices, in the order that multiplies the least.
/// Source: T. Cormen, C. Leiserson, R. Rivest, C. Stein, Introduction to Algorithms, 3rd ed. (2009),
/// section 15.2.
namespace lanewise {
namespace {

/// [i][j] of a chain i ... j: the last matrix of its left factor.
using Splits = std::vector<std::vector<std::size_t>>;

Splits best_splits(const std::vector<Tensor>& chain) {
  const std::size_t n = chain.size();
  std::vector<double> size{static_cast<double>(chain[0].size(0))};
  for (const Tensor& t : chain) size.push_back(static_cast<double>(t.size(1)));
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  Splits split(n, std::vector<std::size_t>(n, 0));
  for (std::size_t length = 1; length < n; ++length) {
    for (std::size_t i = 0; i + length < n; ++i) {
      const std::size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double now = cost[i][k] + cost[k + 1][j] + size[i] * size[k + 1] * size[j + 1];
        if (now < cost[i][j]) {
          cost[i][j] = now;
          split[i][j] = k;
        }
      }
    }
  }
  return split;
}

Tensor multiply(const std::vector<Tensor>& chain, const Splits& split, std::size_t i, std::size_t j) {
  if (i == j) return chain[i];
  const std::size_t k = split[i][j];
  return multiply(chain, split, i, k).mm(multiply(chain, split, k + 1, j));
}

Tensor chain_product(const char* op, std::vector<Tensor> chain) {
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    LANEWISE_CHECK(ShapeError, chain[i].size(1) == chain[i + 1].size(0), op, ": tensors ", i, " and ", i + 1,
                   " with shapes ", chain[i].sizes(), " and ", chain[i + 1].sizes(), " cannot be multiplied");
  }
  return multiply(chain, best_splits(chain), 0, chain.size() - 1);
}

}  // namespace

Tensor linalg_multi_dot(ArrayRef<Tensor> tensors) {
  ops::check_defined("linalg_multi_dot", "tensors", tensors);
  const std::size_t n = tensors.size();
  LANEWISE_CHECK(ValueError, n >= 2, "multi_dot: expected at least 2 tensors but got ", n);
  std::vector<Tensor> chain(tensors.begin(), tensors.end());
  for (std::size_t i = 0; i < n; ++i) {
    const bool end = i == 0 || i + 1 == n;
    LANEWISE_CHECK(ShapeError, chain[i].dim() == 2 || (end && chain[i].dim() == 1), "multi_dot: tensor ", i,
                   " must be ", end ? "1D or 2D" : "2D", " but got ", chain[i].dim(), "D");
    LANEWISE_CHECK(DtypeError, chain[i].scalar_type() == chain[0].scalar_type(),
                   "multi_dot: all tensors must be the same dtype but tensor 0 is ", chain[0].scalar_type(),
                   " and tensor ", i, " is ", chain[i].scalar_type());
  }
  DimVector sizes;
  if (chain.front().dim() == 1) {
    chain.front() = chain.front().unsqueeze(0);
  } else {
    sizes.push_back(chain.front().size(0));
  }
  if (chain.back().dim() == 1) {
    chain.back() = chain.back().unsqueeze(-1);
  } else {
    sizes.push_back(chain.back().size(1));
  }
  return chain_product("multi_dot", std::move(chain)).view(sizes);
}

Tensor chain_matmul(ArrayRef<Tensor> matrices) {
  ops::check_defined("chain_matmul", "matrices", matrices);
  LANEWISE_CHECK(ValueError, !matrices.empty(), "chain_matmul: Expecting at least one matrix");
  for (const Tensor& t : matrices) {
    LANEWISE_CHECK(ShapeError, t.dim() == 2, "chain_matmul: Tensor dimension is ", t.dim(),
                   ", expected 2 instead.");
  }
  return matrices.size() == 1 ? matrices[0].clone() : linalg_multi_dot(matrices);
}

}  // namespace lanewise
