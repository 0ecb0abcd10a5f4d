#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// An argument of call(): nothing, a tensor, a list of tensors, a number, a list of integers, a dtype or a
/// string. Converts from all of these, so that arguments are written as in an ordinary call.
class LANEWISE_API Value {
 public:
  using Content = std::variant<std::monostate, Tensor, std::vector<Tensor>, bool, std::int64_t, double,
                               std::complex<double>, std::vector<std::int64_t>, ScalarType, std::string>;

  Value() noexcept;
  Value(std::nullopt_t) noexcept;
  Value(Tensor tensor);
  Value(std::vector<Tensor> tensors);
  template <class T>
  requires(std::is_arithmetic_v<T>) Value(T number) : Value(Scalar(number)) {}
  template <class T>
  Value(std::complex<T> number) : Value(Scalar(number)) {}
  Value(const Scalar& number);
  Value(std::vector<std::int64_t> list);
  Value(IntArrayRef list);
  Value(std::initializer_list<std::int64_t> list);
  Value(ScalarType dtype);
  Value(std::string text);
  Value(std::string_view text);
  Value(const char* text);
  template <class T>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value()) {}
  // Out of line: every file that includes this would compile what a variant does.
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  const Content& content() const noexcept { return content_; }
  bool is_none() const noexcept { return content_.index() == 0; }
  template <class T>
  const T* get_if() const noexcept {
    return std::get_if<T>(&content_);
  }
  /// "Tensor", "int", "int[]"...: what it holds, in the words of schemas.
  std::string type_name() const;

 private:
  Content content_;
};

/// An argument given by name.
struct NamedValue {
  std::string_view name;
  Value value;
};

}  // namespace lanewise
