#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::codegen {

enum class BaseType { Tensor, Scalar, Int, Float, Bool, Str, ScalarType, MemoryFormat };

/// A schema type: `Tensor`, `int[1]?`, `Scalar?`, `Tensor[]`, `Tensor?[]`...
struct Type {
  BaseType base = BaseType::Tensor;
  bool list = false;
  bool optional = false;
  /// `Tensor?[]`: elements of the list may be missing, which are undefined tensors.
  bool optional_elements = false;
  /// Length that a single number stands for (`int[2]`), 0 if the schema names none.
  int list_size = 0;

  bool is_tensor() const { return base == BaseType::Tensor && !list; }
  bool is_tensor_list() const { return base == BaseType::Tensor && list; }
};

struct Argument {
  Type type;
  std::string name;
  std::optional<std::string> default_value;  ///< as written: None, True, 1, [], "none"
  bool kwarg_only = false;
  bool alias = false;    ///< Tensor(a): the result shares its memory
  bool written = false;  ///< Tensor(a!)
};

struct Return {
  Type type;
  std::string name;  ///< may be empty
  bool alias = false;
  bool written = false;
};

/// `name.overload(arguments) -> returns`, in ATen's notation.
struct Schema {
  std::string name;
  std::string overload;
  std::vector<Argument> arguments;
  std::vector<Return> returns;

  std::string full_name() const { return overload.empty() ? name : name + "." + overload; }
  const Argument* find(std::string_view argument) const;
  bool is_inplace() const { return name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_'; }
  bool is_view() const { return !returns.empty() && returns[0].alias && !returns[0].written; }
};

/// Throws SyntaxError.
Schema parse_schema(std::string_view text);

/// The notation back, types without alias annotations.
std::string to_string(const Type& type);

}  // namespace lanewise::codegen
