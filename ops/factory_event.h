#pragma once

#include <memory>
#include <utility>

#include <lanewise/profiler/detail/frame.h>

namespace lanewise::ops {

/// What profiles see of a factory, an op from here to the end of the scope: factories are written by hand, and the generator
/// writes no event for them.
class FactoryEvent {
 public:
  /// `name` must be static.
  explicit FactoryEvent(const char* name) {
    if (profiler::detail::enters()) [[unlikely]]
      frame_ = start(name);
  }
  Tensor made(Tensor&& result) const {
    if (frame_ != nullptr) [[unlikely]]
      frame_->result(result);
    return std::move(result);
  }

 private:
  static std::unique_ptr<profiler::detail::Frame> start(const char* name);
  std::unique_ptr<profiler::detail::Frame> frame_;
};

}  // namespace lanewise::ops
