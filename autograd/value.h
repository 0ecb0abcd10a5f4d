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

  Value() = default;
  Value(std::nullopt_t) {}
  Value(Tensor tensor) : content_(std::move(tensor)) {}
  Value(std::vector<Tensor> tensors) : content_(std::move(tensors)) {}
  template <class T>
    requires(std::is_arithmetic_v<T>)
  Value(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      content_ = number;
    } else if constexpr (std::is_integral_v<T>) {
      content_ = static_cast<std::int64_t>(number);
    } else {
      content_ = static_cast<double>(number);
    }
  }
  template <class T>
  Value(std::complex<T> number) : content_(std::complex<double>(number)) {}
  Value(const Scalar& number);
  Value(std::vector<std::int64_t> list) : content_(std::move(list)) {}
  Value(IntArrayRef list) : content_(std::vector<std::int64_t>(list.begin(), list.end())) {}
  Value(std::initializer_list<std::int64_t> list) : content_(std::vector<std::int64_t>(list)) {}
  Value(ScalarType dtype) : content_(dtype) {}
  Value(std::string text) : content_(std::move(text)) {}
  Value(std::string_view text) : content_(std::string(text)) {}
  Value(const char* text) : content_(std::string(text)) {}
  template <class T>
  Value(const std::optional<T>& value) {
    if (value) *this = Value(*value);
  }

  const Content& content() const noexcept { return content_; }
  bool is_none() const noexcept { return std::holds_alternative<std::monostate>(content_); }
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
