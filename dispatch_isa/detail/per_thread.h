#pragma once

#include <utility>

namespace lanewise::detail {

/// One T for each thread, made when first asked for; T is a type of its one user. It goes when its thread ends. Destructors of
/// static and thread_local objects may still compute after that: what they ask for is made anew, and stays.
template <class T>
class PerThread {
 public:
  static T& get() {
    T* const here = here_;
    return __builtin_expect(here != nullptr, 1) ? *here : make();
  }

 private:
  struct Owner {
    ~Owner() {
      ended_ = true;
      delete std::exchange(here_, nullptr);
    }
  };
  [[gnu::noinline]] static T& make() {
    here_ = new T();
    if (!ended_) {
      [[maybe_unused]] thread_local const Owner owner;
    }
    return *here_;
  }

  static inline constinit thread_local T* here_ = nullptr;
  static inline constinit thread_local bool ended_ = false;
};

}  // namespace lanewise::detail
