#pragma once

#include <lanewise/lanewise.h>

/// For programs written for libtorch: in place of <torch/torch.h>, not beside it. torch, at and c10 are names of lanewise, and checks
/// and warnings have their macros. What such programs miss is listed in docs/porting.md.
namespace torch = lanewise;
namespace at = lanewise;
namespace c10 = lanewise;

namespace lanewise::detail {

template <class... Parts>
[[noreturn, gnu::cold]] void raise_check(const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0) {
    raise<Error>("Expected ", condition, " to be true, but got false.");
  } else {
    raise<Error>(parts...);
  }
}

}  // namespace lanewise::detail

/// Throws Error with the parts that follow, each streamed, or else with the condition.
#define TORCH_CHECK(condition, ...)                                           \
  do {                                                                        \
    if (!(condition)) [[unlikely]]                                            \
      ::lanewise::detail::raise_check(#condition __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_ERROR(...) TORCH_CHECK(false __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_WARN(...) ::lanewise::warn(__VA_ARGS__)
