#include <algorithm>
#include <functional>
#include <numeric>

#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise {
namespace {

std::int64_t product(IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

DimVector with_tail(IntArrayRef batch, std::int64_t rows, std::int64_t cols) {
  DimVector sizes(batch);
  sizes.push_back(rows);
  sizes.push_back(cols);
  return sizes;
}

IntArrayRef batch_of(const Tensor& t) { return t.sizes().slice(0, t.sizes().size() - 2); }

/// Both have at least two dimensions, one has more.
Tensor batched(const Tensor& self, const Tensor& other) {
  const std::int64_t n = self.size(-2), k = self.size(-1), m = other.size(-1);
  LANEWISE_CHECK(ShapeError, k == other.size(-2), "matmul: shapes ", self.sizes(), " and ", other.sizes(),
                 " do not multiply: ", k, " columns against ", other.size(-2), " rows");
  if (other.dim() == 2) {
    // One big product: the batch joins the rows.
    const DimVector sizes = with_tail(batch_of(self), n, m);
    const Tensor flat = self.reshape({product(batch_of(self)) * n, k}).mm(other);
    return _unsafe_view(flat, sizes);
  }
  const DimVector batch = broadcast_shapes("matmul", batch_of(self), batch_of(other));
  const std::int64_t b = product(batch);
  const Tensor x = self.expand(with_tail(batch, n, k)).reshape({b, n, k});
  const Tensor y = other.expand(with_tail(batch, k, m)).reshape({b, k, m});
  return _unsafe_view(x.bmm(y), with_tail(batch, n, m));
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0 && other.dim() > 0,
                 "matmul: both operands need at least one dimension, found shapes ", self.sizes(), " and ", other.sizes());
  if (self.dim() == 1 && other.dim() == 1) return self.dot(other);
  if (self.dim() == 2 && other.dim() == 2) return self.mm(other);
  if (self.dim() == 2 && other.dim() == 1) return self.mv(other);
  if (self.dim() == 1) return matmul(self.unsqueeze(0), other).squeeze(-2);
  if (other.dim() == 1) return matmul(self, other.unsqueeze(1)).squeeze(-1);
  return batched(self, other);
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (!bias.defined()) return matmul(input, weight.t());
  if (input.dim() == 2 && weight.dim() == 2) return addmm(bias, input, weight.t());
  return matmul(input, weight.t()) + bias;
}

}  // namespace lanewise
