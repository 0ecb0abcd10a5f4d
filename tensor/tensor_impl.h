#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/reference_count.h>
#include <lanewise/tensor/storage.h>

namespace lanewise {

class TensorImpl;

/// The version counter that a tensor shares with the views of its memory. Refers to the tensor, which must
/// outlive it. Inference tensors have none, and undefined ones: enabled() is false, and the rest throws
/// AutogradError.
class LANEWISE_API VariableVersion {
 public:
  explicit VariableVersion(TensorImpl* impl) noexcept : impl_(impl) {}
  bool enabled() const noexcept;
  std::uint32_t current_version() const;
  void bump() const;

 private:
  TensorImpl* impl_;
};

/// What automatic differentiation attaches to a tensor; defined above this floor.
class LANEWISE_API AutogradMetaInterface {
 public:
  virtual ~AutogradMetaInterface();
  /// True for leaves that were asked to, and for results with a grad_fn.
  virtual bool requires_grad() const noexcept = 0;
  /// Asked when the last reference to `impl` goes, if TensorImpl::set_reachable(true) was called: true if
  /// somebody takes that reference over, so that the tensor lives on.
  virtual bool survives(TensorImpl& impl) noexcept;
};

/// A version counter that lives apart from a storage.
struct VersionBlock {
  std::atomic<std::uint32_t> refcount{1};
  std::atomic<std::uint32_t> version{0};
};

// Note [Version counters]
// An in-place write bumps a counter that all views of the memory see, so that backward can tell that a saved
// tensor has changed. The counter is a word of the storage, so views and detach() share it at no cost. A
// tensor that shares memory but not versions (variable_data, the memory after set_data) carries a
// VersionBlock of its own, and passes it on to its views.

/// Shape, memory and autograd state of a tensor. Users hold it through Tensor.
class LANEWISE_API TensorImpl final {
 public:
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  /// A contiguous tensor over `storage`; sizes are known to be non-negative and to fit.
  static TensorImpl* create(Storage&& storage, ScalarType dtype, IntArrayRef sizes);
  /// A contiguous tensor of the shape of `like`, over `storage`.
  static TensorImpl* create_like(Storage&& storage, ScalarType dtype, const TensorImpl& like);
  /// A strided window into `storage`; strides may be zero or negative. The caller has checked that it fits.
  static TensorImpl* create(Storage&& storage, ScalarType dtype, IntArrayRef sizes, IntArrayRef strides,
                            std::int64_t storage_offset);

  IntArrayRef sizes() const noexcept { return {dims_data(), dim_}; }
  IntArrayRef strides() const noexcept { return {dims_data() + stride_begin(), dim_}; }
  std::int64_t dim() const noexcept { return static_cast<std::int64_t>(dim_); }
  std::int64_t numel() const noexcept { return numel_; }
  ScalarType dtype() const noexcept { return dtype_; }
  std::size_t itemsize() const noexcept { return itemsize_; }
  /// C order without gaps; dimensions of size 1 may have any stride, and empty tensors are contiguous.
  bool is_contiguous() const noexcept { return contiguous_; }
  /// Contiguous, and every stride is what a fresh tensor has: also those of dimensions of size 1, and of
  /// empty tensors.
  bool has_default_strides() const noexcept { return default_strides_; }
  /// Whether the elements fill a stretch of memory without gaps or overlap, in any order of dimensions.
  bool is_non_overlapping_and_dense() const noexcept;

  const Storage& storage() const noexcept { return storage_; }
  std::int64_t storage_offset() const noexcept { return storage_offset_; }
  void* data() const noexcept {
    return static_cast<char*>(storage_.data()) + storage_offset_ * static_cast<std::int64_t>(itemsize_);
  }

  /// The lists may be this tensor's own. Throw AllocationError, and then change nothing.
  void set_sizes_contiguous(IntArrayRef sizes);
  void set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides);
  void set_storage_offset(std::int64_t offset) noexcept { storage_offset_ = offset; }
  /// Shape, dtype and memory of `other`, keeping identity, autograd state and version count.
  void set_data_from(const TensorImpl& other);

  /// Throws AutogradError for an inference tensor.
  std::uint32_t version() const {
    if (inference_) [[unlikely]]
      raise_no_version();
    return version_word().load(std::memory_order_relaxed);
  }
  /// Nothing for an inference tensor in InferenceMode, AutogradError outside of it.
  void bump_version() {
    if (inference_) [[unlikely]]
      return check_inference_mode();
    version_word().fetch_add(1, std::memory_order_relaxed);
  }
  VariableVersion version_counter() noexcept;
  bool has_own_version() const noexcept { return version_block_ != nullptr; }
  /// From here on this tensor counts the versions of `other`; both keep their memory.
  void share_version(const TensorImpl& other);
  /// From here on this tensor counts alone, beginning with `version`.
  void own_version(std::uint32_t version);

