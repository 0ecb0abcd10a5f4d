#include <lanewise/ops/cat.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

bool is_skipped(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

void check_shape(const Tensor& first, const Tensor& t, std::int64_t dim) {
  bool fits = t.dim() == first.dim();
  for (std::int64_t d = 0; fits && d < t.dim(); ++d) fits = d == dim || t.size(d) == first.size(d);
  LANEWISE_CHECK(ShapeError, fits, "cat: shapes ", first.sizes(), " and ", t.sizes(),
                 " differ outside of dimension ", dim);
}

}  // namespace

Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dim) {
  LANEWISE_CHECK(ValueError, !tensors.empty(), "cat: expected at least one tensor");
  ResultType type;
  const Tensor* first = nullptr;
  for (const Tensor& t : tensors) {
    LANEWISE_CHECK(ShapeError, t.dim() > 0, "cat: a 0-dim tensor has no dimension to join; unsqueeze it");
    type.add(t);
    if (first == nullptr && !is_skipped(t)) first = &t;
  }
  if (first == nullptr) first = &tensors[0];
  const std::int64_t d = wrap_dim("cat", dim, first->dim());
  DimVector sizes(first->sizes());
  std::int64_t& joined = sizes[static_cast<std::size_t>(d)];
  joined = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped(t)) continue;
    check_shape(*first, t, d);
    joined += t.size(d);
  }
  const Tensor result = lanewise::detail::empty_cpu(sizes, type.get());
  std::int64_t start = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped(t)) continue;
    Tensor window = narrow(result, d, start, t.size(d));
    copy_(window, t);
    start += t.size(d);
  }
  return result;
}

}  // namespace lanewise::ops
