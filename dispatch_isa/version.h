#pragma once

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// The version of the library that is running, as "major.minor.patch".
LANEWISE_API const char* version() noexcept;

}  // namespace lanewise
