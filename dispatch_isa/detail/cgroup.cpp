#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include <lanewise/dispatch_isa/detail/cgroup.h>

namespace lanewise::detail {

namespace {

/// A quota of version 2: "max 100000" or "150000 100000"; 0 if unlimited or unreadable.
double quota_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0;
  double period = 0;
  return file >> quota >> period && quota > 0 && period > 0 ? quota / period : 0;
}

/// A quota of version 1: -1 microseconds means unlimited.
double quota_v1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
  std::ifstream period_file(folder + "/cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period && quota > 0 && period > 0 ? quota / period : 0;
}

/// The smallest limit of `path` and its parents below `mount`. In a container the path may be one of the host
/// that does not exist here; then the mount itself is the container's group, and it is visited last.
double smallest(const std::string& mount, std::string path, double (*quota)(const std::string&)) {
  double result = 0;
  while (true) {
    const double here = quota(mount + path);
    if (here > 0 && (result == 0 || here < result)) {
      result = here;
    }
    if (path.empty()) {
      return result;
    }
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

bool lists_cpu(const std::string& controllers) {
  std::istringstream stream(controllers);
  for (std::string controller; std::getline(stream, controller, ',');) {
    if (controller == "cpu") {
      return true;
    }
  }
  return false;
}

}  // namespace

double cgroup_cpu_quota(const std::string& membership, const std::string& mount) {
  std::ifstream file(membership);
  double result = 0;
  for (std::string line; std::getline(file, line);) {  // hierarchy:controllers:path
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") {
      path.clear();
    }
    const bool v2 = controllers.empty();
    if (!v2 && !lists_cpu(controllers)) {
      continue;
    }
    using Folders = std::array<std::string_view, 3>;
    for (const std::string_view folder :
         v2 ? Folders{"", "/unified", ""} : Folders{"/cpu", "/cpu,cpuacct", "/cpuacct,cpu"}) {
      const double quota = smallest(mount + std::string(folder), path, v2 ? quota_v2 : quota_v1);
      if (quota > 0 && (result == 0 || quota < result)) {
        result = quota;
      }
    }
  }
  return result;
}

}  // namespace lanewise::detail
