#include <cstring>
#include <random>

#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/generator.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace {

constinit GeneratorImpl shared;
constinit thread_local GeneratorImpl* drawing = nullptr;  ///< null: the shared one

}  // namespace

GeneratorImpl::State GeneratorImpl::reserve(std::uint64_t count) noexcept {
  const std::lock_guard lock(guard_);
  const State before = state_;
  state_.offset += count;
  return before;
}

GeneratorImpl::State GeneratorImpl::state() const noexcept {
  const std::lock_guard lock(guard_);
  return state_;
}

void GeneratorImpl::set_state(State state) noexcept {
  const std::lock_guard lock(guard_);
  state_ = state;
}

std::uint64_t GeneratorImpl::seed() {
  std::random_device device;
  const std::uint64_t high = device();
  const std::uint64_t seed = high << 32 | device();
  set_current_seed(seed);
  return seed;
}

GeneratorImpl& Generator::impl() const {
  LANEWISE_CHECK(ValueError, impl_ != nullptr,
                 "Generator: Generator with undefined implementation is not allowed; take one from "
                 "make_generator<CPUGeneratorImpl>(seed)");
  return *impl_;
}

Generator Generator::clone() const {
  Generator copy = detail::createCPUGenerator();
  copy.set_state(state());
  return copy;
}

Tensor Generator::get_state() const {
  const State now = state();
  Tensor bytes = detail::empty_cpu({sizeof(State)}, kByte);
  std::memcpy(bytes.data_ptr(), &now, sizeof(State));
  return bytes;
}

void Generator::set_state(const Tensor& state) const {
  LANEWISE_CHECK(DtypeError, state.scalar_type() == kByte,
                 "Generator::set_state: RNG state must be a torch.ByteTensor, found ", state.scalar_type());
  LANEWISE_CHECK(ShapeError, state.numel() == sizeof(State) && state.is_contiguous(),
                 "Generator::set_state: expected the ", sizeof(State),
                 " bytes that get_state() gives, found shape ", state.sizes());
  State restored{};
  std::memcpy(&restored, state.data_ptr(), sizeof(State));
  set_state(restored);
}

void manual_seed(std::uint64_t seed) noexcept { shared.set_current_seed(seed); }
std::uint64_t initial_seed() noexcept { return shared.current_seed(); }

const Generator& detail::getDefaultCPUGenerator() {
  // Owns nothing: the shared one is there before and after it.
  static const Generator handle(std::shared_ptr<GeneratorImpl>(std::shared_ptr<GeneratorImpl>(), &shared));
  return handle;
}

Generator detail::createCPUGenerator(std::uint64_t seed) { return make_generator<GeneratorImpl>(seed); }

GeneratorImpl& detail::drawing_generator() noexcept { return drawing == nullptr ? shared : *drawing; }

detail::DrawsFrom::DrawsFrom(const std::optional<Generator>& generator) noexcept
    : previous_(std::exchange(drawing, generator ? generator->unsafeGetGeneratorImpl() : nullptr)) {}
detail::DrawsFrom::~DrawsFrom() { drawing = previous_; }

}  // namespace lanewise
