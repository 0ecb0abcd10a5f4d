#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/device.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/reference_count.h>

namespace lanewise {

/// A block of memory that tensors share, counted by reference. Small blocks carry this header and the data in
/// one allocation; the data is 64-byte aligned, except where it was given from outside.
class LANEWISE_API StorageImpl {
 public:
  StorageImpl(const StorageImpl&) = delete;
  StorageImpl& operator=(const StorageImpl&) = delete;

  /// Memory for `nbytes` bytes, not initialised. Throws AllocationError.
  static StorageImpl* create(std::size_t nbytes);
  /// Memory that somebody else owns; `deleter` (may be empty) is called with `data` when the last tensor lets
  /// go.
  static StorageImpl* adopt(void* data, std::size_t nbytes, std::function<void(void*)> deleter);

  void* data() const noexcept { return data_; }
  std::size_t nbytes() const noexcept { return nbytes_; }
  /// False for memory that was given from outside.
  bool resizable() const noexcept { return origin_ != Origin::External; }
  /// Whether something happens to the memory when the last tensor lets go.
  bool is_owner() const noexcept { return origin_ != Origin::External || deleter_ != nullptr; }
  /// Makes room for at least `nbytes`, keeping the contents; may move data(). Throws StorageError if not
  /// resizable, AllocationError.
  void resize(std::size_t nbytes);

  void retain() noexcept { detail::add_reference(refcount_); }
  void release() noexcept {
    // A sole owner needs no atomic read-modify-write: nobody else can gain a reference meanwhile.
    if (refcount_.load(std::memory_order_acquire) == 1 || detail::take_reference(refcount_) == 1) {
      destroy();
    }
  }
  /// Who finds 1 also finds what the other owners did before they let go.
  std::uint32_t use_count() const noexcept { return refcount_.load(std::memory_order_acquire); }

 private:
  friend class TensorImpl;
  enum class Origin : std::uint8_t { Inline, Separate, External };
  StorageImpl() noexcept = default;
  ~StorageImpl() = default;
  void destroy() noexcept;

  detail::ReferenceCount refcount_{1};
  std::atomic<std::uint32_t> version_{0};  // Note [Version counters], tensor_impl.h
  void* data_ = nullptr;
  std::size_t nbytes_ = 0;
  std::size_t capacity_ = 0;  // bytes that fit behind data_ without moving
  std::function<void(void*)>* deleter_ = nullptr;
  std::uint32_t block_class_ = 0;
  Origin origin_ = Origin::Inline;
};

/// The address of a storage's memory; the storage owns it.
class DataPtr {
 public:
  DataPtr() noexcept = default;
  DataPtr(void* data, void* context) noexcept : data_(data), context_(context) {}
  void* get() const noexcept { return data_; }
  /// What is freed in the end; null for memory of somebody else.
  void* get_context() const noexcept { return context_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }
  Device device() const noexcept { return {}; }

 private:
  void* data_ = nullptr;
  void* context_ = nullptr;
};

/// A counted reference to a StorageImpl.
class Storage {
 public:
  Storage() noexcept = default;
  /// Takes over one reference.
  explicit Storage(StorageImpl* impl) noexcept : impl_(impl) {}
  Storage(const Storage& other) noexcept : impl_(other.impl_) {
    if (impl_ != nullptr) impl_->retain();
  }
  Storage(Storage&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Storage() {
    if (impl_ != nullptr) impl_->release();
  }

  explicit operator bool() const noexcept { return impl_ != nullptr; }
  StorageImpl* unsafeGetStorageImpl() const noexcept { return impl_; }
  StorageImpl* operator->() const noexcept { return impl_; }
  void* data() const noexcept { return impl_ == nullptr ? nullptr : impl_->data(); }
  template <class T>
  T* data() const noexcept {
    return static_cast<T*>(data());
  }
  DataPtr data_ptr() const noexcept {
    return {data(), impl_ != nullptr && impl_->is_owner() ? data() : nullptr};
  }
  Device device() const noexcept { return {}; }
  DeviceType device_type() const noexcept { return kCPU; }
  std::size_t nbytes() const noexcept { return impl_ == nullptr ? 0 : impl_->nbytes(); }
  std::uint32_t use_count() const noexcept { return impl_ == nullptr ? 0 : impl_->use_count(); }
  bool is_same(const Storage& other) const noexcept { return impl_ == other.impl_; }
  bool is_alias_of(const Storage& other) const noexcept { return impl_ == other.impl_; }

 private:
  StorageImpl* impl_ = nullptr;
};

/// What the allocator of large blocks (those above 128 KiB) holds and did.
struct AllocatorStats {
  std::size_t bytes_in_use = 0;       ///< handed out
  std::size_t peak_bytes_in_use = 0;  ///< the most that was handed out at a time
  std::size_t bytes_cached = 0;       ///< free, kept for later
  std::size_t blocks_in_use = 0;
  std::size_t blocks_cached = 0;
  std::size_t hits = 0;    ///< blocks served from the cache
  std::size_t misses = 0;  ///< blocks taken from the system
  std::size_t released =
      0;  ///< cached blocks given back to the system: over the limit, unused for long, or emptied
};

/// Counts of the process-wide cache of large blocks (small ones are cached per thread).
LANEWISE_API AllocatorStats memory_stats();
/// The peak counts anew from what is in use now.
LANEWISE_API void reset_peak_memory_stats() noexcept;
/// Returns the cached large blocks, and this thread's small ones, to the system.
LANEWISE_API void empty_cache() noexcept;
/// Bounds the bytes that the process-wide cache keeps; an eighth of the memory at start. 0 switches it off.
/// Blocks that were not asked for during the last four thousand frees of large blocks go back to the system
/// before that.
LANEWISE_API void set_cache_limit(std::size_t bytes) noexcept;

}  // namespace lanewise
