#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// Lanewise computes on CPUs only; the types exist so that code written for several devices compiles. Asking for the others raises.
enum class DeviceType : std::int8_t { CPU, CUDA };
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;
/// The library that computes.
enum class Backend : std::int8_t { CPU, Undefined };
/// How elements are addressed: always by sizes and strides.
enum class Layout : std::int8_t { Strided };
inline constexpr Layout kStrided = Layout::Strided;

using DeviceIndex = std::int8_t;
class LANEWISE_API Device {
 public:
  constexpr Device() noexcept = default;
  /// Throws NotImplementedError for what is no CPU.
  constexpr Device(DeviceType type, DeviceIndex index = -1) : index_(index) {
    if (type != DeviceType::CPU) raise_missing(type);
  }
  /// From "cpu" or "cpu:0" (to 127, as in PyTorch; all are the one device). Throws NotImplementedError for "cuda", else ValueError.
  Device(const std::string& text);
  /// An array, so that no 0 is taken for text.
  template <std::size_t N>
  Device(const char (&text)[N]) : Device(std::string(text)) {}

  constexpr DeviceType type() const noexcept { return DeviceType::CPU; }
  /// -1: the current one, and there is no other.
  constexpr DeviceIndex index() const noexcept { return index_; }
  constexpr bool has_index() const noexcept { return index_ != -1; }
  constexpr bool is_cpu() const noexcept { return true; }
  constexpr bool is_cuda() const noexcept { return false; }
  /// What the constructor reads.
  std::string str() const;
  friend constexpr bool operator==(Device, Device) noexcept = default;

 private:
  [[noreturn]] static void raise_missing(DeviceType type);

  DeviceIndex index_ = -1;
};

/// There are no devices but CPUs.
constexpr bool hasCUDA() noexcept { return false; }
namespace cuda {
constexpr bool is_available() noexcept { return false; }
constexpr bool cudnn_is_available() noexcept { return false; }
constexpr DeviceIndex device_count() noexcept { return 0; }
}  // namespace cuda

/// "cpu", "cpu:0"; "Strided".
LANEWISE_API std::ostream& operator<<(std::ostream& out, DeviceType type);
LANEWISE_API std::ostream& operator<<(std::ostream& out, Device device);
LANEWISE_API std::ostream& operator<<(std::ostream& out, Backend backend);
LANEWISE_API std::ostream& operator<<(std::ostream& out, Layout layout);

}  // namespace lanewise
