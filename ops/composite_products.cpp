#include <algorithm>
#include <limits>
#include <vector>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

/// Products of more than two dimensions, brought to mm and bmm.
namespace lanewise {
namespace {

/// The dimensions of `t` that are not among `dims`, in order.
DimVector others(const Tensor& t, IntArrayRef dims) {
  DimVector rest;
  for (std::int64_t d = 0; d < t.dim(); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) rest.push_back(d);
  }
  return rest;
}

DimVector sizes_of(const Tensor& t, IntArrayRef dims) {
  DimVector sizes;
  for (const std::int64_t d : dims) sizes.push_back(t.size(d));
  return sizes;
}

void check_bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
  LANEWISE_CHECK(ShapeError, weight.dim() == 3 && input1.dim() > 0 && input1.dim() == input2.dim(),
                 "bilinear: expected a weight of 3 dimensions and "
                 "inputs of one number of dimensions, found shapes ",
                 weight.sizes(), ", ", input1.sizes(), " and ", input2.sizes());
  for (std::int64_t d = 0; d + 1 < input1.dim(); ++d) {
    LANEWISE_CHECK(ShapeError, input1.size(d) == input2.size(d),
                   "bilinear: input batch dimensions do not match at dim ", d, ": got ", input1.size(d),
                   " and ", input2.size(d));
  }
  LANEWISE_CHECK(ShapeError, input1.size(-1) == weight.size(1),
                 "bilinear: input1 size does not match weight size: got ", input1.size(-1), " but expected ",
                 weight.size(1));
  LANEWISE_CHECK(ShapeError, input2.size(-1) == weight.size(2),
                 "bilinear: input2 size does not match weight size: got ", input2.size(-1), " but expected ",
                 weight.size(2));
  LANEWISE_CHECK(ShapeError, !bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
                 "bilinear: bias size does not match weight size: got ", bias.sizes(), " but expected ",
                 weight.size(0));
}

}  // namespace

Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other) {
  ops::check_defined("tensordot", "self", self, "other", other);
  LANEWISE_CHECK(ShapeError, dims_self.size() == dims_other.size(),
                 "tensordot: both dimension lists should have same length, found ", dims_self, " and ",
                 dims_other);
  LANEWISE_CHECK(DtypeError, self.scalar_type() == other.scalar_type(),
                 "tensordot: both inputs should have same dtype, found ", self.scalar_type(), " and ",
                 other.scalar_type());
  const DimVector mine = wrap_dims("tensordot", dims_self, self.dim()),
                  theirs = wrap_dims("tensordot", dims_other, other.dim());
  Tensor a = self, b = other;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::int64_t n = a.size(mine[i]), m = b.size(theirs[i]);
    // A size of 1 broadcasts: the sum over the other's dimension comes first.
    if (m == 1 && n != 1) {
      a = a.sum(mine[i], true, a.scalar_type());
    } else if (n == 1 && m != 1) {
      b = b.sum(theirs[i], true, b.scalar_type());
    } else {
      LANEWISE_CHECK(ShapeError, n == m,
                     "tensordot: contracted dimensions need to match, but first has size ", n, " in dim ",
                     mine[i], " and second has size ", m, " in dim ", theirs[i]);
    }
  }
  const DimVector rows = others(a, mine), cols = others(b, theirs);
  const DimVector row_sizes = sizes_of(a, rows), col_sizes = sizes_of(b, cols);
  const std::int64_t depth = multiply_integers(sizes_of(a, mine));
  a = a.permute(concatenated(rows, mine)).reshape({multiply_integers(row_sizes), depth});
  b = b.permute(concatenated(theirs, cols)).reshape({depth, multiply_integers(col_sizes)});
  return a.mm(b).reshape(concatenated(row_sizes, col_sizes));
}

Tensor kron(const Tensor& self, const Tensor& other) {
  ops::check_defined("kron", "self", self, "other", other);
  const std::int64_t rank = std::max(self.dim(), other.dim());
  DimVector outer, inner, sizes;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t a = d < rank - self.dim() ? 1 : self.size(d - (rank - self.dim()));
    const std::int64_t b = d < rank - other.dim() ? 1 : other.size(d - (rank - other.dim()));
    outer.push_back(a);
    outer.push_back(1);
    inner.push_back(1);
    inner.push_back(b);
    sizes.push_back(detail::checked_product("kron", a, b));
  }
  // The product follows the layout of its factors: where that is not rows first, the result is a copy.
  const Tensor product = self.reshape(outer) * other.reshape(inner);
  return product.is_contiguous() ? _unsafe_view(product, sizes) : product.reshape(sizes);
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
  ops::check_defined("bilinear", "input1", input1, "input2", input2, "weight", weight);
  check_bilinear(input1, input2, weight, bias);
  const std::int64_t n = multiply_integers(input1.sizes().slice(0, input1.sizes().size() - 1));
  const std::int64_t k = weight.size(0), i = weight.size(1), j = weight.size(2);
  DimVector sizes(input1.sizes());
  sizes.back() = k;
  const Tensor left =
      input1.reshape({n, i}).mm(weight.permute({1, 0, 2}).reshape({i, k * j})).view({n, k, j});
  const Tensor result = left.bmm(input2.reshape({n, j, 1})).reshape(sizes);
  return bias.defined() ? result + bias : result;
}

Tensor matrix_power(const Tensor& self, std::int64_t n) {
  ops::check_defined("matrix_power", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() >= 2,
                 "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
  LANEWISE_CHECK(ShapeError, self.size(-1) == self.size(-2),
                 "linalg.matrix_power: A must be batches of square matrices, but they are ", self.size(-2),
                 " by ", self.size(-1), " matrices");
  if (n < 0) {
    const Tensor inverse = linalg_inv(self);
    // The least number has no negative.
    return n == std::numeric_limits<std::int64_t>::min()
               ? matrix_power(inverse, std::numeric_limits<std::int64_t>::max()).matmul(inverse)
               : matrix_power(inverse, -n);
  }
  if (n == 0)
    return self.clone().copy_(eye(self.size(-1), TensorOptions(self.scalar_type())).expand_as(self));
  if (n == 1) return self.clone();
  if (n == 3) return self.matmul(self).matmul(self);
  Tensor power, result;
  for (std::int64_t rest = n; rest > 0; rest /= 2) {
    power = power.defined() ? power.matmul(power) : self;
    if (rest % 2 != 0) result = result.defined() ? result.matmul(power) : power;
  }
  return result;
}

}  // namespace lanewise
