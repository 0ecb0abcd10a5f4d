#include <algorithm>
#include <optional>
#include <string_view>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

/// Quantiles and classes, put together from other public ops.
namespace lanewise {
namespace {

enum class Between { Linear, Lower, Higher, Midpoint, Nearest };

Between between_of(const char* op, std::string_view name) {
  if (name == "linear") return Between::Linear;
  if (name == "lower") return Between::Lower;
  if (name == "higher") return Between::Higher;
  if (name == "midpoint") return Between::Midpoint;
  LANEWISE_CHECK(ValueError, name == "nearest", op,
                 "() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ",
                 name);
  return Between::Nearest;
}

void check_quantile(const char* op, const Tensor& self, const Tensor& q) {
  LANEWISE_CHECK(ShapeError, self.numel() > 0, op, "() input tensor must be non-empty, found shape ",
                 self.sizes());
  LANEWISE_CHECK(ShapeError, q.dim() <= 1, op, "() q must be a scalar or 1D tensor, found shape ", q.sizes());
  LANEWISE_CHECK(DtypeError, self.scalar_type() == kFloat || self.scalar_type() == kDouble, op,
                 "() input tensor must be either float or double dtype, found ", self.scalar_type());
  LANEWISE_CHECK(DtypeError, self.scalar_type() == q.scalar_type(), op,
                 "() q tensor must be same dtype as the input tensor, found ", q.scalar_type(), " and ",
                 self.scalar_type());
  LANEWISE_CHECK(ValueError, logical_and(q >= 0, q <= 1).all().item<bool>(), op,
                 "() q values must be in the range [0, 1]");
}

/// Where the quantiles of sorted rows lie. A row with NaN, which stands at its end, gives NaN; or NaN counts
/// as absent, and a row of nothing else gives NaN.
Tensor ranks_of(const Tensor& sorted, const Tensor& q, bool ignore_nan) {
  const Tensor nan = sorted.isnan();
  if (ignore_nan) {
    const Tensor ranks = q * (nan.logical_not().sum({-1}, true) - 1);
    return ranks.masked_fill(ranks < 0, 0);
  }
  const std::int64_t last = sorted.size(-1) - 1;
  const auto both = broadcast_tensors({q * last, nan.any(-1, true)});
  return both[0].masked_fill(both[1], last);
}

Tensor quantile_of(const char* op, const Tensor& self, const Tensor& q, std::optional<std::int64_t> dim,
                   bool keepdim, std::string_view interpolation, bool ignore_nan) {
  check_quantile(op, self, q);
  const Between between = between_of(op, interpolation);
  const std::int64_t d = wrap_dim(op, dim.value_or(0), self.dim());
  DimVector rows;  // the shape of the result without q, then an element's row
  if (dim && self.dim() > 0) {
    rows = DimVector(self.sizes());
    if (keepdim) {
      rows[static_cast<std::size_t>(d)] = 1;
    } else {
      rows.erase(rows.begin() + d);
    }
  } else if (keepdim) {
    rows.assign(static_cast<std::size_t>(self.dim()), 1);
  }
  Tensor sorted = dim ? self.unsqueeze(-1).transpose(d, -1) : self.flatten();
  sorted = std::get<0>(sorted.sort());
  rows.push_back(sorted.size(-1));
  sorted = sorted.view(rows);

  // In the type of self, as PyTorch has them, where that holds every rank.
  constexpr std::int64_t kRanksOfFloat = 1 << 24;
  Tensor ranks = ranks_of(sorted, sorted.size(-1) > kRanksOfFloat ? q.to(kDouble) : q, ignore_nan);
  if (between == Between::Lower) ranks = ranks.floor();
  if (between == Between::Higher) ranks = ranks.ceil();
  if (between == Between::Nearest) ranks = ranks.round();
  const Tensor below = ranks.to(kLong);
  Tensor values = sorted.gather(-1, below);
  if (between == Between::Linear || between == Between::Midpoint) {
    const Tensor weights = between == Between::Midpoint ? full_like(ranks, 0.5) : ranks - below;
    values = values.lerp(sorted.gather(-1, ranks.ceil().to(kLong)), weights.to(self.scalar_type()));
  }
  // In place, so that the result is no view.
  return q.dim() == 0 ? values.squeeze_(-1) : values.unsqueeze_(0).transpose_(0, -1).squeeze_(-1);
}

Tensor quantile_at(const char* op, const Tensor& self, double q, std::optional<std::int64_t> dim,
                   bool keepdim, std::string_view interpolation, bool ignore_nan) {
  LANEWISE_CHECK(ValueError, q >= 0 && q <= 1, op, "() q must be in the range [0, 1] but got ", q);
  return quantile_of(op, self, full({}, q, self.options()), dim, keepdim, interpolation, ignore_nan);
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  ops::check_defined("quantile", "self", self, "q", q);
  return quantile_of("quantile", self, q, dim, keepdim, interpolation, false);
}

Tensor quantile(const Tensor& self, double q, std::optional<std::int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  ops::check_defined("quantile", "self", self);
  return quantile_at("quantile", self, q, dim, keepdim, interpolation, false);
}

Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  ops::check_defined("nanquantile", "self", self, "q", q);
  return quantile_of("nanquantile", self, q, dim, keepdim, interpolation, true);
}

Tensor nanquantile(const Tensor& self, double q, std::optional<std::int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  ops::check_defined("nanquantile", "self", self);
  return quantile_at("nanquantile", self, q, dim, keepdim, interpolation, true);
}

Tensor one_hot(const Tensor& self, std::int64_t num_classes) {
  ops::check_defined("one_hot", "self", self);
  LANEWISE_CHECK(DtypeError, self.scalar_type() == kLong,
                 "one_hot: only applicable to an index tensor of int64, found ", self.scalar_type());
  DimVector sizes(self.sizes());
  if (self.numel() == 0) {
    LANEWISE_CHECK(ValueError, num_classes > 0,
                   "one_hot: Can not infer total number of classes from empty tensor; pass num_classes");
  } else {
    LANEWISE_CHECK(ValueError, self.min().item<std::int64_t>() >= 0,
                   "one_hot: Class values must be non-negative.");
    const std::int64_t largest = self.max().item<std::int64_t>();
    if (num_classes == -1) num_classes = largest + 1;
    LANEWISE_CHECK(ValueError, num_classes > largest,
                   "one_hot: Class values must be smaller than num_classes: ", largest, " against ",
                   num_classes);
  }
  sizes.push_back(num_classes);
  Tensor result = zeros(sizes, kLong);
  if (self.numel() > 0) result.scatter_(-1, self.unsqueeze(-1), 1);
  return result;
}

}  // namespace lanewise
