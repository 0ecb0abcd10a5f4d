#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lanewise/autograd/detail/arguments.h>

/// How the generated registry calls its functions.
namespace lanewise::detail {

/// Argument `i` of a call for a parameter of a function.
template <class Parameter>
decltype(auto) argument(const Arguments& a, std::size_t i) {
  using T = std::remove_cvref_t<Parameter>;
  if constexpr (std::is_same_v<Parameter, const Tensor&>) return a.tensor(i);
  if constexpr (std::is_same_v<Parameter, Tensor&>) return a.mutable_tensor(i);
  if constexpr (std::is_same_v<T, ArrayRef<Tensor>>) return a.tensors(i);
  if constexpr (std::is_same_v<T, Scalar>) return a.scalar(i);
  if constexpr (std::is_same_v<T, std::optional<Scalar>>) return a.optional_scalar(i);
  if constexpr (std::is_same_v<T, std::int64_t>) return a.integer(i);
  if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) return a.optional_integer(i);
  if constexpr (std::is_same_v<T, double>) return a.floating(i);
  if constexpr (std::is_same_v<T, std::optional<double>>) return a.optional_floating(i);
  if constexpr (std::is_same_v<T, bool>) return a.boolean(i);
  if constexpr (std::is_same_v<T, std::optional<bool>>) return a.optional_boolean(i);
  if constexpr (std::is_same_v<T, IntArrayRef>) return a.integers(i);
  if constexpr (std::is_same_v<T, OptionalIntArrayRef>) return a.optional_integers(i);
  if constexpr (std::is_same_v<T, ScalarType>) return a.dtype(i);
  if constexpr (std::is_same_v<T, std::optional<ScalarType>>) return a.optional_dtype(i);
  if constexpr (std::is_same_v<T, std::string_view>) return a.string(i);
  if constexpr (std::is_same_v<T, std::optional<std::string_view>>) return a.optional_string(i);
  if constexpr (std::is_same_v<T, MemoryFormat>) return a.memory_format(i);
  if constexpr (std::is_same_v<T, std::optional<MemoryFormat>>) return a.optional_memory_format(i);
}

/// Calls a function of this signature. Its first `Outs` parameters are the last arguments of the schema.
template <std::size_t Outs, class Result, class... Parameters>
std::vector<Tensor> call_function(RegisteredOp::Function function, [[maybe_unused]] const Arguments& a) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    // A rotation: outs come first here and last there.
    [[maybe_unused]] constexpr std::size_t n = sizeof...(Parameters);
    std::tuple<decltype(argument<Parameters>(a, 0))...> values{
        argument<Parameters>(a, (I + n - Outs) % n)...};
    return pack(reinterpret_cast<Result (*)(Parameters...)>(function)(std::get<I>(values)...));
  }(std::index_sequence_for<Parameters...>());
}

}  // namespace lanewise::detail
