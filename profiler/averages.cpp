#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <utility>

#include <lanewise/profiler/averages.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::profiler {
namespace {

/// Finds what an event ran inside of.
class Parents {
 public:
  explicit Parents(const std::vector<Event>& events) : events_(events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].kind != Kind::Loop) place_.emplace(key(events[i].thread, events[i].id), i);
    }
  }
  const Event* of(const Event& event) const {
    const auto it = event.parent == 0 ? place_.end() : place_.find(key(event.thread, event.parent));
    return it == place_.end() ? nullptr : &events_[it->second];
  }
  bool inside_same_name(const Event& event) const {
    for (const Event* outer = of(event); outer != nullptr; outer = of(*outer)) {
      if (outer->name == event.name) return true;
    }
    return false;
  }

 private:
  static std::uint64_t key(int thread, std::uint64_t id) {
    return (static_cast<std::uint64_t>(thread) << 48) ^ id;
  }
  const std::vector<Event>& events_;
  std::unordered_map<std::uint64_t, std::size_t> place_;
};

void add_path(std::string& paths, std::string_view path) {
  if (path == "-" || ("+" + paths + "+").find("+" + std::string(path) + "+") != std::string::npos) return;
  paths += (paths.empty() ? "" : "+") + std::string(path);
}

std::string time_text(double ns) {
  char text[32];
  if (ns < 1e4) {
    std::snprintf(text, sizeof(text), "%.0f ns", ns);
  } else if (ns < 1e7) {
    std::snprintf(text, sizeof(text), "%.1f us", ns * 1e-3);
  } else if (ns < 1e10) {
    std::snprintf(text, sizeof(text), "%.1f ms", ns * 1e-6);
  } else {
    std::snprintf(text, sizeof(text), "%.2f s", ns * 1e-9);
  }
  return text;
}

std::string rate_text(double per_ns, const char* unit) {
  if (!(per_ns > 0)) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", per_ns, unit);
  return text;
}

}  // namespace

std::vector<Average> average(const std::vector<Event>& events, GroupBy group) {
  const Parents parents(events);
  std::map<std::pair<std::string, std::string>, Average> groups;
  for (const Event& event : events) {
    if (event.kind == Kind::Loop) continue;
    std::pair<std::string, std::string> key(event.name,
                                            group == GroupBy::Name ? "" : describe_arguments(event));
    Average& a = groups[key];
    if (a.count++ == 0) {
      a.name = key.first;
      a.arguments = key.second;
      a.kind = event.kind;
      a.shortest = event.duration();
    }
    a.self += event.self;
    if (!parents.inside_same_name(event)) a.total += event.duration();
    a.shortest = std::min(a.shortest, event.duration());
    a.longest = std::max(a.longest, event.duration());
    a.bytes += event.bytes;
    a.flops += event.flops;
    a.allocations += event.allocations;
    a.allocated_bytes += event.allocated_bytes;
    a.threads = std::max(a.threads, event.threads);
    add_path(a.paths, event.path);
  }
  std::vector<Average> result;
  for (auto& [key, a] : groups) result.push_back(std::move(a));
  std::stable_sort(result.begin(), result.end(),
                   [](const Average& a, const Average& b) { return a.self > b.self; });
  return result;
}

std::string table(std::vector<Average> averages, std::string_view sort, std::size_t rows) {
  const auto by = [&](auto member) {
    std::stable_sort(averages.begin(), averages.end(),
                     [&](const Average& a, const Average& b) { return a.*member > b.*member; });
  };
  if (sort == "self") {
    by(&Average::self);
  } else if (sort == "total") {
    by(&Average::total);
  } else if (sort == "count") {
    by(&Average::count);
  } else if (sort == "bytes") {
    by(&Average::bytes);
  } else if (sort == "name") {
    std::stable_sort(averages.begin(), averages.end(),
                     [](const Average& a, const Average& b) { return a.name < b.name; });
  } else {
    LANEWISE_CHECK(ValueError, false, "profile table: cannot sort by '", sort,
                   "'; one of self, total, count, bytes, name");
  }
  double all = 0;
  std::size_t width = 4, argument_width = 0;
  for (const Average& a : averages) {
    all += static_cast<double>(a.self);
    width = std::max(width, std::min<std::size_t>(a.name.size(), 40));
    argument_width = std::max(argument_width, a.arguments.size());
  }
  if (argument_width > 0) argument_width = std::clamp<std::size_t>(argument_width, 9, 60);
  char line[512];
  std::string text;
  const auto row = [&](const std::string& name, const char* share, const std::string& self,
                       const std::string& total, const std::string& count, const std::string& average_time,
                       const std::string& rate, const std::string& flops, const std::string& allocations,
                       const std::string& path, const std::string& arguments) {
    std::snprintf(line, sizeof(line), "%-*s %7s %10s %10s %9s %10s %11s %15s %8s  ", static_cast<int>(width),
                  name.c_str(), share, self.c_str(), total.c_str(), count.c_str(), average_time.c_str(),
                  rate.c_str(), flops.c_str(), allocations.c_str());
    text += line + path + (arguments.empty() ? "" : "  " + arguments);
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  };
  row("name", "self %", "self", "total", "count", "each", "bandwidth", "arithmetic", "allocs", "path",
      argument_width > 0 ? "arguments" : "");
  for (std::size_t i = 0; i < std::min(rows, averages.size()); ++i) {
    const Average& a = averages[i];
    const auto self = static_cast<double>(a.self);
    char share[16];
    std::snprintf(share, sizeof(share), "%.1f", all > 0 ? 100 * self / all : 0);
    row(a.name, share, time_text(self), time_text(static_cast<double>(a.total)), std::to_string(a.count),
        time_text(static_cast<double>(a.total) / static_cast<double>(a.count)),
        rate_text(static_cast<double>(a.bytes) / self, "GB/s"), rate_text(a.flops / self, "GFLOP/s"),
        std::to_string(a.allocations), a.paths.empty() ? "-" : a.paths, a.arguments);
  }
  if (averages.size() > rows) text += "... and " + std::to_string(averages.size() - rows) + " more\n";
  text += "sum of self times: " + time_text(all) + "\n";
  return text;
}

}  // namespace lanewise::profiler
