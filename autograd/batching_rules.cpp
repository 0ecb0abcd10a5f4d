#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/batching_rules.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::autograd::batching::rules {
namespace {

DimVector with_batch(const Batch& batch, IntArrayRef sizes) {
  DimVector all{batch.size()};
  for (const std::int64_t size : sizes) all.push_back(size);
  return all;
}

}  // namespace

Tensor view(const Tensor& self, IntArrayRef size) {
  const Batch batch({&self});
  return batch.wrap(batch.front(0).view(with_batch(batch, size)));
}

Tensor _unsafe_view(const Tensor& self, IntArrayRef size) {
  const Batch batch({&self});
  return batch.wrap(batch.front(0).reshape(with_batch(batch, size)));
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  const Batch batch({&self});
  DimVector order{0};
  for (const std::int64_t d : dims) order.push_back(in_value("permute", d, self.dim()));
  return batch.wrap(batch.front(0).permute(order));
}

Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1) {
  const Batch batch({&self});
  const std::int64_t a = in_value("transpose", dim0, self.dim()), b = in_value("transpose", dim1, self.dim());
  return batch.wrap(self.dim() == 0 ? batch.front(0) : batch.front(0).transpose(a, b));
}

Tensor t(const Tensor& self) {
  LANEWISE_CHECK(ShapeError, self.dim() <= 2, "t: expects a tensor with <= 2 dimensions, found shape ",
                 self.sizes());
  const Batch batch({&self});
  return batch.wrap(self.dim() == 2 ? batch.front(0).transpose(1, 2) : batch.front(0));
}

Tensor expand(const Tensor& self, IntArrayRef size, bool /*implicit*/) {
  const Batch batch({&self});
  Tensor value = batch.front(0);
  for (std::size_t d = self.sizes().size(); d < size.size(); ++d) value = value.unsqueeze(1);
  return batch.wrap(value.expand(with_batch(batch, size)));
}

Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index) {
  LANEWISE_CHECK(IndexError, self.dim() > 0, "select: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return batch.wrap(batch.front(0).select(in_value("select", dim, self.dim()), index));
}

namespace {

std::vector<Tensor> wrap_each(const Batch& batch, std::vector<Tensor> parts) {
  for (Tensor& part : parts) part = batch.wrap(part);
  return parts;
}

}  // namespace

std::vector<Tensor> split(const Tensor& self, std::int64_t split_size, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "split: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return wrap_each(batch, batch.front(0).split(split_size, in_value("split", dim, self.dim())));
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "split_with_sizes: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return wrap_each(
      batch, batch.front(0).split_with_sizes(split_sizes, in_value("split_with_sizes", dim, self.dim())));
}

std::vector<Tensor> unsafe_split(const Tensor& self, std::int64_t split_size, std::int64_t dim) {
  return rules::split(self, split_size, dim);
}
std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim) {
  return rules::split_with_sizes(self, split_sizes, dim);
}

std::vector<Tensor> unbind(const Tensor& self, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "unbind: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return wrap_each(batch, batch.front(0).unbind(in_value("unbind", dim, self.dim())));
}

Tensor slice(const Tensor& self, std::int64_t dim, std::optional<std::int64_t> start,
             std::optional<std::int64_t> end, std::int64_t step) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "slice: cannot be applied to a 0-dim tensor");
  const Batch batch({&self});
  return batch.wrap(batch.front(0).slice(in_value("slice", dim, self.dim()), start, end, step));
}

Tensor squeeze(const Tensor& self) {
  DimVector ones;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1) ones.push_back(static_cast<std::int64_t>(d));
  }
  return rules::squeeze(self, IntArrayRef(ones));
}

Tensor squeeze(const Tensor& self, std::int64_t dim) {
  const Batch batch({&self});
  const std::int64_t d = in_value("squeeze", dim, self.dim());
  return batch.wrap(self.dim() == 0 ? batch.front(0) : batch.front(0).squeeze(d));
}

Tensor squeeze(const Tensor& self, IntArrayRef dim) {
  const Batch batch({&self});
  DimVector dims;
  for (const std::int64_t d : dim) dims.push_back(in_value("squeeze", d, self.dim()));
  return batch.wrap(self.dim() == 0 || dims.empty() ? batch.front(0)
                                                    : batch.front(0).squeeze(IntArrayRef(dims)));
}

