#include <algorithm>
#include <utility>
#include <vector>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/einsum_equation.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise {
namespace {

/// `t` with a dimension for each of the sum, size 1 where it has none; of a letter that comes twice the
/// diagonal is taken.
Tensor aligned(Tensor t, std::vector<std::int64_t> dims, std::int64_t rank) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    for (std::size_t j = dims.size() - 1; j > i; --j) {
      if (dims[i] != dims[j]) continue;
      // The diagonal comes last.
      const auto a = static_cast<std::int64_t>(i);
      t = t.diagonal(0, a, static_cast<std::int64_t>(j)).movedim(-1, a);
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  for (std::int64_t d = 0; d < rank; ++d) {
    if (std::find(dims.begin(), dims.end(), d) != dims.end()) continue;
    t = t.unsqueeze(-1);
    dims.push_back(d);
  }
  DimVector order(static_cast<std::size_t>(rank), 0);
  for (std::size_t i = 0; i < dims.size(); ++i)
    order[static_cast<std::size_t>(dims[i])] = static_cast<std::int64_t>(i);
  return t.permute(order);
}

/// The dimensions of a product of two operands by what becomes of them.
struct PairDims {
  DimVector both, left, right, summed;
};

DimVector operator+(DimVector a, const DimVector& b) {
  for (const std::int64_t d : b) a.push_back(d);
  return a;
}

std::int64_t numel_of(const Tensor& t, const DimVector& dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= t.size(d);
  return n;
}

/// Sums of products of two operands as one bmm; the summed dimensions stay with size 1.
Tensor multiply(const Tensor& a, const Tensor& b, const PairDims& dims) {
  DimVector sizes, order(static_cast<std::size_t>(a.dim()), 0);
  std::int64_t place = 0;
  const auto add = [&](const DimVector& group, const Tensor* sized) {
    for (const std::int64_t d : group) {
      sizes.push_back(sized == nullptr ? 1 : sized->size(d));
      order[static_cast<std::size_t>(d)] = place++;
    }
  };
  add(dims.both, &a);
  add(dims.left, &a);
  add(dims.right, &b);
  add(dims.summed, nullptr);
  const std::int64_t batch = numel_of(a, dims.both), depth = numel_of(a, dims.summed);
  const Tensor left = a.permute(dims.both + dims.left + dims.summed + dims.right)
                          .reshape({batch, numel_of(a, dims.left), depth});
  const Tensor right = b.permute(dims.both + dims.summed + dims.right + dims.left)
                           .reshape({batch, depth, numel_of(b, dims.right)});
  return left.bmm(right).view(sizes).permute(order);
}

/// What the operands have been multiplied to so far.
class Sum {
 public:
  Sum(const ops::EinsumEquation& equation, ArrayRef<Tensor> operands)
      : result_rank_(equation.result_rank), rank_(equation.rank), multiplied_(operands.size() > 1) {
    for (std::size_t i = 0; i < operands.size(); ++i)
      rest_.push_back(aligned(operands[i], equation.operands[i], rank_));
  }

  std::size_t count() const { return rest_.size(); }

  /// Multiplies operands i < j; the product follows the others, or comes first.
  void contract(std::size_t i, std::size_t j, bool first) {
    Tensor a = rest_[i], b = rest_[j];
    rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(j));
    rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(i));
    PairDims dims;
    for (std::int64_t d = 0; d < rank_; ++d) {
      const bool in_a = a.size(d) != 1, in_b = b.size(d) != 1;
      if (d >= result_rank_ && !in_rest(d) && (in_a || in_b)) {
        if (in_a && in_b) {
          dims.summed.push_back(d);
          continue;
        }
        // In one operand only: summed before it is multiplied.
        Tensor& one = in_a ? a : b;
        one = one.sum(d, true);
        dims.left.push_back(d);
        continue;
      }
      (in_a && in_b ? dims.both : in_b ? dims.right : dims.left).push_back(d);
    }
    if (dims.summed.empty()) {
      rest_.insert(first ? rest_.begin() : rest_.end(), a * b);
      return;
    }
    if (is_integral(a.scalar_type(), true) && is_integral(b.scalar_type(), true)) {  // sums of them are int64
      const ScalarType type = promoteTypes(a.scalar_type(), b.scalar_type());
      a = a.to(type);
      b = b.to(type);
    }
    rest_.insert(first ? rest_.begin() : rest_.end(), multiply(a, b, dims));
  }

  /// Of the one operand left.
  Tensor finish() const {
    const Tensor& last = rest_.front();
    if (rank_ == result_rank_) return last;
    DimVector summed;
    for (std::int64_t d = result_rank_; d < rank_; ++d) {
      if (last.size(d) != 1) summed.push_back(d);
    }
    if (summed.empty() && multiplied_) return last.squeeze(tail());
    return last.sum(tail());
  }

 private:
  bool in_rest(std::int64_t d) const {
    return std::any_of(rest_.begin(), rest_.end(), [d](const Tensor& t) { return t.size(d) != 1; });
  }
  DimVector tail() const {
    DimVector dims;
    for (std::int64_t d = result_rank_; d < rank_; ++d) dims.push_back(d);
    return dims;
  }

  std::vector<Tensor> rest_;
  std::int64_t result_rank_, rank_;
  bool multiplied_;
};

}  // namespace

Tensor einsum(std::string_view equation, ArrayRef<Tensor> tensors, OptionalIntArrayRef path) {
  ops::check_defined("einsum", "tensors", tensors);
  LANEWISE_CHECK(ValueError, !tensors.empty(), "einsum: must provide at least one operand");
  Sum sum(ops::read_einsum_equation(equation, tensors), tensors);
  if (!path.has_value()) {
    while (sum.count() > 1) sum.contract(0, 1, true);
    return sum.finish();
  }
  LANEWISE_CHECK(ValueError,
                 path->size() == 2 * (tensors.size() - 1) || (tensors.size() == 1 && path->size() == 1),
                 "einsum: expected contraction path given in path parameter to have size ",
                 2 * (tensors.size() - 1), " but got ", path->size());
  for (std::size_t step = 0; sum.count() > 1; step += 2) {
    const auto [i, j] = std::minmax((*path)[step], (*path)[step + 1]);
    LANEWISE_CHECK(ValueError, 0 <= i && i < j && j < static_cast<std::int64_t>(sum.count()),
                   "einsum: the path's step (", i, ", ", j, ") must name two of the ", sum.count(),
                   " operands that are left");
    sum.contract(static_cast<std::size_t>(i), static_cast<std::size_t>(j), false);
  }
  return sum.finish();
}

}  // namespace lanewise
