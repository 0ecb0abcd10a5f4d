#include <algorithm>
#include <set>
#include <unordered_map>

#if defined(__linux__)
#include <unistd.h>
#endif

#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/dispatch_isa/version.h>
#include <lanewise/profiler/averages.h>
#include <lanewise/profiler/detail/output.h>
#include <lanewise/tensor/dtype.h>

// Source: "Trace Event Format", the JSON object form, which lets other keys stand beside traceEvents.
namespace lanewise::profiler::detail {
namespace {

const char* category(Kind kind) {
  switch (kind) {
    case Kind::Op: return "op";
    case Kind::Backward: return "backward";
    case Kind::Loop: return "loop";
    case Kind::Range: return "range";
  }
  return "";
}

void write_tensors(Json& json, const Event& event) {
  const auto each = [&](std::string_view key, bool results, auto&& write) {
    json.key(key).open('[');
    for (const TensorRecord& t : event.tensors) {
      if (t.is_result == results) write(t);
    }
    json.close();
  };
  const auto numbers = [&](const std::vector<std::int64_t>& list) {
    json.open('[');
    for (const std::int64_t n : list) json.value(n);
    json.close();
  };
  if (event.tensors.empty()) return;
  each("shapes", false, [&](const TensorRecord& t) { numbers(t.sizes); });
  each("strides", false, [&](const TensorRecord& t) { numbers(t.strides); });
  each("dtypes", false, [&](const TensorRecord& t) {
    json.value(t.dtype == ScalarType::Undefined ? "none" : short_name(t.dtype));
  });
  each("result_shapes", true, [&](const TensorRecord& t) { numbers(t.sizes); });
  each("result_dtypes", true, [&](const TensorRecord& t) {
    json.value(t.dtype == ScalarType::Undefined ? "none" : short_name(t.dtype));
  });
}

class TraceWriter {
 public:
  explicit TraceWriter(const Recording& recording) : r_(recording) {
    for (const Event& event : r_.events) start_ = std::min(start_ == 0 ? event.begin : start_, event.begin);
#if defined(__linux__)
    process_ = getpid();
#endif
  }

  std::string write() {
    json_.open('{').field("displayTimeUnit", "ns").key("traceEvents").open('[');
    threads();
    for (const Event& event : r_.events) complete(event);
    arrows();
    json_.line().close().line().key("lanewise");
    summary();
    json_.close();
    return json_.text() + "\n";
  }

 private:
  double us(std::int64_t ns) const { return static_cast<double>(ns - start_) * 1e-3; }

  Json& head(std::string_view name, const char* phase, int thread) {
    return json_.line()
        .open('{')
        .field("name", name)
        .field("ph", phase)
        .field("pid", process_)
        .field("tid", thread);
  }

  void threads() {
    std::set<std::pair<int, std::int64_t>> threads;
    for (const Event& event : r_.events) threads.emplace(event.thread, event.process_thread);
    for (const auto& [thread, system] : threads) {
      head("thread_name", "M", thread)
          .key("args")
          .open('{')
          .field("name", "thread " + std::to_string(thread) + " (" + std::to_string(system) + ")");
      json_.close().close();
      head("thread_sort_index", "M", thread)
          .key("args")
          .open('{')
          .field("sort_index", thread)
          .close()
          .close();
    }
  }

  void complete(const Event& event) {
    head(event.name, "X", event.thread)
        .field("cat", category(event.kind))
        .field("ts", us(event.begin))
        .field("dur", static_cast<double>(event.duration()) * 1e-3);
    if (event.kind == Kind::Op || event.kind == Kind::Backward) {
      json_.key("args").open('{').field("isa", lanewise::name(event.isa));
      if (event.kind == Kind::Op) {
        json_.field("path", event.path)
            .field("threads", event.threads)
            .field("bytes", event.bytes)
            .field("flops", event.flops);
        write_tensors(json_, event);
      }
      if (has_node(event)) json_.field("sequence", event.sequence);
      json_.field("allocations", event.allocations).field("allocated_bytes", event.allocated_bytes);
      for (std::size_t i = 0; i < event.counters.size(); ++i)
        json_.field(r_.counters.names()[i], event.counters[i]);
      json_.close();
    }
    json_.close();
  }

  // An op that made nodes; a backward that is no leaf's accumulator.
  static bool has_node(const Event& event) {
    return event.kind == Kind::Op ? event.sequence_end > event.sequence
                                  : event.kind == Kind::Backward && event.sequence + 1 != 0;
  }

  // From the innermost op during which a node was made to the node's backward.
  void arrows() {
    std::unordered_map<std::uint64_t, const Event*> makers;
    std::int64_t id = 0;
    std::vector<const Event*> order;
    for (const Event& event : r_.events) order.push_back(&event);
    for (const Event* event : order) {  // in order of beginning: an inner or a later op replaces
      if (event->kind == Kind::Op) {
        for (std::uint64_t s = event->sequence; s < event->sequence_end; ++s) makers[s] = event;
      } else if (has_node(*event)) {
        const auto maker = makers.find(event->sequence);
        if (maker == makers.end()) continue;
        ++id;
        head("backward", "s", maker->second->thread)
            .field("cat", "forward_backward")
            .field("id", id)
            .field("ts", us(maker->second->begin))
            .close();
        head("backward", "f", event->thread)
            .field("cat", "forward_backward")
            .field("id", id)
            .field("bp", "e")
            .field("ts", us(event->begin))
            .close();
      }
    }
  }

  void summary() {
    json_.open('{')
        .field("format", 1)
        .field("version", version())
        .field("cpu", cpu_model())
        .field("isa", lanewise::name(active_isa()));
    json_.field("threads", get_num_threads())
        .field("seconds", r_.seconds)
        .field("dropped_events", r_.dropped);
    json_.key("counters").open('{');
    const std::vector<std::uint64_t> counts = r_.counters.read();  // also while they go on
    for (std::size_t i = 0; i < counts.size(); ++i) json_.field(r_.counters.names()[i], counts[i]);
    json_.close().field("counters_problem", r_.counters.problem());
    json_.key("averages").open('[');
    for (const GroupBy group : {GroupBy::Name, GroupBy::NameAndShape}) {
      for (const Average& a : average(r_.events, group)) {
        json_.line()
            .open('{')
            .field("group", group == GroupBy::Name ? "name" : "name_and_shape")
            .field("name", a.name);
        json_.field("kind", category(a.kind))
            .field("arguments", a.arguments)
            .field("count", a.count)
            .field("self_ns", a.self);
        json_.field("total_ns", a.total)
            .field("shortest_ns", a.shortest)
            .field("longest_ns", a.longest)
            .field("bytes", a.bytes);
        json_.field("flops", a.flops)
            .field("allocations", a.allocations)
            .field("allocated_bytes", a.allocated_bytes);
        json_.field("threads", a.threads).field("paths", a.paths).close();
      }
    }
    json_.close().close();
  }

  const Recording& r_;
  Json json_;
  std::int64_t start_ = 0;
  int process_ = 1;
};

}  // namespace

std::string chrome_trace(const Recording& recording) { return TraceWriter(recording).write(); }

}  // namespace lanewise::profiler::detail
