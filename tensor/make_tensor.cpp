#include <algorithm>
#include <complex>
#include <utility>

#include <lanewise/tensor/dimension_order.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::detail {

std::size_t checked_nbytes(const char* op, std::int64_t numel, IntArrayRef sizes, std::size_t itemsize) {
  LANEWISE_CHECK(DtypeError, itemsize != 0, op, ": dtype Undefined; it is that of an undefined tensor");
  std::int64_t bytes = 0;
  LANEWISE_CHECK(ShapeError, !__builtin_mul_overflow(numel, static_cast<std::int64_t>(itemsize), &bytes), op,
                 ": a tensor of sizes ", sizes, " does not fit in the address space");
  return static_cast<std::size_t>(bytes);
}

std::int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides) {
  LANEWISE_CHECK(ShapeError, sizes.size() == strides.size(), op, ": ", sizes.size(), " sizes ", sizes,
                 " came with ", strides.size(), " strides ", strides);
  const std::int64_t numel = checked_numel(op, sizes);
  std::int64_t extent = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    LANEWISE_CHECK(ShapeError, strides[d] >= 0, op, ": stride ", strides[d], " in ", strides, " is negative");
    std::int64_t reach = 0;
    LANEWISE_CHECK(ShapeError,
                   numel == 0 || (!__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) &&
                                  !__builtin_add_overflow(extent, reach, &extent)),
                   op, ": sizes ", sizes, " with strides ", strides, " reach further than int64");
  }
  return numel == 0 ? 0 : extent;
}

std::int64_t checked_numel(const char* op, IntArrayRef sizes) {
  std::int64_t numel = 1;
  bool overflow = false;
  bool empty = false;
  for (const std::int64_t size : sizes) {
    LANEWISE_CHECK(ShapeError, size >= 0, op, ": Trying to create tensor with negative dimension ", size,
                   ": ", sizes);
    overflow |= __builtin_mul_overflow(numel, size, &numel);
    empty |= size == 0;
  }
  if (__builtin_expect(empty, 0)) return 0;
  LANEWISE_CHECK(ShapeError, !overflow, op, ": a tensor of sizes ", sizes,
                 " has more elements than fit in int64");
  return numel;
}

std::int64_t checked_sum(const char* op, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  LANEWISE_CHECK(ShapeError, !__builtin_add_overflow(a, b, &sum), op, ": ", a, " + ", b,
                 " elements are more than fit in int64");
  return sum;
}

std::int64_t checked_product(const char* op, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  LANEWISE_CHECK(ShapeError, !__builtin_mul_overflow(a, b, &product), op, ": ", a, " * ", b,
                 " elements are more than fit in int64");
  return product;
}

Tensor empty_cpu(IntArrayRef sizes, ScalarType dtype) {
  const std::int64_t numel = checked_numel("empty", sizes);
  Storage storage(StorageImpl::create(checked_nbytes("empty", numel, sizes, element_size(dtype))));
  return Tensor(TensorImpl::create(std::move(storage), dtype, sizes));
}

Tensor empty_contiguous_like(const TensorImpl& like, ScalarType dtype) {
  Storage storage(
      StorageImpl::create(checked_nbytes("empty", like.numel(), like.sizes(), element_size(dtype))));
  return Tensor(TensorImpl::create_like(std::move(storage), dtype, like));
}

Tensor empty_strided_cpu(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  const std::int64_t extent = checked_extent("empty_strided", sizes, strides);
  Storage storage(StorageImpl::create(checked_nbytes("empty_strided", extent, sizes, element_size(dtype))));
  return Tensor(TensorImpl::create(std::move(storage), dtype, sizes, strides, 0));
}

