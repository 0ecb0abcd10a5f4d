// Runs benchmark programs that share case names in turn, A B A B ..., and prints one Markdown table: the
// median time of each and the ratio to the first one's, paired round by round, so that a drift of the machine
// hits all alike. With more than two programs a case has a column for each and the least of the ratios, that
// to the best peer. Cases of memory_... are compared by the counter peak_bytes.
//
//   lanewise_bench_pair A B [C ...] [--filter REGEX] [--rounds N] [--min-time SECONDS] [--names "A,B,..."]
//                       [--store a.json,b.json,...]
//
// What --store keeps are the rounds of each program as repetitions in Google Benchmark's JSON, for
// `lanewise compare` and `lanewise report`.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "median.h"

namespace {

struct Settings {
  std::vector<std::string> programs;
  std::vector<std::string> names;  ///< by default those of the files, without _bench
  std::vector<std::string> files;  ///< of --store, one per program; or empty
  std::string filter = ".";
  std::string min_time = "0.05";
  int rounds = 5;
};

using Figures = std::map<std::string, double>;  // case -> ns, or bytes

/// Cases that are compared by the most memory they take, the counter peak_bytes, and not by time.
bool is_memory(const std::string& name) { return name.rfind("memory_", 0) == 0; }

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
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

/// One round of a program; `stored` gets it as a repetition, `order` the names.
Figures run(const Settings& settings, const std::string& program, nlohmann::ordered_json& stored,
            nlohmann::ordered_json* order) {
  const auto report = nlohmann::ordered_json::parse(output_of(
      quoted(program) + " --benchmark_format=json --benchmark_min_warmup_time=0.01 --benchmark_min_time=" +
      quoted(settings.min_time) + " --benchmark_filter=" + quoted(settings.filter) + " 2>/dev/null"));
  Figures figures;
  for (const auto& entry : report["benchmarks"]) {
    const std::string name = entry["name"];
    if (entry.value("error_occurred", false))
      throw std::runtime_error(program + ": " + name + ": " + entry.value("error_message", ""));
    const std::string unit = entry["time_unit"];
    const double scale = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
    figures[name] =
        is_memory(name) ? entry.at("peak_bytes").get<double>() : entry.at("real_time").get<double>() * scale;
    if (order != nullptr) order->push_back(name);
    stored["benchmarks"].push_back(entry);
  }
  if (!stored.contains("context")) stored["context"] = report["context"];
  return figures;
}

std::string human(const std::string& name, double ns) {
  std::array<char, 32> text{};
  if (is_memory(name)) {
    std::snprintf(text.data(), text.size(), "%.1f MiB", ns / (1 << 20));
  } else if (ns < 1e4) {
    std::snprintf(text.data(), text.size(), "%.1f ns", ns);
  } else if (ns < 1e7) {
    std::snprintf(text.data(), text.size(), "%.1f us", ns / 1e3);
  } else {
    std::snprintf(text.data(), text.size(), "%.1f ms", ns / 1e6);
  }
  return text.data();
}

using Rounds = std::map<std::string, std::vector<double>>;  // case -> figures, round by round

struct Ratio {
  double middle, least, most;
};

Ratio ratio_of(const std::vector<double>& own, const std::vector<double>& peer) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(own.size(), peer.size()); ++i) ratios.push_back(peer[i] / own[i]);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return {bench::median(ratios), *least, *most};
}

void print_two(const std::string& name, const std::vector<double>& own, const std::vector<double>& peer) {
  const Ratio ratio = ratio_of(own, peer);
  std::printf("| %s | %s | %s | %.2f | %.2f - %.2f |\n", name.c_str(),
              human(name, bench::median(own)).c_str(), human(name, bench::median(peer)).c_str(), ratio.middle,
              ratio.least, ratio.most);
}

