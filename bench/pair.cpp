// Runs two benchmark programs that share case names in turn, A B A B ..., and prints one Markdown table: the median time of each
// and the ratio B/A, paired round by round, so that a drift of the machine hits both alike.
//
//   lanewise_bench_pair A B [--filter REGEX] [--rounds N] [--min-time SECONDS] [--names "A,B"]

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Settings {
  std::array<std::string, 2> programs;
  std::array<std::string, 2> names = {"lanewise", "libtorch"};
  std::string filter = ".";
  std::string min_time = "0.05";
  int rounds = 5;
};

using Times = std::map<std::string, double>;  // case -> ns

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start: " + command);
  std::string text;
  std::array<char, 1 << 14> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), got);
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

Times run(const Settings& settings, const std::string& program, nlohmann::ordered_json* order) {
  const auto report = nlohmann::ordered_json::parse(
      output_of(quoted(program) + " --benchmark_format=json --benchmark_min_time=" + quoted(settings.min_time) + " --benchmark_filter=" + quoted(settings.filter) + " 2>/dev/null"));
  Times times;
  for (const auto& entry : report["benchmarks"]) {
    const std::string name = entry["name"];
    if (entry.value("error_occurred", false)) throw std::runtime_error(program + ": " + name + ": " + entry.value("error_message", ""));
    const std::string unit = entry["time_unit"];
    const double scale = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
    times[name] = entry["real_time"].get<double>() * scale;
    if (order != nullptr) order->push_back(name);
  }
  return times;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string human(double ns) {
  std::array<char, 32> text{};
  if (ns < 1e4) {
    std::snprintf(text.data(), text.size(), "%.1f ns", ns);
  } else if (ns < 1e7) {
    std::snprintf(text.data(), text.size(), "%.1f us", ns / 1e3);
  } else {
    std::snprintf(text.data(), text.size(), "%.1f ms", ns / 1e6);
  }
  return text.data();
}

void compare(const Settings& settings) {
  nlohmann::ordered_json order = nlohmann::ordered_json::array();
  std::array<std::map<std::string, std::vector<double>>, 2> all;
  for (int round = 0; round < settings.rounds; ++round) {
    for (std::size_t side = 0; side < 2; ++side) {
      std::fprintf(stderr, "round %d of %d: %s\n", round + 1, settings.rounds, settings.names[side].c_str());
      for (const auto& [name, ns] : run(settings, settings.programs[side], side == 0 && round == 0 ? &order : nullptr)) all[side][name].push_back(ns);
    }
  }
  std::printf("| case | %s | %s | ratio | min - max |\n|---|---|---|---|---|\n", settings.names[0].c_str(), settings.names[1].c_str());
  for (const std::string name : order) {
    const auto& a = all[0][name];
    const auto found = all[1].find(name);
    if (found == all[1].end()) continue;
    const auto& b = found->second;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(b[i] / a[i]);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    std::printf("| %s | %s | %s | %.2f | %.2f - %.2f |\n", name.c_str(), human(median(a)).c_str(), human(median(b)).c_str(), median(ratios), *least, *most);
  }
}

Settings parse(int argc, char** argv) {
  Settings settings;
  std::size_t programs = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) throw std::runtime_error(word + " needs a value");
      return argv[i];
    };
    if (word == "--filter") {
      settings.filter = value();
    } else if (word == "--rounds") {
      settings.rounds = std::atoi(value().c_str());
      if (settings.rounds < 1) throw std::runtime_error("--rounds: expected a number, at least 1");
    } else if (word == "--min-time") {
      settings.min_time = value();
    } else if (word == "--names") {
      const std::string both = value();
      const std::size_t comma = both.find(',');
      if (comma == std::string::npos) throw std::runtime_error("--names: expected two names with a comma between them");
      settings.names = {both.substr(0, comma), both.substr(comma + 1)};
    } else if (programs < 2 && word.rfind("--", 0) != 0) {
      settings.programs[programs++] = word;
    } else {
      throw std::runtime_error("unknown argument " + word);
    }
  }
  if (programs != 2) throw std::runtime_error("usage: lanewise_bench_pair A B [--filter REGEX] [--rounds N] [--min-time SECONDS] [--names A,B]");
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    compare(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lanewise_bench_pair: %s\n", error.what());
    return 1;
  }
  return 0;
}
