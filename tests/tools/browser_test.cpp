// Reports as a browser draws them: on a desk and on a phone, light and dark.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_tool.h"

namespace lanewise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A command that runs a browser without a screen; empty where there is none.
std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (std::system((std::string("command -v ") + name + " > /dev/null").c_str()) == 0)
      return std::string(name) +
             " --headless --no-sandbox --disable-gpu --user-data-dir=" + scratch_file("browser");
  }
  return "";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

// Of the page in the frame, into the title as JSON. Each drawing: width, texts that stick out of it, pairs of texts
// that cover each other, the smallest text. Contrast as WCAG 2 defines it, of each text that stands on the page or in
// a cell, against what is behind it.
constexpr const char* kLook = R"js(
const d = frame.contentDocument, w = frame.contentWindow, errors = [];
const drawings = [...d.querySelectorAll("svg")].map(svg => {
  const b = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")].map(t => t.getBoundingClientRect());
  let out = 0, over = 0;
  texts.forEach((p, i) => {
    if (p.left < b.left - 1 || p.right > b.right + 1 || p.top < b.top - 1 || p.bottom > b.bottom + 1) ++out;
    for (const q of texts.slice(i + 1))
      if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 2 && q.top < p.bottom - 2) ++over;
  });
  const marks = svg.querySelectorAll(".mark,.core").length;
  return {name: svg.getAttribute("aria-label"), width: b.width, out, over, marks, text: Math.min(...texts.map(t => t.height))};
});
const numbers = color => color.match(/[\d.]+/g).map(Number);
const rgb = color => color.startsWith("color(") ? numbers(color.slice(color.indexOf("srgb") + 4)).map((x, i) => i < 3 ? 255 * x : x)
                                                : numbers(color);
const over = (a, b) => a.length < 4 ? a : [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3]));
const light = c => [0.2126, 0.7152, 0.0722].reduce((sum, k, i) => {
  const x = c[i] / 255;
  return sum + k * (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
}, 0);
const ground = e => {
  const own = rgb(w.getComputedStyle(e).backgroundColor);
  return own.length < 4 || own[3] == 1 || e == d.body ? over(own, [255, 255, 255]) : over(own, ground(e.parentElement));
};
let contrast = 21, worst = "";
for (const e of d.querySelectorAll("h1,h2,h3,p,td,th,a,figcaption,footer")) {
  if (!e.textContent) continue;
  const a = light(rgb(w.getComputedStyle(e).color)), b = light(ground(e));
  const c = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (c < contrast) { contrast = c; worst = e.tagName + " " + e.className + ": " + e.textContent.slice(0, 30); }
}
for (const a of d.querySelectorAll("nav a")) if (!d.querySelector(a.getAttribute("href"))) errors.push("no " + a.href);
document.title = JSON.stringify({drawings, errors, contrast, worst, page: light(ground(d.body)),
  wide: d.documentElement.scrollWidth, room: w.innerWidth, tables: d.querySelectorAll("table").length});
)js";

/// What a browser says of the page in a frame of that width. Null if it says nothing.
json look(const std::string& html, int width, const std::string& scheme) {
  const std::string probe = scratch_file("probe.html"), dom = scratch_file("dom.html");
  std::ofstream(probe)
      << "<!doctype html><meta charset=\"utf-8\"><body style=\"color-scheme:" << scheme
      << "\"><iframe id=\"frame\" width=\"" << width << "\" height=\"900\" srcdoc=\"" << escaped(html)
      << "\"></iframe><script>onerror = m => { document.title = JSON.stringify({script: m}); };"
      << "onload = () => {" << kLook << "};</script>";
  const std::string command = "timeout 120 " + browser() + " --window-size=1400,1000 --dump-dom file://" +
                              probe + " > " + dom + " 2> /dev/null";
  if (std::system(command.c_str()) != 0) return nullptr;
  const std::string text = text_of(dom);
  const std::size_t begin = text.find("<title>"), end = text.find("</title>");
  if (begin == std::string::npos || end == std::string::npos) return nullptr;
  std::string title = text.substr(begin + 7, end - begin - 7);
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&amp;", "&")}) {
    for (std::size_t at = 0; (at = title.find(entity, at)) != std::string::npos; ++at)
      title.replace(at, std::string(entity).size(), character);
  }
  return json::parse(title, nullptr, false);
}

struct Screen {
  const char* name;
  int width;
  const char* scheme;
};
constexpr Screen kScreens[] = {{"desk", 1100, "light"},
                               {"desk in the dark", 1100, "dark"},
                               {"phone", 360, "light"},
                               {"phone in the dark", 360, "dark"}};

