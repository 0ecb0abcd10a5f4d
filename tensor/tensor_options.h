#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/device.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise {

/// How the elements of a result are laid out.
enum class MemoryFormat : std::int8_t {
  Contiguous,      ///< C order
  Preserve,        ///< the input's order of dimensions if it is dense, else C order
  ChannelsLast,    ///< of [N, C, H, W]: the channels of a place lie next to each other
  ChannelsLast3d,  ///< the same of [N, C, D, H, W]
};
LANEWISE_API std::ostream& operator<<(std::ostream& out, MemoryFormat format);

/// What a factory makes: dtype (the default dtype if not set) and whether gradients are wanted. Setters
/// return a copy. Device and layout are remembered, and there is one of each. The memory format counts for empty, the _like
/// factories and to().
class LANEWISE_API TensorOptions {
 public:
  constexpr TensorOptions() noexcept = default;
  constexpr TensorOptions(ScalarType dtype) noexcept : dtype_(dtype) {}
  constexpr TensorOptions(Device device) noexcept : device_(device) {}
  constexpr TensorOptions(DeviceType type) : device_(type) {}
  constexpr TensorOptions(Layout layout) noexcept : layout_(layout) {}
  template <std::size_t N>
  TensorOptions(const char (&device)[N]) : device_(Device(device)) {}

  [[nodiscard]] constexpr TensorOptions dtype(std::optional<ScalarType> dtype) const noexcept {
    TensorOptions copy = *this;
    copy.dtype_ = dtype;
    return copy;
  }
  template <class T>
  [[nodiscard]] constexpr TensorOptions dtype() const noexcept {
    static_assert(scalar_type_of<T> != ScalarType::Undefined, "no dtype has elements of this type");
    return dtype(scalar_type_of<T>);
  }
  [[nodiscard]] constexpr TensorOptions requires_grad(std::optional<bool> value) const noexcept {
    TensorOptions copy = *this;
    copy.requires_grad_ = value;
    return copy;
  }
  [[nodiscard]] constexpr TensorOptions device(std::optional<Device> device) const noexcept {
    TensorOptions copy = *this;
    copy.device_ = device;
    return copy;
  }
  [[nodiscard]] constexpr TensorOptions device(DeviceType type, DeviceIndex index = -1) const {
    return device(Device(type, index));
  }
  [[nodiscard]] constexpr TensorOptions device_index(DeviceIndex index) const noexcept {
    return device(Device(kCPU, index));
  }
  [[nodiscard]] constexpr TensorOptions layout(std::optional<Layout> layout) const noexcept {
    TensorOptions copy = *this;
    copy.layout_ = layout;
    return copy;
  }
  [[nodiscard]] constexpr TensorOptions memory_format(std::optional<MemoryFormat> format) const noexcept {
    TensorOptions copy = *this;
    copy.memory_format_ = format;
    return copy;
  }
  /// Throws NotImplementedError for true.
  [[nodiscard]] constexpr TensorOptions pinned_memory(std::optional<bool> value) const {
    if (value.value_or(false)) raise_pinned();
    return *this;
  }

  ScalarType dtype() const noexcept { return dtype_.value_or(get_default_dtype()); }
  constexpr bool requires_grad() const noexcept { return requires_grad_.value_or(false); }
  constexpr Device device() const noexcept { return device_.value_or(Device()); }
  constexpr DeviceIndex device_index() const noexcept { return device().index(); }
  constexpr Layout layout() const noexcept { return kStrided; }
  constexpr Backend backend() const noexcept { return Backend::CPU; }
  constexpr bool pinned_memory() const noexcept { return false; }
  constexpr bool is_sparse() const noexcept { return false; }
  constexpr bool has_dtype() const noexcept { return dtype_.has_value(); }
  constexpr bool has_requires_grad() const noexcept { return requires_grad_.has_value(); }
  constexpr bool has_device() const noexcept { return device_.has_value(); }
  constexpr bool has_layout() const noexcept { return layout_.has_value(); }
  constexpr bool has_memory_format() const noexcept { return memory_format_.has_value(); }
  constexpr std::optional<ScalarType> dtype_opt() const noexcept { return dtype_; }
  constexpr std::optional<bool> requires_grad_opt() const noexcept { return requires_grad_; }
  constexpr std::optional<Device> device_opt() const noexcept { return device_; }
  constexpr std::optional<Layout> layout_opt() const noexcept { return layout_; }
  constexpr std::optional<MemoryFormat> memory_format_opt() const noexcept { return memory_format_; }
  constexpr std::optional<bool> pinned_memory_opt() const noexcept { return std::nullopt; }

  /// Whether tensors of both have the same type(): the dtype decides.
  bool type_equal(const TensorOptions& other) const noexcept { return dtype() == other.dtype(); }
  /// These options, with what `other` sets in their place.
  [[nodiscard]] constexpr TensorOptions merge_in(const TensorOptions& other) const noexcept {
    TensorOptions merged = other;
    if (!merged.dtype_) merged.dtype_ = dtype_;
    if (!merged.requires_grad_) merged.requires_grad_ = requires_grad_;
    if (!merged.device_) merged.device_ = device_;
    if (!merged.layout_) merged.layout_ = layout_;
    if (!merged.memory_format_) merged.memory_format_ = memory_format_;
    return merged;
  }

 private:
  [[noreturn]] static void raise_pinned();

  std::optional<ScalarType> dtype_;
  std::optional<bool> requires_grad_;
  std::optional<Device> device_;
  std::optional<Layout> layout_;
  std::optional<MemoryFormat> memory_format_;
};

constexpr TensorOptions dtype(ScalarType t) noexcept { return TensorOptions().dtype(t); }
template <class T>
constexpr TensorOptions dtype() noexcept {
  return TensorOptions().dtype<T>();
}
constexpr TensorOptions device_index(DeviceIndex index) noexcept {
  return TensorOptions().device_index(index);
}
constexpr TensorOptions requires_grad(bool value = true) noexcept {
  return TensorOptions().requires_grad(value);
}
constexpr TensorOptions device(Device d) noexcept { return TensorOptions(d); }
constexpr TensorOptions layout(Layout l) noexcept { return TensorOptions(l); }

/// "TensorOptions(dtype=Float (default), device=cpu (default), ...)".
LANEWISE_API std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

}  // namespace lanewise
