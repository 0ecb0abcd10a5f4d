#pragma once

#include <optional>

#include <lanewise/tensor/dtype.h>

namespace lanewise {

/// How the elements of a result are laid out.
enum class MemoryFormat : std::int8_t {
  Contiguous,  ///< C order
  Preserve,    ///< the input's order of dimensions if it is dense, else C order
};

/// Lanewise computes on CPUs only; the type exists so that code written for several devices compiles.
enum class DeviceType : std::int8_t { CPU };
struct Device {
  DeviceType kind = DeviceType::CPU;
  constexpr Device() noexcept = default;
  constexpr Device(DeviceType type) noexcept : kind(type) {}
  constexpr DeviceType type() const noexcept { return kind; }
  constexpr bool is_cpu() const noexcept { return true; }
  friend constexpr bool operator==(Device, Device) noexcept = default;
};
inline constexpr DeviceType kCPU = DeviceType::CPU;

/// What a factory makes: dtype (the default dtype if not set) and whether gradients are wanted. Setters
/// return a copy.
class TensorOptions {
 public:
  constexpr TensorOptions() noexcept = default;
  constexpr TensorOptions(ScalarType dtype) noexcept : dtype_(dtype) {}
  constexpr TensorOptions(Device) noexcept {}
  constexpr TensorOptions(DeviceType) noexcept {}

  [[nodiscard]] constexpr TensorOptions dtype(std::optional<ScalarType> dtype) const noexcept {
    TensorOptions copy = *this;
    copy.dtype_ = dtype;
    return copy;
  }
  [[nodiscard]] constexpr TensorOptions requires_grad(std::optional<bool> value) const noexcept {
    TensorOptions copy = *this;
    copy.requires_grad_ = value;
    return copy;
  }
  [[nodiscard]] constexpr TensorOptions device(Device) const noexcept { return *this; }

  ScalarType dtype() const noexcept { return dtype_.value_or(get_default_dtype()); }
  constexpr bool requires_grad() const noexcept { return requires_grad_.value_or(false); }
  constexpr Device device() const noexcept { return {}; }
  constexpr bool has_dtype() const noexcept { return dtype_.has_value(); }
  constexpr bool has_requires_grad() const noexcept { return requires_grad_.has_value(); }
  constexpr std::optional<ScalarType> dtype_opt() const noexcept { return dtype_; }
  constexpr std::optional<bool> requires_grad_opt() const noexcept { return requires_grad_; }

 private:
  std::optional<ScalarType> dtype_;
  std::optional<bool> requires_grad_;
};

constexpr TensorOptions dtype(ScalarType t) noexcept { return TensorOptions().dtype(t); }
constexpr TensorOptions requires_grad(bool value = true) noexcept {
  return TensorOptions().requires_grad(value);
}
constexpr TensorOptions device(Device d) noexcept { return TensorOptions(d); }

}  // namespace lanewise
