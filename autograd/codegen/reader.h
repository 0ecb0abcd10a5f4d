#pragma once

#include <string>

#include "op.h"

namespace lanewise::codegen {

/// Reads and checks derivatives.yaml. Throws SourceError naming the line.
OpList read_ops(const std::string& path);

}  // namespace lanewise::codegen
