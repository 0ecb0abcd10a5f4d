#include <lanewise/dispatch_isa/version.h>

#include <lanewise/generated/version.h>

namespace lanewise {

const char* version() noexcept { return LANEWISE_VERSION; }

}  // namespace lanewise
