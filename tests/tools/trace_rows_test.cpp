// A trace as a viewer draws it: held against the schema of the format, rows that nest, arrows that end in slices.
#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <lanewise/lanewise.h>

#include "json_schema.h"

namespace lanewise::test {
namespace {

using nlohmann::json;

/// Two threads compute, a third runs the backward of the first one's graph.
json two_threads() {
  set_num_threads(2);
  const Tensor x = rand({64, 32}), big = rand({1 << 20});
  Tensor w = rand({32, 8}, requires_grad());
  profiler::Profile profile;
  Tensor loss;
  {
    const profiler::Range range("forward");
    loss = x.mm(w).tanh().sum();
    big.exp();
  }
  std::thread([&] { big.add(1).sqrt(); }).join();
  std::thread([&] { loss.backward(); }).join();
  profile.stop();
  set_num_threads(1);
  return json::parse(profile.chrome_trace());
}

double end_of(const json& slice) { return slice.at("ts").get<double>() + slice.at("dur").get<double>(); }

constexpr double kHalfNs = 0.0005;

TEST(TraceRows, FollowTheSchemaOfTheFormat) {
  json trace = two_threads();
  const json schema = read_schema("trace.json");
  EXPECT_EQ(schema_problem(schema, trace), "");
  // And what breaks the format is found.
  const auto first = [&](const char* phase) -> json& {
    for (json& event : trace["traceEvents"]) {
      if (event["ph"] == phase) return event;
    }
    ADD_FAILURE() << "no event of phase " << phase;
    return trace["traceEvents"][0];
  };
  first("X").erase("dur");
  EXPECT_NE(schema_problem(schema, trace), "");
  trace = two_threads();
  first("f").erase("bp");
  EXPECT_NE(schema_problem(schema, trace), "");
  trace = two_threads();
  first("s")["id"] = "seven";
  EXPECT_NE(schema_problem(schema, trace), "");
}

TEST(TraceRows, EachThreadHasOneNamedRow) {
  const json trace = two_threads();
  std::map<int, int> names;
  std::set<int> rows;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M") names[event["tid"]] += event["name"] == "thread_name";
    if (event["ph"] == "X") rows.insert(event["tid"].get<int>());
  }
  EXPECT_GE(rows.size(), 3u);
  for (const int row : rows) EXPECT_EQ(names[row], 1) << row;
  EXPECT_EQ(names.size(), rows.size());
}

// A viewer stacks the slices of a row: each lies inside of what began before it and has not ended.
TEST(TraceRows, SlicesOfARowNest) {
  const json trace = two_threads();
  std::map<int, std::vector<json>> rows;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") rows[event["tid"]].push_back(event);
  }
  int inner = 0;
  for (auto& [row, slices] : rows) {
    std::stable_sort(slices.begin(), slices.end(), [](const json& a, const json& b) {
      return a["ts"].get<double>() < b["ts"].get<double>();
    });
    std::vector<json> open;
    for (const json& slice : slices) {
      while (!open.empty() && end_of(open.back()) <= slice["ts"].get<double>() + kHalfNs) open.pop_back();
      if (!open.empty()) {
        ++inner;
        EXPECT_LE(end_of(slice), end_of(open.back()) + kHalfNs)
            << slice["name"] << " in " << open.back()["name"];
      }
      open.push_back(slice);
    }
  }
  EXPECT_GT(inner, 5);
}

TEST(TraceRows, ArrowsJoinTwoSlicesAndGoForward) {
  const json trace = two_threads();
  const auto lies_in_a_slice = [&](const json& arrow, const char* category) {
    for (const json& e : trace["traceEvents"]) {
      if (e["ph"] == "X" && e["cat"] == category && e["tid"] == arrow["tid"] &&
          e["ts"].get<double>() <= arrow["ts"].get<double>() && arrow["ts"].get<double>() <= end_of(e))
        return true;
    }
    return false;
  };
  std::map<int, json> starts;
  std::set<int> ends;
  int across = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "s") {
      EXPECT_TRUE(starts.emplace(event["id"], event).second) << "two arrows with an id";
      EXPECT_TRUE(lies_in_a_slice(event, "op")) << event;
    } else if (event["ph"] == "f") {
      EXPECT_TRUE(ends.insert(event["id"].get<int>()).second) << "an arrow with two ends";
      ASSERT_TRUE(starts.contains(event["id"])) << event;
      EXPECT_TRUE(lies_in_a_slice(event, "backward")) << event;
      const json& start = starts[event["id"]];
      EXPECT_LT(start["ts"].get<double>(), event["ts"].get<double>());
      across += start["tid"] != event["tid"];
    }
  }
  EXPECT_EQ(starts.size(), ends.size());
  EXPECT_EQ(ends.size(), 3u);  // of mm, tanh and sum
  EXPECT_EQ(across, 3);        // the backward ran in another thread
}

}  // namespace
}  // namespace lanewise::test
