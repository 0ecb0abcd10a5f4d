#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <lanewise/profiler/counters.h>
#include <lanewise/profiler/detail/cache_events.h>

#if defined(__linux__)
#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace lanewise::profiler {

Counters::Counters(Counters&& other) noexcept
    : names_(std::move(other.names_)),
      files_(std::exchange(other.files_, {})),
      totals_(std::move(other.totals_)),
      problem_(std::move(other.problem_)) {}

Counters& Counters::operator=(Counters&& other) noexcept {
  std::swap(names_, other.names_);
  std::swap(files_, other.files_);
  std::swap(totals_, other.totals_);
  std::swap(problem_, other.problem_);
  return *this;
}

Counters::~Counters() { close(); }

#if defined(__linux__)

namespace {

struct HardwareEvent {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::uint64_t kL1dReadMisses =
    PERF_COUNT_HW_CACHE_L1D | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);

/// `unknown` are those for which this CPU has no event that we know of.
std::vector<HardwareEvent> hardware_events(std::string& unknown) {
  std::vector<HardwareEvent> found = {
      {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
      {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
      {"l1d_misses", PERF_TYPE_HW_CACHE, kL1dReadMisses},
  };
  const detail::CacheEvents events = detail::cache_events();
  for (const auto& [name, event] :
       {std::pair("l2_misses", events.l2_misses), std::pair("llc_misses", events.llc_misses)}) {
    if (event) {
      found.push_back({name, event->type, event->config});
    } else {
      unknown += (unknown.empty() ? "" : ", ") + std::string(name);
    }
  }
  found.push_back({"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES});
  found.push_back({"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS});
  return found;
}

int open_counter(const HardwareEvent& event, int thread) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof(attr));
  attr.size = sizeof(attr);
  attr.type = event.type;
  attr.config = event.config;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.inherit = 1;  // threads that this one starts count into the same number
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::vector<int> threads_of_process() {
  std::vector<int> threads;
  if (DIR* folder = opendir("/proc/self/task"); folder != nullptr) {
    while (const dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.') threads.push_back(std::atoi(entry->d_name));
    }
    closedir(folder);
  }
  return threads;
}

std::string paranoid_level() {
  char text[16] = "unknown";
  if (std::FILE* file = std::fopen("/proc/sys/kernel/perf_event_paranoid", "re"); file != nullptr) {
    if (std::fscanf(file, "%15s", text) != 1) std::strcpy(text, "unknown");
    std::fclose(file);
  }
  return text;
}

}  // namespace

Counters Counters::open() {
  Counters counters;
  const std::vector<int> threads = threads_of_process();
  std::string missing, unknown;
  int error = 0;
  for (const HardwareEvent& event : hardware_events(unknown)) {
    std::vector<int> files;
    for (const int thread : threads) {
      const int file = open_counter(event, thread);
      if (file >= 0) {
        files.push_back(file);
      } else if (errno != ESRCH) {  // a thread that has just ended counts nothing more
        error = errno;
      }
    }
    if (files.empty()) {
      missing += (missing.empty() ? "" : ", ") + std::string(event.name);
      continue;
    }
    counters.names_.emplace_back(event.name);
    counters.files_.push_back(std::move(files));
  }
  if (!missing.empty()) {
    counters.problem_ = "counters not available: " + missing + " (perf_event_open: " + std::strerror(error) +
                        "; kernel.perf_event_paranoid is " + paranoid_level() +
                        (error == ENOENT ? "; this machine or its hypervisor has none)" : ")");
  }
  if (!unknown.empty()) {
    counters.problem_ += (missing.empty() ? "counters not available: " : "; ") + unknown +
                         " (no event of this CPU is known for it)";
  }
  counters.totals_.resize(counters.names_.size());
  return counters;
}

std::vector<std::uint64_t> Counters::read() const {
  if (files_.empty()) return totals_;
  std::vector<std::uint64_t> sums;
  for (const std::vector<int>& files : files_) {
    double sum = 0;
    for (const int file : files) {
      std::uint64_t values[3] = {};  // count, time enabled, time running
      if (::read(file, values, sizeof(values)) != static_cast<ssize_t>(sizeof(values)) || values[2] == 0)
        continue;
      sum += static_cast<double>(values[0]) * static_cast<double>(values[1]) / static_cast<double>(values[2]);
    }
    sums.push_back(static_cast<std::uint64_t>(sum));
  }
  return sums;
}

void Counters::close() {
  if (files_.empty()) return;
  totals_ = read();
  for (const std::vector<int>& files : std::exchange(files_, {})) {
    for (const int file : files) ::close(file);
  }
}

#else

Counters Counters::open() {
  Counters counters;
  counters.problem_ = "counters not available: they need Linux";
  return counters;
}
std::vector<std::uint64_t> Counters::read() const { return totals_; }
void Counters::close() {}

#endif

}  // namespace lanewise::profiler
