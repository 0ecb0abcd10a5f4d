#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// What a custom function keeps beside tensors that need their history: `ctx->saved_data["scale"] = 2.5`.
/// Reading it as another type than it was stored as throws ValueError; an int64 reads as a double too.
class SavedValue {
 public:
  SavedValue() = default;
  SavedValue(bool value) : value_(value) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  SavedValue(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <class T>
    requires std::is_floating_point_v<T>
  SavedValue(T value) : value_(static_cast<double>(value)) {}
  SavedValue(std::complex<double> value) : value_(value) {}
  SavedValue(const char* value) : value_(std::string(value)) {}
  SavedValue(std::string value) : value_(std::move(value)) {}
  SavedValue(Tensor value) : value_(std::move(value)) {}
  SavedValue(std::vector<Tensor> value) : value_(std::move(value)) {}
  SavedValue(std::vector<std::int64_t> value) : value_(std::move(value)) {}
  SavedValue(std::vector<double> value) : value_(std::move(value)) {}

  bool isNone() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  bool isTensor() const noexcept { return std::holds_alternative<Tensor>(value_); }
  bool isInt() const noexcept { return std::holds_alternative<std::int64_t>(value_); }
  bool isDouble() const noexcept { return std::holds_alternative<double>(value_); }
  bool isBool() const noexcept { return std::holds_alternative<bool>(value_); }

  bool toBool() const { return get<bool>("a bool"); }
  std::int64_t toInt() const { return get<std::int64_t>("an int"); }
  double toDouble() const {
    return isInt() ? static_cast<double>(std::get<std::int64_t>(value_)) : get<double>("a double");
  }
  std::complex<double> toComplexDouble() const { return get<std::complex<double>>("a complex"); }
  const std::string& toStringRef() const { return get<std::string>("a string"); }
  const Tensor& toTensor() const { return get<Tensor>("a Tensor"); }
  const std::vector<Tensor>& toTensorVector() const { return get<std::vector<Tensor>>("a list of Tensors"); }
  const std::vector<std::int64_t>& toIntVector() const {
    return get<std::vector<std::int64_t>>("a list of ints");
  }
  const std::vector<std::int64_t>& toIntList() const { return toIntVector(); }
  const std::vector<double>& toDoubleVector() const { return get<std::vector<double>>("a list of doubles"); }

  /// By type: `ctx->saved_data["n"].to<int64_t>()`.
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) {
      return toBool();
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(toInt());
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(toDouble());
    } else {
      return get<T>("of the type asked for");
    }
  }

 private:
  template <class T>
  const T& get(const char* what) const {
    const T* value = std::get_if<T>(&value_);
    LANEWISE_CHECK(ValueError, value != nullptr, "saved_data: the value is not ", what);
    return *value;
  }

  std::variant<std::monostate, bool, std::int64_t, double, std::complex<double>, std::string, Tensor,
               std::vector<Tensor>, std::vector<std::int64_t>, std::vector<double>>
      value_;
};

}  // namespace lanewise::autograd
