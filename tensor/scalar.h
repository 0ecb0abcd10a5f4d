#pragma once

#include <complex>
#include <cstdint>
#include <ostream>
#include <type_traits>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise {

/// A number as an argument: bool, int64, double or complex<double>, whichever its C++ type was. In promotion
/// it is a wrapped number: it changes a result's dtype only if its category is higher than the tensors'.
class LANEWISE_API Scalar {
 public:
  constexpr Scalar() noexcept : kind_(Kind::Int), integer_(0) {}
  template <class T>
    requires(std::is_integral_v<T>)
  constexpr Scalar(T value) noexcept
      : kind_(std::is_same_v<T, bool> ? Kind::Bool : Kind::Int), integer_(static_cast<std::int64_t>(value)) {}
  template <class T>
    requires(std::is_floating_point_v<T>)
  constexpr Scalar(T value) noexcept : kind_(Kind::Double), parts_{static_cast<double>(value), 0} {}
  constexpr Scalar(Half value) noexcept : Scalar(static_cast<float>(value)) {}
  constexpr Scalar(BFloat16 value) noexcept : Scalar(static_cast<float>(value)) {}
  template <class T>
  constexpr Scalar(std::complex<T> value) noexcept
      : kind_(Kind::Complex), parts_{static_cast<double>(value.real()), static_cast<double>(value.imag())} {}

  constexpr bool isBoolean() const noexcept { return kind_ == Kind::Bool; }
  constexpr bool isIntegral(bool include_bool) const noexcept {
    return kind_ == Kind::Int || (include_bool && kind_ == Kind::Bool);
  }
  constexpr bool isFloatingPoint() const noexcept { return kind_ == Kind::Double; }
  constexpr bool isComplex() const noexcept { return kind_ == Kind::Complex; }

  /// Bool, Long, Double or ComplexDouble.
  constexpr ScalarType type() const noexcept {
    switch (kind_) {
      case Kind::Bool: return ScalarType::Bool;
      case Kind::Int: return ScalarType::Long;
      case Kind::Double: return ScalarType::Double;
      case Kind::Complex: break;
    }
    return ScalarType::ComplexDouble;
  }

  /// The value as a T. Throws ValueError if it does not fit: an integer out of T's range, a complex number
  /// with an imaginary part as a real type, a double beyond float's range (infinities are kept). Fractions
  /// are cut off.
  template <class T>
  T to() const;
  /// Throws ValueError where to<T>() does, of the type that `dtype` stands for; `op` begins the message.
  void check_fits(ScalarType dtype, const char* op = "Scalar::to") const;
  /// The value as a T with C++'s conversions and no check: integers wrap, complex keeps the real part.
  template <class T>
  constexpr T to_unchecked() const noexcept;

  bool toBool() const { return to<bool>(); }
  std::uint8_t toByte() const { return to<std::uint8_t>(); }
  std::int8_t toChar() const { return to<std::int8_t>(); }
  std::int16_t toShort() const { return to<std::int16_t>(); }
  std::int32_t toInt() const { return to<std::int32_t>(); }
  std::int64_t toLong() const { return to<std::int64_t>(); }
  Half toHalf() const { return to<Half>(); }
  BFloat16 toBFloat16() const { return to<BFloat16>(); }
  float toFloat() const { return to<float>(); }
  double toDouble() const { return to<double>(); }
  std::complex<float> toComplexFloat() const { return to<std::complex<float>>(); }
  std::complex<double> toComplexDouble() const { return to<std::complex<double>>(); }

  /// Complex numbers get the other sign of the imaginary part.
  constexpr Scalar conj() const noexcept {
    return isComplex() ? Scalar(std::complex<double>(parts_[0], -parts_[1])) : *this;
  }
  /// The natural logarithm; of a negative real number NaN.
  Scalar log() const noexcept;
  constexpr Scalar operator-() const noexcept {
    switch (kind_) {
      case Kind::Bool:
      case Kind::Int: return Scalar(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(integer_)));
      case Kind::Double: return Scalar(-parts_[0]);
      case Kind::Complex: break;
    }
    return Scalar(std::complex<double>(-parts_[0], -parts_[1]));
  }
  /// Equal in value, whatever the types: Scalar(1) equals 1.0. A bool equals only bools.
  template <class T>
    requires(std::is_arithmetic_v<T>)
  constexpr bool equal(T value) const noexcept {
    if (isBoolean() != std::is_same_v<T, bool>) return false;
    if (isIntegral(true)) {
      if constexpr (std::is_integral_v<T>) {
        return integer_ == static_cast<std::int64_t>(value);
      } else {
        return static_cast<T>(integer_) == value;
      }
    }
    return parts_[0] == static_cast<double>(value) && parts_[1] == 0;
  }
  template <class T>
  constexpr bool equal(std::complex<T> value) const noexcept {
    return value.imag() == 0 ? equal(value.real())
                             : isComplex() && parts_[0] == static_cast<double>(value.real()) &&
                                   parts_[1] == static_cast<double>(value.imag());
  }

 private:
  enum class Kind : std::uint8_t { Bool, Int, Double, Complex };
  Kind kind_;
  union {
    std::int64_t integer_;
    double parts_[2];
  };
};

template <class T>
constexpr T Scalar::to_unchecked() const noexcept {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    using R = typename T::value_type;
    return isIntegral(true) ? T(static_cast<R>(integer_), R(0))
                            : T(static_cast<R>(parts_[0]), isComplex() ? static_cast<R>(parts_[1]) : R(0));
  } else if constexpr (std::is_same_v<T, bool>) {
    return isIntegral(true) ? integer_ != 0 : parts_[0] != 0 || (isComplex() && parts_[1] != 0);
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(isIntegral(true) ? static_cast<float>(integer_) : static_cast<float>(parts_[0]));
  } else if constexpr (std::is_integral_v<T>) {
    if (isIntegral(true)) return static_cast<T>(integer_);
    const double value = parts_[0];
    const bool fits = value > -9223372036854775809.0 && value < 9223372036854775808.0;
    return static_cast<T>(fits ? static_cast<std::int64_t>(value) : INT64_MIN);
  } else {
    return isIntegral(true) ? static_cast<T>(integer_) : static_cast<T>(parts_[0]);
  }
}

extern template LANEWISE_API bool Scalar::to<bool>() const;
extern template LANEWISE_API std::uint8_t Scalar::to<std::uint8_t>() const;
extern template LANEWISE_API std::int8_t Scalar::to<std::int8_t>() const;
extern template LANEWISE_API std::int16_t Scalar::to<std::int16_t>() const;
extern template LANEWISE_API std::int32_t Scalar::to<std::int32_t>() const;
extern template LANEWISE_API long Scalar::to<long>() const;
extern template LANEWISE_API long long Scalar::to<long long>() const;
extern template LANEWISE_API Half Scalar::to<Half>() const;
extern template LANEWISE_API BFloat16 Scalar::to<BFloat16>() const;
extern template LANEWISE_API float Scalar::to<float>() const;
extern template LANEWISE_API double Scalar::to<double>() const;
extern template LANEWISE_API std::complex<float> Scalar::to<std::complex<float>>() const;
extern template LANEWISE_API std::complex<double> Scalar::to<std::complex<double>>() const;

LANEWISE_API std::ostream& operator<<(std::ostream& out, const Scalar& s);

}  // namespace lanewise
