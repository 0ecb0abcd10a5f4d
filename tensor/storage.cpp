#include <cstring>
#include <memory>
#include <new>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/tensor/detail/block_cache.h>
#include <lanewise/tensor/detail/large_cache.h>
#include <lanewise/tensor/storage.h>

namespace lanewise {

namespace {
constexpr std::size_t kHeader = detail::kStorageHeader;
constexpr std::size_t kAddressSpace = std::size_t{1}
                                      << 47;  // what a process can have on today's 64-bit systems
constexpr unsigned kHeaderClass = detail::block_class(kHeader);
}  // namespace

StorageImpl* StorageImpl::create(std::size_t nbytes) {
  static_assert(sizeof(StorageImpl) <= kHeader);
  detail::note_allocation(nbytes);
  if (__builtin_expect(nbytes <= detail::kMaxSmallBlock - kHeader, 1)) {
    const unsigned block_class = detail::block_class(kHeader + nbytes);
    void* block = detail::allocate_block(block_class, kHeader + nbytes);
    auto* impl = new (block) StorageImpl;
    impl->block_class_ = block_class;
    impl->data_ = static_cast<char*>(block) + kHeader;
    impl->nbytes_ = nbytes;
    impl->capacity_ = LANEWISE_CACHES_BLOCKS ? detail::block_size(block_class) - kHeader : nbytes;
    return impl;
  }
  LANEWISE_CHECK(AllocationError, nbytes <= kAddressSpace, "allocate: ", nbytes,
                 " bytes exceed the address space");
  void* block = detail::allocate_block(kHeaderClass, kHeader);
  auto* impl = new (block) StorageImpl;
  impl->block_class_ = kHeaderClass;
  impl->origin_ = Origin::Separate;
  const std::size_t capacity = LANEWISE_CACHES_BLOCKS ? detail::round_large(nbytes) : nbytes;
  try {
    impl->data_ = detail::allocate_large(capacity);
  } catch (...) {
    detail::free_block(block, kHeaderClass);
    throw;
  }
  impl->nbytes_ = nbytes;
  impl->capacity_ = capacity;
  return impl;
}

StorageImpl* StorageImpl::adopt(void* data, std::size_t nbytes, std::function<void(void*)> deleter) {
  auto owned = deleter ? std::make_unique<std::function<void(void*)>>(std::move(deleter)) : nullptr;
  void* block = detail::allocate_block(kHeaderClass, kHeader);
  auto* impl = new (block) StorageImpl;
  impl->block_class_ = kHeaderClass;
  impl->origin_ = Origin::External;
  impl->data_ = data;
  impl->nbytes_ = nbytes;
  impl->capacity_ = nbytes;
  impl->deleter_ = owned.release();
  return impl;
}

void StorageImpl::resize(std::size_t nbytes) {
  if (nbytes > capacity_) {
    LANEWISE_CHECK(StorageError, resizable(), "resize: memory of ", nbytes_,
                   " bytes that was given from outside cannot grow to ", nbytes);
    LANEWISE_CHECK(AllocationError, nbytes <= kAddressSpace, "resize: ", nbytes,
                   " bytes exceed the address space");
    const std::size_t capacity = detail::round_large(nbytes < 4096 ? 4096 : nbytes);
    void* data = detail::allocate_large(capacity);
    detail::note_allocation(nbytes);
    if (nbytes_ != 0) std::memcpy(data, data_, nbytes_);
    if (origin_ == Origin::Separate) detail::free_large(data_, capacity_);
    data_ = data;
    capacity_ = capacity;
    origin_ = Origin::Separate;
  }
  if (nbytes > nbytes_) nbytes_ = nbytes;
}

void StorageImpl::destroy() noexcept {
  if (__builtin_expect(origin_ != Origin::Inline, 0)) {
    if (origin_ == Origin::Separate) {
      detail::free_large(data_, capacity_);
    } else if (deleter_ != nullptr) {
      (*deleter_)(data_);
      delete deleter_;
    }
  }
  detail::free_block(this, block_class_);
}

}  // namespace lanewise