Tensor unsqueeze(const Tensor& self, std::int64_t dim) {
  const Batch batch({&self});
  return batch.wrap(batch.front(0).unsqueeze(in_value("unsqueeze", dim, self.dim() + 1)));
}

namespace {

/// self becomes what `view` is of it.
void look_as(Tensor& self, const Tensor& view) {
  const DimVector sizes(view.sizes()), strides(view.strides());
  self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  copy_batch(view, self);
}

}  // namespace

void squeeze_(Tensor& self) { look_as(self, rules::squeeze(self)); }
void squeeze_(Tensor& self, std::int64_t dim) { look_as(self, rules::squeeze(self, dim)); }
void squeeze_(Tensor& self, IntArrayRef dim) { look_as(self, rules::squeeze(self, dim)); }
void unsqueeze_(Tensor& self, std::int64_t dim) { look_as(self, rules::unsqueeze(self, dim)); }
void transpose_(Tensor& self, std::int64_t dim0, std::int64_t dim1) {
  look_as(self, rules::transpose(self, dim0, dim1));
}
void t_(Tensor& self) { look_as(self, rules::t(self)); }

Tensor diagonal(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  const Batch batch({&self});
  return batch.wrap(batch.front(0).diagonal(offset, in_value("diagonal", dim1, self.dim()),
                                            in_value("diagonal", dim2, self.dim())));
}

Tensor unfold(const Tensor& self, std::int64_t dimension, std::int64_t size, std::int64_t step) {
  LANEWISE_CHECK(NotImplementedError, self.dim() > 0,
                 "unfold: vmap: has no batching rule for slices without dimensions");
  const Batch batch({&self});
  return batch.wrap(batch.front(0).unfold(in_value("unfold", dimension, self.dim()), size, step));
}

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<std::int64_t> storage_offset) {
  const Batch batch({&self});
  const Tensor value = batch.front(0);
  DimVector strides{value.stride(0)};
  for (const std::int64_t s : stride) strides.push_back(s);
  return batch.wrap(
      value.as_strided(with_batch(batch, size), strides, storage_offset.value_or(self.storage_offset())));
}

Tensor view_as_real(const Tensor& self) {
  const Batch batch({&self});
  return batch.wrap(lanewise::view_as_real(batch.front(0)));
}

Tensor view_as_complex(const Tensor& self) {
  const Batch batch({&self});
  return batch.wrap(lanewise::view_as_complex(batch.front(0)));
}

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                       std::int64_t index) {
  const Batch batch({&grad_output});
  const std::int64_t d = in_value("select", dim, static_cast<std::int64_t>(input_sizes.size()));
  return batch.wrap(lanewise::select_backward(batch.front(0), with_batch(batch, input_sizes), d, index));
}

Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                      std::int64_t start, std::int64_t end, std::int64_t step) {
  const Batch batch({&grad_output});
  const std::int64_t d = in_value("slice", dim, static_cast<std::int64_t>(input_sizes.size()));
  return batch.wrap(
      lanewise::slice_backward(batch.front(0), with_batch(batch, input_sizes), d, start, end, step));
}

Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t offset,
                         std::int64_t dim1, std::int64_t dim2) {
  const Batch batch({&grad_output});
  const auto rank = static_cast<std::int64_t>(input_sizes.size());
  return batch.wrap(lanewise::diagonal_backward(batch.front(0), with_batch(batch, input_sizes), offset,
                                                in_value("diagonal", dim1, rank),
                                                in_value("diagonal", dim2, rank)));
}

Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dim) {
  const Batch batch({}, tensors);
  std::vector<Tensor> values;
  std::int64_t rank = 1;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    // An empty vector is skipped by cat whatever the other shapes.
    if (tensors[i].dim() == 1 && tensors[i].numel() == 0) continue;
    values.push_back(batch.expanded(i));
    rank = tensors[i].dim();
  }
  if (values.empty()) values.push_back(batch.expanded(0));
  return batch.wrap(lanewise::cat(values, in_value("cat", dim, rank)));
}

Tensor stack(ArrayRef<Tensor> tensors, std::int64_t dim) {
  const Batch batch({}, tensors);
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < batch.count(); ++i) values.push_back(batch.expanded(i));
  return batch.wrap(lanewise::stack(values, in_value("stack", dim, tensors[0].dim() + 1)));
}

}  // namespace lanewise::autograd::batching::rules
