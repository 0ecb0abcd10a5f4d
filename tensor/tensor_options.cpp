#include <charconv>

#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/tensor_options.h>

namespace lanewise {

namespace {

const char* yes_or_no(bool value) { return value ? "true" : "false"; }
const char* origin(bool is_set) { return is_set ? "" : " (default)"; }

DeviceIndex index_of(const std::string& text) {
  if (text == "cpu") return -1;
  constexpr std::string_view kPrefix = "cpu:";
  int index = -1;
  const char* end = text.data() + text.size();
  const bool leading_zero = text.size() > kPrefix.size() + 1 && text[kPrefix.size()] == '0';
  if (text.starts_with(kPrefix) && !leading_zero) {
    const auto [stop, error] = std::from_chars(text.data() + kPrefix.size(), end, index);
    if (error != std::errc() || stop != end) index = -1;
  }
  LANEWISE_CHECK(ValueError, index >= 0 && index < 128, "Device: Invalid device string: '", text,
                 "'; expected \"cpu\" or \"cpu:\" and an index from 0 to 127");
  return static_cast<DeviceIndex>(index);
}

}  // namespace

Device::Device(const std::string& text) {
  if (text == "cuda" || text.starts_with("cuda:")) raise_missing(DeviceType::CUDA);
  index_ = index_of(text);
}

void Device::raise_missing(DeviceType type) {
  detail::raise<NotImplementedError>("Device: there is no ", type,
                                     " here: Lanewise computes on CPUs; ask cuda::is_available()");
}

std::string Device::str() const { return has_index() ? "cpu:" + std::to_string(index_) : "cpu"; }

std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << (type == DeviceType::CPU ? "cpu" : "cuda");
}
std::ostream& operator<<(std::ostream& out, Device device) { return out << device.str(); }
std::ostream& operator<<(std::ostream& out, Backend backend) {
  return out << (backend == Backend::CPU ? "CPU" : "UNKNOWN_BACKEND");
}
std::ostream& operator<<(std::ostream& out, Layout) { return out << "Strided"; }
std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
  constexpr const char* kNames[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  return out << kNames[static_cast<std::size_t>(format)];
}

void TensorOptions::raise_pinned() {
  detail::raise<NotImplementedError>(
      "TensorOptions: pinned_memory is for copies to other devices, and there are none; leave it out");
}

std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
  out << "TensorOptions(dtype=" << to_string(options.dtype()) << origin(options.has_dtype())
      << ", device=" << options.device() << origin(options.has_device()) << ", layout=" << options.layout()
      << origin(options.has_layout()) << ", requires_grad=" << yes_or_no(options.requires_grad())
      << origin(options.has_requires_grad()) << ", pinned_memory=false (default), memory_format=";
  if (const std::optional<MemoryFormat> format = options.memory_format_opt()) return out << *format << ')';
  return out << "(nullopt))";
}

}  // namespace lanewise
