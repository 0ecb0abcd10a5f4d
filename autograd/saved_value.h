#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// What a custom function keeps beside tensors that need their history: `ctx->saved_data["scale"] = 2.5`.
/// Reading it as another type than it was stored as throws ValueError; an int64 reads as a double too.
class LANEWISE_API SavedValue {
 public:
  SavedValue() noexcept;
  SavedValue(bool value);
  SavedValue(std::int64_t value);
  SavedValue(double value);
  template <class T>
  requires(std::is_arithmetic_v<T>) SavedValue(T value)
      : SavedValue(static_cast<std::conditional_t<std::is_integral_v<T>, std::int64_t, double>>(value)) {}
  SavedValue(std::complex<double> value);
  /// A Scalar itself, not what converts to one.
  template <class T>
  requires(std::is_same_v<T, Scalar>) SavedValue(const T& value) : SavedValue(of_number(value)) {}
  SavedValue(const char* value);
  SavedValue(std::string value);
  SavedValue(Tensor value);
  SavedValue(std::vector<Tensor> value);
  SavedValue(std::vector<std::int64_t> value);
  SavedValue(IntArrayRef value) : SavedValue(value.vec()) {}
  SavedValue(std::vector<double> value);
  /// Nothing reads as none.
  SavedValue(std::nullopt_t) noexcept : SavedValue() {}
  template <class T>
  SavedValue(const std::optional<T>& value) : SavedValue(value ? SavedValue(*value) : SavedValue()) {}
  // Out of line: every file that includes this would compile what a variant does.
  SavedValue(const SavedValue& other);
  SavedValue(SavedValue&& other) noexcept;
  SavedValue& operator=(const SavedValue& other);
  SavedValue& operator=(SavedValue&& other) noexcept;
  ~SavedValue();

  bool isNone() const noexcept;
  bool isTensor() const noexcept;
  bool isInt() const noexcept;
  bool isDouble() const noexcept;
  bool isBool() const noexcept;
  /// A number or a bool.
  bool isScalar() const noexcept;

  bool toBool() const;
  std::int64_t toInt() const;
  double toDouble() const;
  std::complex<double> toComplexDouble() const;
  Scalar toScalar() const;
  const std::string& toStringRef() const;
  const Tensor& toTensor() const;
  const std::vector<Tensor>& toTensorVector() const;
  const std::vector<Tensor>& toTensorList() const { return toTensorVector(); }
  const std::vector<std::int64_t>& toIntVector() const;
  const std::vector<std::int64_t>& toIntList() const { return toIntVector(); }
  const std::vector<double>& toDoubleVector() const;
  const std::vector<double>& toDoubleList() const { return toDoubleVector(); }

  /// By type: `ctx->saved_data["n"].to<int64_t>()`.
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) {
      return toBool();
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(toInt());
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(toDouble());
    } else if constexpr (std::is_same_v<T, Scalar>) {
      return toScalar();
    } else {
      return get<T>("of the type asked for");
    }
  }
  /// The same, or nothing where there is none.
  template <class T>
  std::optional<T> toOptional() const {
    return isNone() ? std::nullopt : std::optional<T>(to<T>());
  }

 private:
  static SavedValue of_number(const Scalar& value);

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
