#pragma once

#include <functional>

namespace lanewise {

/// The type of calls whose errors are matched. Each lambda has a type of its own, for which GoogleMock's matchers would be
/// compiled anew: a file with thirty of them takes 26 s so, and 11 s with this one type.
using Call = std::function<void()>;

}  // namespace lanewise
