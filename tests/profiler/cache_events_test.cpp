// Which event counts misses of the second and of the last cache on which CPU. The numbers are those of the vendors'
// manuals; whether they count here, where there are counters, is asked in counters_test.cpp.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <lanewise/profiler/detail/cache_events.h>

namespace lanewise::profiler::detail {
namespace {

using lanewise::detail::CpuName;

constexpr const char *kIntel = "GenuineIntel", *kAmd = "AuthenticAMD";
constexpr std::uint32_t kRaw = 4;  // PERF_TYPE_RAW

TEST(CacheEvents, EventsOfKnownCpus) {
  const struct {
    CpuName cpu;
    std::uint64_t l2;
  } cpus[] = {
      {{kIntel, 6, 0x3c}, 0x3f24},  {{kIntel, 6, 0x55}, 0x3f24},  {{kIntel, 6, 0x8f}, 0x3f24},
      {{kIntel, 6, 0xad}, 0x3f24},  {{kIntel, 6, 0x6a}, 0x1ff1},  {{kIntel, 6, 0xa7}, 0x1ff1},
      {{kAmd, 0x17, 0x31}, 0x0964}, {{kAmd, 0x19, 0x01}, 0x0964}, {{kAmd, 0x1a, 0x02}, 0x0964},
  };
  for (const auto& c : cpus) {
    EXPECT_EQ(cache_events(c.cpu).l2_misses, (CacheEvent{kRaw, c.l2})) << c.cpu.vendor << c.cpu.model;
    EXPECT_TRUE(cache_events(c.cpu).llc_misses.has_value());
    EXPECT_NE(cache_events(c.cpu).llc_misses, cache_events(c.cpu).l2_misses);
  }
  EXPECT_EQ(cache_events({kAmd, 0x19, 0x01}).llc_misses, (CacheEvent{kRaw, 0x4843}));
  EXPECT_EQ(cache_events({kIntel, 6, 0x8f}).llc_misses, (CacheEvent{0, 3}));  // PERF_COUNT_HW_CACHE_MISSES
}

TEST(CacheEvents, NoneIsGuessed) {
  EXPECT_FALSE(cache_events({kIntel, 6, 0x2a}).l2_misses);   // Sandy Bridge has another list
  EXPECT_FALSE(cache_events({kIntel, 6, 0x97}).l2_misses);   // Alder Lake: two kinds of cores
  EXPECT_FALSE(cache_events({kIntel, 15, 0x06}).l2_misses);  // Pentium 4
  for (const CpuName& cpu :
       {CpuName{kAmd, 0x15, 0x02}, CpuName{"CentaurHauls", 7, 0x0b}, CpuName{"", 0, 0}}) {
    EXPECT_FALSE(cache_events(cpu).l2_misses) << cpu.vendor;
    EXPECT_FALSE(cache_events(cpu).llc_misses) << cpu.vendor;  // the generic name is L2 there, or nothing
  }
}

/// A folder as /sys/bus/event_source/devices is one.
class Devices : public testing::Test {
 protected:
  Devices() { std::filesystem::remove_all(root_); }
  ~Devices() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& line) {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << line << "\n";
  }
  std::string path(const std::string& inside = "") const { return root_ / inside; }

 private:
  std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / ("lanewise_devices_" + std::to_string(getpid()));
};

TEST_F(Devices, WordsGoToTheirBits) {
  put("cpu/format/event", "config:0-7,32-35");
  put("cpu/format/umask", "config:8-15");
  put("cpu/format/edge", "config:18");
  put("cpu/format/ldlat", "config1:0-15");
  const std::string format = path("cpu/format");
  EXPECT_EQ(parse_event("event=0x24,umask=0x3f", format), 0x3f24);
  EXPECT_EQ(parse_event("umask=9,event=0x64,edge=1", format), 0x40964);
  EXPECT_EQ(parse_event("event=0x164", format), 0x1'0000'0064);
  EXPECT_EQ(parse_event("event=0x1164", format), std::nullopt) << "more than 12 bits";
  EXPECT_EQ(parse_event("event=0xcd,ldlat=3", format), std::nullopt) << "not a part of config";
  for (const char* text : {"event", "event=", "event=x", "event=1;umask=2", "colour=3", "../format/event=1"})
    EXPECT_EQ(parse_event(text, format), std::nullopt) << text;
}

TEST_F(Devices, NamedEventsOfTheOneUnitThatHasThem) {
  put("software/type", "1");
  put("armv8_pmuv3_0/type", "8");
  put("armv8_pmuv3_0/format/event", "config:0-15");
  put("armv8_pmuv3_0/events/l2d_cache_refill", "event=0x0017");
  const CacheEvents events = cache_events_in(path());
  EXPECT_EQ(events.l2_misses, (CacheEvent{8, 0x17}));
  EXPECT_FALSE(events.llc_misses);
  put("armv8_pmuv3_0/events/ll_cache_miss_rd", "event=0x0037");
  EXPECT_EQ(cache_events_in(path()).llc_misses, (CacheEvent{8, 0x37}));
  // A second kind of cores.
  put("armv8_cortex_a53/type", "9");
  put("armv8_cortex_a53/format/event", "config:0-15");
  put("armv8_cortex_a53/events/l2d_cache_refill", "event=0x0017");
  EXPECT_FALSE(cache_events_in(path()).l2_misses);
  EXPECT_FALSE(cache_events_in(path("nothing")).l2_misses);
}

}  // namespace
}  // namespace lanewise::profiler::detail
