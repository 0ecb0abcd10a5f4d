#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lanewise::tools {

/// What identifies a machine and a build in a stored run: CPU, caches, cores, tiers, versions. Sizes in
/// bytes.
nlohmann::json machine_json();

}  // namespace lanewise::tools
