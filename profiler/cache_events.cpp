#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include <dirent.h>

#include <lanewise/profiler/detail/cache_events.h>

namespace lanewise::profiler::detail {
namespace {

// Of linux/perf_event.h, which other systems that run these tests need not have.
constexpr std::uint32_t kHardware = 0, kRaw = 4;
constexpr std::uint64_t kCacheMisses = 3;

constexpr CacheEvent raw(std::uint64_t event, std::uint64_t unit_mask) {
  return {kRaw, unit_mask << 8 | event};
}

// Models of family 6, by the L2 event that they have.
constexpr std::array kRequestMisses = {
    0x3c, 0x45, 0x46, 0x3f,        // Haswell
    0x3d, 0x47, 0x4f, 0x56,        // Broadwell
    0x4e, 0x5e, 0x55, 0x8e, 0x9e,  // Skylake, Cascade Lake, Kaby Lake, Coffee Lake
    0xa5, 0xa6,                    // Comet Lake
    0x8f, 0xcf, 0xad, 0xae,        // Sapphire, Emerald and Granite Rapids
};
// L2_RQSTS.MISS does not count on Ice Lake; the lines that come into L2 do.
constexpr std::array kLinesIn = {
    0x7d, 0x7e, 0x6a, 0x6c,  // Ice Lake
    0x8c, 0x8d, 0xa7,        // Tiger Lake, Rocket Lake
};

template <class Array>
bool contains(const Array& models, int model) {
  return std::find(models.begin(), models.end(), model) != models.end();
}

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The number that `text` begins with, which is cut off; empty if it begins with none.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The value spread over the bits of "config:0-7,32-35", lowest first.
std::optional<std::uint64_t> spread(std::uint64_t value, std::string_view format) {
  constexpr std::string_view kConfig = "config:";
  if (!format.starts_with(kConfig)) return std::nullopt;
  format.remove_prefix(kConfig.size());
  std::uint64_t config = 0;
  while (!format.empty()) {
    const auto low = take_number(format);
    auto high = low;
    if (format.starts_with('-')) {
      format.remove_prefix(1);
      high = take_number(format);
    }
    if (!low || !high || *low > *high || *high > 63) return std::nullopt;
    for (std::uint64_t bit = *low; bit <= *high; ++bit, value >>= 1) config |= (value & 1) << bit;
    if (format.starts_with(',')) {
      format.remove_prefix(1);
    } else if (!format.empty()) {
      return std::nullopt;
    }
  }
  return value == 0 ? std::optional(config) : std::nullopt;
}

std::vector<std::string> units_of(const std::string& devices) {
  std::vector<std::string> units;
  if (DIR* folder = opendir(devices.c_str()); folder != nullptr) {
    while (const dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.') units.emplace_back(entry->d_name);
    }
    closedir(folder);
  }
  return units;
}

std::optional<CacheEvent> named_event(const std::string& devices, const char* name) {
  std::optional<CacheEvent> found;
  for (const std::string& unit : units_of(devices)) {
    const std::string folder = devices + "/" + unit;
    const std::string event = line_of(folder + "/events/" + name), type = line_of(folder + "/type");
    std::string_view number = type;
    const auto type_number = take_number(number);
    const auto config = parse_event(event, folder + "/format");
    if (event.empty() || !type_number || !config) continue;
    if (found) return std::nullopt;  // two kinds of cores: a thread counts on one of them at a time
    found = {static_cast<std::uint32_t>(*type_number), *config};
  }
  return found;
}

}  // namespace

CacheEvents cache_events(const lanewise::detail::CpuName& cpu) {
  CacheEvents events;
  if (cpu.vendor == "GenuineIntel" && cpu.family == 6) {
    if (contains(kRequestMisses, cpu.model)) events.l2_misses = raw(0x24, 0x3f);
    if (contains(kLinesIn, cpu.model)) events.l2_misses = raw(0xf1, 0x1f);
    events.llc_misses = {kHardware, kCacheMisses};
  }
  if (cpu.vendor == "AuthenticAMD" && (cpu.family == 0x17 || cpu.family == 0x19 || cpu.family == 0x1a)) {
    events.l2_misses = raw(0x64, 0x09);   // of requests by the instruction and the data cache
    events.llc_misses = raw(0x43, 0x48);  // lines for the data cache that came from memory, near or far
  }
  return events;
}

std::optional<std::uint64_t> parse_event(std::string_view event, const std::string& format_folder) {
  std::uint64_t config = 0;
  while (!event.empty()) {
    const std::size_t equals = event.find('=');
    if (equals == event.npos) return std::nullopt;
    const std::string word(event.substr(0, equals));
    event.remove_prefix(equals + 1);
    const auto value = take_number(event);
    if (!value || word.find('/') != word.npos) return std::nullopt;
    const auto bits = spread(*value, line_of(format_folder + "/" + word));
    if (!bits) return std::nullopt;
    config |= *bits;
    if (event.starts_with(',')) {
      event.remove_prefix(1);
    } else if (!event.empty()) {
      return std::nullopt;
    }
  }
  return config;
}

CacheEvents cache_events_in(const std::string& devices) {
  return {named_event(devices, "l2d_cache_refill"), named_event(devices, "ll_cache_miss_rd")};
}

CacheEvents cache_events() {
#if defined(__x86_64__)
  return cache_events(lanewise::detail::cpu_name());
#else
  return cache_events_in("/sys/bus/event_source/devices");
#endif
}

}  // namespace lanewise::profiler::detail
