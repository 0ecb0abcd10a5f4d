#pragma once

#include <memory>

#include <hwloc.h>

namespace lanewise::detail {

struct DestroyMachine {
  void operator()(hwloc_topology_t machine) const { hwloc_topology_destroy(machine); }
};
using MachinePtr = std::unique_ptr<hwloc_topology, DestroyMachine>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using BitmapPtr = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

/// The machine as hwloc reads it. Throws   Error
MachinePtr load_machine();
/// The hardware threads that this process may use, by cpuset and by the affinity of the calling thread.
BitmapPtr usable_pus(hwloc_topology_t machine);

}  // namespace lanewise::detail
