#include <algorithm>
#include <chrono>
#include <utility>

#include <lanewise/profiler/detail/recorder.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <lanewise/tensor/errors.h>

namespace lanewise::profiler::detail {
namespace {

using lanewise::detail::observed;

// A part of a parallel loop in one thread.
void begin_loop(const OpNotes& op) noexcept {
  ThreadLog& log = this_log();
  try {
    log.loops.push_back(std::make_unique<Frame>(Kind::Loop, op.op, 0));
  } catch (...) {
    ++log.lost_loops;
    return;
  }
  try {
    log.loops.back()->start(false);
  } catch (...) {
  }
}

void end_loop() noexcept {
  ThreadLog& log = this_log();
  if (log.lost_loops > 0) {
    --log.lost_loops;
  } else if (!log.loops.empty()) {
    log.loops.pop_back();
  }
}

constexpr lanewise::detail::LoopObserver kLoopObserver{&begin_loop, &end_loop};

Event finished(const RawEvent& raw, const ThreadLog& log) {
  Event event;
  event.name = raw.name;
  event.kind = raw.kind;
  event.thread = log.number;
  event.process_thread = log.process_thread;
  event.id = raw.id;
  event.parent = raw.parent;
  event.depth = raw.depth;
  event.begin = raw.begin;
  event.end = raw.end;
  event.self = raw.self;
  event.sequence = raw.sequence;
  event.sequence_end = raw.sequence_end;
  event.isa = raw.isa;
  event.path = path_name(raw.path);
  event.threads = raw.threads;
  event.bytes = raw.bytes;
  event.flops = raw.flops;
  event.allocations = raw.allocations;
  event.allocated_bytes = raw.allocated_bytes;
  event.counters = raw.counters;
  const std::int64_t* at = log.words.data() + raw.words;
  const std::int64_t* const end = at + raw.word_count;
  while (at < end) {
    TensorRecord t;
    t.dtype = static_cast<ScalarType>(at[0]);
    t.is_result = at[1] != 0;
    const std::int64_t dims = at[2];
    t.sizes.assign(at + 3, at + 3 + dims);
    t.strides.assign(at + 3 + dims, at + 3 + 2 * dims);
    at += 3 + 2 * dims;
    event.tensors.push_back(std::move(t));
  }
  return event;
}

}  // namespace

std::int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string_view path_name(Path path) noexcept {
  switch (path) {
    case Path::None: return "-";
    case Path::Own: return "own";
    case Path::Contiguous: return "contiguous";
    case Path::Small: return "small";
    case Path::Staged: return "staged";
    case Path::Rows: return "rows";
    case Path::Blocked: return "blocked";
    case Path::Reduction: return "reduction";
    case Path::Product: return "product";
  }
  return "-";
}

namespace {

// Not destroyed with the thread's other variables: an op may still run in a destructor, and gets a log of its own.
constinit thread_local ThreadLog* own_log = nullptr;

struct MarksEnd {
  ~MarksEnd() { std::exchange(own_log, nullptr)->ended.store(true, std::memory_order_release); }
};

}  // namespace

ThreadLog& this_log() {
  if (own_log == nullptr) [[unlikely]] {
    own_log = &Recorder::instance().make_log();
    thread_local const MarksEnd marks;
    static_cast<void>(marks);
  }
  return *own_log;
}

// Never destroyed: threads may end after main has.
Recorder& Recorder::instance() {
  static auto* recorder = new Recorder;
  return *recorder;
}

ThreadLog& Recorder::make_log() {
  auto log = std::make_unique<ThreadLog>();
#if defined(__linux__)
  log->process_thread = syscall(SYS_gettid);
#endif
  const std::lock_guard lock(mutex_);
  // Of threads that have ended, only what belongs to this recording is kept.
  std::erase_if(logs_, [this](const auto& old) {
    return old->ended.load(std::memory_order_acquire) && old->generation != generation();
  });
  log->number = threads_++;
  logs_.push_back(std::move(log));
  return *logs_.back();
}

std::string_view Recorder::keep(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return *names_.emplace(name).first;
}

void Recorder::start(const Options& options) {
  const std::lock_guard lock(mutex_);
  LANEWISE_CHECK(
      Error, !is_running(),
      "Profile: another profile records (LANEWISE_PROFILE, or a Profile that is not stopped); stop it first");
  shapes_ = options.shapes;
  counts_ = options.counters;
  max_events_ = options.max_events;
  count_ = dropped_ = 0;
  for (const auto& log : logs_) {
    const std::lock_guard own(log->mutex);
    log->events.clear();
    log->words.clear();
  }
  generation_.fetch_add(1);
  {
    const std::lock_guard counting(counters_mutex_);
    counters_ = options.counters ? Counters::open() : Counters();
  }
  lanewise::detail::loop_observer.store(&kLoopObserver, std::memory_order_release);
  begin_ = now();
  running_ = true;
  observed.fetch_or(kRecords);
}

void Recorder::stop() {
  const std::lock_guard lock(mutex_);
  if (!is_running()) return;
  observed.fetch_and(~kRecords);
  end_ = now();
  running_ = false;
  {
    const std::lock_guard counting(counters_mutex_);
    counters_.close();
  }
  // Whoever is about to add finds it stopped, or is done.
  for (const auto& log : logs_) const std::lock_guard own(log->mutex);
}

void Recorder::add(ThreadLog& log, const Frame& frame, std::int64_t end) {
  const std::lock_guard lock(log.mutex);
  if (!is_running() || frame.generation_ != generation()) return;
  if (log.generation != frame.generation_) {
    log.events.clear();
    log.words.clear();
    log.generation = frame.generation_;
  }
  if (count_.fetch_add(1, std::memory_order_relaxed) >= static_cast<std::int64_t>(max_events())) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::int64_t* words = log.scratch.data() + frame.words_;
  const std::size_t word_count = log.scratch.size() - frame.words_;
  const OpNotes& notes = frame.notes_;
  RawEvent event{
      .name = frame.name_,
      .kind = frame.kind_,
      .isa = active_isa(),
      .path = notes.path,
      .threads = notes.threads,
      .depth = frame.depth_,
      .id = frame.id_,
      .parent = frame.outer_ == nullptr ? 0 : frame.outer_->id_,
      .sequence = frame.sequence_,
      .sequence_end = frame.sequence_end_,
      .begin = frame.begin_,
      .end = end,
      .self = end - frame.begin_ - frame.inside_,
      .bytes = frame.bytes_,
      .flops = frame.kind_ == Kind::Op ? count_flops(frame.name_, frame.work_, words, word_count) : 0,
      .allocations = notes.allocations,
      .allocated_bytes = notes.allocated_bytes,
      .words = log.words.size(),
      .word_count = keeps_shapes() ? word_count : 0,
      .counters = {}};
  if (frame.depth_ == 0 && frame.kind_ != Kind::Loop && counts()) {
    event.counters = read_counters();
    for (std::size_t i = 0; i < std::min(event.counters.size(), frame.counters_.size()); ++i) {
      event.counters[i] -= std::min(event.counters[i], frame.counters_[i]);
    }
  }
  if (keeps_shapes()) log.words.insert(log.words.end(), words, words + word_count);
  log.events.push_back(std::move(event));
}

std::vector<std::uint64_t> Recorder::read_counters() {
  const std::lock_guard lock(counters_mutex_);
  return counters_.read();
}

std::vector<Event> Recorder::events() {
  const std::lock_guard lock(mutex_);
  std::vector<Event> result;
  for (const auto& log : logs_) {
    const std::lock_guard own(log->mutex);
    if (log->generation != generation()) continue;
    for (const RawEvent& raw : log->events) result.push_back(finished(raw, *log));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Event& a, const Event& b) { return a.begin < b.begin; });
  return result;
}

}  // namespace lanewise::profiler::detail
