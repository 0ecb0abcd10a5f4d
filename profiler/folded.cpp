#include <map>

#include <lanewise/profiler/detail/output.h>

namespace lanewise::profiler::detail {

std::string folded_stacks(const std::vector<Event>& events) {
  // A parent begins before what runs inside it, so in order of beginning its stack is known.
  std::map<std::pair<int, std::uint64_t>, std::string> stack_of;
  std::map<std::string, std::int64_t> ns;
  for (const Event& event : events) {
    if (event.kind == Kind::Loop) continue;
    const auto outer = stack_of.find({event.thread, event.parent});
    std::string stack = event.parent != 0 && outer != stack_of.end()
                            ? outer->second
                            : "thread " + std::to_string(event.thread);
    stack += ';' + event.name;
    ns[stack] += event.self;
    stack_of[{event.thread, event.id}] = std::move(stack);
  }
  std::string text;
  for (const auto& [stack, self] : ns) text += stack + ' ' + std::to_string((self + 500) / 1000) + '\n';
  return text;
}

}  // namespace lanewise::profiler::detail
