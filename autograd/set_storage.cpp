#include <utility>

#include <lanewise/autograd/record.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

Tensor& Tensor::set_(const Storage& source) const {
  const auto itemsize = static_cast<std::int64_t>(asked("set_")->itemsize());
  return set_(source, 0, {static_cast<std::int64_t>(source.nbytes()) / itemsize});
}

Tensor& Tensor::set_(const Storage& source, std::int64_t storage_offset, IntArrayRef size,
                     IntArrayRef stride) const {
  const TensorImpl& own = *asked("set_");
  LANEWISE_CHECK(ValueError, source.unsafeGetStorageImpl() != nullptr, "set_: the storage is null");
  LANEWISE_CHECK(ShapeError, storage_offset >= 0, "set_: Tensor: invalid storage offset ", storage_offset);
  const std::int64_t numel = lanewise::detail::checked_numel("set_", size);
  const bool contiguous = stride.empty() && !size.empty();
  const std::int64_t reach = contiguous ? numel : lanewise::detail::checked_extent("set_", size, stride);
  std::int64_t bytes = 0;
  LANEWISE_CHECK(ShapeError,
                 !__builtin_add_overflow(storage_offset, reach, &bytes) &&
                     !__builtin_mul_overflow(bytes, static_cast<std::int64_t>(own.itemsize()), &bytes),
                 "set_: ", reach, " elements from offset ", storage_offset, " on do not fit any memory");
  autograd::check_inplace(*this, autograd::compute_requires_grad(*this), "set_");
  Storage storage = source;
  if (reach > 0 && static_cast<std::size_t>(bytes) > storage.nbytes())
    storage->resize(static_cast<std::size_t>(bytes));
  TensorImpl* window =
      contiguous ? TensorImpl::create(std::move(storage), own.dtype(), size)
                 : TensorImpl::create(std::move(storage), own.dtype(), size, stride, storage_offset);
  window->set_storage_offset(storage_offset);
  return set_(Tensor(window));
}

}  // namespace lanewise
