#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <lanewise/autograd/explain.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>

#include "bench/case.h"
#include "command_line.h"
#include "commands.h"

namespace lanewise::tools {
namespace {

constexpr const char* kWords[] = {"dtype", "layout", "loop", "path", "tier", "threads", "time"};

struct Settings {
  std::string op, dtype = "f32", size = "16Ki", layout = "contiguous", isa;
  std::vector<std::string> arguments;
  int threads = 0;
  bool json = false;
};

/// The text as an object per op: its lines are "  word    value" under the line of the call, deeper for ops inside
/// of others.
nlohmann::json to_json(const std::string& what, const std::string& text) {
  constexpr std::size_t kWordWidth = 8;
  nlohmann::json ops = nlohmann::json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string word = line.substr(indent, kWordWidth);
    word.erase(word.find_last_not_of(' ') + 1);
    const bool is_call = std::find(std::begin(kWords), std::end(kWords), word) == std::end(kWords);
    if (is_call) {
      ops.push_back(
          {{"depth", indent / 2}, {"call", line.substr(indent)}, {"loop", nlohmann::json::array()}});
    } else if (word == "loop") {
      ops.back()["loop"].push_back(line.substr(indent + kWordWidth));
    } else {
      ops.back()[word] = line.substr(indent + kWordWidth);
    }
  }
  return {{"case", what}, {"ops", ops}};
}

int explain_case(const Settings& s) {
  if (s.threads > 0) set_num_threads(s.threads);
  std::unique_ptr<const IsaGuard> guard;
  if (!s.isa.empty()) guard = std::make_unique<const IsaGuard>(parse_isa(s.isa));
  const BenchCase what{s.op,     parse_dtype(s.dtype), parse_shape(s.size),
                       s.layout, get_num_threads(),    parse_arguments(s.arguments)};
  const PreparedCase prepared(what);
  prepared.results();  // caches and the allocator are warm
  const std::string text = explain([&] { prepared.results(); });
  std::printf("%s", s.json ? (to_json(what.key(), text).dump(1) + "\n").c_str() : text.c_str());
  return kSuccess;
}

}  // namespace

void add_explain(CommandLine& line) {
  Command command = line.command(
      "explain",
      "Why an op gets its dtype and layout, how it loops, on which tier and with how many threads");
  const auto s = std::make_shared<Settings>();
  command.option("op", s->op, "An op such as add or sum.dim_IntList").required();
  command.option("--dtype", s->dtype, "f32, f64, bf16, f16, i32...").show_default();
  command.option("--size", s->size, "A shape: 16Ki, 64x784; products: m x k x n").show_default();
  command.option("--layout", s->layout, "Where operands lie")
      .one_of(std::vector<std::string>(std::begin(kLayouts), std::end(kLayouts)))
      .show_default();
  command.option("--threads", s->threads, "Number of threads (default: as the library chooses)")
      .between(1, kMaxThreads);
  command.option("--isa", s->isa, "A tier (default: as the library chooses)");
  command.option("--arg", s->arguments, "Other arguments of the op: dim=0");
  command.flag("--json", s->json, "Print a JSON object");
  command.action([s] { return explain_case(*s); });
}

}  // namespace lanewise::tools
