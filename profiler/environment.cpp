#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>

#if defined(__linux__)
#include <unistd.h>
#endif

#include <lanewise/profiler/detail/output.h>
#include <lanewise/profiler/detail/probes.h>
#include <lanewise/profiler/detail/recorder.h>
#include <lanewise/tensor/errors.h>

// LANEWISE_PROFILE and LANEWISE_VERBOSE, for programs that know nothing of profiles.
namespace lanewise::profiler::detail {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_on(const char* name) {
  const std::string_view value = variable(name);
  return !value.empty() && value != "0";
}

constinit std::atomic<bool> dump_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // written by a signal handler

/// The profile of the whole program.
class Session {
 public:
  Session() {
    if (is_on("LANEWISE_VERBOSE")) lanewise::detail::observed.fetch_or(kPrints);
    if (is_on("LANEWISE_PROBES")) {
      lanewise::detail::observed.fetch_or(kProbes);
      if (!kHasProbes) say("LANEWISE_PROBES: this library was built without probes (systemtap-sdt-dev)");
    }
    path_ = variable("LANEWISE_PROFILE");
    if (path_.empty()) return;
    if (const std::size_t at = path_.find("%p"); at != std::string::npos) path_.replace(at, 2, process());
    try {
      write_file(path_, "");  // now, not after hours
      Recorder::instance().start(options());
      runs_ = true;
      if (is_on("LANEWISE_PROFILE_SIGNAL"))
        std::signal(SIGUSR2, [](int) { dump_asked.store(true, std::memory_order_relaxed); });
    } catch (const std::exception& error) {
      say(error.what());
    }
  }
  ~Session() {
    if (!runs_) return;
    Recorder::instance().stop();
    write();
  }

  void write() const {
    const std::lock_guard lock(writing_);  // threads may find that a dump was asked for, one after the other
    try {
      Recorder& recorder = Recorder::instance();
      const std::vector<Event> events = recorder.events();
      const double seconds = static_cast<double>(recorder.end() - recorder.begin()) * 1e-9;
      write_file(path_, chrome_trace({events, recorder.counters(), recorder.dropped(), seconds}));
      if (!recorder.counters().problem().empty()) say(recorder.counters().problem().c_str());
      if (recorder.dropped() > 0) {
        say((std::to_string(recorder.dropped()) + " events came after LANEWISE_PROFILE_EVENTS=" +
             std::to_string(recorder.max_events()) + " and are not in " + path_)
                .c_str());
      }
    } catch (const std::exception& error) {
      say(error.what());
    }
  }
  bool runs() const noexcept { return runs_; }

 private:
  static void say(const char* text) { std::fprintf(stderr, "lanewise: %s\n", text); }
  static std::string process() {
#if defined(__linux__)
    return std::to_string(getpid());
#else
    return "1";
#endif
  }
  static Options options() {
    Options options;
    options.counters = is_on("LANEWISE_PROFILE_COUNTERS");
    if (const std::string_view most = variable("LANEWISE_PROFILE_EVENTS"); !most.empty()) {
      const auto [end, error] = std::from_chars(most.data(), most.data() + most.size(), options.max_events);
      LANEWISE_CHECK(Error, error == std::errc() && end == most.data() + most.size(),
                     "LANEWISE_PROFILE_EVENTS=", most,
                     ": expected a whole number; the program runs without a profile");
    }
    return options;
  }

  std::string path_;
  bool runs_ = false;
  mutable std::mutex writing_;
};

const Session session;

}  // namespace

void dump_if_asked() {
  if (dump_asked.load(std::memory_order_relaxed) && dump_asked.exchange(false) && session.runs())
    session.write();
}

}  // namespace lanewise::profiler::detail
