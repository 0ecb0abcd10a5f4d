#pragma once

#include <string>

#include "op.h"

namespace lanewise::codegen {

/// Whether a formula reads its incoming gradient once, in a pointwise op: that op's result may then take the gradient's
/// memory.
bool spends_gradient(const OpList& list, const std::string& formula);

}  // namespace lanewise::codegen
