#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// What a saved tensor is turned into, and back. One object per saved tensor.
class LANEWISE_API SavedVariableHooks {
 public:
  virtual ~SavedVariableHooks();
  /// Keeps what it needs of `tensor`, which it must not modify. Called once, without recording.
  virtual void call_pack_hook(const Tensor& tensor) = 0;
  /// A tensor with the values of the packed one. Called each time a node wants it.
  virtual Tensor call_unpack_hook() = 0;
};

/// In its scope, what this thread's ops save for the backward goes through `pack`; what that returned goes
/// through `unpack` when it is needed, then or later. Guards nest; the innermost is used. What an unpack hook
/// returns is not version-checked.
///
///   const SavedTensorHooks to_half([](const Tensor& t) { return std::any(t.to(kHalf)); },
///                                  [](const std::any& packed) { return
///                                  std::any_cast<Tensor>(packed).to(kFloat); });
class LANEWISE_API SavedTensorHooks {
 public:
  using Pack = std::function<std::any(const Tensor&)>;
  using Unpack = std::function<Tensor(const std::any&)>;

  /// Throws AutogradError inside of DisableSavedTensorHooks.
  SavedTensorHooks(Pack pack, Unpack unpack);
  ~SavedTensorHooks();
  SavedTensorHooks(const SavedTensorHooks&) = delete;
  SavedTensorHooks& operator=(const SavedTensorHooks&) = delete;

  /// Hooks for one tensor from this thread's innermost guard, or null.
  static std::unique_ptr<SavedVariableHooks> current();

 private:
  friend class SavedTensorHooksOfThread;
  struct Functions {
    Pack pack;
    Unpack unpack;
  };
  struct Packed;

  std::shared_ptr<const Functions> functions_;
  const SavedTensorHooks* outer_;
};

/// In its scope SavedTensorHooks cannot be used: making one throws AutogradError with `message`.
class LANEWISE_API DisableSavedTensorHooks {
 public:
  explicit DisableSavedTensorHooks(std::string message);
  ~DisableSavedTensorHooks();
  DisableSavedTensorHooks(const DisableSavedTensorHooks&) = delete;
  DisableSavedTensorHooks& operator=(const DisableSavedTensorHooks&) = delete;

 private:
  std::string message_;
  const std::string* outer_;
};

/// The guards that another thread works under: takes them over for a scope. They must outlive it.
class LANEWISE_API SavedTensorHooksOfThread {
 public:
  explicit SavedTensorHooksOfThread(const SavedTensorHooks* guard) noexcept;
  ~SavedTensorHooksOfThread();
  SavedTensorHooksOfThread(const SavedTensorHooksOfThread&) = delete;
  SavedTensorHooksOfThread& operator=(const SavedTensorHooksOfThread&) = delete;

  static const SavedTensorHooks* innermost() noexcept;

 private:
  const SavedTensorHooks* previous_;
};

namespace detail {

extern constinit thread_local const SavedTensorHooks* saved_tensor_hooks
    __attribute__((tls_model("initial-exec")));

}  // namespace detail
}  // namespace lanewise::autograd
