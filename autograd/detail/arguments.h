#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <lanewise/autograd/registry.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>
#include <lanewise/tensor/tensor_options.h>

/// Between call() and the generated table.
namespace lanewise::detail {

/// The arguments of one call, bound to a schema: as many as it has, each of the type that it says.
class Arguments {
 public:
  explicit Arguments(std::vector<Value> values) : values_(std::move(values)) {}

  const Tensor& tensor(std::size_t i) const;  ///< undefined for None
  Tensor mutable_tensor(std::size_t i) const { return tensor(i); }
  ArrayRef<Tensor> tensors(std::size_t i) const;
  Scalar scalar(std::size_t i) const;
  std::optional<Scalar> optional_scalar(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  std::optional<std::int64_t> optional_integer(std::size_t i) const;
  double floating(std::size_t i) const;
  std::optional<double> optional_floating(std::size_t i) const;
  bool boolean(std::size_t i) const;
  std::optional<bool> optional_boolean(std::size_t i) const;
  IntArrayRef integers(std::size_t i) const;
  OptionalIntArrayRef optional_integers(std::size_t i) const;
  ScalarType dtype(std::size_t i) const;
  std::optional<ScalarType> optional_dtype(std::size_t i) const;
  std::string_view string(std::size_t i) const;
  std::optional<std::string_view> optional_string(std::size_t i) const;
  MemoryFormat memory_format(std::size_t i) const;
  std::optional<MemoryFormat> optional_memory_format(std::size_t i) const;

 private:
  std::vector<Value> values_;
};

std::vector<Tensor> pack(Tensor result);
inline std::vector<Tensor> pack(std::vector<Tensor> results) { return results; }
template <class... Tensors>
std::vector<Tensor> pack(std::tuple<Tensors...> results) {
  return std::apply([](auto&&... each) { return std::vector<Tensor>{std::move(each)...}; },
                    std::move(results));
}

/// What a row of registry() calls: an op's function without its type, and the thunk that knows the type. Many ops share a
/// signature, and with it the thunk.
struct RegisteredOp {
  using Function = void (*)();

  std::vector<Tensor> (*thunk)(Function function, const Arguments& arguments);
  Function function;
  bool numbers_as_tensors;  ///< a number is taken for a Tensor

  std::vector<Tensor> operator()(const Arguments& arguments) const { return thunk(function, arguments); }
};

/// Beside registry(), in the same order.
std::span<const RegisteredOp> registered_ops() noexcept;

/// A default as a schema writes it.
Value parse_default(const SchemaArgument& argument);

}  // namespace lanewise::detail
