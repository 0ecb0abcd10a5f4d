#pragma once

#include <algorithm>
#include <complex>
#include <initializer_list>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <lanewise/lanewise.h>

/// For programs written for libtorch: in place of <torch/torch.h>, not beside it. torch is a name of lanewise, at and c10 have all of
/// it, and checks and warnings have their macros. What such programs miss is listed in docs/porting.md.
namespace torch = lanewise;

namespace at {

using namespace lanewise;

/// One-dimensional, also of one number, and of the dtype of the numbers unless the options have one; torch::tensor() is another
/// function. Throws DtypeError for complex numbers and options of a real dtype.
template <class T>
requires(scalar_type_of<T> != ScalarType::Undefined) Tensor
    tensor(ArrayRef<T> values, const TensorOptions& options = {}) {
  const ScalarType dtype = options.has_dtype() ? options.dtype() : scalar_type_of<T>;
  LANEWISE_CHECK(DtypeError, is_complex(dtype) || !is_complex(scalar_type_of<T>),
                 "tensor: \"tensor_cpu\" not implemented for '", dtype, "', of complex numbers");
  const Tensor all = lanewise::empty({static_cast<std::int64_t>(values.size())}, scalar_type_of<T>);
  std::copy(values.begin(), values.end(), all.template data_ptr<T>());
  return all.to(dtype).requires_grad_(options.requires_grad());
}
template <class T>
requires(scalar_type_of<T> != ScalarType::Undefined) Tensor
    tensor(std::initializer_list<T> values, const TensorOptions& options = {}) {
  return at::tensor(ArrayRef<T>(values.begin(), values.size()), options);
}
template <class T>
requires(scalar_type_of<T> != ScalarType::Undefined && !std::is_same_v<T, bool>) Tensor
    tensor(const std::vector<T>& values, const TensorOptions& options = {}) {
  return at::tensor(ArrayRef<T>(values), options);
}
template <class T>
requires(scalar_type_of<T> != ScalarType::Undefined) Tensor
    tensor(T value, const TensorOptions& options = {}) {
  return at::tensor(ArrayRef<T>(&value, 1), options);
}

}  // namespace at

namespace c10 {

using namespace lanewise;

/// (lanewise::complex is a function.)
template <class T>
using complex = std::complex<T>;

/// The parts, each streamed, as one text.
template <class... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace c10

namespace lanewise::detail {

template <class Raised, class... Parts>
[[noreturn, gnu::cold]] void raise_check(const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0) {
    raise<Raised>("Expected ", condition, " to be true, but got false.");
  } else {
    raise<Raised>(parts...);
  }
}

}  // namespace lanewise::detail

#define LANEWISE_CHECK_PARTS(type, condition, ...)                                              \
  do {                                                                                          \
    if (!(condition)) [[unlikely]]                                                              \
      ::lanewise::detail::raise_check<::lanewise::type>(#condition __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)

/// Throws Error, or the class that the name says, with the parts that follow, each streamed, or else with the condition.
#define TORCH_CHECK(condition, ...) LANEWISE_CHECK_PARTS(Error, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) \
  LANEWISE_CHECK_PARTS(IndexError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) \
  LANEWISE_CHECK_PARTS(ValueError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) \
  LANEWISE_CHECK_PARTS(DtypeError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  LANEWISE_CHECK_PARTS(NotImplementedError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_ERROR(...) TORCH_CHECK(false __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_WARN(...) ::lanewise::warn(__VA_ARGS__)
#define TORCH_WARN_ONCE(...)                                                   \
  do {                                                                         \
    static const bool lanewise_warned = (::lanewise::warn(__VA_ARGS__), true); \
    static_cast<void>(lanewise_warned);                                        \
  } while (false)
#define C10_UNUSED [[maybe_unused]]
