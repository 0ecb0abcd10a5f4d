#pragma once

#include <string>

namespace lanewise::detail {

/// The CPU quota, in CPUs, of the cgroups that `membership` (/proc/self/cgroup) names below `mount`
/// (/sys/fs/cgroup): the smallest along the way to the root, of versions 1 and 2. 0 if there is none or the
/// files are not readable.
double cgroup_cpu_quota(const std::string& membership, const std::string& mount);

}  // namespace lanewise::detail