void is_drawn_well(const std::string& html, std::size_t drawings) {
  for (const Screen& screen : kScreens) {
    const json seen = look(html, screen.width, screen.scheme);
    ASSERT_TRUE(seen.is_object() && seen.contains("drawings")) << screen.name << ": " << seen;
    EXPECT_EQ(seen["drawings"].size(), drawings) << screen.name;
    for (const json& drawing : seen["drawings"]) {
      const std::string what = std::string(screen.name) + ": " + drawing.dump();
      EXPECT_GT(drawing["width"].get<double>(), 0.75 * std::min(screen.width, 400)) << what;
      EXPECT_EQ(drawing["out"], 0) << what;
      EXPECT_EQ(drawing["over"], 0) << what;
      EXPECT_GE(drawing["marks"], 1) << what;
      EXPECT_GE(drawing["text"].get<double>(), 9) << what;
    }
    EXPECT_EQ(seen["errors"], json::array()) << screen.name;
    EXPECT_GE(seen["contrast"].get<double>(), 4.5) << screen.name << ": " << seen["worst"];
    EXPECT_LE(seen["wide"].get<int>(), seen["room"].get<int>())
        << screen.name << ": the page scrolls sideways";
    EXPECT_GT(seen["tables"], 1) << screen.name;
    EXPECT_EQ(seen["page"].get<double>() < 0.2, std::string(screen.scheme) == "dark") << screen.name;
  }
}

TEST(Browser, DrawsAReportOfARunAndAProfile) {
  if (browser().empty()) GTEST_SKIP() << "no browser: chromium, chromium-browser or google-chrome";
  const std::string run = scratch_file("run.json"), trace = scratch_file("trace.json"),
                    page = scratch_file("page.html");
  ASSERT_EQ(run_tool({"bench", "add", "exp", "--size", "16,1Ki,32x32,64Ki,1Mi", "--layout", "contiguous",
                      "--turns", "3", "--seconds", "0.0002", "-o", run})
                .status,
            0);
  ASSERT_EQ(
      run_tool({"profile", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"}).status,
      0);
  ASSERT_EQ(run_tool({"report", run, "--before", run, "--profile", trace, "-o", page}).status, 0);
  is_drawn_well(text_of(page), 4);  // the machine, the roofline, sizes of add and exp
}

TEST(Browser, DrawsAReportOfTwoLibraries) {
  if (browser().empty()) GTEST_SKIP() << "no browser: chromium, chromium-browser or google-chrome";
  json benchmarks = json::array();
  for (const char* name :
       {"contiguous_add_out/1024", "contiguous_add_out/262144", "contiguous_add_out/16777216"}) {
    for (const double ns : {100., 101., 102.}) {
      benchmarks.push_back(
          {{"name", name}, {"real_time", ns}, {"time_unit", "ns"}, {"bytes_per_second", 1e12 / ns}});
    }
  }
  json run = {{"context", {{"library", "Lanewise 0.1.0"}, {"isa", "avx512"}, {"host_name", "server"}}},
              {"benchmarks", benchmarks}};
  const std::string ours = scratch_file("ours.json"), peer = scratch_file("peer.json"),
                    page = scratch_file("page.html");
  std::ofstream(ours) << run.dump();
  run["context"] = {{"library", "libtorch 1.13.0"}, {"host_name", "server"}};
  std::ofstream(peer) << run.dump();
  const ToolRun report = run_tool({"report", ours, "--before", peer, "-o", page});
  ASSERT_EQ(report.status, 0) << report.errors;
  is_drawn_well(text_of(page), 1);
}

// What the test looks for is found where it is.
TEST(Browser, SeesWhatIsWrong) {
  if (browser().empty()) GTEST_SKIP() << "no browser: chromium, chromium-browser or google-chrome";
  const json seen = look(
      "<body style=\"background:#fff;color:#ddd\"><nav><a href=\"#gone\">x</a></nav><p>pale</p><svg "
      "width=\"300\" "
      "height=\"100\" viewBox=\"0 0 300 100\"><text x=\"290\" y=\"50\">outside</text><text x=\"10\" "
      "y=\"50\">over"
      "</text><text x=\"12\" y=\"52\">each other</text></svg><div style=\"width:2000px\">wide</div>",
      360, "light");
  ASSERT_TRUE(seen.is_object() && seen.contains("drawings")) << seen;
  EXPECT_EQ(seen["drawings"][0]["out"], 1);
  EXPECT_EQ(seen["drawings"][0]["over"], 1);
  EXPECT_EQ(seen["errors"].size(), 1u);
  EXPECT_LT(seen["contrast"].get<double>(), 2);
  EXPECT_GT(seen["wide"].get<int>(), seen["room"].get<int>());
}

}  // namespace
}  // namespace lanewise::test