  AutogradMetaInterface* autograd_meta() const noexcept { return autograd_meta_.get(); }
  void set_autograd_meta(std::unique_ptr<AutogradMetaInterface> meta) noexcept {
    autograd_meta_ = std::move(meta);
  }
  bool requires_grad() const noexcept { return autograd_meta_ != nullptr && autograd_meta_->requires_grad(); }

  /// A number that became a tensor: the lowest class in promotion.
  bool is_wrapped_number() const noexcept { return wrapped_number_; }
  void set_wrapped_number(bool value) noexcept { wrapped_number_ = value; }
  /// Made in InferenceMode: no versions, never part of a graph.
  bool is_inference() const noexcept { return inference_; }
  void set_inference(bool value) noexcept { inference_ = value; }

  void retain() noexcept { detail::add_reference(refcount_); }
  void release() noexcept {
    if (refcount_.load(std::memory_order_acquire) == 1) {
      destroy();
    } else {
      release_shared();
    }
  }
  /// Who finds 1 also finds what the other owners did before they let go.
  std::uint32_t use_count() const noexcept { return refcount_.load(std::memory_order_acquire); }

  // Note [Reachable tensors]
  // A leaf's gradient accumulator points to the leaf without a reference, and the leaf owns it. Where a graph
  // outlives the leaf's last reference, the accumulator takes it over: survives(). While a tensor is
  // reachable in this way, others than the owners of references may try_retain() it, under a lock that
  // survives() takes too. A tensor on its way to survives() counts 1, so they find either that or, for a
  // moment, 0.
  void set_reachable(bool value) noexcept { reachable_ = value; }
  /// A reference for somebody who has none. False for a moment at most while the last one goes away.
  bool try_retain() noexcept {
    std::uint32_t count = refcount_.load(std::memory_order_relaxed);
    while (count != 0) {
      if (refcount_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }
  /// For survives(): gives the last reference up if somebody took one meanwhile. False if it is still the
  /// last.
  bool release_unless_last() noexcept {
    if (detail::take_reference(refcount_) != 1) return true;
    refcount_.store(1, std::memory_order_relaxed);
    return false;
  }

 private:
  TensorImpl(Storage&& storage, ScalarType dtype) noexcept
      : dtype_(dtype),
        itemsize_(static_cast<std::uint8_t>(element_size(dtype))),
        storage_(std::move(storage)) {}
  ~TensorImpl();
  void destroy() noexcept;
  void release_shared() noexcept;  // apart: every place that drops a tensor has the rest

  std::size_t stride_begin() const noexcept { return dim_ <= kInlineDims ? kInlineDims : dim_; }
  const std::int64_t* dims_data() const noexcept { return dim_ <= kInlineDims ? inline_dims_ : heap_dims_; }
  std::int64_t* dims_data() noexcept { return dim_ <= kInlineDims ? inline_dims_ : heap_dims_; }
  void set_dim(std::size_t dim);
  void write_sizes(IntArrayRef sizes);  ///< not this tensor's own
  void write_sizes(IntArrayRef sizes, IntArrayRef strides);
  std::atomic<std::uint32_t>& version_word() const noexcept {
    return version_block_ != nullptr ? version_block_->version : storage_->version_;
  }
  void drop_version_block() noexcept;
  [[noreturn]] static void raise_no_version();
  static void check_inference_mode();

  detail::ReferenceCount refcount_{1};
  ScalarType dtype_;
  std::uint8_t itemsize_;
  bool contiguous_ = true;
  bool default_strides_ = true;
  bool wrapped_number_ = false;
  bool inference_ = false;
  bool reachable_ = false;  // Note [Reachable tensors]
  std::uint32_t dim_ = 0;
  std::int64_t numel_ = 1;
  Storage storage_;
  std::int64_t storage_offset_ = 0;
  std::unique_ptr<AutogradMetaInterface> autograd_meta_;
  VersionBlock* version_block_ = nullptr;
  union {
    std::int64_t inline_dims_[2 * kInlineDims];  // sizes, then strides
    std::int64_t* heap_dims_;
  };
};

inline VariableVersion TensorImpl::version_counter() noexcept { return VariableVersion(this); }

}  // namespace lanewise
