#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/tensor_flatten.h>

namespace lanewise {

Tensor utils::flatten_dense_tensors(TensorList tensors) {
  std::vector<Tensor> lines;
  lines.reserve(tensors.size());
  for (const Tensor& t : tensors) {
    LANEWISE_CHECK(DtypeError, t.scalar_type() == tensors[0].scalar_type(),
                   "flatten_dense_tensors: expected tensors of one dtype, found ", tensors[0].scalar_type(),
                   " and ", t.scalar_type(), "; convert them with to()");
    lines.push_back(t.contiguous().view({t.numel()}));
  }
  return cat(lines);
}

std::vector<Tensor> utils::unflatten_dense_tensors(const Tensor& flat, TensorList tensors) {
  LANEWISE_CHECK(ShapeError, flat.dim() == 1, "unflatten_dense_tensors: expected a vector, found shape ",
                 flat.sizes());
  std::vector<Tensor> parts;
  parts.reserve(tensors.size());
  std::int64_t offset = 0;
  for (const Tensor& t : tensors) {
    if (t.numel() == 0) {
      parts.push_back(empty(t.sizes(), flat.options()));
      continue;
    }
    LANEWISE_CHECK(ShapeError, t.numel() <= flat.numel() - offset, "unflatten_dense_tensors: flat has ",
                   flat.numel(), " elements, the first ", parts.size() + 1, " tensors have more");
    parts.push_back(flat.narrow(0, offset, t.numel()).view(t.sizes()));
    offset += t.numel();
  }
  return parts;
}

}  // namespace lanewise
