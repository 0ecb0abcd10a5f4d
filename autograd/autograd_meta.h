#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <lanewise/autograd/node.h>
#include <lanewise/autograd/node_mutex.h>
#include <lanewise/autograd/node_pool.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/tensor/tensor.h>
#include <lanewise/tensor/tensor_impl.h>

namespace lanewise::autograd {

struct AccumulateGrad;
struct TensorHookList;
struct RetainedGrad;

/// How a view came to be; decides whether it may be modified in place while gradients are recorded.
enum class CreationMeta : std::uint8_t {
  Default,           ///< in-place is fine
  InCustomFunction,  ///< made by a custom Function: an in-place change would lose its backward
  MultiOutputNode,   ///< one of several outputs of one op (unbind, split)
  NoGradMode,        ///< made where nothing was recorded
  InferenceMode,     ///< made in inference mode of a normal tensor
  // libtorch's spelling.
  DEFAULT = Default,
  IN_CUSTOM_FUNCTION = InCustomFunction,
  MULTI_OUTPUT_NODE = MultiOutputNode,
  NO_GRAD_MODE = NoGradMode,
  INFERENCE_MODE = InferenceMode,
};

/// Makes a view again from another base with the shape and dtype of the first.
using ViewFunction = std::function<Tensor(const Tensor& base)>;

/// What autograd keeps about a tensor: exists only for tensors that take part in a graph and for tracked
/// views.
struct LANEWISE_API AutogradMeta final : AutogradMetaInterface {
  // Not defaulted: `new AutogradMeta()` would set the memory to zero before the members are initialised.
  AutogradMeta() noexcept {}
  ~AutogradMeta() override;
  bool survives(TensorImpl& impl) noexcept override;

  bool requires_grad() const noexcept override {
    return requires_grad_ || grad_fn_ != nullptr || (is_view() && base_.requires_grad());
  }
  /// True for a differentiable view: Note [Views and in-place], views.h.
  bool is_view() const noexcept { return base_.defined(); }
  bool has_bw_view() const noexcept { return is_view(); }
  CreationMeta get_creation_meta() const noexcept { return creation_; }

  static void* operator new(std::size_t bytes) { return detail::pool_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { detail::pool_free(block, bytes); }

  std::shared_ptr<Node> grad_fn_;
  /// Of a leaf that went into a graph: Note [Accumulators], accumulate_grad.h.
  std::shared_ptr<AccumulateGrad> accumulator_;
  std::weak_ptr<Node> keeper_;  ///< the accumulator, where that owns the leaf and not the other way round
  Tensor grad_;
  std::shared_ptr<TensorHookList> hooks_;       ///< register_hook()
  std::shared_ptr<RetainedGrad> retained_;      ///< retain_grad()
  Tensor base_;                                 ///< of a view; never a view itself
  std::unique_ptr<ViewFunction> replay_;        ///< of a view whose dtype differs from its base's
  std::unique_ptr<TransformState> transforms_;  ///< tangents, batch: Note [Transforms], transforms.h
  std::unique_ptr<std::string> name_;           ///< few tensors have one
  std::uint32_t output_nr_ = 0;
  std::uint32_t view_version_ = 0;  ///< version of the memory for which grad_fn_ of a view holds
  CreationMeta creation_ = CreationMeta::Default;
  bool requires_grad_ = false;                 ///< a leaf's own wish; results have a grad_fn
  bool forward_view_ = true;                   ///< a view whose base's tangents are its own
  std::atomic<bool> has_accumulator_ = false;  ///< accumulator_ is set and stays while the leaf is in use
  NodeMutex mutex_;                            ///< guards the lazy parts: accumulator, a view's grad_fn
};

/// The state of a defined tensor, or null.
inline AutogradMeta* get_autograd_meta(const Tensor& t) noexcept {
  return static_cast<AutogradMeta*>(t.unsafeGetTensorImpl()->autograd_meta());
}

/// True if `t` is what it shows and nothing else: no history, no base, no tangents. (It may be a view made
/// inside a backward.)
inline bool is_plain(const Tensor& t) noexcept {
  const AutogradMeta* meta = get_autograd_meta(t);
  return meta == nullptr || (!meta->is_view() && !meta->requires_grad() && meta->transforms_ == nullptr);
}

/// The state of a defined tensor, made if there is none.
inline AutogradMeta& materialize_autograd_meta(const Tensor& t) {
  TensorImpl* impl = t.unsafeGetTensorImpl();
  if (impl->autograd_meta() == nullptr) [[unlikely]] {
    impl->set_autograd_meta(std::unique_ptr<AutogradMetaInterface>(new AutogradMeta()));
  }
  return *static_cast<AutogradMeta*>(impl->autograd_meta());
}

}  // namespace lanewise::autograd
