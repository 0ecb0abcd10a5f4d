#pragma once

#include <utility>

#include <cxxabi.h>

extern "C" [[gnu::visibility("hidden")]] char __dso_handle;  // this library, for the C++ ABI

namespace lanewise::detail {

/// One T for each thread, made when first asked for; T is a type of its one user. It goes when its thread ends. Destructors of
/// static and thread_local objects may still compute after that: what they ask for is made anew, and goes as well, but for the
/// main thread's, whose static objects die last.
template <class T>
class PerThread {
 public:
  static T& get() {
    T* const here = here_;
    return __builtin_expect(here != nullptr, 1) ? *here : make();
  }

 private:
  [[gnu::noinline]] static T& make() {
    here_ = new T();
    // A thread_local object would end once; what is registered while a thread ends is called, too.
    abi::__cxa_thread_atexit([](void*) { delete std::exchange(here_, nullptr); }, nullptr, &__dso_handle);
    return *here_;
  }

  static inline constinit thread_local T* here_ = nullptr;
};

}  // namespace lanewise::detail
