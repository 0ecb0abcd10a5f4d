#pragma once

#include <tuple>
#include <type_traits>
#include <vector>

#include <lanewise/autograd/node.h>
#include <lanewise/profiler/detail/frame.h>

/// What the generated entry of an op does while a profiler observes: it calls itself once more inside of a
/// frame.
///
///   if (profiler::detail::enters()) [[unlikely]] return autograd::profiled<Tensor, const Tensor&>(kProfiled,
///   &neg, self);
namespace lanewise::autograd {

template <class... Tensors>
void note_results(profiler::detail::Frame& frame, const std::tuple<Tensors...>& results) {
  std::apply([&](const auto&... each) { (frame.result(each), ...); }, results);
}
inline void note_results(profiler::detail::Frame& frame, const Tensor& result) { frame.result(result); }
inline void note_results(profiler::detail::Frame& frame, const std::vector<Tensor>& results) {
  frame.result(results);
}

/// One instance per signature, not per op: this code is far from the hot path and should be small.
template <class R, class... Args>
[[gnu::cold, gnu::noinline]] R profiled(const profiler::detail::OpInfo& op, R (*function)(Args...),
                                        std::type_identity_t<Args>... args) {
  profiler::detail::Frame frame(op, Node::peek_sequence_nr());
  (frame.argument(args), ...);
  frame.start(true);
  if constexpr (std::is_void_v<R>) {
    function(args...);
    frame.set_sequence_end(Node::peek_sequence_nr());
  } else {
    R result = function(args...);
    frame.set_sequence_end(Node::peek_sequence_nr());
    note_results(frame, result);
    return result;
  }
}

}  // namespace lanewise::autograd
