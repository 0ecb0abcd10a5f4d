#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <lanewise/lanewise.h>

#include "../call.h"

namespace lanewise {
namespace {

using Json = nlohmann::json;
using profiler::Profile;

Json train() {
  Tensor x = rand({32, 16}), w = rand({16, 4}, requires_grad());
  Profile profile;
  {
    const profiler::Range range("a \"step\"\n");
    x.mm(w).tanh().sum().backward();
  }
  x.t().add(1.5).to(kDouble);
  return Json::parse(profile.chrome_trace());
}

// The fields that the Trace Event Format asks for of each phase.
TEST(ChromeTrace, IsInTheDocumentedFormat) {
  const Json trace = train();
  ASSERT_TRUE(trace.at("traceEvents").is_array());
  int complete = 0;
  for (const Json& event : trace["traceEvents"]) {
    const std::string phase = event.at("ph");
    EXPECT_TRUE(event.at("name").is_string());
    EXPECT_TRUE(event.at("pid").is_number_integer());
    EXPECT_TRUE(event.at("tid").is_number_integer());
    if (phase == "M") {
      EXPECT_TRUE(event.at("args").is_object());
      continue;
    }
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_TRUE(event.at("cat").is_string());
    if (phase == "X") {
      EXPECT_GE(event.at("dur").get<double>(), 0);
      ++complete;
    } else {
      ASSERT_TRUE(phase == "s" || phase == "f") << phase;
      EXPECT_TRUE(event.at("id").is_number_integer());
      EXPECT_EQ(event.value("bp", ""), phase == "f" ? "e" : "");
    }
  }
  EXPECT_GT(complete, 8);
}

// Perfetto binds an arrow to the slice that contains its time stamp.
TEST(ChromeTrace, ArrowsLeadFromAForwardToItsBackward) {
  const Json trace = train();
  const Json& events = trace["traceEvents"];
  const auto slice_at = [&](const Json& arrow, const char* category) -> std::string {
    for (const Json& event : events) {
      if (event["ph"] == "X" && event["cat"] == category && event["tid"] == arrow["tid"] &&
          event["ts"] == arrow["ts"])
        return event["name"];
    }
    return "";
  };
  std::map<std::string, std::string> links;
  std::map<int, std::string> starts;
  for (const Json& event : events) {
    if (event["ph"] == "s") starts[event["id"]] = slice_at(event, "op");
    if (event["ph"] == "f") links[starts.at(event["id"])] = slice_at(event, "backward");
  }
  EXPECT_EQ(links, (std::map<std::string, std::string>{
                       {"mm", "MmBackward0"}, {"tanh", "TanhBackward0"}, {"sum", "SumBackward0"}}));
}

TEST(ChromeTrace, HoldsWhatAReportNeeds) {
  const Json summary = train().at("lanewise");
  EXPECT_EQ(summary.at("format"), 1);
  EXPECT_EQ(summary.at("version"), version());
  EXPECT_EQ(summary.at("dropped_events"), 0);
  bool found = false;
  for (const Json& average : summary.at("averages")) {
    if (average.at("name") != "mm" || average.at("group") != "name_and_shape" ||
        average.at("arguments") != "f32[32,16] f32[16,4]")
      continue;
    found = true;
    EXPECT_EQ(average.at("flops"), 2.0 * 32 * 16 * 4);
    EXPECT_EQ(average.at("bytes"), (32 * 16 + 16 * 4 + 32 * 4) * 4);
    EXPECT_EQ(average.at("paths"), "product");
  }
  EXPECT_TRUE(found);
}

TEST(ChromeTrace, AFileThatCannotBeWrittenIsNamed) {
  Profile profile;
  EXPECT_THAT(Call([&] { profile.write_chrome_trace("/nowhere/trace.json"); }),
              testing::ThrowsMessage<Error>(testing::HasSubstr("/nowhere/trace.json")));
}

}  // namespace
}  // namespace lanewise
