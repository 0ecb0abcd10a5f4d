#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <lanewise/autograd/edge.h>
#include <lanewise/autograd/node.h>
#include <lanewise/tensor/tensor.h>
#include <lanewise/tensor/tensor_impl.h>

namespace lanewise::autograd {

struct TensorHookList;
struct ViewMeta;

/// What autograd keeps about a tensor: exists only for tensors that take part in a graph or are tracked views.
struct LANEWISE_API AutogradMeta final : AutogradMetaInterface {
  AutogradMeta() noexcept = default;
  ~AutogradMeta() override;

  bool requires_grad() const noexcept override { return requires_grad_ || grad_fn_ != nullptr; }

  static void* operator new(std::size_t bytes) { return detail::pool_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { detail::pool_free(block, bytes); }

  std::shared_ptr<Node> grad_fn_;
  std::weak_ptr<Node> grad_accumulator_;
  Tensor grad_;
  std::shared_ptr<TensorHookList> hooks_;  ///< register_hook(); a leaf's run in its accumulator
  std::unique_ptr<ViewMeta> view_;         ///< of a differentiable view
  std::uint32_t output_nr_ = 0;
  bool requires_grad_ = false;             ///< a leaf's own wish; results have a grad_fn
  bool retains_grad_ = false;
  NodeMutex mutex_;                        ///< guards the lazy parts: accumulator, regenerated grad_fn
};

/// The state of a defined tensor, or null.
inline AutogradMeta* get_autograd_meta(const Tensor& t) noexcept {
  return static_cast<AutogradMeta*>(t.unsafeGetTensorImpl()->autograd_meta());
}

/// The state of a defined tensor, made if there is none.
inline AutogradMeta& materialize_autograd_meta(const Tensor& t) {
  TensorImpl* impl = t.unsafeGetTensorImpl();
  if (impl->autograd_meta() == nullptr) impl->set_autograd_meta(std::make_unique<AutogradMeta>());
  return *static_cast<AutogradMeta*>(impl->autograd_meta());
}

}  // namespace lanewise::autograd
