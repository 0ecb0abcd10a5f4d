#include "bench/check.h"

#include <algorithm>
#include <cmath>

#include <lanewise/lanewise.h>

namespace lanewise::tools {
namespace {

double excused(ScalarType dtype) {
  switch (dtype) {
    case kBFloat16: return 2e-2;
    case kHalf: return 4e-3;
    case kFloat:
    case kComplexFloat: return 1e-4;
    case kDouble:
    case kComplexDouble: return 1e-10;
    default: return 0;
  }
}

/// As numbers in double precision: a complex tensor has twice as many.
Tensor plain(const Tensor& t) {
  return (is_complex(t.scalar_type()) ? view_as_real(t.to(kComplexDouble)) : t.to(kDouble)).contiguous();
}

}  // namespace

double check(const std::string& what, ScalarType dtype, const std::vector<Tensor>& found,
             const std::vector<Tensor>& exact) {
  LANEWISE_CHECK(Error, found.size() == exact.size(), what, ": ", found.size(),
                 " results, the reference has ", exact.size());
  double worst = 0;
  for (std::size_t r = 0; r < found.size(); ++r) {
    LANEWISE_CHECK(Error, found[r].sizes() == exact[r].sizes(), what, ": result of shape ", found[r].sizes(),
                   ", the reference has ", exact[r].sizes());
    const Tensor a = plain(found[r]), b = plain(exact[r]);
    const double *x = a.data_ptr<double>(), *y = b.data_ptr<double>();
    double largest = 1e-30;
    for (std::int64_t i = 0; i < b.numel(); ++i) {
      if (std::isfinite(y[i])) largest = std::max(largest, std::fabs(y[i]));
    }
    for (std::int64_t i = 0; i < b.numel(); ++i) {
      const bool special = !std::isfinite(x[i]) || !std::isfinite(y[i]);
      if (special && (std::isnan(x[i]) ? std::isnan(y[i]) : x[i] == y[i])) continue;
      const double error = special ? INFINITY : std::fabs(x[i] - y[i]) / largest;
      worst = std::max(worst, error);
      LANEWISE_CHECK(Error, error <= excused(dtype), what, ": wrong answer: element ", i, " of result ", r,
                     " is ", x[i], ", the reference has ", y[i]);
    }
  }
  return worst;
}

}  // namespace lanewise::tools
