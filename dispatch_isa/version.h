#pragma once

#include <string>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// The version of the library that is running, as "major.minor.patch".
LANEWISE_API const char* version() noexcept;

/// The version of oneTBB that this process runs with, such as "2021.8".
LANEWISE_API std::string tbb_version();

/// The version of hwloc's interface that this process runs with, such as "2.9".
LANEWISE_API std::string hwloc_version();

}  // namespace lanewise
