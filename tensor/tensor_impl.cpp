#include <algorithm>
#include <cstring>
#include <new>

#include <lanewise/tensor/detail/block_cache.h>
#include <lanewise/tensor/detail/inference_mode.h>
#include <lanewise/tensor/detail/wrapping_product.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/tensor_impl.h>

namespace lanewise {

AutogradMetaInterface::~AutogradMetaInterface() = default;

bool AutogradMetaInterface::survives(TensorImpl&) noexcept { return false; }

namespace detail {
constinit thread_local bool inference_mode __attribute__((tls_model("initial-exec"))) = false;
}

namespace {

constexpr unsigned kImplClass = detail::block_class(sizeof(TensorImpl));

using detail::wrapping_product;

bool contiguous(const std::int64_t* sizes, const std::int64_t* strides, std::size_t dim,
                std::int64_t numel) noexcept {
  if (numel == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t d = dim; d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

}  // namespace

TensorImpl* TensorImpl::create(Storage&& storage, ScalarType dtype, IntArrayRef sizes) {
  auto* impl =
      new (detail::allocate_block(kImplClass, sizeof(TensorImpl))) TensorImpl(std::move(storage), dtype);
  try {
    impl->write_sizes(sizes);
  } catch (...) {
    impl->destroy();
    throw;
  }
  impl->inference_ = detail::inference_mode;
  return impl;
}

TensorImpl* TensorImpl::create_like(Storage&& storage, ScalarType dtype, const TensorImpl& like) {
  if (!like.default_strides_ || like.dim_ > kInlineDims) [[unlikely]]
    return create(std::move(storage), dtype, like.sizes());
  auto* impl =
      new (detail::allocate_block(kImplClass, sizeof(TensorImpl))) TensorImpl(std::move(storage), dtype);
  impl->dim_ = like.dim_;
  impl->numel_ = like.numel_;
  // All of it, also what is not used: no loop.
  std::memcpy(impl->inline_dims_, like.inline_dims_, sizeof(inline_dims_));
  impl->inference_ = detail::inference_mode;
  return impl;
}

TensorImpl* TensorImpl::create(Storage&& storage, ScalarType dtype, IntArrayRef sizes, IntArrayRef strides,
                               std::int64_t storage_offset) {
  auto* impl =
      new (detail::allocate_block(kImplClass, sizeof(TensorImpl))) TensorImpl(std::move(storage), dtype);
  try {
    impl->write_sizes(sizes, strides);
  } catch (...) {
    impl->destroy();
    throw;
  }
  impl->storage_offset_ = storage_offset;
  impl->inference_ = detail::inference_mode;
  return impl;
}

TensorImpl::~TensorImpl() {
  if (dim_ > kInlineDims) delete[] heap_dims_;
  if (version_block_ != nullptr) drop_version_block();
}

void TensorImpl::destroy() noexcept {
  if (__builtin_expect(reachable_, 0) && autograd_meta_ != nullptr && autograd_meta_->survives(*this)) return;
  this->~TensorImpl();
  detail::free_block(this, kImplClass);
}

void TensorImpl::release_shared() noexcept {
  if (detail::take_reference(refcount_) != 1) return;
  refcount_.store(1, std::memory_order_relaxed);
  destroy();
}

void TensorImpl::set_dim(std::size_t dim) {
  if (__builtin_expect(dim > kInlineDims || dim_ > kInlineDims, 0) && dim != dim_) {
    auto* wider = dim > kInlineDims ? new (std::nothrow) std::int64_t[2 * dim] : nullptr;
    LANEWISE_CHECK(AllocationError, wider != nullptr || dim <= kInlineDims,
                   "allocate: the system has no memory left for the sizes of ", dim, " dimensions");
    if (dim_ > kInlineDims) delete[] heap_dims_;
    if (wider != nullptr) heap_dims_ = wider;
  }
  dim_ = static_cast<std::uint32_t>(dim);
}

void TensorImpl::set_sizes_contiguous(IntArrayRef sizes) { write_sizes(DimVector(sizes)); }

void TensorImpl::set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides) {
  write_sizes(DimVector(sizes), DimVector(strides));
}

void TensorImpl::write_sizes(IntArrayRef sizes) {
  set_dim(sizes.size());
  std::int64_t* own_sizes = dims_data();
  std::int64_t* own_strides = own_sizes + stride_begin();
  std::int64_t stride = 1;
  std::int64_t numel = 1;
  for (std::size_t d = dim_; d-- > 0;) {
    const std::int64_t size = sizes[d];
    own_sizes[d] = size;
    own_strides[d] = stride;
    stride = wrapping_product(stride, std::max<std::int64_t>(size, 1));
    numel = wrapping_product(numel, size);
  }
  numel_ = numel;
  contiguous_ = default_strides_ = true;
}

void TensorImpl::write_sizes(IntArrayRef sizes, IntArrayRef strides) {
  set_dim(sizes.size());
  std::int64_t* own_sizes = dims_data();
  std::int64_t* own_strides = own_sizes + stride_begin();
  std::int64_t numel = 1;
  std::int64_t stride = 1;
  bool fresh = true;
  for (std::size_t d = dim_; d-- > 0;) {
    const std::int64_t size = sizes[d];
    own_sizes[d] = size;
    own_strides[d] = strides[d];
    fresh &= strides[d] == stride;
    stride = wrapping_product(stride, std::max<std::int64_t>(size, 1));
    numel = wrapping_product(numel, size);
  }
  numel_ = numel;
  default_strides_ = fresh;
  contiguous_ = fresh || contiguous(own_sizes, own_strides, dim_, numel);
}

void TensorImpl::set_data_from(const TensorImpl& other) {
  if (&other == this) return;
  // The count goes on where it was: the word of the old memory may vanish with it.
  if (version_block_ == nullptr) own_version(version_word().load(std::memory_order_relaxed));
  set_sizes_and_strides(other.sizes(), other.strides());
  dtype_ = other.dtype_;
  itemsize_ = other.itemsize_;
  storage_ = other.storage_;
  storage_offset_ = other.storage_offset_;
  wrapped_number_ = other.wrapped_number_;
}

bool TensorImpl::is_non_overlapping_and_dense() const noexcept {
  if (contiguous_) return true;
  const IntArrayRef sizes = this->sizes();
  const IntArrayRef strides = this->strides();
  // Follows the chain of strides 1, n, n*m...; quadratic in dims, which are few.
  std::int64_t expected = 1;
  std::size_t left = 0;
  for (const std::int64_t size : sizes) left += size != 1;
  while (left > 0) {
    std::size_t found = dim_;
    for (std::size_t d = 0; d < dim_; ++d) {
      if (sizes[d] != 1 && strides[d] == expected) found = d;
    }
    if (found == dim_) return false;
    expected *= sizes[found];
    --left;
  }
  return true;
}

void TensorImpl::share_version(const TensorImpl& other) {
  if (other.version_block_ == nullptr && other.storage_.is_same(storage_)) {
    if (version_block_ != nullptr) drop_version_block();
    version_block_ = nullptr;
    return;
  }
  VersionBlock* block = other.version_block_;
  if (block == nullptr) {
    // Different memory: versions go apart from here.
    own_version(other.version_word().load(std::memory_order_relaxed));
    return;
  }
  block->refcount.fetch_add(1, std::memory_order_relaxed);
  if (version_block_ != nullptr) drop_version_block();
  version_block_ = block;
}

void TensorImpl::own_version(std::uint32_t version) {
  auto* block = new VersionBlock;
  block->version.store(version, std::memory_order_relaxed);
  if (version_block_ != nullptr) drop_version_block();
  version_block_ = block;
}

void TensorImpl::raise_no_version() {
  detail::raise<AutogradError>(
      "_version: Inference tensors do not track version counter. Clone it outside of InferenceMode");
}

void TensorImpl::check_inference_mode() {
  LANEWISE_CHECK(
      AutogradError, detail::inference_mode,
      "bump_version: Inplace update to inference tensor outside InferenceMode is not allowed. You can make "
      "a clone to get a normal tensor before doing inplace update");
}

bool VariableVersion::enabled() const noexcept { return impl_ != nullptr && !impl_->is_inference(); }

std::uint32_t VariableVersion::current_version() const {
  LANEWISE_CHECK(AutogradError, impl_ != nullptr, "current_version: the tensor is undefined");
  return impl_->version();
}

void VariableVersion::bump() const {
  LANEWISE_CHECK(AutogradError, impl_ != nullptr, "bump: the tensor is undefined");
  impl_->bump_version();
}

void TensorImpl::drop_version_block() noexcept {
  if (version_block_->refcount.fetch_sub(1, std::memory_order_acq_rel) == 1) delete version_block_;
}

}  // namespace lanewise
