#include <cmath>
#include <limits>

#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/scalar.h>

namespace lanewise {

namespace {

template <class T>
bool fits(const Scalar& s) {
  const auto value = s.to_unchecked<std::complex<double>>();
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::complex<double>>) {
    return true;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return !std::isfinite(value.real()) || !std::isfinite(value.imag()) ||
           (std::abs(value.real()) <= std::numeric_limits<float>::max() &&
            std::abs(value.imag()) <= std::numeric_limits<float>::max());
  } else if constexpr (std::is_integral_v<T>) {
    if (s.isComplex() && value.imag() != 0) return false;
    if (s.isIntegral(true)) {
      const auto i = s.to_unchecked<std::int64_t>();
      if constexpr (std::is_unsigned_v<T>) {
        // Unsigned types also take negatives in range, as two's complement: -1 is 255.
        return i >= -static_cast<std::int64_t>(std::numeric_limits<T>::max()) &&
               i <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
      } else {
        return i >= std::numeric_limits<T>::min() && i <= std::numeric_limits<T>::max();
      }
    }
    constexpr double kEnd = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
    constexpr double kBegin = static_cast<double>(std::numeric_limits<T>::min());
    constexpr bool kHasLargest = sizeof(T) < 8;  // a double has it, so that 255.5 is no byte, as -0.5 is none
    return value.real() >= kBegin && (kHasLargest ? value.real() <= kEnd - 1 : value.real() < kEnd);
  } else {
    if (s.isComplex() && value.imag() != 0) return false;
    if constexpr (std::is_same_v<T, double>) return true;
    double largest = std::numeric_limits<float>::max();
    if constexpr (std::is_same_v<T, Half>) largest = 65504;
    if constexpr (std::is_same_v<T, BFloat16>) largest = 0x1.fep127;
    return !std::isfinite(value.real()) || std::abs(value.real()) <= largest;
  }
}

/// libtorch's name of the C++ type.
const char* cpp_name(ScalarType t) noexcept {
  switch (t) {
    case kBool: return "bool";
    case kByte: return "uint8_t";
    case kChar: return "int8_t";
    case kShort: return "int16_t";
    case kInt: return "int";
    case kLong: return "int64_t";
    case kHalf: return "at::Half";
    case kBFloat16: return "at::BFloat16";
    case kFloat: return "float";
    case kDouble: return "double";
    case kComplexFloat: return "c10::complex<float>";
    default: return "c10::complex<double>";
  }
}

template <class T>
void check_fits_in(const Scalar& s, const char* op) {
  LANEWISE_CHECK(ValueError, fits<T>(s), op, ": value cannot be converted to type ",
                 cpp_name(scalar_type_of<T>), " without overflow; it is ", s);
}

}  // namespace

template <class T>
T Scalar::to() const {
  check_fits_in<T>(*this, "Scalar::to");
  return to_unchecked<T>();
}

template bool Scalar::to<bool>() const;
template std::uint8_t Scalar::to<std::uint8_t>() const;
template std::int8_t Scalar::to<std::int8_t>() const;
template std::int16_t Scalar::to<std::int16_t>() const;
template std::int32_t Scalar::to<std::int32_t>() const;
template long Scalar::to<long>() const;
template long long Scalar::to<long long>() const;
template Half Scalar::to<Half>() const;
template BFloat16 Scalar::to<BFloat16>() const;
template float Scalar::to<float>() const;
template double Scalar::to<double>() const;
template std::complex<float> Scalar::to<std::complex<float>>() const;
template std::complex<double> Scalar::to<std::complex<double>>() const;

void Scalar::check_fits(ScalarType dtype, const char* op) const {
  LANEWISE_CHECK(DtypeError, dtype != ScalarType::Undefined, op, ": the dtype is undefined; name one");
  visit_dtype(dtype, [&]<class T>() { check_fits_in<T>(*this, op); });
}

std::ostream& operator<<(std::ostream& out, const Scalar& s) {
  if (s.isBoolean()) return out << (s.to_unchecked<bool>() ? "true" : "false");
  if (s.isIntegral(false)) return out << s.to_unchecked<std::int64_t>();
  if (s.isFloatingPoint()) return out << s.to_unchecked<double>();
  return out << s.to_unchecked<std::complex<double>>();
}

Scalar Scalar::log() const noexcept {
  if (isComplex()) return Scalar(std::log(to_unchecked<std::complex<double>>()));
  return Scalar(std::log(to_unchecked<double>()));
}

}  // namespace lanewise
