#include <utility>

#include <lanewise/autograd/saved_tensor_hooks.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd {

constinit thread_local const SavedTensorHooks* detail::saved_tensor_hooks = nullptr;

namespace {

constinit thread_local const std::string* disabled = nullptr;

}  // namespace

SavedVariableHooks::~SavedVariableHooks() = default;

struct SavedTensorHooks::Packed final : SavedVariableHooks {
  explicit Packed(std::shared_ptr<const Functions> of) : functions(std::move(of)) {}
  void call_pack_hook(const Tensor& tensor) override { packed = functions->pack(tensor); }
  Tensor call_unpack_hook() override { return functions->unpack(packed); }

  std::shared_ptr<const Functions> functions;
  std::any packed;
};

SavedTensorHooks::SavedTensorHooks(Pack pack, Unpack unpack)
    : functions_(std::make_shared<const Functions>(Functions{std::move(pack), std::move(unpack)})),
      outer_(detail::saved_tensor_hooks) {
  LANEWISE_CHECK(AutogradError, disabled == nullptr, "SavedTensorHooks: ", *disabled);
  detail::saved_tensor_hooks = this;
}

SavedTensorHooks::~SavedTensorHooks() { detail::saved_tensor_hooks = outer_; }

std::unique_ptr<SavedVariableHooks> SavedTensorHooks::current() {
  const SavedTensorHooks* guard = detail::saved_tensor_hooks;
  if (guard == nullptr) return nullptr;
  return std::make_unique<Packed>(guard->functions_);
}

DisableSavedTensorHooks::DisableSavedTensorHooks(std::string message)
    : message_(std::move(message)), outer_(std::exchange(disabled, &message_)) {
  if (detail::saved_tensor_hooks == nullptr) return;
  disabled = outer_;
  lanewise::detail::raise<AutogradError>("DisableSavedTensorHooks: ", message_,
                                         " (a SavedTensorHooks is active in this thread)");
}

DisableSavedTensorHooks::~DisableSavedTensorHooks() { disabled = outer_; }

SavedTensorHooksOfThread::SavedTensorHooksOfThread(const SavedTensorHooks* guard) noexcept
    : previous_(std::exchange(detail::saved_tensor_hooks, guard)) {}
SavedTensorHooksOfThread::~SavedTensorHooksOfThread() { detail::saved_tensor_hooks = previous_; }
const SavedTensorHooks* SavedTensorHooksOfThread::innermost() noexcept { return detail::saved_tensor_hooks; }

}  // namespace lanewise::autograd
