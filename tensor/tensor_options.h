#pragma once

#include <cstdint>
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
using DeviceIndex = std::int8_t;
class Device {
 public:
  constexpr Device() noexcept = default;
  constexpr Device(DeviceType, DeviceIndex index = -1) noexcept : index_(index) {}
  constexpr DeviceType type() const noexcept { return DeviceType::CPU; }
  /// -1: the current one, and there is no other.
  constexpr DeviceIndex index() const noexcept { return index_; }
  constexpr bool has_index() const noexcept { return index_ != -1; }
  constexpr bool is_cpu() const noexcept { return true; }
  friend constexpr bool operator==(Device, Device) noexcept = default;

 private:
  DeviceIndex index_ = -1;
};
inline constexpr DeviceType kCPU = DeviceType::CPU;

/// How elements are addressed: always by sizes and strides.
enum class Layout : std::int8_t { Strided };
inline constexpr Layout kStrided = Layout::Strided;

/// What a factory makes: dtype (the default dtype if not set) and whether gradients are wanted. Setters
/// return a copy.
class TensorOptions {
 public:
  constexpr TensorOptions() noexcept = default;
  constexpr TensorOptions(ScalarType dtype) noexcept : dtype_(dtype) {}
  constexpr TensorOptions(Device) noexcept {}
  constexpr TensorOptions(DeviceType) noexcept {}
  constexpr TensorOptions(Layout) noexcept {}

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
  [[nodiscard]] constexpr TensorOptions layout(Layout) const noexcept { return *this; }

  ScalarType dtype() const noexcept { return dtype_.value_or(get_default_dtype()); }
  constexpr bool requires_grad() const noexcept { return requires_grad_.value_or(false); }
  constexpr Device device() const noexcept { return {}; }
  constexpr Layout layout() const noexcept { return kStrided; }
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
constexpr TensorOptions layout(Layout l) noexcept { return TensorOptions(l); }

}  // namespace lanewise