Tensor empty_like_cpu(const Tensor& like, ScalarType dtype) {
  const TensorImpl* impl = like.unsafeGetTensorImpl();
  if (impl->has_default_strides()) return empty_contiguous_like(*impl, dtype);
  if (impl->is_non_overlapping_and_dense()) return empty_strided_cpu(impl->sizes(), impl->strides(), dtype);
  // As PyTorch does for strided inputs: the same order of dimensions, without the gaps.
  const IntArrayRef sizes = impl->sizes();
  const IntArrayRef strides = impl->strides();
  DimVector order(sizes.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<std::int64_t>(order.size() - 1 - d);
  sort_dimensions(order, [&](std::int64_t a, std::int64_t b) {
    if (strides[a] == 0 || strides[b] == 0) return 0;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    return sizes[a] > sizes[b] ? 1 : 0;
  });
  DimVector dense(sizes.size());
  std::int64_t stride = 1;
  for (const std::int64_t d : order) {
    dense[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[d], 1), &stride))
      stride = 1;  // only if empty
  }
  return empty_strided_cpu(sizes, dense, dtype);
}

Tensor make_view(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset) {
  return make_view(base, sizes, strides, storage_offset, base.scalar_type());
}

Tensor make_view(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset,
                 ScalarType dtype) {
  TensorImpl* impl = TensorImpl::create(Storage(base.storage()), dtype, sizes, strides, storage_offset);
  Tensor view(impl);
  const TensorImpl* from = base.unsafeGetTensorImpl();
  if (__builtin_expect(from->has_own_version(), 0)) impl->share_version(*from);
  impl->set_inference(from->is_inference());
  return view;
}

Tensor make_alias(const Tensor& base, bool share_version) {
  Tensor alias = make_view(base, base.sizes(), base.strides(), base.storage_offset());
  alias.unsafeGetTensorImpl()->set_wrapped_number(base.is_wrapped_number());
  if (!share_version) alias.unsafeGetTensorImpl()->own_version(0);
  return alias;
}

Tensor wrapped_number(const Scalar& value) {
  Tensor t = empty_cpu({}, value.type());
  switch (value.type()) {
    case kBool: *static_cast<bool*>(t.data_ptr()) = value.to_unchecked<bool>(); break;
    case kLong: *static_cast<std::int64_t*>(t.data_ptr()) = value.to_unchecked<std::int64_t>(); break;
    case kDouble: *static_cast<double*>(t.data_ptr()) = value.to_unchecked<double>(); break;
    default:
      *static_cast<std::complex<double>*>(t.data_ptr()) = value.to_unchecked<std::complex<double>>();
      break;
  }
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

namespace {

/// Bytes of storage that `extent` elements behind the tensor's offset reach.
std::size_t bytes_up_to(const char* op, const Tensor& out, std::int64_t extent, IntArrayRef sizes) {
  LANEWISE_CHECK(ValueError, out.defined(), op, ": the tensor is undefined");
  const TensorImpl& impl = *out.unsafeGetTensorImpl();
  std::int64_t end = 0;
  LANEWISE_CHECK(ShapeError, !__builtin_add_overflow(extent, extent == 0 ? 0 : impl.storage_offset(), &end),
                 op, ": sizes ", sizes, " reach further than int64");
  return checked_nbytes(op, end, sizes, impl.itemsize());
}

}  // namespace

void resize_cpu(Tensor& out, IntArrayRef sizes) {
  const std::size_t bytes = bytes_up_to("resize", out, checked_numel("resize", sizes), sizes);
  TensorImpl* impl = out.unsafeGetTensorImpl();
  impl->storage()->resize(bytes);
  impl->set_sizes_contiguous(sizes);
}

void resize_cpu(Tensor& out, IntArrayRef sizes, IntArrayRef strides) {
  const std::size_t bytes = bytes_up_to("resize", out, checked_extent("resize", sizes, strides), sizes);
  TensorImpl* impl = out.unsafeGetTensorImpl();
  impl->storage()->resize(bytes);
  impl->set_sizes_and_strides(sizes, strides);
}

void check_resizable(const char* op, const Tensor& out, IntArrayRef sizes) {
  const std::size_t bytes = bytes_up_to(op, out, checked_numel(op, sizes), sizes);
  const Storage& storage = out.storage();
  LANEWISE_CHECK(
      StorageError, storage->resizable() || bytes <= storage.nbytes(), op, ": out of shape ", out.sizes(),
      " lies in memory that was given from outside, which cannot grow for the result of shape ", sizes);
}

}  // namespace lanewise::detail
