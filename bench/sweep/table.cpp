// The page of a sweep: what two programs of sweep/main.cpp printed, side by side.
//
//   lanewise_sweep_table <folder> [peer [most]]    with files <type>.<layout>.ours and <type>.<layout>.peer, turns one after the
//                                                  other; at most so many slower calls, and differing answers, are named

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../median.h"

namespace {

struct Timing {
  double nanoseconds = INFINITY;  ///< the best turn; infinite if the library has no such op
  double sum = 0;
};
using Timings = std::map<std::string, Timing>;

Timings read(const std::filesystem::path& file) {
  Timings timings;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string op, time, sum;
    std::getline(fields, op, '\t');
    std::getline(fields, time, '\t');
    std::getline(fields, sum, '\t');
    Timing& t = timings[op];
    if (time != "error") t = {std::min(t.nanoseconds, std::stod(time)), std::stod(sum)};
  }
  return timings;
}

struct Pair {
  std::string op, type, layout;
  Timing ours, peer;
  double ratio() const { return peer.nanoseconds / ours.nanoseconds; }
  /// To what halves lose in sums of a quarter of a million.
  bool agrees() const {
    const double bound = type == "f16" || type == "bf16" ? 3e-2 : 1e-3;
    return std::abs(ours.sum - peer.sum) <= bound * std::max(std::abs(ours.sum), std::abs(peer.sum)) + 0.5;
  }
};

std::string time_of(double nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, nanoseconds < 1e5 ? "%.1f us" : "%.0f us", nanoseconds / 1e3);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: %s <folder> [peer [most]]\n", argv[0]);
    return 2;
  }
  const char* const peer_name = argc > 2 ? argv[2] : "libtorch";
  const std::size_t most = argc > 3 ? std::stoul(argv[3]) : SIZE_MAX;
  std::vector<Pair> pairs;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() != ".ours") continue;
    const std::string stem = entry.path().stem().string();
    const std::string type = stem.substr(0, stem.find('.')), layout = stem.substr(stem.find('.') + 1);
    const Timings ours = read(entry.path());
    std::filesystem::path other = entry.path();
    Timings peer = read(other.replace_extension(".peer"));
    for (const auto& [op, timing] : ours) {
      const Pair pair{op, type, layout, timing, peer[op]};
      if (std::isfinite(pair.ours.nanoseconds) && std::isfinite(pair.peer.nanoseconds)) pairs.push_back(pair);
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });

  std::map<std::string, std::vector<double>> groups;
  for (const Pair& p : pairs) {
    groups["all"].push_back(p.ratio());
    groups[p.type + " | " + p.layout].push_back(p.ratio());
  }
  std::printf("| type | layout | calls | median ratio | below 0.9 | above 2 |\n|---|---|---|---|---|---|\n");
  for (const auto& [name, ratios] : groups) {
    const auto count = [&ratios = ratios](auto&& f) {
      return std::count_if(ratios.begin(), ratios.end(), f);
    };
    std::printf("| %s | %zu | %.2f | %td | %td |\n", name == "all" ? "all | all" : name.c_str(),
                ratios.size(), bench::median(ratios), count([](double r) { return r < 0.9; }),
                count([](double r) { return r > 2; }));
  }
  std::printf(
      "\n## Slower than %s\n\nBelow 0.9:\n\n| op | type | layout | lanewise | %s | ratio |\n"
      "|---|---|---|---|---|---|\n",
      peer_name, peer_name);
  std::size_t slower = 0;
  for (const Pair& p : pairs) {
    if (p.ratio() >= 0.9) break;
    if (++slower > most) continue;
    std::printf("| %s | %s | %s | %s | %s | %.2f |\n", p.op.c_str(), p.type.c_str(), p.layout.c_str(),
                time_of(p.ours.nanoseconds).c_str(), time_of(p.peer.nanoseconds).c_str(), p.ratio());
  }
  if (slower > most) std::printf("\nAnd %zu more.\n", slower - most);
  std::printf(
      "\n## Answers that differ\n\nBy more than a thousandth of the sum of their elements (halves: three "
      "hundredths):\n\n");
  std::size_t differ = 0;
  for (const Pair& p : pairs) {
    if (p.agrees() || ++differ > most) continue;
    std::printf("- %s of %s, %s: %.9g, %s %.9g\n", p.op.c_str(), p.type.c_str(), p.layout.c_str(), p.ours.sum,
                peer_name, p.peer.sum);
  }
  if (differ > most) std::printf("\nAnd %zu more.\n", differ - most);
  if (differ == 0) std::printf("None.\n");
}
