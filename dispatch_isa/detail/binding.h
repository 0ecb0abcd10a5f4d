#pragma once

#include <string_view>
#include <vector>

namespace lanewise::detail {

/// What LANEWISE_BIND asks for, as hardware threads (the system's numbers) in the order in which loops use
/// them; empty: threads go where the system puts them.
///
///   none     nothing is bound (default)
///   cores    thread i of a loop on the i-th usable core, its first hardware thread; cores of a NUMA node one
///   after the other; second hardware
///            threads come after all cores
///   node:N   the same on NUMA node N alone, which is also where memory that these threads touch first comes
///   from
///
/// Throws   Error for anything else and for a node that the process cannot use
std::vector<int> bind_order(std::string_view text);

struct Binding {
  std::vector<int> pus;
  int cores = 0;  ///< of pus, those before second hardware threads
};
/// That of the environment; read when first asked.
/// Throws   Error, each time it is asked
const Binding& binding();

/// Binds the calling thread to place `slot` of the binding, if there is one.
void bind_this_thread(int slot) noexcept;

}  // namespace lanewise::detail
