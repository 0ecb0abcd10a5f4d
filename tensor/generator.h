#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/device.h>

namespace lanewise {

class Tensor;

/// The seed of a generator that was given none.
inline constexpr std::uint64_t default_rng_seed_val = 67280421310721;

/// A stream of counter-based random numbers (Philox 4x32-10): element i of a random tensor is a function of
/// (seed, offset, i), whatever the number of threads. Each draw takes the next offset. Safe to use from several
/// threads; then who draws first decides who gets which numbers.
class LANEWISE_API GeneratorImpl {
 public:
  struct State {
    std::uint64_t seed;
    std::uint64_t offset;
  };

  constexpr explicit GeneratorImpl(std::uint64_t seed = default_rng_seed_val) noexcept : state_{seed, 0} {}
  GeneratorImpl(const GeneratorImpl&) = delete;
  GeneratorImpl& operator=(const GeneratorImpl&) = delete;

  /// The (seed, offset) to draw `count` counters with; moves the offset past them.
  State reserve(std::uint64_t count) noexcept;
  State state() const noexcept;
  void set_state(State state) noexcept;

  /// Starts the stream anew.
  void set_current_seed(std::uint64_t seed) noexcept { set_state({seed, 0}); }
  std::uint64_t current_seed() const noexcept { return state().seed; }
  /// Starts the stream anew with a seed from the system, which it returns.
  std::uint64_t seed();

  /// For whoever does several things with a generator that others use too. Draws do not wait for it.
  std::mutex mutex_;

 private:
  mutable std::mutex guard_;
  State state_;
};
using CPUGeneratorImpl = GeneratorImpl;

/// A shared reference to a stream of random numbers. Random ops that take one draw from it, and from the
/// process-wide one if it is undefined.
class LANEWISE_API Generator {
 public:
  using State = GeneratorImpl::State;

  Generator() noexcept = default;
  explicit Generator(std::shared_ptr<GeneratorImpl> impl) noexcept : impl_(std::move(impl)) {}

  bool defined() const noexcept { return impl_ != nullptr; }
  GeneratorImpl* unsafeGetGeneratorImpl() const noexcept { return impl_.get(); }
  template <class T>
  T* get() const noexcept {
    return static_cast<T*>(impl_.get());
  }
  friend bool operator==(const Generator&, const Generator&) noexcept = default;
  Device device() const noexcept { return {}; }

  // As above. Throw ValueError if the generator is undefined.
  State reserve(std::uint64_t count) const { return impl().reserve(count); }
  State state() const { return impl().state(); }
  void set_state(State state) const { impl().set_state(state); }
  void set_current_seed(std::uint64_t seed) const { impl().set_current_seed(seed); }
  std::uint64_t current_seed() const { return impl().current_seed(); }
  std::uint64_t seed() const { return impl().seed(); }
  std::mutex& mutex() const { return impl().mutex_; }

  /// Another stream in the same state.
  Generator clone() const;
  /// The state as 16 bytes, and back. Throws DtypeError or ShapeError for anything else.
  Tensor get_state() const;
  void set_state(const Tensor& state) const;

 private:
  GeneratorImpl& impl() const;

  std::shared_ptr<GeneratorImpl> impl_;
};

/// `make_generator<CPUGeneratorImpl>(seed)`.
template <class Impl, class... Args>
Generator make_generator(Args&&... args) {
  return Generator(std::make_shared<Impl>(std::forward<Args>(args)...));
}

/// Starts the process-wide random numbers anew: the same program draws the same numbers again.
LANEWISE_API void manual_seed(std::uint64_t seed) noexcept;
LANEWISE_API std::uint64_t initial_seed() noexcept;

namespace detail {

/// The process-wide generator.
LANEWISE_API const Generator& getDefaultCPUGenerator();
/// A stream of its own.
LANEWISE_API Generator createCPUGenerator(std::uint64_t seed = default_rng_seed_val);

/// The generator that ops of this thread draw from.
LANEWISE_API GeneratorImpl& drawing_generator() noexcept;

/// Sets it for a scope: `generator`, which must outlive the scope, or the process-wide one if there is none.
class LANEWISE_API DrawsFrom {
 public:
  explicit DrawsFrom(const std::optional<Generator>& generator) noexcept;
  ~DrawsFrom();
  DrawsFrom(const DrawsFrom&) = delete;
  DrawsFrom& operator=(const DrawsFrom&) = delete;

 private:
  GeneratorImpl* previous_;
};

}  // namespace detail
}  // namespace lanewise
