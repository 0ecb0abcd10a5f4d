#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lanewise/autograd/value.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// The type of a schema's argument, taken apart.
struct SchemaType {
  enum class Base : std::uint8_t { Tensor, Scalar, Int, Float, Bool, Str, ScalarType, MemoryFormat };
  Base base;
  bool list = false;
  bool optional = false;
};

struct SchemaArgument {
  std::string_view name;
  std::string_view type;  ///< as written: "Tensor", "int[1]?"
  SchemaType parsed;
  std::string_view default_value;  ///< as written: "None", "1", "True"; empty if the argument is required
  bool kwarg_only = false;

  bool has_default() const noexcept { return !default_value.empty(); }
};

/// What can be called by name: one form of one overload of an op.
struct LANEWISE_API Schema {
  std::string_view name;
  std::string_view overload;
  std::span<const SchemaArgument> arguments;
  std::span<const std::string_view> returns;  ///< types
  std::string_view doc;
  bool differentiable = false;
  bool is_view = false;
  bool is_inplace = false;
  bool is_out = false;  ///< writes to its keyword argument `out`

  /// "mul.Tensor"
  std::string full_name() const;
  /// "mul.Tensor(Tensor self, Tensor other) -> Tensor"
  std::string to_string() const;
};

/// Every op in every form, in the order of derivatives.yaml.
LANEWISE_API std::span<const Schema> registry() noexcept;

/// Calls an op by name: "mul" picks the overload that takes the arguments, "mul.Tensor" names one, "mul_" is
/// the in-place form, "mul.out" or an argument `out` the one that writes to it. Missing arguments take their
/// defaults; numbers become wrapped numbers where an operator would do the same; a single integer may stand
/// for a list. In-place and out= forms return the tensor that they wrote to.
/// Throws   ValueError for an unknown op or arguments that no overload takes; otherwise what the op throws
LANEWISE_API std::vector<Tensor> call(std::string_view op, std::span<const Value> args,
                                      std::span<const NamedValue> kwargs = {});
LANEWISE_API std::vector<Tensor> call(std::string_view op, std::span<const Value> args,
                                      std::initializer_list<NamedValue> kwargs);
LANEWISE_API std::vector<Tensor> call(std::string_view op, std::initializer_list<Value> args,
                                      std::initializer_list<NamedValue> kwargs = {});

}  // namespace lanewise