void print_several(const std::string& name, const std::vector<Rounds>& all) {
  const auto& own = all[0].at(name);
  std::string cells;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t side = 1; side < all.size(); ++side) {
    const auto found = all[side].find(name);
    std::array<char, 48> cell{" |"};
    if (found != all[side].end()) {
      const double ratio = ratio_of(own, found->second).middle;
      best = std::min(best, ratio);
      std::snprintf(cell.data(), cell.size(), " %.2f |", ratio);
    }
    cells += cell.data();
  }
  if (std::isfinite(best))
    std::printf("| %s | %s |%s %.2f |\n", name.c_str(), human(name, bench::median(own)).c_str(),
                cells.c_str(), best);
}

/// The context's "turns" is the same in all of them: round i of one belongs to round i of the others.
void store(const Settings& settings, std::vector<nlohmann::ordered_json>& stored) {
  for (std::size_t side = 0; side < settings.files.size(); ++side) {
    stored[side]["context"]["turns"] = stored[0]["context"]["date"];
    std::FILE* file = std::fopen(settings.files[side].c_str(), "w");
    const std::string text = stored[side].dump(1) + "\n";
    const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file == nullptr || std::fclose(file) != 0 || !written)
      throw std::runtime_error(settings.files[side] + ": cannot be written");
  }
}

void compare(const Settings& settings) {
  nlohmann::ordered_json order = nlohmann::ordered_json::array();
  const std::size_t count = settings.programs.size();
  std::vector<Rounds> all(count);
  std::vector<nlohmann::ordered_json> stored(count);
  for (int round = 0; round < settings.rounds; ++round) {
    for (std::size_t side = 0; side < count; ++side) {
      std::fprintf(stderr, "round %d of %d: %s\n", round + 1, settings.rounds, settings.names[side].c_str());
      for (const auto& [name, ns] :
           run(settings, settings.programs[side], stored[side], side == 0 && round == 0 ? &order : nullptr))
        all[side][name].push_back(ns);
    }
  }
  store(settings, stored);
  std::string head = "| case |", line = "|---|";
  const auto column = [&](const std::string& title) {
    head += " " + title + " |";
    line += "---|";
  };
  for (const std::string& name : settings.names) column(name);
  column(count == 2 ? "ratio" : "best peer");
  if (count == 2) column("min - max");
  std::printf("%s\n%s\n", head.c_str(), line.c_str());
  for (const std::string name : order) {
    if (count > 2) {
      print_several(name, all);
    } else if (const auto peer = all[1].find(name); peer != all[1].end()) {
      print_two(name, all[0].at(name), peer->second);
    }
  }
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::size_t from = 0;
  for (std::size_t comma = 0; (comma = text.find(',', from)) != std::string::npos; from = comma + 1)
    words.push_back(text.substr(from, comma - from));
  words.push_back(text.substr(from));
  return words;
}

/// "bench/peers/eigen_bench" -> "eigen"
std::string short_name(const std::string& program) {
  const std::string file = program.substr(program.rfind('/') + 1);
  return file.substr(0, file.find("_bench"));
}

Settings parse(int argc, char** argv) {
  Settings settings;
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
    } else if (word == "--store") {
      settings.files = split(value());
    } else if (word == "--names") {
      settings.names = split(value());
    } else if (word.rfind("--", 0) != 0) {
      settings.programs.push_back(word);
    } else {
      throw std::runtime_error("unknown argument " + word);
    }
  }
  if (settings.programs.size() < 2) {
    throw std::runtime_error(
        "usage: lanewise_bench_pair A B [C ...] [--filter REGEX] [--rounds N] [--min-time SECONDS] [--names "
        "A,B,...] [--store a.json,b.json,...]");
  }
  if (settings.names.empty()) {
    for (const std::string& program : settings.programs) settings.names.push_back(short_name(program));
  }
  if (settings.names.size() != settings.programs.size())
    throw std::runtime_error("--names: expected as many names as programs");
  if (!settings.files.empty() && settings.files.size() != settings.programs.size())
    throw std::runtime_error("--store: expected as many files as programs");
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
