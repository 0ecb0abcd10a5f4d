#include <charconv>
#include <cstdlib>
#include <string>

#include <lanewise/dispatch_isa/detail/binding.h>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

#include <lanewise/dispatch_isa/detail/machine.h>
#include <lanewise/dispatch_isa/error.h>

namespace lanewise::detail {
namespace {

/// The numbers of a set, in order.
std::vector<int> members(hwloc_const_bitmap_t set) {
  std::vector<int> result;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) result.push_back(i);
  return result;
}

/// First hardware threads of all cores, then the second ones, and so on.
Binding order_of(hwloc_topology_t machine, hwloc_const_bitmap_t usable) {
  std::vector<std::vector<int>> cores;
  const BitmapPtr part(hwloc_bitmap_alloc());
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core)) != nullptr;) {
    hwloc_bitmap_and(part.get(), core->cpuset, usable);
    if (hwloc_bitmap_iszero(part.get()) == 0) cores.push_back(members(part.get()));
  }
  if (cores.empty()) {  // a system that does not tell its cores
    for (const int pu : members(usable)) cores.push_back({pu});
  }
  Binding result;
  result.cores = static_cast<int>(cores.size());
  for (std::size_t sibling = 0, added = 1; added > 0; ++sibling) {
    added = 0;
    for (const std::vector<int>& core : cores) {
      if (sibling >= core.size()) continue;
      result.pus.push_back(core[sibling]);
      ++added;
    }
  }
  return result;
}

Binding parse(std::string_view text) {
  if (text.empty() || text == "none") return {};
  const MachinePtr machine = load_machine();
  const BitmapPtr usable = usable_pus(machine.get());
  if (text == "cores") return order_of(machine.get(), usable.get());
  constexpr std::string_view kNode = "node:";
  int number = -1;
  if (text.starts_with(kNode)) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + kNode.size(), end, number);
    if (error != std::errc() || rest != end) number = -1;
  }
  LANEWISE_CHECK(Error, number >= 0, "LANEWISE_BIND=", text, ": expected none, cores or node:<number>");
  std::string known;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(machine.get(), HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (hwloc_bitmap_intersects(node->cpuset, usable.get()) == 0) continue;
    if (static_cast<int>(node->os_index) == number) {
      hwloc_bitmap_and(usable.get(), usable.get(), node->cpuset);
      return order_of(machine.get(), usable.get());
    }
    known += (known.empty() ? "" : ", ") + std::to_string(node->os_index);
  }
  raise<Error>("LANEWISE_BIND=", text, ": this process can use the NUMA nodes ", known);
}

}  // namespace

std::vector<int> bind_order(std::string_view text) { return parse(text).pus; }

const Binding& binding() {
  static const Binding instance = [] {
    const char* text = std::getenv("LANEWISE_BIND");
    return parse(text == nullptr ? "" : text);
  }();
  return instance;
}

void bind_this_thread([[maybe_unused]] int slot) noexcept {
#if defined(__linux__)
  constinit thread_local static int bound = -1;
  const std::vector<int>& pus = binding().pus;
  if (pus.empty() || slot < 0 || slot == bound) return;
  const int pu = pus[static_cast<std::size_t>(slot) % pus.size()];
  if (pu >= CPU_SETSIZE) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(pu), &set);
  // Where the system refuses, the thread runs where it did.
  if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0) bound = slot;
#endif
}

}  // namespace lanewise::detail
