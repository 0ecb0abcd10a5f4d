#pragma once

#include <functional>
#include <string>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// Runs f once and says of each op in it, as text: why its result got its dtype and its layout, over which
/// coalesced dimensions and along which path its loop went, on which tier, with how many threads and why, what it
/// should have taken by the cost model that chooses the grain, and what it took.
///
///   std::cout << explain([&] { c = a + b.t(); });
///
/// The first run of a program part pays for page faults and cold caches; explain the second.
/// Throws   Error if a profile records already; what f throws
LANEWISE_API std::string explain(const std::function<void()>& f);

}  // namespace lanewise
