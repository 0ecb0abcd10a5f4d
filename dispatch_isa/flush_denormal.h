#pragma once

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// Numbers too small for a normal float or double count as zero, on reading and on writing, from now on in
/// the calling thread and in every worker that computes for it. A new thread begins with what its maker has.
/// Arithmetic on such numbers is up to a hundred times slower than on others.
///
/// Returns   false, having done nothing, on a CPU that cannot
LANEWISE_API bool set_flush_denormal(bool on) noexcept;

/// Whether the calling thread flushes.
LANEWISE_API bool flush_denormal() noexcept;

}  // namespace lanewise
