#include <utility>

#include <lanewise/profiler/detail/output.h>
#include <lanewise/profiler/detail/recorder.h>
#include <lanewise/profiler/profile.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::profiler {

using detail::Frame;
using detail::Recorder;

/// What a stopped profile holds; the recorder may meanwhile serve the next one.
struct Profile::State {
  bool stopped = false;
  std::vector<Event> events;
  std::int64_t dropped = 0;
  double seconds = 0;
  Counters counters;
};

Profile::Profile(Options options) : state_(std::make_unique<State>()) { Recorder::instance().start(options); }

Profile::~Profile() {
  if (!state_->stopped) Recorder::instance().stop();
}

void Profile::stop() {
  if (std::exchange(state_->stopped, true)) return;
  Recorder& recorder = Recorder::instance();
  recorder.stop();
  state_->events = recorder.events();
  state_->dropped = recorder.dropped();
  state_->seconds = static_cast<double>(recorder.end() - recorder.begin()) * 1e-9;
  state_->counters = recorder.take_counters();
}

const std::vector<Event>& Profile::events() {
  stop();
  return state_->events;
}
std::int64_t Profile::dropped() {
  stop();
  return state_->dropped;
}
double Profile::seconds() {
  stop();
  return state_->seconds;
}
const Counters& Profile::counters() {
  stop();
  return state_->counters;
}

std::vector<Average> Profile::key_averages(GroupBy group) { return average(events(), group); }

std::string Profile::table(GroupBy group, std::string_view sort, std::size_t rows) {
  return profiler::table(key_averages(group), sort, rows);
}

std::string Profile::chrome_trace() {
  stop();
  return detail::chrome_trace({state_->events, state_->counters, state_->dropped, state_->seconds});
}
std::string Profile::folded_stacks() { return detail::folded_stacks(events()); }
void Profile::write_chrome_trace(const std::string& path) { detail::write_file(path, chrome_trace()); }
void Profile::write_folded_stacks(const std::string& path) { detail::write_file(path, folded_stacks()); }

Range::Range(std::string name) {
  if (!detail::is_observed()) return;
  auto* frame = new Frame(Kind::Range, Recorder::instance().keep(name), 0);
  frame->start(false);
  frame_ = frame;
}

Range::~Range() { delete static_cast<Frame*>(frame_); }

bool is_recording() noexcept { return Recorder::instance().is_running(); }

}  // namespace lanewise::profiler
